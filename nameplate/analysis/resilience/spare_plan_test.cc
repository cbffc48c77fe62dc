#include "nameplate/analysis/resilience/spare_plan.h"

#include <cmath>

#include <gtest/gtest.h>

namespace nameplate {
namespace {

constexpr double kDay = 86400;

// 1000 nodes, 6.5 failures per 1000 node-days; spares that do not fail.
FailureModel fleet(double repair_h) {
  FailureModel model;
  FailureClass c;
  c.name = "node";
  c.cause = FailureCause::hardware;
  c.rate.rate = PerSecond::from_base(6.5e-3 / kDay);
  model.classes = {c};
  model.checkpoints = {{.block = seconds(10)}};
  model.repair = {{.duration = seconds(repair_h * 3600)}};
  model.spares = {{.kind = SpareKind::cold, .nodes = 15, .failure_factor = 0}};
  return model;
}
constexpr JobSize kJob{1000, 8};

std::int64_t best(const FailureModel& model, const SpareEconomy& economy = {}) {
  return cheapest(spare_choices(model, kJob, economy)).spares;
}

TEST(SparePlan, NewsvendorCases) {
  EXPECT_EQ(best(fleet(24)), 15);
  EXPECT_EQ(best(fleet(24), {10, 0}), 18);
  EXPECT_EQ(best(fleet(72)), 33);
  EXPECT_EQ(best(fleet(24), {1, .5}), 16);
  FailureModel elastic = fleet(24);
  elastic.elastic = ElasticRun{};
  elastic.elastic->least_ratio = 0;
  EXPECT_EQ(best(elastic, {2, 0}), 6);  // a missing node costs itself twice: the mean that is down
}

// Borrowed spares cost while they are away: 6.5 of them on average, however many there are.
TEST(SparePlan, BorrowedSparesCostWhileAway) {
  FailureModel borrowed = fleet(24);
  borrowed.spares.front().kind = SpareKind::borrowed;
  const auto choices = spare_choices(borrowed, kJob, {});
  EXPECT_NEAR(choices.back().cost_nodes, 6.5, .01);
  EXPECT_GT(cheapest(choices).spares, 18);  // more than of those that are paid for
}

TEST(SparePlan, CorrelationSetsTheSpares) {
  FailureModel racks = fleet(24);
  racks.classes[0].domain = DomainKind::rack;
  racks.classes[0].domain_nodes = 18;
  racks.classes[0].domain_share = .05;
  racks.classes[0].rate.rate = racks.classes[0].rate.rate / (1 + .05 * 17);  // the same nodes down on average
  EXPECT_GT(best(racks), 20);
}

// 72 h to 24 h saves 18 spares here: 33 - 15, so a minute is worth about 18 / 2880 = 0.006 nodes.
TEST(SparePlan, FasterRepairInSpares) {
  const double worth = minute_worth_nodes(fleet(48), kJob, {});
  EXPECT_GT(worth, .004);
  EXPECT_LT(worth, .009);
  const auto exchange = repair_exchange(fleet(24), kJob, {});
  ASSERT_EQ(exchange.size(), 5u);
  EXPECT_EQ(exchange[2].best.spares, 15);
  EXPECT_LT(exchange[1].best.spares, 15);
}

TEST(SparePlan, CrewsFromTheFewestThatKeepUp) {
  const auto crews = crew_choices(fleet(24), kJob, {});
  ASSERT_FALSE(crews.empty());
  EXPECT_EQ(crews.front().crews, 7);  // 6.5 are busy
  EXPECT_NEAR(crews.front().margin, 7 / 6.5, 1e-12);
  EXPECT_GT(crews.front().best.spares, crews.back().best.spares);
  EXPECT_LE(crews.back().best.spares, 16);
}

}  // namespace
}  // namespace nameplate
