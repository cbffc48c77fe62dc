#include "nameplate/analysis/resilience/survival.h"

#include <cmath>

#include <gtest/gtest.h>

#include "nameplate/analysis/resilience/closed_form_checkpoint.h"

namespace nameplate {
namespace {

constexpr double kDay = 86400;

FailureClass node_class(double per_1000_node_days, double restart_s) {
  FailureClass c;
  c.name = "node";
  c.cause = FailureCause::hardware;
  c.rate.rate = PerSecond::from_base(per_1000_node_days / 1000 / kDay);
  c.restart.at_one_node = seconds(restart_s);
  return c;
}

FailureModel llama() {
  FailureModel model;
  model.classes = {node_class(419 / 54.0 / 2.048, 300)};
  model.checkpoints = {{.name = "store", .block = seconds(20), .every = seconds(654.11)}};
  return model;
}

TEST(JobFailures, RatesFollowWhatTheyCount) {
  FailureModel model;
  FailureClass c = node_class(1000, 0);  // one a node and day
  EXPECT_NEAR(job_rate(model, c, {16, 8}).base() * kDay, 16, 1e-9);
  c.rate.unit = RateUnit::device;
  EXPECT_NEAR(job_rate(model, c, {16, 8}).base() * kDay, 128, 1e-9);
  c.rate.unit = RateUnit::job;
  EXPECT_NEAR(job_rate(model, c, {16, 8}).base() * kDay, 1, 1e-9);
  c.rate.unit = RateUnit::domain;
  c.domain_nodes = 5;
  EXPECT_NEAR(job_rate(model, c, {16, 8}).base() * kDay, 4, 1e-9);  // 16 nodes lie in 4 racks of 5
  c.rate.unit = RateUnit::node;
  model.lemon_share = .15;
  model.lemon_factor = 5;
  EXPECT_NEAR(job_rate(model, c, {16, 8}).base() * kDay, 16 * 1.6, 1e-9);  // .85 + .15 x 5
}

TEST(JobFailures, LevelsCatchWhatTheyCover) {
  FailureModel model;
  model.classes = {node_class(1000, 60)};
  model.classes[0].domain = DomainKind::rack;
  model.classes[0].domain_share = .1;
  model.classes[0].domain_nodes = 18;
  model.checkpoints = {{.covers = .9, .outside = DomainKind::node}, {.load = seconds(600)}};
  const auto paths = recovery_paths(model, {100, 8});
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_NEAR(paths[0].rate.base() * kDay, 100 * .9 * .9, 1e-9);  // the rack takes its neighbours' copies along
  EXPECT_NEAR(paths[1].rate.base() * kDay, 100 * .19, 1e-9);
  EXPECT_EQ(paths[1].restart[1].base(), 660);
}

// AIReSim's pipeline: 2 h, of which 80 % go on to 2 d; 40 % and 20 % come back broken: 40.4 h a visit, 24 % again.
TEST(JobFailures, RepairInTwoStages) {
  FailureModel model;
  model.classes = {node_class(10, 0)};
  model.repair = {{.duration = seconds(7200), .success = .2, .silent_failure = .4, .crews = 10},
                  {.duration = seconds(2 * kDay), .success = 1, .silent_failure = .2}};
  EXPECT_NEAR(mean_repair(model).base() / 3600, 40.4 / (1 - .2 * .4 - .8 * .2), 1e-9);
  const auto loads = repair_loads(model, {4096, 8});
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_NEAR(loads[0].work, 40.96 / .76 / 12, 1e-9);  // 40.96 a day, 2 h each
  EXPECT_NEAR(loads[0].margin, 10 / loads[0].work, 1e-12);
  EXPECT_NEAR(loads[1].work, 40.96 / .76 * .8 * 2, 1e-9);
  EXPECT_TRUE(std::isinf(loads[1].margin));
}

TEST(Survival, OneClassIsTheExactForm) {
  const Survival g = survival_of(llama(), {2048, 8});
  EXPECT_NEAR(1 / g.interruptions.base(), 11134.8, 1);
  EXPECT_NEAR(g.shares().work, .91623, 2e-5);
  EXPECT_NEAR(g.best.interval.base(), 654.11, .2);
  EXPECT_FALSE(g.nodes);
}

// 6.5 down of 1000 with 15 spares that do not fail: 99.884 %; the product with the job's own share is the ETTR.
TEST(Survival, WaitingForNodesCounts) {
  FailureModel model = llama();
  model.classes = {node_class(6.5, 300)};
  model.repair = {{.duration = seconds(kDay)}};
  model.spares = {{.kind = SpareKind::cold, .nodes = 15, .failure_factor = 0}};
  const Survival g = survival_of(model, {1000, 8});
  ASSERT_TRUE(g.nodes);
  EXPECT_NEAR(g.nodes->ratio, .99884, 5e-6);
  EXPECT_NEAR(g.ettr(), g.shares().work * .99884, 1e-5);
  EXPECT_NEAR(g.nodes->spares_held, 15 - 6.5, .05);
  model.repair[0].crews = 4;  // 6.5 repairs a day need more than 6 crews
  EXPECT_FALSE(repair_is_stable(model, {1000, 8}));
  EXPECT_FALSE(survival_of(model, {1000, 8}).nodes);
}

// 8,000 accelerators at 6.5 per 1000 node-days and 24 h: 6.5 crews are busy. With 7 the queue takes
// 1 / (sqrt(7) - sqrt(6.5))^2 = 108 days to fill and the fleet is short most of the time; with 12, a day and a half.
TEST(ClosedFormScope, AQueueThatOutlivesTheRun) {
  FailureModel model = llama();
  model.classes = {node_class(6.5, 300)};
  model.repair = {{.duration = seconds(kDay), .crews = 12}};
  model.spares = {{.nodes = 30}};
  const JobSize job{1000, 8};
  using enum OutsideClosedForm;
  EXPECT_TRUE(outside_closed_form(model, job, seconds(54 * kDay)).empty());
  model.repair[0].crews = 7;
  EXPECT_EQ(outside_closed_form(model, job, seconds(54 * kDay)), std::vector{slow_queue});
  EXPECT_TRUE(outside_closed_form(model, job, seconds(1e6 * kDay)).empty());
  model.repair[0].crews = 6;
  model.elastic = ElasticRun{};
  EXPECT_EQ(outside_closed_form(model, job, seconds(1e6 * kDay)), (std::vector{unstable_repair, elastic}));
}

// 0.5 corruptions per 1000 node-days on 2,048 nodes, noticed late; saves of 10 s every 10 min, restart 5 min. An own
// Monte Carlo, in which one rollback mends all that was corrupted, gives 93.7, 77.6 and 49.0 %.
TEST(Survival, OneRollbackMendsAllCorruptions) {
  for (const auto& [hours, ettr] : {std::pair{1, .937}, {6, .776}, {24, .490}}) {
    FailureModel model = llama();
    model.classes = {node_class(.5, 300)};
    model.classes[0].cause = FailureCause::silent_corruption;
    model.classes[0].detect = seconds(3600 * hours);
    model.checkpoints = {{.name = "store", .block = seconds(10), .every = seconds(600)}};
    EXPECT_NEAR(survival_of(model, {2048, 8}).ettr(), ettr, .016)
        << hours;  // the simulation, which stands for it here, .005
    EXPECT_EQ(outside_closed_form(model, {2048, 8}, seconds(30 * kDay)),
              std::vector{OutsideClosedForm::late_corruption});
  }
}

TEST(Survival, ElasticJobsGoOnWithFewerNodes) {
  FailureModel model = llama();
  model.classes = {node_class(6.5, 300)};
  model.repair = {{.duration = seconds(kDay)}};
  EXPECT_LT(availability(model, {1000, 8}, 0).computes, .002);
  model.elastic = ElasticRun{.least_ratio = .9};
  EXPECT_NEAR(availability(model, {1000, 8}, 0).computes, 1 - .0065, 1e-5);
}

// 400 interruptions give +-10 % of the rate, and so of what failures cost: 8.4 +- 0.8 points.
TEST(Survival, CountsMakeAnInterval) {
  FailureModel model = llama();
  EXPECT_FALSE(ettr_interval(model, {2048, 8}, 1));
  model.classes[0].rate.events = 400;
  const Interval interval = *ettr_interval(model, {2048, 8}, 1);
  EXPECT_NEAR(interval.low, .91623 - .0055, .002);
  EXPECT_NEAR(interval.high, .91623 + .0055, .002);
  EXPECT_EQ(interval, *ettr_interval(model, {2048, 8}, 1));
}

// 419 counted, shared by two classes, are as sure as 419 of one.
TEST(Survival, SharesOfACountAreAsSureAsTheCount) {
  FailureModel whole = llama();
  whole.classes[0].rate.events = 419;
  FailureModel parts = whole;
  parts.classes.push_back(parts.classes[0]);
  for (FailureClass& c : parts.classes) {
    c.rate.rate = c.rate.rate / 2;
    c.rate.events = 419.0 / 2;
  }
  const Interval one = *ettr_interval(whole, {2048, 8}, 1), two = *ettr_interval(parts, {2048, 8}, 1);
  EXPECT_NEAR(one.high - one.low, two.high - two.low, .1 * (one.high - one.low));
  EXPECT_NEAR((one.high + one.low) / 2, .91623, 5e-4);  // around the headline
}

// Elasticities at M = 11134.8 s, d = 20 s, R = 300 s: sqrt(2 d / M) / 2 = 0.030 for d, R / M = 0.027 for R, and their
// sum (with the halves of the square root) for the rate: 0.057. First order, so within 15 %.
TEST(Survival, SensitivitiesFollowTheFirstOrder) {
  const auto all = sensitivities(llama(), {2048, 8}, seconds(54 * kDay), [](const FailureModel&) { return 0.0; });
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].lever, Lever::failure_rate);
  for (const Sensitivity& s : all) {
    const double first_order = s.lever == Lever::blocking ? .030 : s.lever == Lever::restart ? .027 : .057;
    EXPECT_NEAR(s.elasticity, first_order, .15 * first_order) << name(s.lever);
    EXPECT_GT(s.halved, s.doubled);
  }
}

TEST(Survival, ReliabilityOvertakesAtSomeScale) {
  const auto nodes = reliability_overtakes(llama(), {2048, 8}, 1'000'000);
  ASSERT_TRUE(nodes);
  const auto ettr = [](std::int64_t n, double factor) {
    return survival_of(scaled(llama(), Lever::failure_rate, factor), {n, 8}).best_ettr();
  };
  EXPECT_NEAR(std::log(ettr(*nodes, .99) / ettr(*nodes, 1.01)) / std::log(1.01 / .99), 1, .01);
  EXPECT_FALSE(reliability_overtakes(llama(), {2048, 8}, 4096));
}

}  // namespace
}  // namespace nameplate
