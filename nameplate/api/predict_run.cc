#include "nameplate/api/predict_run.h"

#include "nameplate/inputs/step_calibration.h"

namespace nameplate {
namespace {

// The ledger of the step with the time that all accelerators wait for data.
Ledger with_data_wait(const Ledger& step, Seconds wait) {
  LedgerBuilder builder(LedgerScope::step, step.ranks_present(), step.ranks_total());
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    const auto value = step.value(row);
    if (value && row != LedgerRow::unattributed) builder.book(row, *value, step.evidence(row));
  }
  const double waited = wait.base() * static_cast<double>(step.ranks_present());
  builder.book(LedgerRow::data_wait, waited);
  return builder.close(step.total() + waited);
}

bool has_memory_model(Precision precision) {
  return precision == Precision::bf16 || precision == Precision::fp16 || precision == Precision::fp8;
}

}  // namespace

Seconds Prediction::exposed_communication() const {
  double sum = 0;
  for (const LedgerRow row : {LedgerRow::comm_dp, LedgerRow::comm_tp, LedgerRow::comm_pp, LedgerRow::comm_cp,
                              LedgerRow::comm_ep, LedgerRow::comm_other}) {
    sum += ledger.value(row).value_or(0);
  }
  return seconds(sum / devices);
}

Result<Prediction> predict_run(const LoadedRun& run, const Catalogue& catalogue) {
  const StepCalibration& calibration = embedded_step_calibration();
  NAMEPLATE_TRY(RunSetup setup, run_setup(run, catalogue, calibration));
  StepPrediction step = predict_step(setup.step, calibration);
  if (Status bad = check(step.pipeline)) return *bad;
  std::optional<MemoryEstimate> memory;
  if (has_memory_model(setup.step.workload.precision)) {
    memory = estimate_memory(setup.step.architecture, setup.step.workload, setup.step.plan, setup.memory,
                             peak_in_flight(step.pipeline));
  }
  std::optional<DataSupplyResult> data;
  if (setup.data) data = data_supply(*setup.data, step.step_time);
  const Seconds wait = data ? data->data_wait : Seconds();
  Ledger ledger = step_ledger(setup.step, step);
  if (data) ledger = with_data_wait(ledger, wait);
  return Prediction{.setup = setup,
                    .step = step,
                    .memory = std::move(memory),
                    .data = data,
                    .step_time = step.step_time + wait,
                    .low = step.low + wait,
                    .high = step.high + wait,
                    .ledger = ledger,
                    .tokens = to_double(units(setup.step.workload)),
                    .devices = static_cast<double>(*run.facts.accelerators)};
}

}  // namespace nameplate
