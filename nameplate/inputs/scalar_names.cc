#include "nameplate/inputs/scalar_names.h"

#include <algorithm>
#include <cmath>

namespace nameplate {
namespace {

struct KnownScalar {
  std::string_view name;
  LogField field;
  double scale = 1;
  RateScope scope = RateScope::unknown;  // of tokens_per_s
};

// As the programs write them: Hugging Face Trainer, Megatron-LM, NeMo, torchtitan, Lightning, Composer, OLMo, MaxText,
// nanotron, nanochat.
constexpr auto kDevice = RateScope::per_accelerator;
constexpr auto kJob = RateScope::job;
constexpr std::array kKnown = {
    KnownScalar{"train/loss", LogField::loss},
    KnownScalar{"train_loss", LogField::loss},
    KnownScalar{"loss", LogField::loss},
    KnownScalar{"lm loss", LogField::loss},
    KnownScalar{"lm_loss", LogField::loss},
    KnownScalar{"reduced_train_loss", LogField::loss},
    KnownScalar{"loss_metrics/global_avg_loss", LogField::loss},
    KnownScalar{"loss/train/total", LogField::loss},
    KnownScalar{"train/CrossEntropyLoss", LogField::loss},
    KnownScalar{"train/CE loss", LogField::loss},
    KnownScalar{"learning/loss", LogField::loss},
    KnownScalar{"iteration-time", LogField::step_time},
    KnownScalar{"train_step_timing in s", LogField::step_time},
    KnownScalar{"time_metrics/end_to_end(s)", LogField::step_time},
    KnownScalar{"time/secs_per_step", LogField::step_time},
    KnownScalar{"perf/step_time_seconds", LogField::step_time},
    KnownScalar{"elapsed_time_per_iteration_ms", LogField::step_time, 1e-3},
    KnownScalar{"train/dt", LogField::step_time},
    KnownScalar{"batch-size", LogField::samples},
    KnownScalar{"batch_size", LogField::samples},
    KnownScalar{"global_batch_size", LogField::samples},
    KnownScalar{"throughput(tps)", LogField::tokens_per_s, 1, kDevice},
    KnownScalar{"throughput/device/tokens_per_second", LogField::tokens_per_s, 1, kDevice},
    KnownScalar{"throughput/device/TPS", LogField::tokens_per_s, 1, kDevice},
    KnownScalar{"throughput/device/tokens_per_sec", LogField::tokens_per_s, 1, kDevice},
    KnownScalar{"perf/per_device_tokens_per_sec", LogField::tokens_per_s, 1, kDevice},
    KnownScalar{"tokens_per_sec_per_gpu", LogField::tokens_per_s, 1, kDevice},
    KnownScalar{"train/tok_per_sec", LogField::tokens_per_s, 1, kJob},
    KnownScalar{"tflops", LogField::tflops},
    KnownScalar{"throughput", LogField::tflops},  // Megatron-LM: TFLOP/s/GPU
    KnownScalar{"model_tflops_per_gpu", LogField::tflops},
    KnownScalar{"perf/per_device_tflops_per_sec", LogField::tflops},
    KnownScalar{"throughput/device/flops_per_sec", LogField::tflops, 1e-12},
    KnownScalar{"device/flops_per_sec", LogField::tflops, 1e-12},
    KnownScalar{"mfu(%)", LogField::mfu, 1e-2},
    KnownScalar{"train/mfu", LogField::mfu, 1e-2},
    KnownScalar{"throughput/device/MFU", LogField::mfu, 1e-2},
    KnownScalar{"throughput/device/mfu", LogField::mfu},
    KnownScalar{"device/mfu", LogField::mfu},
};
constexpr std::string_view kIndexNames[] = {
    "train/global_step", "trainer/global_step", "global_step", "iteration", "iter", "step"};

}  // namespace

Result<ScalarNames> ScalarNames::from_columns(const std::vector<std::pair<std::string, LogColumn>>& columns) {
  ScalarNames names;
  for (const auto& [field, column] : columns) {
    NAMEPLATE_TRY(MappedColumn mapped, map_column(field, column));
    names.columns_.push_back(std::move(mapped));
  }
  return names;
}

bool ScalarNames::is_index(std::string_view name) const {
  if (columns_.empty()) return std::find(std::begin(kIndexNames), std::end(kIndexNames), name) != std::end(kIndexNames);
  return std::any_of(columns_.begin(), columns_.end(),
                     [&](const MappedColumn& c) { return c.field == LogField::step && c.name == name; });
}

bool ScalarNames::set(std::string_view name, double value, StepLine& step) {
  KnownScalar found{{}, LogField::step};
  for (const MappedColumn& column : columns_) {
    if (column.name == name) found = {column.name, column.field, column.scale.value_or(1)};
  }
  for (const KnownScalar& known : kKnown) {
    if (columns_.empty() && known.name == name) found = known;
  }
  if (found.field == LogField::step) return false;
  std::string& seen = names_[static_cast<std::size_t>(found.field)];
  if (seen.empty()) seen = name;
  if (seen != name) return false;
  if (found.scope != RateScope::unknown) claims_.tokens_per_s_scope = found.scope;
  if (std::isfinite(value)) {
    set_field(found.field, value * found.scale, step);
  } else if (found.field != LogField::loss) {
    ++step.unreadable;
  }
  return true;
}

}  // namespace nameplate
