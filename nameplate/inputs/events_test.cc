// Records in the shapes that the programs print, with values made up here; expected values are read off the text.
#include "nameplate/inputs/events.h"

#include <gtest/gtest.h>

#include "nameplate/inputs/xid_catalogue.h"

namespace nameplate {
namespace {

ClusterRecords read(std::string_view text, const std::string& name = "file") {
  Result<ClusterRecords> records = read_cluster_records(text, name);
  EXPECT_TRUE(records.ok()) << render(records.error());
  return records.ok() ? std::move(records).value() : ClusterRecords{};
}

std::string fact(const ClusterRecords& records, std::string_view key) {
  for (const LogFact& known : records.facts) {
    if (known.key == key) return known.value;
  }
  return {};
}

std::int64_t defects(const ClusterRecords& records, std::string_view id) {
  std::int64_t count = 0;
  for (const Defect& defect : records.defects) count += defect.message.id == id ? defect.count : 0;
  return count;
}

std::vector<EventClass> classes(const ClusterRecords& records) {
  std::vector<EventClass> all;
  for (const Event& event : records.events) all.push_back(event.event_class);
  return all;
}

TEST(Sacct, ParsableRowsTellQueueStartFailureAndRequeue) {
  const ClusterRecords r = read(
      "JobID|JobName|State|ExitCode|Submit|Eligible|Start|End|NodeList|\n"
      "900|train|NODE_FAIL|0:0|2025-01-02T00:00:00|2025-01-02T00:01:00|2025-01-02T00:11:00|2025-01-02T04:00:00|n[1-4]|"
      "\n"
      "900.0|python|CANCELLED|0:9|2025-01-02T00:11:00|2025-01-02T00:11:00|2025-01-02T00:11:00|2025-01-02T04:00:00|n1|\n"
      "900|train|COMPLETED|0:0|2025-01-02T04:00:10|2025-01-02T04:02:10|2025-01-02T04:05:10|2025-01-02T09:00:00|n[1-4]|"
      "\n");
  EXPECT_EQ(r.kind, "slurm-sacct");
  EXPECT_EQ(r.entries, 3);
  EXPECT_EQ(classes(r), (std::vector{EventClass::queue, EventClass::start, EventClass::failure, EventClass::queue,
                                     EventClass::restart, EventClass::finished}));
  EXPECT_EQ(r.events[0].subject, "job 900");
  EXPECT_EQ(*r.events[0].end_s - *r.events[0].begin_s, 600);  // 00:01 to 00:11
  EXPECT_EQ(r.events[0].row, LedgerRow::queue);
  EXPECT_EQ(r.events[0].evidence.line, 2);
  EXPECT_EQ(*r.events[3].end_s - *r.events[3].begin_s, 180);
  EXPECT_EQ(*r.first_s, 1735776060);  // date -u -d 2025-01-02T00:01:00 +%s
}

TEST(Sacct, ReadsColumnsUnderDashes) {
  const ClusterRecords r = read(
      "JobID           JobName      State \n"
      "------------ ---------- ---------- \n"
      "31                 long     FAILED \n"
      "31.batch          batch     FAILED \n");
  EXPECT_EQ(r.entries, 2);
  ASSERT_EQ(r.events.size(), 1u);
  EXPECT_EQ(r.events[0].event_class, EventClass::failure);
  EXPECT_EQ(r.events[0].subject, "job 31");
  EXPECT_FALSE(r.events[0].begin_s.has_value());
}

TEST(Sacct, CountsRowsThatDoNotFit) {
  const ClusterRecords r = read("JobID|State|Start\n1|FAILED|Unknown\n2|FAILED\n");
  EXPECT_EQ(r.entries, 1);
  EXPECT_EQ(defects(r, "records.unreadable_row"), 1);
}

TEST(SlurmState, CountsNodesAndKeepsTheSectionsOfSdiagApart) {
  const ClusterRecords nodes = read("n1,idle\nn2,down*\nn3,idle\n");
  EXPECT_EQ(nodes.kind, "slurm-sinfo");
  EXPECT_EQ(fact(nodes, "slurm.nodes.idle"), "2");
  EXPECT_EQ(fact(nodes, "slurm.nodes.down*"), "1");
  const ClusterRecords queue = read(
      "sdiag output at Thu Jan 02 11:04:01 2025\nJobs failed:    4\nMain schedule statistics (microseconds):\n"
      "\tLast queue length: 12\nBackfilling stats\n\tLast queue length: 34\n");
  EXPECT_EQ(fact(queue, "slurm.jobs_failed"), "4");
  EXPECT_EQ(fact(queue, "slurm.main.last_queue_length"), "12");
  EXPECT_EQ(fact(queue, "slurm.backfill.last_queue_length"), "34");
  EXPECT_EQ(*queue.last_s, 1735815841);  // date -u -d "2025-01-02 11:04:01" +%s
}

TEST(KernelLog, FoldsTheLinesOfOneFault) {
  const ClusterRecords r = read(
      "[Thu Jan  2 10:00:00 2025] NVRM: Xid (PCI:0000:17:00): 74, pid=1, name=python, Channel 0\n"
      "[Thu Jan  2 10:00:59 2025] NVRM: Xid (PCI:0000:17:00): 74, pid=1, name=python, Channel 1\n"
      "[Thu Jan  2 10:01:00 2025] NVRM: Xid (PCI:0000:3d:00): 74, pid='<unknown>', name=<unknown>, Channel 2\n"
      "[Thu Jan  2 10:05:00 2025] NVRM: Xid (PCI:0000:17:00): 79, pid=1, GPU has fallen off the bus.\n"
      "[Thu Jan  2 10:05:00 2025] NVRM: Xid (PCI:0000:17:00): oops\n");
  EXPECT_EQ(r.entries, 4);
  ASSERT_EQ(r.events.size(), 3u);
  EXPECT_EQ(r.events[1].subject, "PCI:0000:3d:00");
  ASSERT_EQ(r.xids.size(), 4u);
  EXPECT_EQ(r.xids[0].number, 74);
  EXPECT_EQ(r.xids[0].process, "python");
  EXPECT_EQ(*r.xids[3].time_s, 1735812300);  // date -u -d "2025-01-02 10:05:00" +%s
  EXPECT_EQ(defects(r, "records.unreadable_row"), 1);
}

TEST(KernelLog, TakesALostDeviceWithoutXid) {
  const ClusterRecords r = read(
      "[   12.5] NVRM: The NVIDIA GPU 0000:4b:00.0\n"
      "               NVRM: (PCI ID: 10de:2330) installed in this system has\n"
      "               NVRM: fallen off the bus and is not responding to commands.\n");
  ASSERT_EQ(r.xids.size(), 1u);
  EXPECT_FALSE(r.xids[0].number.has_value());
  EXPECT_EQ(r.xids[0].device, "PCI:0000:4b:00");
  EXPECT_FALSE(r.xids[0].time_s.has_value());  // seconds since boot
}

TEST(Xid, MeansWhatTheCatalogueSays) {
  const auto lost = find_xid(79);
  ASSERT_TRUE(lost.has_value());
  EXPECT_EQ(lost->kind, "hardware");
  EXPECT_EQ(find_xid(31)->kind, "application");
  EXPECT_EQ(find_xid(119)->kind, "software");
  EXPECT_FALSE(find_xid(9999).has_value());
}

TEST(Nvlink, ErrorsOfTheFabricManagerAndActiveLinks) {
  const ClusterRecords log = read(
      "[Jan 02 2025 10:00:00] [INFO] [tid 7] multicast group 0 is freed.\nMessage payload details: x\n"
      "[Jan 02 2025 10:00:09] [ERROR] [tid 7] detected NVSwitch fatal error 1\n");
  EXPECT_EQ(log.entries, 2);
  ASSERT_EQ(log.events.size(), 1u);
  EXPECT_EQ(*log.events[0].begin_s, 1735812009);
  const ClusterRecords links = read(
      "GPU 3: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n\t Link 0: 26.562 GB/s\n\t Link 1: <inactive>\n\t Link 2: 26.562 "
      "GB/s\n");
  ASSERT_EQ(links.metrics.size(), 3u);
  EXPECT_EQ(links.metrics[0].subject, "gpu 3");
  EXPECT_EQ(links.metrics[0].value, 2);
  EXPECT_EQ(links.metrics[1].value, 1);
  EXPECT_DOUBLE_EQ(links.metrics[2].value, 53.124);
}

TEST(Console, NcclWatchdogAndLauncher) {
  const ClusterRecords r = read(
      "NCCL version 2.21.5+cuda12.4\n"
      "n1:10:11 [0] NCCL INFO Using network IB\n"
      "n1:10:11 [0] NCCL INFO 16 coll channels, 16 nvls channels, 16 p2p channels\n"
      "n1:10:11 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId 1 - Init COMPLETE\n"
      "n2:10:11 [5] NCCL INFO comm 0x2 rank 1 nranks 2 cudaDev 5 busId 2 - Init COMPLETE\n"
      "n2:10:11 [5] NCCL WARN Call to ibv_modify_qp failed\n"
      "2025-01-02 10:10:00 [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, "
      "Timeout(ms)=600000) ran for 600000 milliseconds before timing out.\n"
      "2025-01-02 10:10:05 worker failed (exitcode: -6) local_rank: 5\n"
      "2025-01-02 10:10:06 Worker group FAILED\n"
      "2025-01-02 10:11:00 restart_count=1\n");
  EXPECT_EQ(r.kind, "console");
  EXPECT_EQ(fact(r, "nccl.version"), "2.21.5+cuda12.4");
  EXPECT_EQ(fact(r, "nccl.channels"), "16");
  EXPECT_EQ(fact(r, "nccl.ranks"), "2");
  EXPECT_EQ(fact(r, "nccl.hosts"), "2");
  EXPECT_EQ(classes(r),
            (std::vector{EventClass::other, EventClass::collective_stuck, EventClass::failure, EventClass::restart}));
  EXPECT_EQ(r.events[0].subject, "n2 device 5");
  EXPECT_EQ(r.events[1].subject, "rank 1");
  EXPECT_EQ(*r.events[1].end_s - *r.events[1].begin_s, 600);
}

constexpr std::string_view kTable =
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
    "#wrong\n"
    "        1024           256     float     sum      -1    10.00    0.10    0.15      0     9.00    0.11    0.17    "
    "N/A\n"
    "     1048576        262144     float     sum      -1    20.00   52.43   78.64      2    19.00   55.19   82.78     "
    " 0\n";

TEST(NcclTests, ReadsBothHalvesAndDerivesTheRanks) {
  const ClusterRecords r = read(kTable);
  ASSERT_TRUE(r.fabric.has_value());
  ASSERT_EQ(r.fabric->points.size(), 4u);
  const FabricPoint& point = r.fabric->points[2];
  EXPECT_EQ(point.collective, CollectiveKind::all_reduce);
  EXPECT_EQ(point.size, bytes(1048576));
  EXPECT_DOUBLE_EQ(point.time.base(), 20e-6);
  EXPECT_EQ(point.bus_bandwidth, gigabytes_per_s(78.64));
  EXPECT_EQ(point.wrong, 2);
  EXPECT_FALSE(point.in_place);
  EXPECT_TRUE(r.fabric->points[3].in_place);
  EXPECT_FALSE(r.fabric->points[1].wrong.has_value());
  // 82.78 / 55.19 = 1.5 = 2 (n - 1) / n: n = 4
  EXPECT_EQ(r.fabric->ranks, 4);
  EXPECT_TRUE(r.fabric->ranks_are_derived);
}

TEST(NcclTests, TellsReduceScatterByItsFactorAndTakesAName) {
  const ClusterRecords scattered =
      read("#  size count type redop root time algbw busbw #wrong\n 1024 256 float sum -1 10.0 100.0 75.0 0\n");
  EXPECT_EQ(scattered.fabric->points[0].collective, CollectiveKind::reduce_scatter);
  const ClusterRecords named = read("# Collective test starting: all_gather_perf\n" + std::string(kTable));
  EXPECT_EQ(named.fabric->points[0].collective, CollectiveKind::all_gather);
}

TEST(Fabric, BusFactorsOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::all_reduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::all_gather, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::broadcast, 8), 1);
  EXPECT_DOUBLE_EQ(bus_factor(CollectiveKind::all_reduce, 1), 0);
}

TEST(AllReduceBench, TakesTheMedianOfInterleavedLines) {
  const ClusterRecords r = read(
      "0 data size: 2.0 GB\n1 data size: 2.0 GB\n0:\n1:\n duration: 9.0 sec\n duration: 0.2 sec\n"
      " algo throughput: 1.0 bps, 1.0 Gbps\n busbw: 1.0  Gbps\n busbw: 80.0  Gbps\n duration: 0.1 sec\n busbw: 160.0  "
      "Gbps\n");
  ASSERT_TRUE(r.fabric.has_value());
  EXPECT_EQ(r.fabric->ranks, 2);
  ASSERT_EQ(r.fabric->points.size(), 1u);
  EXPECT_EQ(r.fabric->points[0].bus_bandwidth, gigabytes_per_s(10));  // 80 Gbit/s
  EXPECT_EQ(r.fabric->points[0].time, seconds(0.2));
  EXPECT_EQ(r.fabric->points[0].samples, 3);
}

TEST(Prometheus, KeepsUnknownMetricsAndDropsBlankOnes) {
  const ClusterRecords r = read(
      "# HELP DCGM_FI_DEV_POWER_USAGE Power draw (in W).\n# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"2\", GPU_I_ID=\"7\",modelName=\"a \\\"b\\\"\"} 512.5 1735812000500\n"
      "DCGM_FI_DEV_MEMORY_TEMP{gpu=\"2\"} 9223372036854775794\n"
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"2\"} 2147483632\n"
      "my_metric{device=\"x\"} 2147483632\nplain 1e3\nbad{ 1\nnot_a_number NaN\n");
  ASSERT_EQ(r.metrics.size(), 3u);
  EXPECT_EQ(r.metrics[0].subject, "gpu 2 slice 7");
  EXPECT_EQ(r.metrics[0].value, 512.5);
  EXPECT_EQ(r.metrics[0].labels[2].second, "a \"b\"");
  EXPECT_EQ(*r.metrics[0].time_s, 1735812000.5);
  EXPECT_EQ(r.metrics[1].subject, "x");
  EXPECT_EQ(r.metrics[2].value, 1000);
  EXPECT_EQ(defects(r, "records.blank_value"), 3);
  EXPECT_EQ(defects(r, "records.unreadable_row"), 1);
  ASSERT_EQ(r.fields.size(), 1u);
  EXPECT_EQ(r.fields[0].meaning, "Power draw (in W).");
  EXPECT_EQ(r.fields[0].type, "gauge");
}

TEST(Tables, InfinibandPowerFieldsAndIncidents) {
  const ClusterRecords ib = read("path\tvalue\nmlx5_3/fw_ver\t28.1.2\nmlx5_3/ports/1/counters/link_downed\t4\n");
  ASSERT_EQ(ib.metrics.size(), 1u);
  EXPECT_EQ(ib.metrics[0].subject, "mlx5_3/1");
  EXPECT_EQ(ib.metrics[0].value, 4);
  EXPECT_EQ(fact(ib, "mlx5_3/fw_ver"), "28.1.2");
  const ClusterRecords power = read(
      ":::MLLOG {\"time_ms\": 1000, \"key\": \"power_measurement_start\", \"value\": null}\n"
      ":::MLLOG {\"time_ms\": 2000, \"key\": \"power_reading\", \"value\": 5000.5, \"metadata\": {\"host\": \"3\"}}\n");
  ASSERT_EQ(power.metrics.size(), 1u);
  EXPECT_EQ(power.metrics[0].subject, "host 3");
  EXPECT_EQ(power.metrics[0].value, 5000.5);
  const ClusterRecords fields = read("# DCGM_OFF, gauge, off\nDCGM_FI_DEV_X,  counter, What it is, in W.\n");
  ASSERT_EQ(fields.fields.size(), 1u);
  EXPECT_EQ(fields.fields[0].meaning, "What it is, in W.");
  const ClusterRecords incidents =
      read("date,kind,lost_h,detail\n2025-01-02,gpu_crash,1.5,\"a, b\"\n2025-02,hang,,c\n");
  EXPECT_EQ(classes(incidents), (std::vector{EventClass::failure, EventClass::collective_stuck}));
  EXPECT_EQ(*incidents.events[0].duration_s, 5400);
  const ClusterRecords counts = read("component,category,interruptions\nNIC,Host,7\nNIC,Host,-1\n");
  ASSERT_EQ(counts.incidents.size(), 1u);
  EXPECT_EQ(counts.incidents[0].count, 7);
  EXPECT_FALSE(read("sn,cpu_milli,memory_mib,gpu,model\nn,1,2,3,H\n").used);
  EXPECT_EQ(read(",worker,gpu,time,batch_time_norm\n0,4,8,11,900\n").worker_times[0], (WorkerTime{4, 11, 900}));
}

constexpr std::string_view kDump = R"({"nccl_version": "2.21", "pg_config": {
    "0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}, "3": {"name": "3", "desc": "tp", "ranks": [0, 1]}},
  "pg_status": {"0": {"last_enqueued_collective": 4, "last_completed_collective": 4},
                "1": {"last_enqueued_collective": 9, "last_completed_collective": 7}},
  "entries": [
    {"pg_id": 1, "process_group": ["3", "tp"], "collective_seq_id": 8, "profiling_name": "nccl:all_reduce",
     "input_sizes": [[8, 16]], "input_dtypes": ["Float"], "state": "scheduled", "time_created_ns": 5000000000, "is_p2p": false},
    {"pg_id": 1, "process_group": ["3", "tp"], "collective_seq_id": 8, "p2p_seq_id": 2, "profiling_name": "nccl:send 0->1",
     "state": "scheduled", "time_created_ns": 1, "is_p2p": true}]})";

TEST(FlightRecorder, JoinsStatusToGroups) {
  const ClusterRecords r = read(kDump, "dumps/nccl_trace_rank_12.json");
  ASSERT_TRUE(r.flight_record.has_value());
  const FlightRecord& record = *r.flight_record;
  EXPECT_EQ(record.rank, 12);
  EXPECT_EQ(record.point_to_point, 1);
  ASSERT_EQ(record.collectives.size(), 1u);
  EXPECT_EQ(record.collectives[0],
            (RecordedCollective{"3", 8, "all_reduce", "8x16", "Float", "scheduled", 5000000000}));
  ASSERT_EQ(record.groups.size(), 2u);
  EXPECT_EQ(record.groups[0].last_enqueued, 4);
  EXPECT_EQ(record.groups[1].last_enqueued, 9);
  EXPECT_EQ(record.groups[1].last_completed, 7);
  EXPECT_EQ(record.groups[1].ranks, (std::vector<std::int64_t>{0, 1}));
}

TEST(FlightRecorder, RefusesAPickleAndANameWithoutARank) {
  const auto pickle = read_cluster_records(std::string_view("\x80\x04\x95 pg_config"), "dump_0");
  ASSERT_FALSE(pickle.ok());
  EXPECT_NE(pickle.error().hint.find("json.dump"), std::string::npos);
  EXPECT_FALSE(read_cluster_records(kDump, "trace.json").ok());
}

TEST(Records, UnknownTextIsAnErrorThatListsTheFormats) {
  const auto unknown = read_cluster_records(std::string_view("hello\n"), "x");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().expected.find("slurm-sacct"), std::string::npos);
  EXPECT_FALSE(detect_record_format("").has_value());
}

}  // namespace
}  // namespace nameplate
