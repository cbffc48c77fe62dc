#include "nameplate/api/require.h"

#include <fmt/format.h>

#include "nameplate/core/text.h"
#include "nameplate/report/sentences.h"

namespace nameplate {
namespace {

struct Sign {
  std::string_view text;
  Bound bound;
};
constexpr Sign kSigns[] = {{">=", Bound::at_least}, {"<=", Bound::at_most}, {">", Bound::above}, {"<", Bound::below}};

std::string_view sign_of(Bound bound) {
  for (const Sign& sign : kSigns) {
    if (sign.bound == bound) return sign.text;
  }
  return {};
}

bool holds(Bound bound, double value, double threshold) {
  switch (bound) {
    case Bound::at_least:
      return value >= threshold;
    case Bound::at_most:
      return value <= threshold;
    case Bound::above:
      return value > threshold;
    case Bound::below:
      return value < threshold;
  }
  return false;
}

}  // namespace

Result<Requirement> parse_requirement(std::string_view text) {
  for (const Sign& sign : kSigns) {
    const std::size_t at = text.find(sign.text);
    if (at == std::string_view::npos) continue;
    const auto threshold = parse_number(trim(text.substr(at + sign.text.size())));
    const std::string_view key = trim(text.substr(0, at));
    if (!threshold || key.empty()) break;
    return Requirement{std::string(key), sign.bound, *threshold};
  }
  Error bad = error(fmt::format("cannot read the requirement '{}'", text));
  bad.expected = "a key, one of >= <= > <, and a number, as in 'mfu_step_ratio>=0.35'";
  return bad;
}

GateResult check(const Requirement& requirement, const Document& document) {
  const std::string wanted = fmt::format("{} {:.6g}", sign_of(requirement.bound), requirement.threshold);
  const Value* value = document.find_value(requirement.key);
  if (value == nullptr) {
    std::vector<std::string> keys;
    for (const Value& known : document.values) keys.push_back(known.id);
    const std::string hint = did_you_mean(requirement.key, keys);
    return {Verdict::too_little_evidence, fmt::format("required {} {}: there is no such figure{}", requirement.key,
                                                      wanted, hint.empty() ? "" : "; " + hint)};
  }
  const Value* steady = document.find_value("rows_steady");
  if (steady != nullptr && as_double(steady->value) < static_cast<double>(kLeastSteps) &&
      document.find_value("steps_total") != nullptr && requirement.key != "rows_steady" &&
      requirement.key != "steps_total") {
    return {Verdict::too_little_evidence, fmt::format("required {} {}: only {} steady steps, fewer than {}",
                                                      requirement.key, wanted, as_double(steady->value), kLeastSteps)};
  }
  for (const Defect& defect : document.defects) {
    if (defect.severity == Severity::error && defect.message.id.starts_with("mfu.")) {
      return {Verdict::too_little_evidence,
              fmt::format("required {} {}: {}", requirement.key, wanted, sentence(defect.message))};
    }
  }
  const double number = as_double(value->value);
  const bool wants_more = requirement.bound == Bound::at_least || requirement.bound == Bound::above;
  const double best = wants_more ? value->high.value_or(number) : value->low.value_or(number);
  const std::string shown = value->low && value->high
                                ? fmt::format("{:.6g} ({:.6g} .. {:.6g})", number, *value->low, *value->high)
                                : fmt::format("{:.6g}", number);
  if (holds(requirement.bound, best, requirement.threshold))
    return {Verdict::met, fmt::format("{} {} meets {}", requirement.key, shown, wanted)};
  return {Verdict::missed, fmt::format("{} {} misses {}", requirement.key, shown, wanted)};
}

}  // namespace nameplate
