#include "nameplate/api/survive.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace nameplate {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

const Settings kLlama = {{"cluster.count", "16384"},    {"cluster.per_node", "8"},   {"failures.prior", "llama-3"},
                         {"failures.restart", "5 min"}, {"failures.detect", "60 s"}, {"failures.repair", "24 h"},
                         {"failures.crews", "12"},      {"failures.spares", "40"}};

Document document(Settings settings, const Settings& more = {}) {
  settings.insert(settings.end(), more.begin(), more.end());
  SurviveRequest request;
  request.load.settings = std::move(settings);
  request.replications = 0;
  const Result<Document> d = survive(request);
  EXPECT_TRUE(d.ok()) << (d.ok() ? "" : d.error().found);
  return d.ok() ? *d : Document{};
}

double value(const Document& d, std::string_view id) {
  const Value* found = d.find_value(id);
  return found == nullptr ? NAN : as_double(found->value);
}

double share(const Ledger& ledger, LedgerRow row) { return ledger.share(row).value_or(0); }

// What the ledger books under no failure is the ETTR; the fleet's holds the spares on top.
TEST(Survive, LedgersAgreeWithTheFigures) {
  const Document d = document(kLlama, {{"failures.horizon", "54 d"}});
  ASSERT_EQ(d.ledgers.size(), 2u);
  const Ledger& run = d.ledgers[0];
  const double lost = share(run, LedgerRow::checkpoint) + share(run, LedgerRow::fault_detect) +
                      share(run, LedgerRow::fault_restart) + share(run, LedgerRow::fault_lost_work) +
                      share(run, LedgerRow::queue);
  EXPECT_NEAR(1 - lost, value(d, "ettr_ratio"), 1e-9);
  EXPECT_DOUBLE_EQ(run.total(), 16384 * 54 * 86400.0);
  const Ledger& fleet = d.ledgers[1];
  EXPECT_DOUBLE_EQ(fleet.total(), (16384 + 40 * 8) * 54 * 86400.0);
  EXPECT_NEAR(fleet.value(LedgerRow::held_spare).value_or(0) + fleet.value(LedgerRow::idle).value_or(0),
              40 * 8 * 54 * 86400.0, 1);
  EXPECT_NEAR(value(d, "failures_total"), 466, 1e-6);
}

// 15.6 T tokens at 400 TFLOP/s as the report counts: 28.5 million accelerator-hours of steps, 31.9 with failures; the
// model card says 30.84. Recovery is assumed (saves of 30 s, 6 min a failure), so 7 % is what this can say.
TEST(Survive, TokensTakeAcceleratorHours) {
  const Document d = document(kLlama, {{"model.name", "llama-3.1-405b"},
                                       {"training.seq_len", "8192"},
                                       {"training.global_batch", "2048"},
                                       {"training.tokens", "15600000000000"},
                                       {"cluster.accelerator", "H100 SXM"},
                                       {"measured.tflops_per_gpu", "400"},
                                       {"measured.convention", "full"}});
  EXPECT_NEAR(value(d, "gpu_hours_total") * value(d, "ettr_ratio") / 1e6, 28.5, .1);
  EXPECT_NEAR(value(d, "gpu_hours_total") / 30.84e6, 1, .07);
}

TEST(Survive, TooManySparesAreAFinding) {
  const Document d = document(kLlama, {{"failures.spares", "400"}});
  ASSERT_FALSE(d.findings.empty());
  EXPECT_EQ(d.findings.front().message.id, "survive.finding.spares_many");
  EXPECT_EQ(d.findings.front().row, LedgerRow::held_spare);
  EXPECT_TRUE(document(kLlama, {{"failures.spares", "18"}}).findings.empty());
}

// Six crews for 6.7 nodes in repair, 54 days: 66.5 % in an independent look at the simulated runs; the chain that takes
// a spare for granted says 92.8 %. What is left falls with every crew that is missing, also past the limit.
TEST(Survive, UnstableRepairIsSimulated) {
  double before = 1;
  for (const char* crews : {"12", "6", "4"}) {
    const Document d = document(kLlama, {{"failures.crews", crews}, {"failures.horizon", "54 d"}});
    const double ettr = value(d, "ettr_ratio");
    EXPECT_LT(ettr, before) << crews;
    EXPECT_NEAR(1 - share(d.ledgers[0], LedgerRow::checkpoint) - share(d.ledgers[0], LedgerRow::fault_detect) -
                    share(d.ledgers[0], LedgerRow::fault_restart) - share(d.ledgers[0], LedgerRow::fault_lost_work) -
                    share(d.ledgers[0], LedgerRow::queue),
                ettr, 1e-9);
    before = ettr;
  }
  EXPECT_LT(before, .7);
}

// 6 corruptions of the prior in 54 d, noticed a day late, among 8.6 failures a day.
TEST(Survive, LateCorruptionIsSimulated) {
  const Settings settings = {{"cluster.count", "16384"},
                             {"cluster.per_node", "8"},
                             {"failures.prior", "llama-3"},
                             {"failures.restart", "5 min"},
                             {"failures.detect", "24 h"}};
  const Document d = document(settings);
  EXPECT_TRUE(std::any_of(d.assumptions.begin(), d.assumptions.end(),
                          [](const Assumption& a) { return a.id == "survive.outside.late_corruption"; }));
}

TEST(Survive, AcceleratorsThatFillNoNodeAreSaid) {
  const Document d = document(kLlama, {{"cluster.count", "12"}});
  EXPECT_TRUE(std::any_of(d.assumptions.begin(), d.assumptions.end(),
                          [](const Assumption& a) { return a.id == "survive.whole_nodes"; }));
}

TEST(Survive, WithoutFailuresItAsks) {
  SurviveRequest request;
  request.load.settings = {{"cluster.count", "64"}};
  EXPECT_FALSE(survive(request).ok());
  request.claims = {"ettr>=0.9, mtti=3h"};
  request.load.settings.clear();
  const Result<Document> d = survive(request);
  ASSERT_TRUE(d.ok());
  EXPECT_NE(d->find_table("claims"), nullptr);
}

}  // namespace
}  // namespace nameplate
