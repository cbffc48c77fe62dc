// One run predicted: what predict, its what-ifs and other verbs build on.
#pragma once

#include <optional>

#include "nameplate/analysis/memory/estimate.h"
#include "nameplate/analysis/steptime/data_supply.h"
#include "nameplate/analysis/steptime/step.h"
#include "nameplate/api/load.h"
#include "nameplate/api/step_setup.h"

namespace nameplate {

struct Prediction {
  RunSetup setup;
  StepPrediction step;
  std::optional<MemoryEstimate> memory;  // nothing for precisions that the memory model does not know
  std::optional<DataSupplyResult> data;
  // The step with what it waits for data.
  Seconds step_time, low, high;
  Ledger ledger;

  double tokens = 0;  // of one step
  double devices = 0;
  double mfu() const { return ledger.share(LedgerRow::model_compute).value_or(0); }
  double hfu() const { return mfu() + ledger.share(LedgerRow::recompute).value_or(0); }
  double tokens_per_s_per_gpu() const { return tokens / devices / step_time.base(); }
  Seconds exposed_communication() const;  // of one accelerator and step, mean
};

Result<Prediction> predict_run(const LoadedRun& run, const Catalogue& catalogue);

}  // namespace nameplate
