// A user's own measured runs scale the predictions of others like them. Internal to api/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nameplate/analysis/steptime/setup.h"
#include "nameplate/core/result.h"
#include "nameplate/inputs/catalogue.h"

namespace nameplate {

struct AnchorRun {
  std::string setup;          // whose runs they are
  std::string kind;           // anchor_kind()
  std::string configuration;  // repeats of one configuration count once
  double ratio = 1;           // measured / predicted
};

// Runs of one device and precision, dense or with experts, trained whole or by LoRA: what one factor holds for.
std::string anchor_kind(const StepSetup& setup);

class StepAnchors {
 public:
  void add(AnchorRun run) { runs_.push_back(std::move(run)); }
  // The median ratio of the setup's runs of this kind in other configurations than `configuration`; nothing for fewer
  // than three of them: one run carries its own oddity.
  std::optional<double> factor(const std::string& setup, const std::string& kind,
                               const std::string& configuration) const;

 private:
  std::vector<AnchorRun> runs_;
};

// The factor for predictions of `kind` from a table of the user's own runs (inputs/published_runs.h), all of one setup.
Result<double> anchor_from_table(const std::string& path, const std::string& kind, const Catalogue& catalogue);

}  // namespace nameplate
