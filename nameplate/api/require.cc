#include "nameplate/api/require.h"

#include <algorithm>

#include <fmt/format.h>

#include "nameplate/core/text.h"
#include "nameplate/core/units.h"
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

// In the unit that the key ends in: a plain number, or one with a unit that people are shown: "50 ms", "5 %", "80 GiB".
std::optional<double> parse_threshold(std::string_view key, std::string_view text) {
  if (const auto number = parse_number(text)) return number;
  if (key.ends_with("_ratio") && text.ends_with('%')) {
    const auto number = parse_number(trim(text.substr(0, text.size() - 1)));
    return number ? std::optional(*number / 100) : std::nullopt;
  }
  if (key.ends_with("_s") && !key.ends_with("_per_s")) {
    const Result<Seconds> time = parse_duration(text);
    if (time.ok()) return time->base();
  }
  if (key.ends_with("_bytes")) {
    const Result<Bytes> bytes = parse_bytes(text);
    if (bytes.ok()) return bytes->base();
  }
  if (key.ends_with("tflops_per_s") || key.ends_with("tflops_per_s_per_gpu")) {
    const Result<FlopsPerSecond> rate = parse_flops_rate(text);
    if (rate.ok()) return rate->base() / 1e12;
  }
  return std::nullopt;
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

bool has_column(const Table& table, std::string_view id) {
  return std::any_of(table.columns.begin(), table.columns.end(), [&](const Column& c) { return c.id == id; });
}

// Missed only where the better end of the interval misses; in words, what the figure itself does and what its interval
// leaves open.
GateResult judge(const Requirement& requirement, const Value& value, const std::string& wanted) {
  const double number = as_double(value.value);
  const double low = value.low.value_or(number), high = value.high.value_or(number);
  const bool wants_more = requirement.bound == Bound::at_least || requirement.bound == Bound::above;
  const auto meets = [&](double at) { return holds(requirement.bound, at, requirement.threshold); };
  std::string shown = fmt::format("{} {:.6g}", requirement.key, number);
  if (value.low && value.high) shown += fmt::format(" ({:.6g} .. {:.6g})", low, high);
  if (!meets(wants_more ? high : low)) return {Verdict::missed, fmt::format("{} misses {}", shown, wanted)};
  if (!meets(number)) {
    return {Verdict::met, fmt::format("{} does not reach {}, which its interval does not exclude", shown, wanted)};
  }
  const bool surely = meets(wants_more ? low : high);
  return {Verdict::met,
          fmt::format("{} meets {}{}", shown, wanted, surely ? "" : ", though its interval reaches beyond it")};
}

}  // namespace

Result<Requirement> parse_requirement(std::string_view text) {
  for (const Sign& sign : kSigns) {
    const std::size_t at = text.find(sign.text);
    if (at == std::string_view::npos) continue;
    const std::string_view key = trim(text.substr(0, at));
    const auto threshold = parse_threshold(key, trim(text.substr(at + sign.text.size())));
    if (!threshold || key.empty()) break;
    return Requirement{std::string(key), sign.bound, *threshold};
  }
  Error bad = error(fmt::format("cannot read the requirement '{}'", text));
  bad.expected =
      "a key, one of >= <= > <, and a number or one with the key's unit, as in 'mfu_step_ratio>=0.35' or "
      "'step_time_s<=50ms'";
  return bad;
}

GateResult check(const Requirement& requirement, const Document& document) {
  const std::string wanted = fmt::format("{} {:.6g}", sign_of(requirement.bound), requirement.threshold);
  const Value* value = document.find_value(requirement.key);
  for (const Defect& defect : document.defects) {
    if (defect.severity == Severity::error && defect.message.id.starts_with("mfu.")) {
      return {Verdict::too_little_evidence,
              fmt::format("required {} {}: {}", requirement.key, wanted, sentence(defect.message))};
    }
  }
  if (value == nullptr) {
    std::vector<std::string> keys;
    for (const Value& known : document.values) keys.push_back(known.id);
    if (const Table* range = document.find_table("range"); range != nullptr && has_column(*range, requirement.key)) {
      return {Verdict::too_little_evidence,
              fmt::format("required {} {}: a range has this figure in each row of its table, which is no one run to "
                          "judge; give one value in place of the range",
                          requirement.key, wanted)};
    }
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
  return judge(requirement, *value, wanted);
}

}  // namespace nameplate
