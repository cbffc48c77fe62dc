// Can all the figures of a row about a training run be true at once, and which convention makes each of them right?
//
// Method: every two figures that determine each other are compared. Step time with tokens/s; a stated TFLOP/s, MFU or
// HFU with the FLOPs per token of every convention (analysis/flops/conventions.h) at the stated throughput; TFLOP/s
// over MFU or HFU with the peaks of the device; parallel degrees with the number of devices, the layers, the heads and
// the batch. A figure that no convention explains is compared with its peers: the rows of the same source and model.
// Range: decoders with known dimensions; without them only peers and peaks can be compared. docs/models/audit.md has
// the tolerances and their sources.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/facts/architecture.h"
#include "nameplate/facts/hardware.h"
#include "nameplate/facts/precision.h"
#include "nameplate/facts/workload.h"

namespace nameplate {

// Parallel degrees as stated; dp excludes cp.
struct AuditDegrees {
  std::optional<std::int64_t> tp, pp, virtual_pp, dp, cp, ep, micro_batch;
};

// One row, as its source states it.
struct AuditRow {
  std::string id;
  std::string source;  // rows of one source count alike
  std::string model;
  std::optional<DecoderShape> shape;  // valid; a vocab of 0 is unknown and leaves the FLOPs uncounted
  bool frozen_weights = false;        // LoRA: no weight gradients, so 2/3 of the FLOPs
  std::optional<Recompute> recompute;
  std::optional<std::int64_t> seq_len;
  std::optional<std::int64_t> global_batch;
  std::optional<std::int64_t> accelerators;
  std::optional<Precision> precision;        // absent: a 16-bit type
  std::vector<Peak> peaks;                   // of the device, from the catalogue
  std::vector<FlopsPerSecond> stated_peaks;  // numbers in the source's notes that may be a peak
  AuditDegrees degrees;
  std::optional<Seconds> step_time;
  std::optional<TokensPerSecond> tokens_per_s_per_gpu;
  std::optional<FlopsPerSecond> flops_rate_per_gpu;
  std::optional<double> mfu, hfu;  // 0..1
};

enum class AuditFigure { tokens_per_s_per_gpu, tflops_per_gpu, mfu_ratio, hfu_ratio, accelerators, ep, pp, tp, batch };
std::string_view name(AuditFigure figure);

enum class AuditVerdict {
  consistent,                // within the printed digits
  rounding,                  // within kFits of it
  consistent_in_convention,  // as the named convention counts
  consistent_in_source,      // as the source's other rows of the model count; no convention known here does
  between_conventions,       // possible: more than the least and less than the most that any convention counts
  // From here on: cannot be true.
  step_time_tokens_mismatch,
  mfu_tflops_peak_mismatch,  // their quotient is no peak of the device
  wrong_peak,                // right against the peak of another number format only (named)
  flops_mismatch,            // no convention gives it, and the source's other rows of the model agree on another count
  impossible_above_peak,
  degrees_product,  // tp * pp * dp * cp is not the number of devices
  expert_degree,    // ep does not divide the ranks of a pipeline stage
  too_many_stages,  // more pipeline chunks than layers
  heads_per_rank,   // tp does not divide the heads
  batch_per_rank,   // dp, or dp * micro_batch, does not divide the batch
};
std::string_view name(AuditVerdict verdict);
constexpr bool is_flagged(AuditVerdict verdict) { return verdict >= AuditVerdict::step_time_tokens_mismatch; }

// `stated` and what it is compared with, in the unit that the figure's name says. Of a figure that no convention gives,
// `recomputed` is the nearest that one does; of a degree, the number that it must divide or not exceed.
struct Comparison {
  AuditFigure figure = AuditFigure::mfu_ratio;
  double stated = 0;
  double recomputed = 0;
  std::string convention;  // "megatron_lm", "six_n * 4/3", "fp8 peak 4900 TFLOP/s", "tp * pp * dp * cp"
  AuditVerdict verdict = AuditVerdict::consistent;
};
// Nothing for the degrees that need not be equal to what they are compared with.
std::optional<double> error_ratio(const Comparison& comparison);

struct RowAudit {
  std::vector<Comparison> comparisons;  // none: nothing in the row can be compared
};
bool is_flagged(const RowAudit& row);

// One audit a row, in order.
std::vector<RowAudit> audit(std::span<const AuditRow> rows);

// The rules of one row's degrees that can be checked, each as a comparison.
std::vector<Comparison> audit_degrees(const AuditRow& row);

}  // namespace nameplate
