#include "nameplate/inputs/claim.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nameplate/core/text.h"
#include "nameplate/core/units.h"

namespace nameplate {
namespace {

constexpr std::string_view kForms =
    "\"ettr>=0.90, checkpoint_block=60s, mtti=3.09h\", \"46%->82% with 20% spares\", \"R=0.95, N=1000, M=1200\", "
    "\"throughput=2.3x, recovery=1/5\" or \"mfu=45%->58%, outage=12h\"";

Error bad(std::string_view what, std::string expected) {
  return {fmt::format("'{:.80}'", what), std::move(expected), {}, {}};
}

// "46%", "0.46": a probability.
Result<double> parse_ratio(std::string_view text) {
  text = trim(text);
  const auto leading = parse_leading_number(text);
  if (!leading) return bad(text, "a ratio from 0 to 1, or in percent");
  const std::string_view rest = trim(leading->rest);
  const double value = rest == "%" ? leading->value / 100 : leading->value;
  if ((!rest.empty() && rest != "%") || !(value > 0) || value >= 1)
    return bad(text, "a ratio above 0 and below 1, or in percent");
  return value;
}

Result<std::pair<double, double>> parse_change(std::string_view text) {
  const std::size_t arrow = text.find("->");
  if (arrow == std::string_view::npos) return bad(text, "before->after: \"46%->82%\"");
  NAMEPLATE_TRY(const double before, parse_ratio(text.substr(0, arrow)));
  NAMEPLATE_TRY(const double after, parse_ratio(text.substr(arrow + 2)));
  return std::pair(before, after);
}

// "2.3x", "1/5", "0.2".
Result<double> parse_factor(std::string_view text) {
  text = trim(text);
  if (text.starts_with("1/")) {
    const auto divisor = parse_number(text.substr(2));
    if (divisor && *divisor > 0) return 1 / *divisor;
  }
  if (text.ends_with('x')) text.remove_suffix(1);
  const auto number = parse_number(text);
  if (!number || !(*number > 0)) return bad(text, "a factor: 2.3x, 1/5");
  return *number;
}

// "key=value" and "key>=value", separated by commas.
using Pairs = std::map<std::string, std::string, std::less<>>;
Result<Pairs> parse_pairs(std::string_view text) {
  Pairs pairs;
  for (std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return bad(trim(part), std::string(kForms));
    std::string_view key = part.substr(0, equals);
    if (key.ends_with('>')) key.remove_suffix(1);
    pairs.emplace(to_lower(trim(key)), trim(part.substr(equals + 1)));
  }
  return pairs;
}

// The values of one claim, taken out key by key; what is left over is an error.
class PairReader {
 public:
  explicit PairReader(Pairs pairs) : pairs_(std::move(pairs)) {}
  bool has(std::string_view key) const { return pairs_.find(key) != pairs_.end(); }

  template <class T>
  std::optional<T> take(std::string_view key, Result<T> (*parse)(std::string_view)) {
    const auto it = pairs_.find(key);
    if (it == pairs_.end()) return std::nullopt;
    Result<T> value = parse(it->second);
    pairs_.erase(it);
    if (value.ok()) return *value;
    if (!error_) error_ = value.error();
    return std::nullopt;
  }
  template <class T>
  T required(std::string_view key, Result<T> (*parse)(std::string_view)) {
    if (!has(key) && !error_) error_ = Error{fmt::format("the claim lacks '{}'", key), std::string(kForms), {}, {}};
    return take(key, parse).value_or(T{});
  }
  Status finish() const {
    if (error_ || pairs_.empty()) return error_;
    return Error{fmt::format("unknown '{}' in the claim", pairs_.begin()->first), std::string(kForms), {}, {}};
  }

 private:
  Pairs pairs_;
  Status error_;
};

Result<std::int64_t> parse_count(std::string_view text) {
  const auto value = parse_integer(text);
  if (!value || *value < 1 || *value > 100'000'000) return bad(text, "a whole number from 1 to 100,000,000");
  return *value;
}

Result<Seconds> parse_positive_duration(std::string_view text) {
  NAMEPLATE_TRY(const Seconds value, parse_duration(text));
  if (value.base() <= 0) return bad(text, "more than zero");
  return value;
}

Result<Claim> finished(const PairReader& reader, Claim claim) {
  if (Status error = reader.finish()) return *error;
  return claim;
}

Result<Claim> parse_goodput(PairReader reader) {
  GoodputClaim claim;
  claim.ettr = reader.required("ettr", parse_ratio);
  claim.mttf = reader.has("mttf") ? reader.required("mttf", parse_positive_duration)
                                  : reader.required("mtti", parse_positive_duration);
  claim.block = reader.take("checkpoint_block", parse_duration);
  claim.restart = reader.take("restart", parse_duration);
  claim.interval = reader.take("interval", parse_positive_duration);
  return finished(reader, claim);
}

Result<Claim> parse_reliability(PairReader reader) {
  ReliabilityClaim claim;
  claim.up = reader.required("r", parse_ratio);
  claim.needed = reader.required("n", parse_count);
  claim.units = reader.required("m", parse_count);
  claim.mission = reader.take("mission", parse_positive_duration);
  if (Status error = reader.finish()) return *error;
  if (claim.units < claim.needed) return bad(std::to_string(claim.units), "M, all units, at least N, the needed ones");
  return Claim(claim);
}

Result<Claim> parse_recovery(PairReader reader) {
  RecoveryClaim claim;
  claim.throughput = reader.required("throughput", parse_factor);
  claim.recovery = 1 / reader.required("recovery", parse_factor);
  return finished(reader, claim);
}

Result<Claim> parse_packing(PairReader reader) {
  PackingClaim claim;
  std::tie(claim.mfu_before, claim.mfu_after) = reader.required("mfu", parse_change);
  claim.outage = reader.required("outage", parse_positive_duration);
  claim.between = reader.take("between", parse_positive_duration);
  claim.exponent = reader.take("exponent", parse_factor).value_or(0);
  if (Status error = reader.finish()) return *error;
  if (claim.mfu_after <= claim.mfu_before) return bad("mfu", "a gain: \"45%->58%\"");
  return Claim(claim);
}

// "46%->82% with 20% spares [of 1000 nodes]"
Result<Claim> parse_redundancy(std::string_view text) {
  const std::size_t with = text.find(" with ");
  if (with == std::string_view::npos) return bad(text, std::string(kForms));
  RedundancyClaim claim;
  NAMEPLATE_TRY(const auto change, parse_change(text.substr(0, with)));
  std::tie(claim.before, claim.after) = change;
  if (claim.after <= claim.before) return bad(text, "a reliability that spares raise: 46%->82%");
  std::string_view rest = text.substr(with + 6);
  const std::size_t word = rest.find("spares");
  if (word == std::string_view::npos) return bad(rest, "\"20% spares\", or \"20% spares of 1000 nodes\"");
  NAMEPLATE_TRY(claim.redundancy, parse_ratio(rest.substr(0, word)));
  rest = trim(rest.substr(word + 6));
  if (rest.empty()) return Claim(claim);
  const auto count = rest.starts_with("of ") ? parse_leading_number(rest.substr(3)) : std::nullopt;
  if (!count || count->value < 1) return bad(rest, "\"of 1000 nodes\"");
  claim.units = static_cast<std::int64_t>(count->value);
  return Claim(claim);
}

}  // namespace

Result<Claim> parse_claim(std::string_view text) {
  if (text.find("spares") != std::string_view::npos) return parse_redundancy(text);
  NAMEPLATE_TRY(Pairs pairs, parse_pairs(text));
  PairReader reader(std::move(pairs));
  if (reader.has("ettr")) return parse_goodput(std::move(reader));
  if (reader.has("throughput") || reader.has("recovery")) return parse_recovery(std::move(reader));
  if (reader.has("mfu")) return parse_packing(std::move(reader));
  if (reader.has("r")) return parse_reliability(std::move(reader));
  return bad(text, std::string(kForms));
}

}  // namespace nameplate
