#include "nameplate/core/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "nameplate/core/text.h"

namespace nameplate {
namespace {

struct Prefix {
  std::string_view spelling;
  double factor;
};
constexpr std::array<Prefix, 12> kPrefixes = {{{"", 1},
                                               {"k", 1e3},
                                               {"K", 1e3},
                                               {"M", 1e6},
                                               {"G", 1e9},
                                               {"T", 1e12},
                                               {"P", 1e15},
                                               {"E", 1e18},
                                               {"Ki", 1024.0},
                                               {"Mi", 1048576.0},
                                               {"Gi", 1073741824.0},
                                               {"Ti", 1099511627776.0}}};

struct Unit {
  std::string_view spelling;
  double factor;
};

// What a kind of value may be written in. `prefixes` takes the first so many of kPrefixes.
struct UnitSet {
  std::string_view accepted;  // for the error
  std::span<const Unit> units;
  std::size_t prefixes = 1;
  bool case_matters = true;  // "Gb" and "GB" differ; "tflops" and "TFLOPS" do not
  bool is_rate = false;      // may end in "per accelerator"
};

constexpr std::size_t kDecimal = 8;
constexpr std::size_t kBinaryToo = kPrefixes.size();

constexpr Unit kByteUnits[] = {{"B", 1},     {"byte", 1},    {"bytes", 1},    {"Byte", 1},    {"Bytes", 1},
                               {"b", 0.125}, {"bit", 0.125}, {"bits", 0.125}, {"Bit", 0.125}, {"Bits", 0.125}};
constexpr Unit kBandwidthUnits[] = {{"B/s", 1},       {"Byte/s", 1},  {"byte/s", 1},    {"bytes/s", 1},
                                    {"Bps", 1},       {"b/s", 0.125}, {"bit/s", 0.125}, {"bits/s", 0.125},
                                    {"Bit/s", 0.125}, {"bps", 0.125}};
constexpr Unit kDurationUnits[] = {{"ns", 1e-9},    {"us", 1e-6},   {"µs", 1e-6},   {"ms", 1e-3},   {"s", 1},
                                   {"sec", 1},      {"second", 1},  {"seconds", 1}, {"min", 60},    {"minute", 60},
                                   {"minutes", 60}, {"h", 3600},    {"hr", 3600},   {"hour", 3600}, {"hours", 3600},
                                   {"d", 86400},    {"day", 86400}, {"days", 86400}};
constexpr Unit kFlopsRateUnits[] = {{"flop/s", 1}, {"flops/s", 1}, {"flops", 1}, {"op/s", 1}, {"ops/s", 1}, {"ops", 1}};
constexpr Unit kPowerUnits[] = {{"W", 1}, {"watt", 1}, {"watts", 1}};
constexpr Unit kTokenRateUnits[] = {{"token/s", 1}, {"tokens/s", 1}, {"tok/s", 1}};

constexpr UnitSet kBytes{"B, kB, MB, GB, TB, KiB, MiB, GiB, TiB or bits (Gbit)", kByteUnits, kBinaryToo};
constexpr UnitSet kBandwidth{"B/s, GB/s, TB/s, GiB/s, Gbit/s, Gbps", kBandwidthUnits, kBinaryToo, true, true};
constexpr UnitSet kDuration{"ns, us, ms, s, min, h, d", kDurationUnits};
constexpr UnitSet kFlopsRate{"FLOP/s, GFLOP/s, TFLOP/s, PFLOP/s, EFLOP/s, TFLOPS, TOPS", kFlopsRateUnits, kDecimal,
                             false, true};
constexpr UnitSet kPower{"W, kW, MW", kPowerUnits, kDecimal, true, true};
constexpr UnitSet kTokenRate{"token/s, tokens/s, tok/s, ktoken/s, Mtoken/s", kTokenRateUnits, kDecimal, true, true};

// Where the number ends: digits, separators, and an exponent, which the "E" of "5 EFLOP/s" and "5EFLOP/s" is not.
std::size_t number_length(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  std::size_t end = text.find_first_not_of("+-0123456789.,");
  if (end == text.npos || (text[end] != 'e' && text[end] != 'E')) return std::min(end, text.size());
  std::size_t digits = end + 1;
  if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
  if (digits >= text.size() || kDigits.find(text[digits]) == kDigits.npos) return end;
  return std::min(text.find_first_not_of(kDigits, digits), text.size());
}

std::string_view without_scope(std::string_view unit) {
  for (std::string_view per : {"per ", "/"}) {
    for (std::string_view device : {"accelerator", "gpu", "device", "chip"}) {
      std::string tail = std::string(per).append(device);
      if (unit.size() <= tail.size() || !starts_with_ignoring_case(unit.substr(unit.size() - tail.size()), tail))
        continue;
      return trim(unit.substr(0, unit.size() - tail.size()));
    }
  }
  return unit;
}

std::optional<double> factor_of(std::string_view unit, const UnitSet& set) {
  auto same = [&](std::string_view a, std::string_view b) {
    return set.case_matters ? a == b : a.size() == b.size() && starts_with_ignoring_case(a, b);
  };
  for (const Unit& known : set.units) {
    for (const Prefix& prefix : std::span(kPrefixes).first(set.prefixes)) {
      std::size_t length = prefix.spelling.size();
      if (unit.size() != length + known.spelling.size()) continue;
      if (same(unit.substr(0, length), prefix.spelling) && same(unit.substr(length), known.spelling)) {
        return prefix.factor * known.factor;
      }
    }
  }
  return std::nullopt;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return "'" + std::string(text.substr(0, kMost)) + (text.size() > kMost ? "…'" : "'");
}

Error unit_error(std::string found, const UnitSet& set) {
  return Error{std::move(found), "one of " + std::string(set.accepted), {}, {}};
}

Result<double> parse_with(std::string_view text, const UnitSet& set) {
  text = trim(text);
  std::size_t length = number_length(text);
  auto number = parse_number(text.substr(0, length));
  if (!number)
    return Error{quoted(text) + " is not a number with a unit", "one of " + std::string(set.accepted), {}, {}};
  if (*number < 0) return Error{quoted(text) + " is negative", "a value of zero or more", {}, {}};
  std::string_view unit = trim(text.substr(length));
  if (unit.empty()) return unit_error(quoted(text) + " has no unit", set);
  std::string spelling(set.is_rate ? without_scope(unit) : unit);
  std::erase(spelling, ' ');  // "12.5k tokens/s", "1.2 k tokens / s"
  auto factor = factor_of(spelling, set);
  if (!factor) return unit_error("unknown unit " + quoted(unit), set);
  double value = *number * *factor;
  if (!std::isfinite(value)) return error(quoted(text) + " is out of range");
  return value;
}

template <class Q>
Result<Q> parse_quantity(std::string_view text, const UnitSet& set) {
  NAMEPLATE_TRY(double value, parse_with(text, set));
  return Q::from_base(value);
}

}  // namespace

Result<Bytes> parse_bytes(std::string_view text) { return parse_quantity<Bytes>(text, kBytes); }
Result<Seconds> parse_duration(std::string_view text) { return parse_quantity<Seconds>(text, kDuration); }
Result<FlopsPerSecond> parse_flops_rate(std::string_view text) {
  return parse_quantity<FlopsPerSecond>(text, kFlopsRate);
}
Result<BytesPerSecond> parse_bandwidth(std::string_view text) {
  return parse_quantity<BytesPerSecond>(text, kBandwidth);
}
Result<Watts> parse_power(std::string_view text) { return parse_quantity<Watts>(text, kPower); }
Result<TokensPerSecond> parse_token_rate(std::string_view text) {
  return parse_quantity<TokensPerSecond>(text, kTokenRate);
}

}  // namespace nameplate
