// One Document with every feature, for the tests of the renderers: short enough to check by hand, and with texts as a
// hostile input would have them.
#pragma once

#include <cmath>
#include <limits>

#include "nameplate/report/document.h"

namespace nameplate {

inline Value sample_value(std::string id, Number value, std::string unit) {
  Value made;
  made.id = std::move(id);
  made.value = value;
  made.unit = std::move(unit);
  return made;
}

inline std::vector<Value> sample_values() {
  Value mfu = sample_value("mfu_step_ratio", 0.347, "1");
  mfu.low = 0.345;
  mfu.high = 0.349;
  mfu.convention = "causal, dense bf16 peak";
  mfu.source = "train.log";
  mfu.level = "log+config";
  Value step_time = sample_value("step_time_s", 1.1, "s");
  step_time.low = 1.09;
  step_time.high = 1.112;
  // 2^64 + 1: neither a double nor 64 bits hold it.
  const Int128 exact = (Int128{1} << 64) + 1;
  return {mfu,
          step_time,
          sample_value("ettr_ratio", 0.0042, "1"),
          sample_value("tokens_per_s_per_gpu", 13256.4, "token/s"),
          sample_value("tflops_per_s_per_gpu", 412.345, "TFLOP/s"),
          sample_value("flops_per_token", Int128{51470401536}, "FLOP"),
          sample_value("flops_per_step", exact, "FLOP"),
          sample_value("memory_peak_bytes", 73.66e9, "B"),
          sample_value("checkpoint_interval_s", 200.0, "s"),
          sample_value("error_mean_ratio", std::numeric_limits<double>::quiet_NaN(), "1")};
}

// 800 accelerator-seconds of steps in 1,234 of wall-clock, on 8 of 16 ranks.
inline Ledger sample_step_ledger() {
  return LedgerBuilder(LedgerScope::step, 16, 16)
      .book(LedgerRow::model_compute, 400)
      .book(LedgerRow::recompute, 0)
      .close(800);
}
inline Ledger sample_run_ledger() {
  return LedgerBuilder(LedgerScope::run, 8, 16)
      .book(LedgerRow::model_compute, 617,
            "median of 90 steady steps, causal attention, dense bf16 peak of the catalogue")
      .book(LedgerRow::checkpoint, 123.4, "train.log:215")
      .book(LedgerRow::startup, 617)
      .close(1234);
}

inline Table sample_table() {
  Table table;
  table.id = "steps";
  table.columns = {{"step", "1"}, {"step_time_s", "s"}, {"class", ""}};
  table.rows = {
      {Int128{1}, 2.5, "warm_up"}, {Int128{2}, std::monostate{}, "a,\"b\"\n<b>"}, {Int128{1000}, 1.125, "steady"}};
  table.text_rows = 2;
  return table;
}

inline Finding sample_finding() {
  Finding finding;
  finding.message = {"sample.slow", {{"count", std::int64_t{3}}}};
  finding.row = LedgerRow::checkpoint;
  finding.worth = Worth{123.4, 0.032, 0.021, 0.04};
  finding.evidence = {"train.log:215: saving \x1b[31mcheckpoint"};
  return finding;
}

inline Document sample_document() {
  Document document;
  document.command = "report";
  document.title = {"sample.title", {{"name", std::string("<script>alert(1)</script>")}}};
  document.notes = {{"sample.note", {{"share", 0.389}, {"missing", std::nan("")}}}};
  document.values = sample_values();
  document.ledgers = {sample_step_ledger(), sample_run_ledger()};
  document.tables = {sample_table()};
  document.figures = {{"step_time", FigureKind::line, "steps", "step", {"step_time_s"}, {"sample.figure", {}}},
                      {"run", FigureKind::waterfall, "ledger:run", "", {}, {"sample.figure", {}}}};
  document.findings = {sample_finding()};
  document.assumptions = {{"sample.assumed", {{"key", std::string("training.precision")}}}};
  document.defects = {{{"sample.lost", {{"line", std::int64_t{7}}}}, Severity::data_loss, 2},
                      {{"sample.broken", {{"text", std::string("\xff\x01")}}}, Severity::error, 1234}};
  return document;
}

}  // namespace nameplate
