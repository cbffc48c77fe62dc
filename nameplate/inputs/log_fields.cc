#include "nameplate/inputs/log_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nameplate/core/text.h"
#include "nameplate/inputs/runlog_prefix.h"

namespace nameplate {
namespace {

constexpr std::array<std::pair<std::string_view, LogField>, kLogFields> kFields = {{
    {"step", LogField::step},
    {"step_time", LogField::step_time},
    {"tokens", LogField::tokens},
    {"samples", LogField::samples},
    {"loss", LogField::loss},
    {"timestamp", LogField::timestamp},
    {"tokens_per_s", LogField::tokens_per_s},
    {"tflops", LogField::tflops},
    {"mfu", LogField::mfu},
}};

// What one of a unit is in the field's base unit.
struct Unit {
  std::string_view name;
  double scale;
};
constexpr std::array<Unit, 7> kTimeUnits = {
    {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}, {"h", 3600}, {"sec", 1}}};
constexpr std::array<Unit, 4> kCountUnits = {{{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}}};
constexpr std::array<Unit, 4> kFlopUnits = {{{"TFLOP/s", 1}, {"TFLOPS", 1}, {"GFLOP/s", 1e-3}, {"PFLOP/s", 1e3}}};
constexpr std::array<Unit, 3> kRatioUnits = {{{"%", 1e-2}, {"percent", 1e-2}, {"ratio", 1}}};

std::span<const Unit> units_of(LogField field) {
  switch (field) {
    case LogField::step_time:
    case LogField::timestamp:
      return kTimeUnits;
    case LogField::tokens:
    case LogField::samples:
    case LogField::tokens_per_s:
      return kCountUnits;
    case LogField::tflops:
      return kFlopUnits;
    case LogField::mfu:
      return kRatioUnits;
    case LogField::step:
    case LogField::loss:
      break;
  }
  return {};
}

std::optional<double> scale_of(LogField field, std::string_view unit) {
  for (const Unit& known : units_of(field)) {
    if (known.name == unit) return known.scale;
  }
  return std::nullopt;
}

Error unknown_field(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [field, id] : kFields) known.emplace_back(field);
  Error failure = error("unknown field '" + name + "' of a log", did_you_mean(name, known));
  failure.expected = fmt::format("one of {}", fmt::join(known, ", "));
  return failure;
}

// "893.76ms" or "39.7%" by their own unit unless the column has one; nothing when it is no number.
std::optional<double> number_of(const MappedColumn& column, std::string_view value) {
  if (const auto number = parse_number(value)) return *number * column.scale.value_or(1);
  const auto leading = parse_leading_number(value);
  if (!leading) return std::nullopt;
  const auto own = scale_of(column.field, trim(leading->rest));
  if (!own && !column.scale) return std::nullopt;
  return leading->value * column.scale.value_or(own.value_or(1));
}

}  // namespace

Result<MappedColumn> map_column(const std::string& field, const LogColumn& column) {
  for (const auto& [name, id] : kFields) {
    if (name != field) continue;
    MappedColumn made{.field = id, .name = column.name, .scale = std::nullopt};
    if (column.unit.empty()) return made;
    made.scale = scale_of(id, column.unit);
    if (made.scale) return made;
    Error failure = error(fmt::format("unknown unit '{}' of the log's field '{}'", column.unit, field));
    for (const Unit& known : units_of(id))
      failure.expected += fmt::format("{}{}", failure.expected.empty() ? "" : ", ", known.name);
    return failure;
  }
  return unknown_field(field);
}

// "step_time_ms": a field and its unit.
Result<MappedColumn> map_group(const std::string& group) {
  std::string field = group;
  LogColumn column{.name = group, .unit = {}};
  const auto is_field = [](std::string_view name) {
    return std::any_of(kFields.begin(), kFields.end(), [&](const auto& known) { return known.first == name; });
  };
  if (const std::size_t at = group.rfind('_');
      !is_field(group) && at != std::string::npos && is_field(group.substr(0, at))) {
    field = group.substr(0, at);
    column.unit = group.substr(at + 1);
  }
  return map_column(field, column);
}

void set_field(const MappedColumn& column, std::string_view value, StepLine& step) {
  if (column.field == LogField::timestamp) {
    if (const auto time = parse_leading_time(value)) {
      step.timestamp_s = time->seconds;
      return;
    }
  }
  if (const auto number = number_of(column, value)) {
    set_field(column.field, *number, step);
  } else if (column.field != LogField::loss) {
    ++step.unreadable;
  }
}

void set_field(LogField field, double value, StepLine& step) {
  switch (field) {
    case LogField::step:
      break;
    case LogField::step_time:
      step.duration_s = value;
      break;
    case LogField::tokens:
      step.tokens = value;
      break;
    case LogField::samples:
      step.samples = value;
      break;
    case LogField::loss:
      step.loss = value;
      break;
    case LogField::timestamp:
      step.timestamp_s = value;
      break;
    case LogField::tokens_per_s:
      step.claimed_tokens_per_s = value;
      break;
    case LogField::tflops:
      step.claimed_tflops = value;
      break;
    case LogField::mfu:
      step.claimed_mfu = value;
      break;
  }
}

std::optional<std::int64_t> index_of(std::string_view value) {
  constexpr double kMostExact = 9e15;
  value = value.substr(0, value.find_first_of(":/"));
  if (const auto whole = parse_integer(value)) return whole;
  const auto number = parse_number(value);
  if (!number || std::abs(*number) > kMostExact || *number != std::floor(*number)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

}  // namespace nameplate
