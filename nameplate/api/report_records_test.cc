#include "nameplate/api/report_records.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "nameplate/api/report.h"
#include "nameplate/core/folder_for_test.h"
#include "nameplate/report/sentences.h"

namespace nameplate {
namespace {

// Steps of 2 s each, the i-th ending at `minute`:02 + 2 i; 20 of them.
std::string steps(int first, int minute) {
  std::string log;
  for (int i = 0; i < 20; ++i) {
    log += fmt::format("2025-01-02 10:{:02}:{:02} iter {}: loss 9.5, time 2000.00ms, mfu 12.50%\n", minute, 2 + 2 * i,
                       first + i);
  }
  return log;
}

Document report_with(const TestFolder& folder) { return report(load({.paths = {folder.path()}}).value()); }

double seconds_of(const Document& d, std::string_view row) {
  const Ledger* ledger = d.widest_ledger();
  return ledger == nullptr ? -1 : ledger->value(*parse_ledger_row(row)).value_or(0);
}

// The job waits from 09:50 to 09:55; the log's first step begins at 10:00:00. Steps end at 10:00:40; an Xid follows, at
// 10:01:00 the job dies, waits again from 10:01:10 to 10:01:40, and the next attempt steps on from 10:05:00.
TEST(ReportRecords, TheLedgerQuotesTheSchedulerAndTheDriver) {
  const TestFolder folder;
  folder.write("a.log", steps(0, 0) + steps(15, 5));
  folder.write("dmesg",
               "[Thu Jan  2 10:00:45 2025] NVRM: Xid (PCI:0000:17:00): 79, pid=1, GPU has fallen off the bus.\n");
  folder.write("sacct",
               "JobID|State|Eligible|Start|End\n"
               "7|NODE_FAIL|2025-01-02T09:50:00|2025-01-02T09:55:00|2025-01-02T10:01:00\n"
               "7|COMPLETED|2025-01-02T10:01:10|2025-01-02T10:01:40|2025-01-02T10:06:00\n");
  const Document d = report_with(folder);
  EXPECT_DOUBLE_EQ(seconds_of(d, "queue"), 300 + 30);
  EXPECT_DOUBLE_EQ(seconds_of(d, "fault.detect"), 20);
  EXPECT_DOUBLE_EQ(seconds_of(d, "fault.restart"), 240 - 30);  // 10:01:00 to 10:05:00
  EXPECT_DOUBLE_EQ(seconds_of(d, "fault.lost_work"), 10);      // steps 15 to 19 again
  ASSERT_NE(d.widest_ledger(), nullptr);
  EXPECT_NE(d.widest_ledger()->evidence(LedgerRow::fault_detect).find("Xid (PCI:0000:17:00): 79"), std::string::npos);
  EXPECT_NE(d.widest_ledger()->evidence(LedgerRow::queue).find("NODE_FAIL"), std::string::npos);
  ASSERT_NE(d.find_table("records"), nullptr);
  EXPECT_EQ(d.find_table("records")->rows.size(), 2u);
  ASSERT_NE(d.find_table("xid"), nullptr);
  EXPECT_EQ(std::get<std::string>(d.find_table("xid")->rows[0][5]), "hardware");
  ASSERT_NE(d.find_table("goodput"), nullptr);
  // Productive: 35 steps of 2 s.
  const double productive = 70;
  const double wall = 15 * 60 + 40;  // 09:50:00 to 10:05:40
  EXPECT_NEAR(as_double(d.find_value("ettr_ratio")->value), productive / wall, 0.02);
  EXPECT_NEAR(as_double(d.find_value("goodput_ratio")->value), productive / (wall - 330), 0.02);
}

TEST(ReportRecords, RecordsOfAnotherDayAreListedOnly) {
  const TestFolder folder;
  folder.write("a.log", steps(0, 0));
  folder.write("dmesg", "[Fri Jan  3 10:00:45 2025] NVRM: Xid (PCI:0000:17:00): 79, pid=1, lost.\n");
  const Document d = report_with(folder);
  EXPECT_NE(d.find_table("record_events"), nullptr);
  for (const Assumption& assumption : d.assumptions) EXPECT_NE(assumption.id, "records.same_clock");
}

TEST(ReportRecords, WithoutALogTheRecordsAreTheReport) {
  const TestFolder folder;
  for (int rank = 0; rank < 3; ++rank) {
    const int last = rank == 1 ? 7 : 8;
    const std::string entry = rank == 1 ? "" : R"({"pg_id": 0, "process_group": ["0", "world"], "collective_seq_id": 8,
      "profiling_name": "nccl:all_reduce", "input_sizes": [[8]], "state": "scheduled", "time_created_ns": 5000000000})";
    folder.write(fmt::format("rank{}.json", rank),
                 fmt::format(R"({{"pg_config": {{"0": {{"desc": "world", "ranks": "[0, 1, 2]"}}}},
      "pg_status": {{"0": {{"last_enqueued_collective": {}, "last_completed_collective": 7}}}}, "entries": [{}]}})",
                             last, entry));
  }
  folder.write("dump_3", std::string_view("\x80\x04\x95 pg_config"));
  const Document d = report_with(folder);
  EXPECT_EQ(d.title.id, "records.title");
  EXPECT_FALSE(missing_evidence(d));
  ASSERT_EQ(d.notes.size(), 1u);
  EXPECT_EQ(sentence(d.notes[0]), "Rank 1 did not arrive at all_reduce #8 of world; ranks 0, 2 wait there.");
  ASSERT_EQ(d.defects.size(), 1u);
  EXPECT_EQ(d.defects[0].message.id, "records.refused");
  EXPECT_NE(sentence(d.defects[0].message).find("json.dump"), std::string::npos);
}

}  // namespace
}  // namespace nameplate
