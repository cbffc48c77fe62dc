// Every sample of cluster/ is read; what it holds was counted by hand with grep and awk (the command stands beside the
// number where it is not a count of lines), and the ranks that a job waited for are those of the injected faults.
#include <gtest/gtest.h>

#include <cstdlib>

#include "nameplate/analysis/records/flight_recorder.h"
#include "nameplate/analysis/records/late_worker.h"
#include "nameplate/core/field_data_for_test.h"
#include "nameplate/inputs/events.h"

namespace nameplate {
namespace {

std::string path_of(const std::string& name) {
  const char* folder = std::getenv("NAMEPLATE_FIELD_DATA");
  return std::string(folder == nullptr ? "" : folder) + "/cluster/" + name;
}

struct Sample {
  std::string file;
  std::string kind;
  std::int64_t entries;
  std::size_t events, metrics, facts, fields;
  bool used = true;
};

const std::vector<Sample> kSamples = {
    {"slurm/sacct-1.txt", "slurm-sacct", 7, 2, 0, 0, 0},          // rows; allocations that FAILED: 20 and 21
    {"slurm/sinfo.txt", "slurm-sinfo", 709, 0, 0, 9, 0},          // nodes; awk -F, '{n[$2]++}': 9 states
    {"slurm/sdiag.txt", "slurm-sdiag", 29, 0, 0, 29, 0},          // grep -cE ':[[:space:]]*[0-9]+$'
    {"xid/dmesg-with-xid-119.log", "kernel-log", 5, 3, 0, 0, 0},  // grep -c 'Xid ('; at 16:24, 16:27 and 16:30
    {"xid/fallen-off-bus-no-xid.log", "kernel-log", 1, 1, 0, 0, 0},
    {"xid/fabricmanager.log", "nvidia-fabricmanager", 54, 1, 0, 0, 0},  // grep -c '\] \[tid '; one [ERROR]
    {"xid/nvidia-smi.nvlink.status.a100.txt", "nvidia-smi-nvlink", 96, 0, 24, 0, 0},  // 8 GPUs x 12 links
    {"nccl/nccl-info-32ranks.txt", "console", 7, 0, 0, 3, 0},
    {"nccl/all_reduce_bench-a100-n4.txt", "all-reduce-bench", 668, 0, 0, 6, 0},  // 160 of busbw and 508 of NCCL
    {"nccl/n1_32gb_all_reduce_bench.txt", "all-reduce-bench", 170, 0, 0, 6, 0},  // 20 and 150
    {"nccl/nccl-tests-all_reduce-1.txt", "nccl-tests", 32, 0, 0, 0, 0},
    {"nccl/nccl-tests-slow-large-messages.txt", "nccl-tests", 10, 0, 0, 0, 0},
    {"dcgm/default-counters.csv", "dcgm-exporter-fields", 26, 0, 0, 0, 26},  // grep -c '^DCGM_'
    {"dcgm/dcp-metrics-included.csv", "dcgm-exporter-fields", 26, 0, 0, 0, 26},
    {"dcgm/metrics-readme.prom", "prometheus", 3, 0, 2, 0, 3},  // one of the three is DCGM's blank
    {"dcgm/metrics-a100-mig.prom", "prometheus", 3, 0, 3, 0, 1},
    {"node_exporter.prom.gz", "prometheus", 3027, 0, 3027, 0, 1228},              // grep -vc '^#'; grep -c '^# TYPE'
    {"infiniband-h100-counters.tsv", "infiniband-counters", 486, 0, 423, 63, 0},  // 9 devices x (47 numbers, 7 texts)
    {"mlperf-node-power-1.log.gz", "mlperf-node-power", 322, 0, 319, 1, 0},
    {"failures/bloom-176b-incidents.csv", "incident-table", 9, 9, 0, 0, 0},
    {"failures/llama3-405b-interruptions.csv", "interruption-counts", 18, 0, 0, 0, 0},
    {"failures/opt-175b.csv", "quantity-table", 10, 0, 0, 10, 0},
    {"pai-minibatch/job_1_norm.csv", "worker-times", 3000, 0, 0, 0, 0},
    {"pai-minibatch/job_2_norm.csv", "worker-times", 2402, 0, 0, 0, 0},
    {"pai-minibatch/coefficient_variation.csv.gz", "cluster-trace", 100, 0, 0, 0, 0, false},
    {"openb_node_list_gpu_node.csv", "cluster-trace", 1213, 0, 0, 0, 0, false},
    {"openb_pod_list_multigpu50.csv", "cluster-trace", 9061, 0, 0, 0, 0, false},
    {"disaggregated_DLRM_trace.csv.gz", "cluster-trace", 23871, 0, 0, 0, 0, false},
    {"acme_cluster_summary.csv", "cluster-trace", 5, 0, 0, 0, 0, false},
};

class ClusterRecordsField : public testing::TestWithParam<Sample> {};

TEST_P(ClusterRecordsField, HoldsWhatWasCounted) {
  const Sample& sample = GetParam();
  if (!file_exists(path_of(sample.file))) GTEST_SKIP() << kNoFieldData;
  const Result<ClusterRecords> records = read_cluster_records(path_of(sample.file));
  ASSERT_TRUE(records.ok()) << render(records.error());
  EXPECT_EQ(records->kind, sample.kind);
  EXPECT_EQ(records->entries, sample.entries);
  EXPECT_EQ(records->events.size(), sample.events);
  EXPECT_EQ(records->metrics.size(), sample.metrics);
  EXPECT_EQ(records->facts.size(), sample.facts);
  EXPECT_EQ(records->fields.size(), sample.fields);
  EXPECT_EQ(records->used, sample.used);
  const bool has_blank = sample.file == "dcgm/metrics-readme.prom";
  EXPECT_EQ(records->defects.size(), has_blank ? 1u : 0u);
}

INSTANTIATE_TEST_SUITE_P(Samples, ClusterRecordsField, testing::ValuesIn(kSamples),
                         [](const testing::TestParamInfo<Sample>& sample) {
                           std::string name = sample.param.file;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

ClusterRecords read(const std::string& file) { return read_cluster_records(path_of(file)).value(); }

std::string fact(const ClusterRecords& records, std::string_view key) {
  for (const LogFact& known : records.facts) {
    if (known.key == key) return known.value;
  }
  return {};
}

TEST(ClusterRecordsFacts, SchedulerAndDriver) {
  if (!file_exists(path_of("slurm/sinfo.txt"))) GTEST_SKIP() << kNoFieldData;
  EXPECT_EQ(fact(read("slurm/sinfo.txt"), "slurm.nodes.down*"), "66");
  EXPECT_EQ(fact(read("slurm/sinfo.txt"), "slurm.nodes.allocated"), "250");
  EXPECT_EQ(fact(read("slurm/sdiag.txt"), "slurm.main.last_queue_length"), "57011");
  EXPECT_EQ(fact(read("slurm/sdiag.txt"), "slurm.backfill.last_queue_length"), "57064");
  const ClusterRecords kernel = read("xid/dmesg-with-xid-119.log");
  for (const XidReport& report : kernel.xids) {
    EXPECT_EQ(report.number, 119);
    EXPECT_EQ(report.device, "PCI:0000:9b:00");
  }
  EXPECT_EQ(*kernel.first_s, 1740327858);  // date -u -d "2025-02-23 16:24:18" +%s
  EXPECT_EQ(read("xid/fallen-off-bus-no-xid.log").xids.at(0).device, "PCI:0000:b3:00");
  for (const Metric& metric : read("xid/nvidia-smi.nvlink.status.a100.txt").metrics) {
    if (metric.name == "nvlink_bandwidth_gb_per_s") { EXPECT_EQ(metric.value, 300); }  // 12 links x 25 GB/s
    if (metric.name == "nvlink_inactive_links") { EXPECT_EQ(metric.value, 0); }
  }
  std::int64_t interruptions = 0;
  for (const IncidentCount& incident : read("failures/llama3-405b-interruptions.csv").incidents) {
    interruptions += incident.count;
  }
  EXPECT_EQ(interruptions, 419);  // unexpected ones, as the paper totals them
}

// Medians of the printed lines: grep busbw: | awk '{print $2}' | sort -n, the middle; Gbit/s / 8.
TEST(ClusterRecordsFabric, Benchmarks) {
  if (!file_exists(path_of("nccl/nccl-tests-all_reduce-1.txt"))) GTEST_SKIP() << kNoFieldData;
  const MeasuredFabric nodes = *read("nccl/all_reduce_bench-a100-n4.txt").fabric;
  EXPECT_EQ(nodes.ranks, 32);
  EXPECT_NEAR(nodes.points.at(0).bus_bandwidth.base(), 40.5431e9 / 8, 1e5);
  const MeasuredFabric node = *read("nccl/n1_32gb_all_reduce_bench.txt").fabric;
  EXPECT_EQ(node.ranks, 4);
  EXPECT_NEAR(node.points.at(0).bus_bandwidth.base(), 990.334e9 / 8, 1e5);
  EXPECT_EQ(node.points.at(0).time, seconds(0.0485));
  EXPECT_EQ(node.points.at(0).size, gigabytes(4));

  const MeasuredFabric h100 = *read("nccl/nccl-tests-all_reduce-1.txt").fabric;
  EXPECT_EQ(h100.ranks, 8);
  EXPECT_EQ(h100.device, "NVIDIA H100 80GB HBM3");
  double sum = 0;
  for (const FabricPoint& point : h100.points) {
    EXPECT_EQ(point.collective, CollectiveKind::all_reduce);
    sum += point.bus_bandwidth.base() / 1e9;
  }
  EXPECT_NEAR(sum / static_cast<double>(h100.points.size()), 159.151, 0.005);  // "# Avg bus bandwidth" of the file

  const MeasuredFabric slow = *read("nccl/nccl-tests-slow-large-messages.txt").fabric;
  EXPECT_EQ(slow.ranks, 24);  // busbw/algbw 1.917 = 2 x 23/24
  EXPECT_TRUE(slow.ranks_are_derived);
  EXPECT_EQ(slow.points.at(10).bus_bandwidth, gigabytes_per_s(29.50));  // 32 MiB, out of place
  EXPECT_EQ(slow.points.at(12).bus_bandwidth, gigabytes_per_s(5.27));   // 64 MiB
}

TEST(ClusterRecordsMetrics, KeepTheirMeaningAndLabels) {
  if (!file_exists(path_of("dcgm/metrics-a100-mig.prom"))) GTEST_SKIP() << kNoFieldData;
  const ClusterRecords slices = read("dcgm/metrics-a100-mig.prom");
  EXPECT_EQ(slices.metrics.at(0).subject, "gpu 0 slice 8");
  EXPECT_EQ(slices.metrics.at(0).value, 0.029399);
  EXPECT_EQ(slices.fields.at(0).meaning, "Ratio of time the graphics engine is active.");
  double watts = 0;
  const ClusterRecords power = read("mlperf-node-power-1.log.gz");
  for (const Metric& metric : power.metrics) watts += metric.value;
  EXPECT_EQ(fact(power, "power.conversion_eff"), "0.960000");
  EXPECT_DOUBLE_EQ(watts, 2237025);  // grep power_reading, awk '{s += $2}' over the values
  double overruns = -1;
  for (const Metric& metric : read("infiniband-h100-counters.tsv").metrics) {
    if (metric.subject == "mlx5_0/1" && metric.name == "excessive_buffer_overrun_errors") overruns = metric.value;
  }
  EXPECT_EQ(overruns, 15);
}

// The data set's own account: in job 1 worker 6 becomes a straggler in the middle of training; job 2 is stable, its
// workers differ.
TEST(ClusterRecordsWorkers, NameTheLateOne) {
  if (!file_exists(path_of("pai-minibatch/job_1_norm.csv"))) GTEST_SKIP() << kNoFieldData;
  const auto late = find_late_workers(read("pai-minibatch/job_1_norm.csv").worker_times);
  ASSERT_EQ(late.size(), 1u);
  EXPECT_EQ(late[0].worker, 6);
  EXPECT_GT(late[0].first, 1000);
  EXPECT_LT(late[0].last, 2500);
  EXPECT_TRUE(find_late_workers(read("pai-minibatch/job_2_norm.csv").worker_times).empty());
}

std::vector<StuckCollective> stuck_in(const std::string& job) {
  std::vector<FlightRecord> records;
  for (int rank = 0; rank < 16; ++rank) {
    const ClusterRecords one = read("nccl-flight-recorder/" + job + "/rank" + std::to_string(rank) + ".json.gz");
    EXPECT_EQ(one.flight_record->rank, rank);
    records.push_back(*one.flight_record);
  }
  return find_stuck(records);
}

// Faults were injected in ranks 12 and 14 (GPU error); the reference names rank 12 in an all-to-all of 4027x5120. Rank
// 14 kept queueing, so it shows by its device only.
TEST(ClusterRecordsFlightRecorder, GpuError) {
  if (!file_exists(path_of("nccl-flight-recorder/gpu_error_1st/rank0.json.gz"))) GTEST_SKIP() << kNoFieldData;
  const auto stuck = stuck_in("gpu_error_1st");
  ASSERT_EQ(stuck.size(), 3u);
  EXPECT_EQ(stuck[0].kind, StuckKind::not_arrived);
  EXPECT_EQ(stuck[0].ranks, std::vector<std::int64_t>{12});
  EXPECT_EQ(stuck[0].group, "74");
  EXPECT_EQ(stuck[0].description, "EXPERT_MODEL_PARALLEL_GROUP");
  EXPECT_EQ(stuck[0].operation, "all_to_all");
  EXPECT_EQ(stuck[0].input_sizes, "4027x5120");
  EXPECT_EQ(stuck[1].kind, StuckKind::behind);
  EXPECT_EQ(stuck[1].ranks, std::vector<std::int64_t>{12});
  EXPECT_EQ(stuck[2].ranks, std::vector<std::int64_t>{14});
}

// Faults were injected in ranks 10 and 15 (interpreter lock held); the reference names both, in all-to-alls of
// 4096x5120 of groups 73 and 74.
TEST(ClusterRecordsFlightRecorder, LockedInterpreter) {
  if (!file_exists(path_of("nccl-flight-recorder/lock_gil_2nd/rank0.json.gz"))) GTEST_SKIP() << kNoFieldData;
  const auto stuck = stuck_in("lock_gil_2nd");
  ASSERT_EQ(stuck.size(), 2u);
  EXPECT_EQ(stuck[0].ranks, std::vector<std::int64_t>{10});
  EXPECT_EQ(stuck[0].group, "73");
  EXPECT_EQ(stuck[1].ranks, std::vector<std::int64_t>{15});
  EXPECT_EQ(stuck[1].group, "74");
  for (const StuckCollective& each : stuck) {
    EXPECT_EQ(each.kind, StuckKind::not_arrived);
    EXPECT_EQ(each.operation, "all_to_all");
    EXPECT_EQ(each.input_sizes, "4096x5120");
  }
}

}  // namespace
}  // namespace nameplate
