// data/calibration/frameworks.toml and steptime.toml: how frameworks spend time, and the calibrated constants.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/facts/step_calibration.h"
#include "nameplate/facts/step_framework.h"

namespace nameplate {

struct StepFrameworkEntry {
  std::vector<std::string> names;  // as frameworks print themselves, or the beginning of it
  std::vector<std::string> when;   // words of the run's notes, one of which must be there; empty: any
  std::int64_t from_year = 0;
  double from_release = 0;  // 26.02
  StepFramework facts;
};

// How matmuls are cast to a narrow format, where a run's notes tell.
struct NarrowRecipe {
  std::vector<std::string> words;
  std::string casts;  // id of a calibrated value
};

class StepFrameworks {
 public:
  // The file in the program. It is tested, so a mistake in it aborts.
  static const StepFrameworks& embedded();
  static Result<StepFrameworks> read(std::string_view text, const std::string& file);

  // The facts for a framework's name as printed; the generic ones when none holds. `notes` may say "release 26.04.01".
  const StepFramework& find(std::string_view framework, std::optional<std::int64_t> year, std::string_view notes) const;
  StepFramework with_recipe(StepFramework facts, std::string_view notes) const;
  const StepFramework* find_by_id(std::string_view id) const;
  const std::vector<StepFrameworkEntry>& entries() const { return entries_; }

 private:
  std::vector<StepFrameworkEntry> entries_;
  std::vector<NarrowRecipe> recipes_;
};

// The calibration that saw nothing of one setup: a laboratory or a series of tables, one or more source_ids.
struct StepFold {
  std::string id;
  std::vector<std::string> sources;
  StepCalibration calibration;  // empty until the setup has been left out once
};

const StepCalibration& embedded_step_calibration();
const std::vector<StepFold>& embedded_step_folds();
// Values that a fold does not name stay at `whole`'s priors.
Result<std::vector<StepFold>> read_step_folds(std::string_view text, const std::string& file,
                                              const StepCalibration& whole);
Result<StepCalibration> read_step_calibration(std::string_view text, const std::string& file);

}  // namespace nameplate
