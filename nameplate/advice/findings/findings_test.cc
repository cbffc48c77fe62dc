#include "nameplate/advice/findings/findings.h"

#include <gtest/gtest.h>

#include "nameplate/analysis/mfu/log_for_test.h"
#include "nameplate/analysis/mfu/tiny_run_for_test.h"

namespace nameplate {
namespace {

std::vector<Finding> findings(const RunLog& log, const RunFacts& facts = tiny_facts()) {
  return find_all({log, facts, measure(log, facts)});
}

const Finding* find(const std::vector<Finding>& all, std::string_view id) {
  for (const Finding& finding : all) {
    if (finding.message.id == id) return &finding;
  }
  return nullptr;
}

double number(const Finding& finding, std::string_view argument) {
  for (const auto& [name, value] : finding.message.args) {
    if (name != argument) continue;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
    return std::get<double>(value);
  }
  ADD_FAILURE() << argument;
  return 0;
}

// 100 steps of 1 s on 2 accelerators, MFU 0.5, and nothing else.
RunLog even_run() { return clocked_log(1000, std::vector<double>(100, 1.0)); }

TEST(Findings, AnEvenRunHasNone) { EXPECT_TRUE(findings(even_run()).empty()); }

TEST(Findings, NothingIsFoundInAnEmptyLog) { EXPECT_TRUE(findings({}).empty()); }

// A pause of 25 s beside 100 s of steps: 20 % of 125 s, 50 accelerator-seconds. Without it the MFU of the wall-clock,
// 0.4, would be 0.5.
TEST(Findings, Evaluation) {
  RunLog log = even_run();
  delay(log, 50, 25);
  log.events = {event_after(EventClass::evaluation, 49, {}, 1075)};
  const auto all = findings(log);
  const Finding* found = find(all, "finding.evaluation");
  ASSERT_NE(found, nullptr);
  EXPECT_DOUBLE_EQ(number(*found, "share"), 0.2);
  EXPECT_EQ(number(*found, "count"), 1);
  EXPECT_DOUBLE_EQ(found->worth->accelerator_s, 50);
  EXPECT_NEAR(*found->worth->mfu_points, 0.1, 1e-12);
  EXPECT_EQ(found->row, LedgerRow::evaluation);
  EXPECT_EQ(found->evidence, std::vector<std::string>{"train.log:7: quoted"});
}

TEST(Findings, AShortEvaluationIsNotWorthASentence) {  // 0.4 s of 100.4 s
  RunLog log = even_run();
  delay(log, 50, 0.4);
  log.events = {event_after(EventClass::evaluation, 49, {}, 1050.4)};
  EXPECT_EQ(find(findings(log), "finding.evaluation"), nullptr);
}

TEST(Findings, CheckpointsFromATenthOfAPercent) {
  RunLog log = even_run();
  delay(log, 50, 0.4);
  log.events = {event_after(EventClass::checkpoint_save, 49, 1050)};
  EXPECT_NE(find(findings(log), "finding.checkpoint"), nullptr);
  log = even_run();
  delay(log, 50, 0.05);
  log.events = {event_after(EventClass::checkpoint_save, 49, 1050)};
  EXPECT_EQ(find(findings(log), "finding.checkpoint"), nullptr);
}

// 60 s until the run came back and 10 s done again, of 200 s.
TEST(Findings, Restart) {
  RunLog log = even_run();
  restart(log, 90, 60, std::vector<double>(40, 1.0));
  const auto all = findings(log);
  const Finding* found = find(all, "finding.restart");
  ASSERT_NE(found, nullptr);
  EXPECT_DOUBLE_EQ(number(*found, "share"), 0.35);
  EXPECT_DOUBLE_EQ(number(*found, "seconds"), 70);
  EXPECT_EQ(number(*found, "redone"), 10);
  EXPECT_EQ(number(*found, "restarts"), 1);
  EXPECT_DOUBLE_EQ(found->worth->accelerator_s, 140);
}

// 25 s in the queue, then 100 s of steps: 20 % of 125 s on 2 accelerators.
TEST(Findings, Queue) {
  RunLog log = even_run();
  log.events = {event_after(EventClass::queue, 0, 975, 1000)};
  log.events[0].after_step = {};
  const auto all = findings(log);
  const Finding* found = find(all, "finding.queue");
  ASSERT_NE(found, nullptr);
  EXPECT_DOUBLE_EQ(number(*found, "share"), 0.2);
  EXPECT_DOUBLE_EQ(number(*found, "seconds"), 25);
  EXPECT_DOUBLE_EQ(found->worth->accelerator_s, 50);
  log.events[0] = event_after(EventClass::queue, 0, 999.5, 1000);  // 0.5 %
  log.events[0].after_step = {};
  EXPECT_EQ(find(findings(log), "finding.queue"), nullptr);
}

TEST(Findings, Startup) {
  RunLog log = even_run();
  log.first_time_s = 900;
  EXPECT_NE(find(findings(log), "finding.startup"), nullptr);
  log.first_time_s = 999.5;  // 0.5 %
  EXPECT_EQ(find(findings(log), "finding.startup"), nullptr);
}

// 100 steps of 1 s, 100 of 1.2 s: 20 s of 220 s above the best level.
TEST(Findings, Slowdown) {
  std::vector<double> durations(200, 1.0);
  std::fill(durations.begin() + 100, durations.end(), 1.2);
  const auto all = findings(printed_log(durations));
  const Finding* found = find(all, "finding.slowdown");
  ASSERT_NE(found, nullptr);
  EXPECT_DOUBLE_EQ(number(*found, "from"), 1);
  EXPECT_DOUBLE_EQ(number(*found, "to"), 1.2);
  EXPECT_EQ(number(*found, "step"), 100);
  EXPECT_NEAR(number(*found, "share"), 20.0 / 220, 1e-9);
  EXPECT_EQ(found->evidence, std::vector<std::string>{"train.log:101"});
}

// Every tenth of 100 steps takes 3 s: the mean is 1.2 s, a sixth above the median of 1 s.
TEST(Findings, Jitter) {
  std::vector<double> durations(100, 1.0);
  for (std::size_t i = 5; i < durations.size(); i += 10) durations[i] = 3;
  const auto all = findings(printed_log(durations));
  const Finding* found = find(all, "finding.jitter");
  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(number(*found, "share"), 1 - 1 / 1.2, 1e-12);
  durations.resize(15);
  EXPECT_EQ(find(findings(printed_log(durations)), "finding.jitter"), nullptr);  // too few to say
}

TEST(Findings, RecomputeWhereItIsKnown) {
  RunFacts facts = tiny_facts();
  facts.recompute = Recompute::full;
  EXPECT_EQ(find(findings(even_run(), facts), "finding.recompute"), nullptr);
  facts.recompute_known = true;
  const auto all = findings(even_run(), facts);
  const Finding* found = find(all, "finding.recompute");
  ASSERT_NE(found, nullptr);
  // 2,816 of 12,800 FLOP are repeated: 22 % of 200 accelerator-seconds (tiny_run_for_test.h).
  EXPECT_NEAR(found->worth->accelerator_s, 44, 1e-9);
}

TEST(Findings, BelowTheBestMatmul) {
  RunFacts facts = tiny_facts();
  facts.achievable = flops_per_s(40 * kTinyFlopsPerToken);  // 32 of 40: 80 %
  EXPECT_NE(find(findings(even_run(), facts), "finding.below_matmul"), nullptr);
  facts.achievable = flops_per_s(32.5 * kTinyFlopsPerToken);
  EXPECT_EQ(find(findings(even_run(), facts), "finding.below_matmul"), nullptr);
}

TEST(Findings, ALossThatStaysNoNumber) {
  RunLog log = even_run();
  for (std::size_t i = 0; i < 97; ++i) log.steps[i].loss = 2.5;
  const auto all = findings(log);
  const Finding* found = find(all, "finding.loss_not_finite");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(number(*found, "step"), 97);
  EXPECT_EQ(number(*found, "rows"), 3);
  EXPECT_FALSE(found->worth);
  log.steps[99].loss = 2.5;  // it recovered
  EXPECT_EQ(find(findings(log), "finding.loss_not_finite"), nullptr);
  EXPECT_EQ(find(findings(even_run()), "finding.loss_not_finite"), nullptr);  // no loss is printed at all
}

// deepspeedai/DeepSpeed #2565: the profiler's 13.36 TFLOP/s beside the 125.18 of the log. Here the run of tiny_facts()
// on two accelerators that share each micro-batch of 4: forward, full attention, 11,520 / 3 = 3,840 FLOP per token, 64
// tokens on 2: 122,880. The log's 11,520 per token are 32 tokens a second and accelerator x 11,520 = 368,640 FLOP/s.
TEST(Findings, AProfilerThatMissesMostOfTheWork) {
  const auto profiled = [](RunLog log, const char* flops) {
    log.facts = {{"plan.dp", "1", {}}, {"training.micro_batch", "4", {}}};
    log.facts.push_back({"profiler.forward_flops", flops, {"train.log", 9, "fwd flops per GPU"}});
    return log;
  };
  const auto counted = findings(profiled(even_run(), "12288"));
  const Finding* found = find(counted, "finding.profiler_against_count");
  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(number(*found, "ratio"), 10, 1e-9);
  EXPECT_EQ(found->evidence, std::vector<std::string>{"train.log:9: fwd flops per GPU"});

  RunLog log = even_run();
  for (Step& step : log.steps) step.claimed_tflops = 368'640e-12;
  const auto against_log = findings(profiled(log, "13114"));  // 122,880 x 13.36 / 125.18
  found = find(against_log, "finding.profiler_against_log");
  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(number(*found, "ratio"), 125.18 / 13.36, 0.001);
  for (const char* fits : {"122880", "92160"}) {  // the latter: the log repeats the forward pass, 4/3
    EXPECT_EQ(find(findings(profiled(log, fits)), "finding.profiler_against_log"), nullptr);
  }
}

TEST(Findings, TheLargestWorthComesFirst) {
  RunLog log = even_run();
  log.first_time_s = 990;
  delay(log, 50, 25);
  log.events = {event_after(EventClass::evaluation, 49, {}, 1075)};
  for (std::size_t i = 0; i < 90; ++i) log.steps[i].loss = 2.5;
  const auto all = findings(log);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].message.id, "finding.evaluation");
  EXPECT_EQ(all[1].message.id, "finding.startup");
  EXPECT_EQ(all[2].message.id, "finding.loss_not_finite");  // without a worth
}

}  // namespace
}  // namespace nameplate
