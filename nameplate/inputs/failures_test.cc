#include "nameplate/inputs/failures.h"

#include <cmath>

#include <gtest/gtest.h>

#include "nameplate/inputs/manifest.h"

namespace nameplate {
namespace {

constexpr double kDay = 86400;

Result<FailureSection> read(std::string_view text) {
  const Result<Node> root = parse_toml(text, "run.toml");
  EXPECT_TRUE(root.ok());
  return read_failures(*root->find("failures"), "run.toml");
}

std::string error_of(std::string_view text) {
  const auto section = read(text);
  return section.ok() ? "" : render(section.error());
}

TEST(FailureSection, EverythingThatItMayHold) {
  const auto section = read(R"([failures]
repair = [{name = "automatic", duration = "2 h", success = 0.2, silent_failure = "40 %"}, {duration = "2 d", crews = 3}]
crews = 8
spares = [{kind = "warm", nodes = 16}, {kind = "borrowed", nodes = 200, ready = "20 min"}]
checkpoint = [{level = "local", block = "1 s", total = "20 s", every = "300 s", covers = 0.9, outside = "rack"}]
wrong_unit = 0.02
fleet_age = "30 d"
lemon_share = 0.15
lemon_factor = 5
elastic = {least = 0.9, rejoin = "60 s"}
horizon = "54 d"
stall_multiple = 10
salvage = 0.5
[[failures.class]]
name = "gpu"
cause = "hardware"
rate = "9 % per device-year"
shape = 0.7
detect = "10 min"
restart = "454 s at 128, 545 s at 256"
recurs = 0.1
[[failures.class]]
name = "rack"
rate = "1 per rack-year"
domain_nodes = 18
restart = "1 h"
)");
  ASSERT_TRUE(section.ok()) << render(section.error());
  const FailureModel& m = section->model;
  ASSERT_EQ(m.classes.size(), 2u);
  EXPECT_EQ(m.classes[0].rate.unit, RateUnit::device);
  EXPECT_NEAR(m.classes[0].rate.rate.base(), .09 / (365.25 * kDay), 1e-15);
  EXPECT_EQ(m.classes[0].shape, .7);
  EXPECT_EQ(m.classes[1].rate.unit, RateUnit::domain);
  EXPECT_EQ(m.classes[1].domain, DomainKind::rack);
  ASSERT_EQ(m.repair.size(), 2u);
  EXPECT_EQ(m.repair[0].crews, 8);  // the section's, where a stage says none
  EXPECT_EQ(m.repair[1].crews, 3);
  EXPECT_EQ(m.repair[0].silent_failure, .4);
  EXPECT_EQ(spare_nodes(m), 216);
  EXPECT_EQ(m.checkpoints[0].outside, DomainKind::rack);
  EXPECT_EQ(m.elastic->least_ratio, .9);
  EXPECT_EQ(section->stall_multiple, 10);
  EXPECT_TRUE(section->without_restart.empty());
}

TEST(FailureSection, WhatIsWrongIsSaidWhereItIs) {
  EXPECT_NE(error_of("[failures]\n[[failures.class]]\nname = 'a'\nrate = '3.79'").find("run.toml:4"),
            std::string::npos);
  EXPECT_NE(error_of("[failures]\n[[failures.class]]\nname = 'a'\nrate = 3.79").find("no time base"),
            std::string::npos);
  EXPECT_NE(error_of("[failures]\n[[failures.class]]\nname = 'a'\nrate = '1 per 3 h'").find("of what"),
            std::string::npos);
  EXPECT_NE(error_of("[failures]\n[[failures.class]]\nname = 'a'\nreliability = 0.95").find("without a mission"),
            std::string::npos);
  EXPECT_NE(error_of("[failures]\nlemon_share = 1.5").find("0 to 1"), std::string::npos);
  EXPECT_NE(error_of("[failures]\ncheckpoint = [{block = '1 s', covers = 90}]").find("0 to 1"), std::string::npos);
  EXPECT_NE(error_of("[failures]\ncheckpoint = [{level = 'local'}]").find("'block' is missing"), std::string::npos);
  EXPECT_NE(error_of("[failures]\nspares = 100000000").find("too many"), std::string::npos);
  EXPECT_NE(error_of("[failures]\nrepair = [{duration = '1 h', silent_failure = 1}]").find("never holds"),
            std::string::npos);
  EXPECT_NE(error_of("[failures]\ncrews = 4").find("without a repair"), std::string::npos);
  EXPECT_NE(error_of("[failures]\nprior = 'lama-3'").find("did you mean 'llama-3'"), std::string::npos);
  EXPECT_NE(error_of("[failures]\nprior = 'ft-hsdp'").find("without a time"), std::string::npos);
  EXPECT_NE(error_of("[failures]\nrate = '1 per node-day'").find("without a prior"), std::string::npos);
  EXPECT_NE(error_of("[failures]\nspars = 3").find("did you mean 'spares'"), std::string::npos);
}

// R = 0.95 over a week: -ln 0.95 / 7 d = 7.33 per 1000 node-days.
TEST(FailureSection, ReliabilityOverAMissionIsARate) {
  const auto section = read("[failures]\n[[failures.class]]\nname = 'a'\nreliability = 0.95\nmission = '7 d'");
  ASSERT_TRUE(section.ok()) << render(section.error());
  EXPECT_NEAR(section->model.classes[0].rate.rate.base() * 1000 * kDay, 7.3276, 1e-4);
  EXPECT_EQ(section->without_restart, std::vector<std::string>{"a"});
}

TEST(FailureSection, PriorsAreScaledAndOverridden) {
  const auto section = read(R"([failures]
prior = "ft-hsdp"
rate = "6.78 per 1000 node-days"
restart = "5 min"
[[failures.class]]
name = "software"
rate = "1 per job-day"
)");
  ASSERT_TRUE(section.ok()) << render(section.error());
  EXPECT_EQ(section->prior, "ft-hsdp");
  const auto of = [&](std::string_view wanted) {
    for (const FailureClass& c : section->model.classes) {
      if (c.name == wanted) return c;
    }
    return FailureClass{};
  };
  EXPECT_NEAR(of("pcie").rate.rate.base() * 1000 * kDay, 1.22, 1e-9);  // 122 of 678
  EXPECT_EQ(of("software").rate.unit, RateUnit::job);
  EXPECT_EQ(of("pcie").restart.at_one_node.base(), 300);
}

// 5 % of the racks in 30 d fail: of racks, not of nodes. A rate per node says which events take the rack.
TEST(FailureSection, ADomainIsCountedOrItsShareStated) {
  const std::string rack = "[failures]\n[[failures.class]]\nname = 'a'\ndomain = 'rack'\ndomain_nodes = 4\n";
  const auto section = read(rack + "reliability = 0.95\nmission = '30 d'");
  ASSERT_TRUE(section.ok()) << render(section.error());
  EXPECT_EQ(section->model.classes[0].rate.unit, RateUnit::domain);
  EXPECT_NE(error_of(rack + "rate = '6.5 per 1000 node-days'").find("domain_share"), std::string::npos);
  EXPECT_TRUE(read(rack + "rate = '6.5 per 1000 node-days'\ndomain_share = 0.05").ok());
}

TEST(FailureSection, AScaledPriorIsAsSureAsItsTotal) {
  const auto section = read("[failures]\nprior = 'llama-3'\nrate = '419 in 54 d on 2048 nodes'");
  ASSERT_TRUE(section.ok()) << render(section.error());
  double events = 0;
  for (const FailureClass& c : section->model.classes) events += *c.rate.events;
  EXPECT_NEAR(events, 419, 1e-9);
}

// Counts of the sources: 419 + 47 interruptions, 6.5 and 2.34 per 1000 node-days, 678 in the mix.
TEST(FailurePriors, PublishedCounts) {
  const auto events = [](std::string_view wanted) {
    double sum = 0;
    for (const FailurePrior& prior : failure_priors()) {
      if (prior.name != wanted) continue;
      for (const FailureClass& c : prior.classes) sum += *c.rate.events;
    }
    return sum;
  };
  EXPECT_EQ(failure_priors().size(), 8u);
  EXPECT_EQ(events("llama-3"), 419 + 47);
  EXPECT_EQ(events("ft-hsdp"), 678);
  for (const FailurePrior& prior : failure_priors()) {
    if (prior.name == "rsc-1") { EXPECT_NEAR(prior.classes[0].rate.rate.base() * 1000 * kDay, 6.5, 1e-3); }
    if (prior.name == "rsc-2") { EXPECT_NEAR(prior.classes[0].rate.rate.base() * 1000 * kDay, 2.34, 1e-3); }
  }
}

TEST(FailureSection, TheManifestLetsItsKeysThrough) {
  const auto manifest = Manifest::parse("[failures]\nprior = \"llama-3\"\nspares = 4\nrepair = \"24 h\"\n", "run.toml");
  ASSERT_TRUE(manifest.ok()) << render(manifest.error());
  EXPECT_FALSE(Manifest::parse("[failures]\nsalvage = 2\n", "run.toml").ok());
}

}  // namespace
}  // namespace nameplate
