// A run's MFU, from the steps that its log tells.
//
// MFU_step = sum of model FLOPs / (sum of time of steady steps x peak), over all accelerators; its 95 % interval is a
// block bootstrap over steps (core/statistics.h), so it covers the noise of steps and not an error in the peak or the
// dimensions. HFU adds the repeated forward work. ETTR = time of steady steps done for the first time / wall-clock;
// MFU_wall = MFU_step x ETTR. Conventions: analysis/flops/conventions.h; classes of steps: step_times.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nameplate/analysis/flops/conventions.h"
#include "nameplate/analysis/mfu/step_times.h"
#include "nameplate/analysis/mfu/wall_clock.h"
#include "nameplate/core/quantity.h"
#include "nameplate/core/statistics.h"
#include "nameplate/facts/run.h"

namespace nameplate {

// What is known of the run besides its log. Anything may be missing; the result says less then.
struct RunFacts {
  std::optional<Architecture> architecture;
  std::optional<Workload> workload;             // batch and sequence length of one step
  std::optional<std::int64_t> sequence_length;  // enough for FLOPs per token when the batch is not known
  // Samples of the lengths that occur, when they are shorter than the sequence: FLOPs are counted over these, tokens
  // are still the ones that the run computes. `padded_units` is what was padded, 0 when they are packed.
  std::optional<Workload> samples;
  bool batch_is_forced = false;  // a flag states it: rows of the log that say otherwise are overruled
  std::optional<std::int64_t> accelerators;
  std::optional<FlopsPerSecond> peak;        // of one accelerator, dense, at the precision of the matmuls
  std::optional<FlopsPerSecond> achievable;  // best matmul measured in public
  Recompute recompute = Recompute::none;
  bool recompute_known = false;
};

struct Distribution {
  double p5 = 0, p50 = 0, p95 = 0;
  double mean = 0;
  double least = 0, most = 0;
};

// A figure of the log against ours: claimed FLOP/s per accelerator and what each convention makes of the same steps.
struct ClaimCheck {
  std::string figure;                // "tflops", "mfu", "tokens_per_s"
  double claimed = 0;                // median over the rows compared
  double recomputed = 0;             // the same figure from our step times, in the log's convention; 0 when none fits
  std::string convention;            // the convention used: the reader's, or the one that fits best
  bool convention_inferred = false;  // found by its fit (within 1 %), not known from the format
  double peak_tflops = 0;            // "mfu" only: the denominator that the log uses or must have used
  double error_ratio = 0;            // recomputed / claimed - 1
  std::optional<double> ours;        // the same figure of the same steps as Nameplate counts, against its own peak
  // Where nothing fits: the number of accelerators with which it would, if that is a whole one.
  std::optional<std::int64_t> fitting_accelerators;
};

struct Measurement {
  StepTimes times;
  std::int64_t steps_total = 0;                // training steps that the log covers, redone ones once
  std::int64_t steps_steady = 0;               // of them those that the steady rows stand for
  std::optional<Distribution> step_time_s;     // of steady rows; absent when durations are relative
  std::optional<Interval> step_time_interval;  // of the mean
  std::optional<double> tokens_per_s_per_gpu;
  std::optional<double> flops_per_token;  // model FLOPs, Nameplate's convention
  std::optional<double> tflops_per_s_per_gpu;
  std::optional<double> mfu_step;
  std::optional<Interval> mfu_step_interval;
  std::optional<double> mfu_median;
  std::optional<double> hfu_step;
  std::optional<double> mfu_padded;           // as if padding were work: over every token that is computed
  std::optional<double> padding_ratio;        // share of padded tokens
  std::optional<double> mfu_peak_over_mean;   // best 5 % of steps over the mean
  std::optional<double> share_of_achievable;  // achieved FLOP/s over the best public matmul
  std::optional<double> ettr;
  std::optional<double> mfu_wall;
  std::optional<WallClock> wall;
  std::vector<std::size_t> change_points;  // indices into `steady`
  std::vector<std::size_t> steady;         // indices into times.rows
  std::vector<ClaimCheck> claims;
  std::vector<std::string> missing;  // manifest keys without which there is no MFU: "cluster.count", …
  std::optional<Ledger> step_ledger;
  std::optional<Ledger> run_ledger;
  Defects defects;
};

Measurement measure(const RunLog& log, const RunFacts& facts);

// The same from figures typed in: tokens per second and accelerator.
struct TypedMeasurement {
  double flops_per_token = 0;
  double tflops_per_s_per_gpu = 0;
  std::optional<double> mfu;
  std::optional<double> hfu;
};
TypedMeasurement measure_rate(double tokens_per_s_per_gpu, const RunFacts& facts);

// FLOPs per token of `facts`' architecture and sequence length under a convention; nothing when either is missing.
std::optional<double> flops_per_token(const RunFacts& facts, std::string_view convention);
// FLOPs over every token that is computed / FLOPs over the real ones; nothing where no sample lengths are known.
std::optional<double> padded_over_model(const RunFacts& facts);
// Fills mfu_padded and padding_ratio beside a known mfu_step.
void measure_padding(const RunFacts& facts, Measurement& m);
// HFU / MFU for the facts' recompute; 1 when there is none.
std::optional<double> hardware_over_model(const RunFacts& facts);

}  // namespace nameplate
