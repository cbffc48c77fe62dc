#include "nameplate/api/diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "nameplate/core/random.h"
#include "nameplate/report/read_document.h"
#include "nameplate/report/render.h"
#include "nameplate/report/series.h"

namespace nameplate {
namespace {

Document document(const Ledger& ledger, double steps) {
  Document d;
  d.ledgers.push_back(ledger);
  if (steps > 0) d.add("steps_steady", steps, "1");
  d.add("mfu_step_ratio", ledger.share(LedgerRow::model_compute), "1");
  return d;
}

// 10 steps on 2 accelerators, 1 s each: 0.4 s of model compute, 0.25 s of communication, 0.35 s not known.
Document before() {
  return document(LedgerBuilder(LedgerScope::step, 2, 2)
                      .book(LedgerRow::model_compute, 8)
                      .book(LedgerRow::comm_dp, 5)
                      .book(LedgerRow::data_wait, 0)
                      .close(20),
                  10);
}
// 4 steps on 8 accelerators, 1.25 s each: 0.4 s, 0.5 s, 0.25 s of waiting for data, 0.1 s.
Document after() {
  return document(LedgerBuilder(LedgerScope::step, 8, 8)
                      .book(LedgerRow::model_compute, 12.8)
                      .book(LedgerRow::comm_dp, 16)
                      .book(LedgerRow::data_wait, 8)
                      .close(40),
                  4);
}

double cell(const Table& table, std::string_view row, std::string_view column) {
  const auto at = column_index(table, column);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (std::get<std::string>(table.rows[r].front()) == row) return drawable(table, r, at.value_or(0)).value_or(-99);
  }
  return -99;
}

TEST(Diff, RunsOfOtherLengthAndSizeComparePerStepAndAccelerator) {
  const Result<Document> d = diff({"a", before()}, {"b", after()});
  ASSERT_TRUE(d.ok());
  const Table& table = *d->find_table("diff_step");
  EXPECT_NEAR(cell(table, "model_compute", "change_s"), 0, 1e-12);
  EXPECT_NEAR(cell(table, "comm.dp", "a_s"), 0.25, 1e-12);
  EXPECT_NEAR(cell(table, "comm.dp", "change_s"), 0.25, 1e-12);
  EXPECT_NEAR(cell(table, "data_wait", "change_s"), 0.25, 1e-12);
  EXPECT_NEAR(cell(table, "unattributed", "change_s"), -0.25, 1e-12);
  EXPECT_NEAR(cell(table, "total", "change_s"), 0.25, 1e-12);
  double sum = 0;
  for (const char* row : {"model_compute", "comm.dp", "data_wait", "unattributed"}) sum += cell(table, row, "change_s");
  EXPECT_NEAR(sum, cell(table, "total", "change_s"), 1e-12);
  EXPECT_EQ(d->title.id, "diff.title_longer_mfu");
}

TEST(Diff, GapsBeyondThresholdAndBandAreFindings) {
  const Result<Document> all = diff({"a", before()}, {"b", after()});
  ASSERT_EQ(all->findings.size(), 3u);
  // 0.25 s of each of 4 steps on 8 accelerators; without them a step is as long as before, and MFU 0.4 instead of 0.32.
  EXPECT_NEAR(all->findings[0].worth->accelerator_s, 8, 1e-9);
  EXPECT_NEAR(*all->findings[0].worth->mfu_points, 0.08, 1e-9);
  DiffOptions options;
  options.band_ratio[static_cast<std::size_t>(LedgerRow::comm_dp)] = 0.3;
  EXPECT_EQ(diff({"a", before()}, {"b", after()}, options)->findings.size(), 2u);
}

// A prediction of 1 s, 0.7 to 1.3, against a measurement: only gaps of more than 0.3 s are findings. Two predictions
// err alike.
TEST(Diff, TwoPredictionsErrAlike) {
  const auto predicted = [](Document d) {
    d.command = "predict";
    std::erase_if(d.values, [](const Value& v) { return v.id == "step_time_s"; });
    Value step{.id = "step_time_s", .value = 1.0, .unit = "s"};
    step.low = 0.7;
    step.high = 1.3;
    d.values.push_back(step);
    return d;
  };
  EXPECT_TRUE(diff({"a", predicted(before())}, {"b", after()})->findings.empty());
  EXPECT_EQ(diff({"a", predicted(before())}, {"b", predicted(after())})->findings.size(), 3u);
}

TEST(Diff, WithoutStepsSharesAreCompared) {
  Document without = before();
  std::erase_if(without.values, [](const Value& v) { return v.id == "steps_steady"; });
  const Result<Document> d = diff({"a", without}, {"b", after()});
  EXPECT_EQ(d->title.id, "diff.title_shares");
  EXPECT_NEAR(cell(*d->find_table("diff_step"), "comm.dp", "change_ratio"), 0.15, 1e-12);
  EXPECT_NEAR(cell(*d->find_table("diff_step"), "total", "change_ratio"), 0, 1e-12);
}

bool says(const Document& d, std::string_view id) {
  return std::any_of(d.notes.begin(), d.notes.end(), [&](const Note& note) { return note.id == id; });
}

// A log knows model compute and the rest. Against a trace of the same step its kernels are not "0 s", and its remainder
// is not what the trace's shrank by.
TEST(Diff, RowsThatOneSideNeverLookedForAreNoFindings) {
  const Document log = document(LedgerBuilder(LedgerScope::step, 1, 1).book(LedgerRow::model_compute, 4).close(10), 10);
  const Document trace = document(LedgerBuilder(LedgerScope::step, 1, 1)
                                      .book(LedgerRow::model_compute, 4)
                                      .book(LedgerRow::kernel_matmul, 5)
                                      .book(LedgerRow::host_bound, 1)
                                      .close(10),
                                  10);
  const Result<Document> d = diff({"log", log}, {"trace", trace});
  EXPECT_TRUE(d->findings.empty());
  const Table& table = *d->find_table("diff_step");
  EXPECT_EQ(cell(table, "kernel.matmul", "a_s"), -99);
  EXPECT_EQ(cell(table, "kernel.matmul", "change_s"), -99);
  EXPECT_NEAR(cell(table, "kernel.matmul", "b_s"), 0.5, 1e-12);
  ASSERT_TRUE(says(*d, "diff.not_measured"));
  EXPECT_EQ(d->notes.back().args, (std::vector<std::pair<std::string, Argument>>{
                                      {"side", std::string("A")}, {"rows", std::string("kernel.matmul, host_bound")}}));
}

// Communication of another role was looked for.
TEST(Diff, OtherRolesOfCommunicationAreMeasured) {
  const auto with = [](LedgerRow row) {
    return document(LedgerBuilder(LedgerScope::step, 1, 1).book(row, 5).close(10), 10);
  };
  const Result<Document> d = diff({"a", with(LedgerRow::comm_dp)}, {"b", with(LedgerRow::comm_tp)});
  EXPECT_EQ(d->findings.size(), 2u);
  EXPECT_FALSE(says(*d, "diff.not_measured"));
}

// One step of 1 s: 40 % model compute at 989 TFLOP/s against 30 % at 1307 is 0.991 times the FLOPs: the same work. At
// equal peaks it is 0.75 times; where other kernels lack a count it says nothing, and is no finding.
TEST(Diff, WorkIsShareTimesPeak) {
  const auto with = [](double share, double peak, double unmodelled) {
    Document d =
        document(LedgerBuilder(LedgerScope::step, 1, 1).book(LedgerRow::model_compute, 10 * share).close(10), 10);
    d.add("peak_tflops_per_s", peak, "TFLOP/s");
    d.add("unmodelled_flops_ratio", unmodelled, "1");
    return d;
  };
  const Result<Document> other_device = diff({"a", with(0.4, 989, 0)}, {"b", with(0.3, 1307, 0)});
  EXPECT_FALSE(says(*other_device, "diff.other_work"));
  EXPECT_TRUE(says(*other_device, "diff.other_peak"));
  const Result<Document> other_work = diff({"a", with(0.4, 989, 0)}, {"b", with(0.3, 989, 0)});
  EXPECT_TRUE(says(*other_work, "diff.other_work"));
  const Result<Document> other_count = diff({"a", with(0.4, 989, 0.17)}, {"b", with(0.3, 989, 0.3)});
  EXPECT_FALSE(says(*other_count, "diff.other_work"));
  EXPECT_TRUE(says(*other_count, "diff.other_unmodelled"));
  for (const Finding& finding : other_count->findings) EXPECT_NE(finding.row, LedgerRow::model_compute);
}

TEST(Diff, StepsFarApartAreQuestioned) {
  const auto of = [](double total) { return document(LedgerBuilder(LedgerScope::step, 1, 1).close(total), 10); };
  EXPECT_TRUE(says(*diff({"a", of(10)}, {"b", of(21)}), "diff.far_apart"));
  EXPECT_TRUE(says(*diff({"a", of(21)}, {"b", of(10)}), "diff.far_apart"));
  EXPECT_FALSE(says(*diff({"a", of(10)}, {"b", of(19)}), "diff.far_apart"));
}

Table kernels(std::vector<std::tuple<std::string, double, double>> uses) {
  Table table{.id = "kernels", .columns = {{"count", ""}, {"time_s", "s"}, {"kernel", ""}}};
  for (const auto& [name, count, time] : uses) table.rows.push_back({count, time, name});
  return table;
}

TEST(Diff, KernelsAreJoinedByName) {
  Document a = before(), b = after();
  a.add("traced_rank_steps", 2.0, "1");
  b.add("traced_rank_steps", 4.0, "1");
  a.tables.push_back(kernels({{"gemm", 4, 2}, {"gone", 2, 1}}));
  b.tables.push_back(kernels({{"gemm", 8, 8}, {"new", 4, 0.4}}));
  const Result<Document> d = diff({"a", a}, {"b", b});
  const Table& table = *d->find_table("diff_kernels");
  ASSERT_EQ(table.rows.size(), 4u);
  const auto time = column_index(table, "change_s");
  const std::tuple<const char*, const char*, double> expected[] = {
      {"total", "", 0.6}, {"slower", "gemm", 1}, {"vanished", "gone", -0.5}, {"added", "new", 0.1}};
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_EQ(std::get<std::string>(table.rows[r].front()), std::get<0>(expected[r]));
    EXPECT_EQ(std::get<std::string>(table.rows[r].back()), std::get<1>(expected[r]));
    EXPECT_NEAR(drawable(table, r, *time).value(), std::get<2>(expected[r]), 1e-12);
  }
}

// Within 1 % of its own time, or 0.01 % of all, a kernel is the same.
TEST(Diff, SmallChangesAreTheSame) {
  Document a = before(), b = before();
  a.add("traced_rank_steps", 1.0, "1");
  b.add("traced_rank_steps", 1.0, "1");
  a.tables.push_back(kernels({{"gemm", 1, 100}, {"tiny", 1, 0.001}, {"other", 1, 1}}));
  b.tables.push_back(kernels({{"gemm", 1, 100.9}, {"tiny", 1, 0.002}, {"other", 1, 0.98}}));
  const Result<Document> d = diff({"a", a}, {"b", b});
  std::map<std::string, std::string> words;
  for (const auto& row : d->find_table("diff_kernels")->rows) {
    words[std::get<std::string>(row.back())] = std::get<std::string>(row.front());
  }
  EXPECT_EQ(words["gemm"], "same");
  EXPECT_EQ(words["tiny"], "same");
  EXPECT_EQ(words["other"], "faster");
}

// Whatever is changed in a saved document: an error, or a document that compares with itself.
TEST(Diff, DamagedDocumentsAreErrorsOrDocuments) {
  const std::string good = render_json(*diff({"a", before()}, {"b", after()}));
  const std::string saved = render_json(before());
  RandomStream random(7, 0);
  int compared = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string damaged = i % 2 == 0 ? saved : good;
    const auto at = static_cast<std::size_t>(random.next_below(damaged.size()));
    constexpr std::string_view kBytes = "0123456789e-.,:[]{}\" ";
    damaged[at] = kBytes[static_cast<std::size_t>(random.next_below(kBytes.size()))];
    const Result<ParsedJson> json = parse_json(damaged, "saved.json");
    if (!json.ok()) continue;
    const Result<Document> read = read_document(json->root, "saved.json");
    if (!read.ok()) continue;
    const Result<Document> same = diff({"a", *read}, {"b", *read});
    if (!same.ok()) continue;
    ++compared;
    EXPECT_TRUE(same->findings.empty());
  }
  EXPECT_GT(compared, 100);
}

TEST(Diff, NothingInCommonIsAnError) { EXPECT_FALSE(diff({"a", Document{}}, {"b", after()}).ok()); }

}  // namespace
}  // namespace nameplate
