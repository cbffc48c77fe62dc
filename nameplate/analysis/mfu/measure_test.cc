#include "nameplate/analysis/mfu/measure.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/mfu/log_for_test.h"
#include "nameplate/analysis/mfu/tiny_run_for_test.h"
#include "nameplate/core/random.h"

namespace nameplate {
namespace {

const std::vector<double> kSeconds(20, 1.0);

TEST(Measure, MfuByHand) {
  const Measurement m = measure(printed_log(kSeconds), tiny_facts());
  EXPECT_DOUBLE_EQ(*m.flops_per_token, kTinyFlopsPerToken);
  EXPECT_DOUBLE_EQ(*m.tokens_per_s_per_gpu, 32);  // 64 tokens in 1 s on 2
  EXPECT_DOUBLE_EQ(*m.tflops_per_s_per_gpu, 32 * 9984 / 1e12);
  EXPECT_DOUBLE_EQ(*m.mfu_step, 0.5);
  EXPECT_DOUBLE_EQ(*m.mfu_median, 0.5);
  EXPECT_DOUBLE_EQ(m.step_time_s->p95, 1);
  EXPECT_EQ(m.steps_total, 20);
  EXPECT_EQ(m.steps_steady, 20);
  EXPECT_FALSE(m.hfu_step);  // whether there is recompute is not known
  EXPECT_FALSE(m.mfu_wall);  // no clock
  EXPECT_TRUE(m.missing.empty());
  EXPECT_TRUE(m.defects.empty());
}

// 15 steps of 1 s and 5 of 5 s: the mean step is 40 / 20 = 2 s, an MFU of 0.25; the median step has 0.5.
TEST(Measure, MfuIsFlopsOverTime) {
  std::vector<double> durations(20, 1.0);
  std::fill(durations.begin() + 15, durations.end(), 5);
  const Measurement m = measure(printed_log(durations), tiny_facts());
  EXPECT_EQ(m.steps_steady, 20);
  EXPECT_DOUBLE_EQ(*m.mfu_step, 0.25);
  EXPECT_DOUBLE_EQ(*m.mfu_median, 0.5);
  EXPECT_DOUBLE_EQ(m.step_time_s->mean, 2);
  EXPECT_DOUBLE_EQ(m.step_time_s->least, 1);
  EXPECT_DOUBLE_EQ(m.step_time_s->most, 5);
  EXPECT_DOUBLE_EQ(*m.mfu_peak_over_mean, 2);  // the best steps against the mean
}

TEST(Measure, TheIntervalContainsTheMeanAndNarrowsWithMoreSteps) {
  const auto width = [](std::size_t steps) {
    RandomStream random(5, steps);
    std::vector<double> durations;
    for (std::size_t i = 0; i < steps; ++i) durations.push_back(1 + 0.05 * random.next_uniform());
    const Measurement m = measure(printed_log(durations), tiny_facts());
    EXPECT_LE(m.mfu_step_interval->low, *m.mfu_step);
    EXPECT_GE(m.mfu_step_interval->high, *m.mfu_step);
    EXPECT_LE(m.step_time_interval->low, m.step_time_s->mean);
    EXPECT_GE(m.step_time_interval->high, m.step_time_s->mean);
    return m.mfu_step_interval->high - m.mfu_step_interval->low;
  };
  EXPECT_GT(width(50), width(5000));
}

// Full recompute: 2,816 of 9,984 FLOP once more; selective: 512 (tiny_run_for_test.h).
TEST(Measure, HfuAddsWhatIsRepeated) {
  RunFacts facts = tiny_facts();
  facts.recompute_known = true;
  EXPECT_DOUBLE_EQ(*measure(printed_log(kSeconds), facts).hfu_step, 0.5);
  facts.recompute = Recompute::full;
  EXPECT_DOUBLE_EQ(*measure(printed_log(kSeconds), facts).hfu_step, 0.5 * (9984 + 2816) / 9984);
  facts.recompute = Recompute::selective;
  EXPECT_DOUBLE_EQ(*measure(printed_log(kSeconds), facts).hfu_step, 0.5 * (9984 + 512) / 9984);
}

// torchtitan alone: 32 token/s and accelerator, nothing known of the batch or of how many there are.
TEST(Measure, ARatePerAcceleratorIsEnough) {
  RunFacts facts = tiny_facts();
  facts.workload = {};
  facts.accelerators = {};
  RunLog log = printed_log(kSeconds);
  for (Step& step : log.steps) {
    step.duration_s = {};
    step.claimed_tokens_per_s = 32;
  }
  log.claims.tokens_per_s_scope = RateScope::per_accelerator;
  const Measurement m = measure(log, facts);
  EXPECT_DOUBLE_EQ(*m.mfu_step, 0.5);
  EXPECT_FALSE(m.step_time_s);
  EXPECT_FALSE(m.step_ledger);
  EXPECT_TRUE(m.missing.empty());
}

// A batch that ramps up: 10 steps of 2 sequences, 10 of 4, 1 s each: 10 x 32 + 10 x 64 tokens in 20 s on 2 are 24 a
// second; 24 x 9,984 / (64 x 9,984) = 0.375.
TEST(Measure, TokensOfEachRowCount) {
  RunFacts facts = tiny_facts();
  facts.workload = {};
  RunLog log = printed_log(kSeconds);
  for (std::size_t i = 0; i < log.steps.size(); ++i) log.steps[i].samples = i < 10 ? 2 : 4;
  EXPECT_DOUBLE_EQ(*measure(log, facts).mfu_step, 0.375);
}

// Steps of 0.4 s: an MFU of 1.25 is an input that cannot be. It is shown, and the ledger goes negative.
TEST(Measure, FasterThanThePeakIsADefect) {
  const Measurement m = measure(printed_log(std::vector<double>(20, 0.4)), tiny_facts());
  EXPECT_DOUBLE_EQ(*m.mfu_step, 1.25);
  EXPECT_EQ(count_of(m.defects, "mfu.faster_than_peak"), 1);
  EXPECT_NEAR(*m.step_ledger->share(LedgerRow::unattributed), -0.25, 1e-12);
}

// One row of 0.1 s, while the peak allows no step under 0.5 s, is the row's fault.
TEST(Measure, AnImpossibleRowIsLeftOut) {
  std::vector<double> durations = kSeconds;
  durations[12] = 0.1;
  const Measurement m = measure(printed_log(durations), tiny_facts());
  EXPECT_DOUBLE_EQ(*m.mfu_step, 0.5);
  EXPECT_EQ(m.steps_steady, 19);
  EXPECT_EQ(count_of(m.defects, "log.step_faster_than_peak"), 1);
}

TEST(Measure, ShareOfTheBestMatmul) {
  RunFacts facts = tiny_facts();
  facts.achievable = flops_per_s(40 * kTinyFlopsPerToken);
  EXPECT_DOUBLE_EQ(*measure(printed_log(kSeconds), facts).share_of_achievable, 32.0 / 40);
}

TEST(Measure, WhatIsMissingIsNamed) {
  RunFacts nothing;
  EXPECT_EQ(measure(printed_log(kSeconds), nothing).missing,
            (std::vector<std::string>{"model", "training.seq_len", "cluster.accelerator", "cluster.count",
                                      "training.global_batch"}));
  RunFacts facts = tiny_facts();
  facts.accelerators = {};
  const Measurement m = measure(printed_log(kSeconds), facts);
  EXPECT_EQ(m.missing, std::vector<std::string>{"cluster.count"});
  EXPECT_FALSE(m.mfu_step);
  EXPECT_DOUBLE_EQ(m.step_time_s->mean, 1);  // what can be said is said
}

TEST(Measure, AnEmptyLog) {
  const Measurement m = measure({}, tiny_facts());
  EXPECT_FALSE(m.mfu_step);
  EXPECT_FALSE(m.step_ledger);
  EXPECT_FALSE(m.run_ledger);
}

// 10 s before the first step, an evaluation of 10 s, 20 steps of 1 s: ETTR 20 / 40, MFU of the wall-clock 0.25.
TEST(Measure, WallClockMfuIsStepMfuTimesEttr) {
  RunLog log = clocked_log(1000, kSeconds);
  log.first_time_s = 990;
  delay(log, 10, 10);
  log.events = {event_after(EventClass::evaluation, 9, {}, 1020)};
  const Measurement m = measure(log, tiny_facts());
  EXPECT_DOUBLE_EQ(*m.ettr, 0.5);
  EXPECT_DOUBLE_EQ(*m.mfu_step, 0.5);
  EXPECT_DOUBLE_EQ(*m.mfu_wall, *m.mfu_step * *m.ettr);
  const Ledger& run = *m.run_ledger;
  EXPECT_DOUBLE_EQ(run.total(), 80);  // 40 s on 2
  EXPECT_DOUBLE_EQ(*run.share(LedgerRow::model_compute), *m.mfu_wall);
  EXPECT_DOUBLE_EQ(*run.value(LedgerRow::startup), 20);
  EXPECT_DOUBLE_EQ(*run.value(LedgerRow::evaluation), 20);
  EXPECT_DOUBLE_EQ(*run.value(LedgerRow::unattributed), 20);  // half of the steps
}

TEST(Measure, LedgersClose) {
  RunFacts facts = tiny_facts();
  facts.recompute_known = true;
  facts.recompute = Recompute::full;
  RunLog log = clocked_log(1000, kSeconds);
  restart(log, 15, 30, kSeconds);
  const Measurement m = measure(log, facts);
  for (const Ledger& ledger : {*m.step_ledger, *m.run_ledger}) {
    double sum = 0;
    for (std::size_t i = 0; i < kLedgerRows; ++i) sum += ledger.value(static_cast<LedgerRow>(i)).value_or(0);
    EXPECT_NEAR(sum / ledger.total(), 1, 1e-9);
  }
  // HFU - MFU = 0.5 x 2,816 / 9,984 of the steps.
  EXPECT_NEAR(*m.step_ledger->share(LedgerRow::recompute), 0.5 * 2816 / 9984, 1e-12);
}

TEST(Measure, FiguresTypedIn) {
  RunFacts facts = tiny_facts();
  facts.recompute_known = true;
  const TypedMeasurement typed = measure_rate(32, facts);
  EXPECT_DOUBLE_EQ(typed.flops_per_token, kTinyFlopsPerToken);
  EXPECT_DOUBLE_EQ(*typed.mfu, 0.5);
  EXPECT_DOUBLE_EQ(*typed.hfu, 0.5);
  facts.peak = {};
  EXPECT_FALSE(measure_rate(32, facts).mfu);
}

}  // namespace
}  // namespace nameplate
