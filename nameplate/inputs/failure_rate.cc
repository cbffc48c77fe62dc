#include "nameplate/inputs/failure_rate.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nameplate/core/text.h"
#include "nameplate/core/units.h"

namespace nameplate {
namespace {

constexpr std::string_view kForms =
    "\"3.79 per 1000 node-days\", \"9 % per device-year\", \"1 per 3.1 h of the job\" or \"419 in 54 d on 2048 nodes\"";

constexpr std::pair<std::string_view, RateBase> kBases[] = {
    {"node", {RateUnit::node, DomainKind::node}},
    {"server", {RateUnit::node, DomainKind::node}},
    {"host", {RateUnit::node, DomainKind::node}},
    {"machine", {RateUnit::node, DomainKind::node}},
    {"device", {RateUnit::device, DomainKind::node}},
    {"gpu", {RateUnit::device, DomainKind::node}},
    {"accelerator", {RateUnit::device, DomainKind::node}},
    {"chip", {RateUnit::device, DomainKind::node}},
    {"job", {RateUnit::job, DomainKind::node}},
    {"tray", {RateUnit::domain, DomainKind::tray}},
    {"rack", {RateUnit::domain, DomainKind::rack}},
    {"pdu", {RateUnit::domain, DomainKind::pdu}},
    {"switch", {RateUnit::domain, DomainKind::switch_}},
    {"pod", {RateUnit::domain, DomainKind::pod}},
    {"zone", {RateUnit::domain, DomainKind::zone}},
};
constexpr std::pair<std::string_view, double> kSpans[] = {
    {"second", 1}, {"s", 1},       {"minute", 60}, {"min", 60},      {"hour", 3600},
    {"h", 3600},   {"day", 86400}, {"d", 86400},   {"week", 604800}, {"year", 31557600},
};

std::string_view singular(std::string_view word) {
  return word.size() > 2 && word.ends_with('s') ? word.substr(0, word.size() - 1) : word;
}

std::optional<double> span_seconds(std::string_view word) {
  for (const auto& [spelling, factor] : kSpans) {
    if (word == spelling || singular(word) == spelling) return factor;
  }
  return std::nullopt;
}

Error no_base(std::string_view text) {
  return {fmt::format("'{:.80}' has no time base", text), fmt::format("a rate with its base: {}", kForms), {}, {}};
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::string_view word : split(text, ' ')) {
    if (!trim(word).empty()) words.push_back(to_lower(trim(word)));
  }
  return words;
}

// "3.79", "9 %", "one" at the front of the words; they are taken off.
std::optional<double> take_count(std::vector<std::string>& words) {
  if (words.empty()) return std::nullopt;
  std::optional<double> count = words[0] == "one" ? std::optional(1.0) : parse_number(words[0]);
  if (!count && words[0].ends_with('%')) {
    count = parse_number(words[0].substr(0, words[0].size() - 1));
    if (count) *count /= 100;
  }
  if (!count) return std::nullopt;
  words.erase(words.begin());
  if (!words.empty() && words[0] == "%") {
    *count /= 100;
    words.erase(words.begin());
  }
  return count;
}

// "of the job", "of a node", "on 2048 nodes", "of 2048 nodes": what, and how many of it.
struct Exposed {
  RateBase base;
  double units = 1;
};
std::optional<Exposed> take_exposed(std::vector<std::string>& words) {
  if (words.size() < 2 || (words[0] != "of" && words[0] != "on" && words[0] != "in")) return std::nullopt;
  words.erase(words.begin());
  Exposed exposed;
  if (words[0] == "the" || words[0] == "a" || words[0] == "one") {
    words.erase(words.begin());
  } else if (const auto units = parse_number(words[0])) {
    exposed.units = *units;
    words.erase(words.begin());
  }
  if (words.empty()) return std::nullopt;
  const auto base = parse_rate_base(words[0]);
  if (!base) return std::nullopt;
  exposed.base = *base;
  words.erase(words.begin());
  return exposed;
}

// "1000 node-days", "h", "3.1 h", "rack-year" after "per".
struct PerTime {
  double seconds = 0;
  std::optional<RateBase> base;
};
std::optional<PerTime> take_per_time(std::vector<std::string>& words) {
  double amount = 1;
  if (!words.empty()) {
    if (const auto number = parse_number(words[0])) {
      amount = *number;
      words.erase(words.begin());
    }
  }
  if (words.empty()) return std::nullopt;
  const std::string word = words[0];
  words.erase(words.begin());
  PerTime per;
  const std::size_t dash = word.find('-');
  const auto span = span_seconds(dash == std::string::npos ? word : word.substr(dash + 1));
  if (!span) return std::nullopt;
  per.seconds = amount * *span;
  if (dash != std::string::npos) {
    per.base = parse_rate_base(word.substr(0, dash));
    if (!per.base) return std::nullopt;
  }
  return per;
}

Result<ParsedRate> finished(std::string_view text, double count, double exposure_s, ParsedRate parsed) {
  if (!(count > 0) || !(exposure_s > 0)) {
    return Error{fmt::format("'{:.80}' is no rate", text), "a positive number of failures in a positive time", {}, {}};
  }
  parsed.rate = PerSecond::from_base(count / exposure_s);
  return parsed;
}

Result<ScaledDuration> parse_points(std::string_view text) {
  ScaledDuration scaled;
  for (std::string_view part : split(text, ',')) {
    const std::size_t at = part.find(" at ");
    if (at == std::string_view::npos)
      return Error{fmt::format("'{:.80}' has no scale", trim(part)), "\"454 s at 128, 545 s at 256\" (nodes)", {}, {}};
    NAMEPLATE_TRY(const Seconds duration, parse_duration(part.substr(0, at)));
    std::string_view scale = trim(part.substr(at + 4));
    if (scale.ends_with(" nodes")) scale.remove_suffix(6);
    const auto nodes = parse_integer(scale);
    const bool ascending = nodes && (scaled.points.empty() || *nodes > scaled.points.back().nodes);
    if (!nodes || *nodes < 1 || !ascending)
      return Error{fmt::format("'{:.80}'", scale), "numbers of nodes, ascending", {}, {}};
    scaled.points.push_back({*nodes, duration});
  }
  return scaled;
}

Result<Seconds> parse_signed_duration(std::string_view text) {
  text = trim(text);
  const bool negative = text.starts_with('-');
  NAMEPLATE_TRY(const Seconds magnitude, parse_duration(negative ? text.substr(1) : text));
  return negative ? -magnitude : magnitude;
}

}  // namespace

std::optional<RateBase> parse_rate_base(std::string_view word) {
  for (const auto& [spelling, base] : kBases) {
    if (word == spelling || singular(word) == spelling) return base;
  }
  return std::nullopt;
}

std::optional<DomainKind> parse_domain_kind(std::string_view word) {
  if (word == "die") return DomainKind::die;
  if (word == "node") return DomainKind::node;
  const auto base = parse_rate_base(word);
  return base && base->unit == RateUnit::domain ? std::optional(base->domain) : std::nullopt;
}

Result<ParsedRate> parse_failure_rate(std::string_view text) {
  std::vector<std::string> words = words_of(text);
  const auto count = take_count(words);
  if (!count) return Error{fmt::format("'{:.80}' is no rate", text), std::string(kForms), {}, {}};
  if (words.empty()) return no_base(text);
  const std::string link = words[0];
  words.erase(words.begin());
  if (link != "per" && link != "in") return no_base(text);
  const auto per = take_per_time(words);
  if (!per) return no_base(text);
  ParsedRate parsed{.base = per->base};
  double units = 1;
  if (!words.empty()) {
    const auto exposed = parsed.base ? std::nullopt : take_exposed(words);
    if (!exposed || !words.empty())
      return Error{fmt::format("'{:.80}' does not end as a rate", text), std::string(kForms), {}, {}};
    parsed.base = exposed->base;
    units = exposed->units;
  }
  if (link == "in") parsed.events = *count;
  return finished(text, *count, per->seconds * units, parsed);
}

Result<ScaledDuration> parse_scaled_duration(std::string_view text) {
  constexpr std::string_view kPerDoubling = "per doubling";
  std::string_view rest = trim(text);
  if (rest.find(" at ") != std::string_view::npos) return parse_points(rest);
  ScaledDuration scaled;
  if (rest.ends_with(kPerDoubling)) {
    rest = trim(rest.substr(0, rest.size() - kPerDoubling.size()));
    const std::size_t plus = rest.find(" + ");
    NAMEPLATE_TRY(scaled.per_doubling, parse_duration(plus == rest.npos ? rest : rest.substr(plus + 3)));
    if (plus == rest.npos) return scaled;
    rest = rest.substr(0, plus);
    NAMEPLATE_TRY(scaled.at_one_node, parse_signed_duration(rest));
    return scaled;
  }
  NAMEPLATE_TRY(scaled.at_one_node, parse_duration(rest));
  return scaled;
}

}  // namespace nameplate
