#include "nameplate/inputs/trace_nsight.h"

#include <gtest/gtest.h>

#include "nameplate/core/folder_for_test.h"
#include "nameplate/inputs/nsight_file_for_test.h"

namespace nameplate {
namespace {

const KernelClasses& classes() {
  static const KernelClasses built_in = std::move(KernelClasses::built_in()).value();
  return built_in;
}

Result<std::vector<RankTrace>> read_bytes(std::string_view bytes) {
  return read_nsight(ByteStream(ByteSource(bytes), "t.sqlite"), classes());
}

std::vector<RankTrace> must_read(std::string_view sql) {
  const std::string bytes = sqlite_bytes(sql);
  auto traces = read_bytes(bytes);
  EXPECT_TRUE(traces.ok()) << render(traces.error());
  return std::move(traces).value();
}

std::string name_of(const RankTrace& trace, std::int32_t id) { return trace.names[static_cast<std::size_t>(id)]; }

std::int64_t defects(const RankTrace& trace, std::string_view id) {
  for (const Defect& defect : trace.defects) {
    if (defect.message.id == id) return defect.count;
  }
  return 0;
}

// Process 5 drives devices 0 and 1, process 6 nothing. The ids of threads are process << 24 | thread.
constexpr std::string_view kTwoDevices = R"sql(
  CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
  INSERT INTO StringIds VALUES (1, 'nvjet_gemm'), (2, 'ncclDevKernel_SendRecv(x)'), (3, 'cudaLaunchKernel_v7000'),
    (4, 'nccl:all_to_all'), (5, 'cudaStreamSynchronize_v3020');
  CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
    streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL);
  INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (1000, 1500, 0, 7, 11, 5 << 24, 1), (2000, 2100, 0, 20, 12, 5 << 24, 2), (1200, 1300, 1, 7, 13, 5 << 24, 1),
    (900, 800, 1, 7, 14, 5 << 24, 1);
  CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
    correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER);
  INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1600, 1700, 0, 7, 15, 5 << 24, 4096, 1);
  CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER,
    nameId INTEGER);
  INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (500, 510, (5 << 24) + 9, 11, 3), (600, 610, (5 << 24) + 9, 12, 3), (700, 760, (5 << 24) + 9, 90, 5);
  CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER,
    globalTid INTEGER);
  INSERT INTO NVTX_EVENTS VALUES
    (400, 800, 59, 'train_step 3', NULL, (5 << 24) + 9),
    (490, 520, 59, 'aten::mm, seq = 1, op_id = 2, sizes = [[8, 4], [4, 2]], input_op_ids = [(1,0)]', NULL,
     (5 << 24) + 9),
    (590, 620, 59, NULL, 4, (5 << 24) + 9), (595, NULL, 59, 'open', NULL, (5 << 24) + 9),
    (10, 20, 59, 'launcher', NULL, (6 << 24) + 1), (30, NULL, 34, 'a mark', NULL, (5 << 24) + 9);
  CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);
  INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100 80GB HBM3'), (1, 'NVIDIA H100 PCIe');
  CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, systemClockNs INTEGER);
  INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1779630014975716426, 300);
  CREATE TABLE ANALYSIS_DETAILS (startTime INTEGER);
  INSERT INTO ANALYSIS_DETAILS VALUES (300);
)sql";

TEST(TraceNsight, ATimelineForEachDevice) {
  const std::vector<RankTrace> traces = must_read(kTwoDevices);
  ASSERT_EQ(traces.size(), 2u);
  const RankTimeline& first = traces[0].timeline;
  EXPECT_EQ(first.file, "t.sqlite");
  EXPECT_EQ(first.device_name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(traces[1].timeline.device_name, "NVIDIA H100 PCIe");
  EXPECT_EQ(first.base_time_ns, 1779630014975716426 - 300);
  EXPECT_EQ(first.device.begin_ns, (std::vector<std::int64_t>{1000, 1600, 2000}));
  EXPECT_EQ(first.device.duration_ns, (std::vector<std::int64_t>{500, 100, 100}));
  using enum DeviceEventClass;
  EXPECT_EQ(first.device.event_class, (std::vector{matmul, copy_to_device, collective}));
  EXPECT_EQ(first.device.bytes[1], 4096);
  EXPECT_EQ(traces[1].timeline.device.begin_ns, (std::vector<std::int64_t>{1200}));
  EXPECT_EQ(traces[1].timeline.host, first.host);
  EXPECT_EQ(defects(traces[0], "trace.several_devices"), 1);
  EXPECT_EQ(defects(traces[0], "trace.processes_without_kernels"), 1);
  EXPECT_EQ(defects(traces[0], "trace.open_ranges"), 1);
  EXPECT_EQ(defects(traces[0], "trace.absurd_duration"), 1);
}

TEST(TraceNsight, LaunchesOperatorsAndCollectives) {
  const RankTrace trace = must_read(kTwoDevices)[0];
  const RankTimeline& t = trace.timeline;
  const auto launch = static_cast<std::size_t>(t.device.launch[0]);
  EXPECT_EQ(name_of(trace, t.host.name_id[launch]), "cudaLaunchKernel");
  EXPECT_EQ(t.host.begin_ns[launch], 500);
  EXPECT_EQ(t.host.span_class[launch], HostSpanClass::launch);
  const auto mm = launch - 1;
  EXPECT_EQ(name_of(trace, t.host.name_id[mm]), "aten::mm");
  EXPECT_EQ(t.host.span_class[mm], HostSpanClass::operation);
  EXPECT_EQ(trace.operands[static_cast<std::size_t>(t.host.operands[mm])].dims,
            (std::vector<std::vector<std::int64_t>>{{8, 4}, {4, 2}}));
  EXPECT_EQ(t.host.span_class.back(), HostSpanClass::synchronise);
  EXPECT_EQ(t.host.span_class.front(), HostSpanClass::annotation);
  ASSERT_EQ(t.collectives.kind.size(), 1u);
  EXPECT_EQ(t.collectives.kind[0], CollectiveKind::all_to_all);  // the kernel's name does not tell; the range does
}

TEST(TraceNsight, FromDiskAndTakenForWhatItIs) {
  const TestFolder folder;
  const std::string path = folder.write("what?%20is#this", sqlite_bytes(kTwoDevices));
  auto source = ByteSource::open(path);
  ASSERT_TRUE(source.ok());
  const auto traces = read_nsight(ByteStream(std::move(source).value(), path), classes());
  ASSERT_TRUE(traces.ok()) << render(traces.error());
  EXPECT_EQ(traces->size(), 2u);
}

TEST(TraceNsight, DatabasesThatLie) {
  // A view under a table's name, a table that computes, values of the wrong kind: nothing of it is an event.
  const std::string_view hostile = R"sql(
    CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
      SELECT i AS start, i + 1 AS end FROM n;
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start TEXT, end BLOB, deviceId TEXT AS (hex(zeroblob(90000000))));
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES ('soon', zeroblob(100));
    CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, globalTid TEXT);
    INSERT INTO NVTX_EVENTS VALUES (9223372036854775807, -9223372036854775808, 59, 'x'), (1, 5, 59, 'y');
  )sql";
  const std::vector<RankTrace> traces = must_read(hostile);
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_TRUE(traces[0].timeline.device.begin_ns.empty());
  EXPECT_EQ(traces[0].timeline.host.begin_ns, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(defects(traces[0], "trace.invalid_time"), 2);
}

TEST(TraceNsight, WhatIsNoExportIsALocatedError) {
  for (const std::string& bytes : {sqlite_bytes("CREATE TABLE steps (a INTEGER)"), std::string("SQLite format 3"),
                                   sqlite_bytes(kTwoDevices).substr(0, 1000)}) {
    const auto traces = read_bytes(bytes);
    ASSERT_FALSE(traces.ok());
    EXPECT_EQ(traces.error().place.file, "t.sqlite");
  }
}

// A page in the middle is overwritten: the rows before it are read, and the table is counted as damaged.
TEST(TraceNsight, ADamagedTableGivesWhatIsBefore) {
  std::string sql(kTwoDevices);
  for (int i = 0; i < 4000; ++i) {
    sql += "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + std::to_string(3000 + i) + "," +
           std::to_string(3001 + i) + ", 0, 7, 11, 5 << 24, 1);";
  }
  std::string bytes = sqlite_bytes(sql);
  const std::size_t page = 4096 * (bytes.size() / 4096 / 2);
  bytes.replace(page, 4096, 4096, 'x');
  const auto traces = read_bytes(bytes);
  ASSERT_TRUE(traces.ok()) << render(traces.error());
  EXPECT_GT(traces->front().timeline.device.begin_ns.size(), 1000u);
  EXPECT_LT(traces->front().timeline.device.begin_ns.size(), 4000u);
  EXPECT_EQ(defects(traces->front(), "trace.damaged_table"), 1);
}

}  // namespace
}  // namespace nameplate
