#include "nameplate/advice/findings/findings.h"

#include <algorithm>

#include "nameplate/advice/findings/rules.h"

namespace nameplate {
namespace {

constexpr FindingRule kRules[] = {find_evaluation,   find_checkpoint,      find_restart,     find_queue,
                                  find_startup,      find_slowdown,        find_jitter,      find_recompute,
                                  find_below_matmul, find_loss_not_finite, find_profiler_gap};

}  // namespace

std::optional<Worth> worth_of_row(const FindingInput& input, LedgerRow row) {
  const auto& ledger = input.m.run_ledger;
  if (!ledger) return std::nullopt;
  const auto value = ledger->value(row);
  if (!value || *value <= 0) return std::nullopt;
  return worth_of_time(input, *value);
}

Worth worth_of_time(const FindingInput& input, double accelerator_s) {
  Worth worth{.accelerator_s = accelerator_s};
  const auto& ledger = input.m.run_ledger ? input.m.run_ledger : input.m.step_ledger;
  const auto& mfu = input.m.run_ledger ? input.m.mfu_wall : input.m.mfu_step;
  // The same model FLOPs in less time.
  if (mfu && ledger && accelerator_s < ledger->total()) {
    worth.mfu_points = *mfu * (ledger->total() / (ledger->total() - accelerator_s) - 1);
  }
  return worth;
}

double run_share(const FindingInput& input, LedgerRow row) {
  return input.m.run_ledger ? input.m.run_ledger->share(row).value_or(0) : 0;
}

std::optional<Worth> worth_of_step_time(const FindingInput& input, double share_of_step_time) {
  if (!input.m.step_ledger || share_of_step_time <= 0 || share_of_step_time >= 1) return std::nullopt;
  return worth_of_time(input, input.m.step_ledger->total() * share_of_step_time);
}

std::vector<std::string> event_evidence(const RunLog& log, EventClass event_class, std::size_t most) {
  std::vector<std::string> lines;
  for (const Event& event : log.events) {
    if (event.event_class != event_class || lines.size() == most) continue;
    lines.push_back(to_text(event.evidence));
  }
  return lines;
}

std::vector<Finding> find_all(const FindingInput& input) {
  std::vector<Finding> findings;
  for (FindingRule rule : kRules) {
    if (auto finding = rule(input)) findings.push_back(std::move(*finding));
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return (a.worth ? a.worth->accelerator_s : -1) > (b.worth ? b.worth->accelerator_s : -1);
  });
  return findings;
}

}  // namespace nameplate
