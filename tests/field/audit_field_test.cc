// Does `nameplate mfu --check` find the rows of published_runs.csv whose figures cannot be true, and only those?
//
// The truth is the table's column check_note, which the audit never reads. 56 rows have a note. Found must be those
// whose note is about two figures that the row states: eight products of degrees, one MFU, one TFLOP/s. Not
// inconsistent, and so not to be found: "reduced-layer proxy" (the row states the reduced number of layers, and its
// figures fit that), "source lists DP=1/2/4 (expert-data-parallel)" (dp is left empty), "micro_batch restated" and
// "tokens/s corrected" (the row holds the corrected value). The 572,679 token/s of one row stand in its note only; the
// second test puts them where the source has them. One row without a note is flagged, too, and is wrong: 64-way expert
// parallelism in stages of 256 / 8 = 32 ranks.

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>

#include "nameplate/api/audit.h"
#include "nameplate/core/field_data_for_test.h"

namespace nameplate {
namespace {

using Verdicts = std::map<std::string, std::string>;  // of flagged rows, by id

constexpr std::string_view kProduct = "source row: TP*PP*DP";
constexpr std::string_view kShare = "source MFU 18.71% disagrees";
constexpr std::string_view kRate = "reported 38 TFLOP/s vs";
constexpr std::string_view kTokens = "source inconsistent: throughput 572679 tok/s";
constexpr std::string_view kWithoutNote = "megatron-bridge-5ef5c33";

std::string expected_verdict(const PublishedRun& run) {
  if (run.check_note.starts_with(kProduct)) return "degrees_product";
  if (run.check_note.starts_with(kShare)) return "wrong_peak";  // half: divided by the fp8 peak of 4900
  if (run.check_note.starts_with(kRate)) return "flops_mismatch";
  return run.id == kWithoutNote ? "expert_degree" : "";
}

const std::string& text_of(const std::vector<Cell>& row, std::size_t column) {
  return std::get<std::string>(row[column]);
}

std::set<std::string> kinds_flagged(const Document& d) {
  std::set<std::string> kinds;
  for (const Finding& finding : d.findings) kinds.insert(finding.message.id);
  return kinds;
}

Verdicts flagged(const Document& d) {
  const std::set<std::string> kinds = kinds_flagged(d);
  Verdicts verdicts;
  for (const std::vector<Cell>& row : d.find_table("audit")->rows) {
    const std::string& verdict = text_of(row, 6);
    if (kinds.contains("finding.audit_" + verdict)) verdicts[text_of(row, 0)] += verdict;
  }
  return verdicts;
}

std::int64_t count(const Document& d, std::string_view id) {
  return static_cast<std::int64_t>(as_double(d.find_value(id)->value));
}

TEST(Audit, FindsWhatTheNotesSayAndNoMore) {
  const auto text = field_file("published_runs.csv");
  if (!text) GTEST_SKIP() << kNoFieldData;
  const auto table = read_published_runs(*text, "published_runs.csv");
  ASSERT_TRUE(table.ok()) << render(table.error());
  const auto d = audit_runs(*table, "published_runs.csv", "");
  ASSERT_TRUE(d.ok()) << render(d.error());
  const Verdicts found = flagged(*d);
  int noted = 0, noted_found = 0, without_note = 0;
  for (const PublishedRun& run : table->runs) {
    const auto verdict = found.find(run.id);
    EXPECT_EQ(verdict == found.end() ? "" : verdict->second, expected_verdict(run)) << run.id << " " << run.check_note;
    const bool wrong = !expected_verdict(run).empty() && !run.check_note.empty();
    noted += wrong;
    noted_found += wrong && verdict != found.end();
    without_note += run.check_note.empty() && verdict != found.end();
  }
  std::printf("of %d noted rows found %d; without a note %d; flagged in all %zu\n", noted, noted_found, without_note,
              found.size());
  EXPECT_EQ(noted, 10);
  EXPECT_EQ(noted_found, 10);
  EXPECT_EQ(without_note, 1);
  EXPECT_EQ(count(*d, "rows_total"), 1007);
  EXPECT_EQ(count(*d, "rows_flagged"), 11);
  // Counted apart in Python: rows with neither two figures that determine each other, nor a degree, nor three of the
  // same source and model.
  EXPECT_EQ(count(*d, "rows_unchecked"), 21);
  EXPECT_EQ(count(*d, "rows_consistent"), 975);
}

TEST(Audit, TheTokensThatOneSourceStatesAreOfHalfItsBatch) {
  const auto text = field_file("published_runs.csv");
  if (!text) GTEST_SKIP() << kNoFieldData;
  auto table = read_published_runs(*text, "published_runs.csv");
  ASSERT_TRUE(table.ok());
  std::string id;
  for (PublishedRun& run : table->runs) {
    if (!run.check_note.starts_with(kTokens)) continue;
    id = run.id;
    run.measured.tokens_per_s_per_gpu = tokens_per_s(572679.0 / 512);
  }
  ASSERT_FALSE(id.empty());
  const auto d = audit_runs(*table, "published_runs.csv", "");
  ASSERT_TRUE(d.ok());
  EXPECT_TRUE(flagged(*d)[id].starts_with("step_time_tokens_mismatch")) << flagged(*d)[id];
  for (const Note& note : d->notes) {
    if (note.id != "audit.step_time_tokens_mismatch") continue;
    EXPECT_NEAR(std::get<double>(note.args.back().second), 512, 0.1);  // the batch that the note names
  }
}

}  // namespace
}  // namespace nameplate
