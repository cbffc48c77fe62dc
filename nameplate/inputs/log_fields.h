// The fields of a step that a user's column map, a regular expression, or a table of known names may fill, and the
// units that their values may have: the manifest's [inputs] columns = {step_time = "dt_ms:ms"}.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "nameplate/core/result.h"
#include "nameplate/inputs/runlog.h"
#include "nameplate/inputs/runlog_format.h"

namespace nameplate {

enum class LogField { step, step_time, tokens, samples, loss, timestamp, tokens_per_s, tflops, mfu };
inline constexpr std::size_t kLogFields = static_cast<std::size_t>(LogField::mfu) + 1;

// A name in the log, the field it fills, and what one of its values is in the field's base unit.
struct MappedColumn {
  LogField field = LogField::step;
  std::string name;
  std::optional<double> scale;  // nothing: a unit behind the value counts, else the base unit
};

// An Error for an unknown field or unit, with what is known.
Result<MappedColumn> map_column(const std::string& field, const LogColumn& column);
// "step_time_ms", a group of a regular expression: a field and its unit.
Result<MappedColumn> map_group(const std::string& group);

// Sets the column's field from the text of its value; counts what is no number. The step's index is the caller's.
void set_field(const MappedColumn& column, std::string_view value, StepLine& step);
// The same from a number in the field's base unit.
void set_field(LogField field, double value, StepLine& step);

// "10", "10:", "10/1000", "10.0".
std::optional<std::int64_t> index_of(std::string_view value);

}  // namespace nameplate
