// The loss is no number: the steps cost what they cost and train nothing (often they are faster, since the optimizer
// skips).
#include "nameplate/advice/findings/rules.h"

namespace nameplate {

std::optional<Finding> find_loss_not_finite(const FindingInput& input) {
  bool any_loss = false;
  for (const Step& step : input.log.steps) any_loss |= step.loss.has_value();
  if (!any_loss) return std::nullopt;
  std::int64_t rows = 0;
  const Step* first = nullptr;
  for (auto step = input.log.steps.rbegin(); step != input.log.steps.rend() && !step->loss; ++step) {
    ++rows;
    first = &*step;
  }
  if (rows < 3) return std::nullopt;
  return Finding{{"finding.loss_not_finite", {{"step", first->index}, {"rows", rows}}},
                 std::nullopt,
                 std::nullopt,
                 {to_text({input.log.files.front(), first->line, {}})}};
}

}  // namespace nameplate
