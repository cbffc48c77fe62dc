// A profiler's FLOPs against the log's rate, or against the count from the model's dimensions: deepspeedai/DeepSpeed
// #2565, where the flops profiler gives 13.36 TFLOP/s and the log of the same run 125.18. The profiler counts one
// forward pass of a micro-batch on one accelerator and leaves out what runs in fused or custom operators. A third of a
// step's FLOPs are forward; the count takes attention in full, as the profiler does. Recomputation and the causal half
// lie within the threshold.
#include <cmath>

#include "nameplate/advice/findings/rules.h"
#include "nameplate/core/statistics.h"
#include "nameplate/core/text.h"

namespace nameplate {
namespace {

constexpr double kLargeRatio = 1.5;

const LogFact* find_fact(const RunLog& log, std::string_view key) {
  for (const LogFact& fact : log.facts) {
    if (fact.key == key) return &fact;
  }
  return nullptr;
}

std::optional<double> positive(const LogFact* fact) {
  const auto number = fact == nullptr ? std::nullopt : parse_number(fact->value);
  return number && *number > 0 ? number : std::nullopt;
}

// Forward FLOPs of one token by the rate that the log prints.
std::optional<double> claimed_forward(const FindingInput& input) {
  std::vector<double> per_token;
  for (const TimedStep& row : input.m.times.rows) {
    const Maybe claimed = input.log.steps[row.row].claimed_tflops;
    if (row.step_class == StepClass::steady && claimed && row.seconds_per_token) {
      per_token.push_back(*claimed * 1e12 * *row.seconds_per_token / 3);
    }
  }
  return per_token.empty() ? std::nullopt : std::optional(median(per_token));
}

std::optional<double> counted_forward(const RunFacts& facts) {
  if (!facts.architecture) return std::nullopt;
  const Workload one = uniform_workload(1, *facts.sequence_length);
  const Int128 forward = step_flops(*facts.architecture, one, AttentionCount::full).forward;
  return to_double(forward) / static_cast<double>(*facts.sequence_length);
}

}  // namespace

std::optional<Finding> find_profiler_gap(const FindingInput& input) {
  const LogFact* fact = find_fact(input.log, "profiler.forward_flops");
  const auto profiled = positive(fact);
  const auto micro_batch = positive(find_fact(input.log, "training.micro_batch"));
  const auto replicas = positive(find_fact(input.log, "plan.dp"));
  if (!profiled || !micro_batch || !replicas || !input.facts.accelerators || !input.facts.sequence_length) {
    return std::nullopt;
  }
  const auto claimed = claimed_forward(input);
  const auto per_token = claimed ? claimed : counted_forward(input.facts);
  if (!per_token || *per_token <= 0) return std::nullopt;
  const double tokens = *micro_batch * static_cast<double>(*input.facts.sequence_length);
  const double sharers = static_cast<double>(*input.facts.accelerators) / *replicas;  // of one micro-batch
  const double expected = *per_token * tokens / sharers;
  const double ratio = expected / *profiled;
  if (std::fabs(std::log(ratio)) < std::log(kLargeRatio)) return std::nullopt;
  return Finding{{claimed ? "finding.profiler_against_log" : "finding.profiler_against_count",
                  {{"profiled", *profiled / 1e12}, {"expected", expected / 1e12}, {"ratio", ratio}}},
                 std::nullopt,
                 std::nullopt,  // a wrong figure, not a loss
                 {to_text(fact->evidence)}};
}

}  // namespace nameplate
