#include "nameplate/inputs/trace_kineto.h"

#include <gtest/gtest.h>

#include <string>

#include <fmt/format.h>

namespace nameplate {
namespace {

const KernelClasses& classes() {
  static const KernelClasses built_in = std::move(KernelClasses::built_in()).value();
  return built_in;
}

Result<std::vector<RankTrace>> read(std::string_view text, KinetoReading reading = {}) {
  return read_kineto(ByteStream(ByteSource(text), "t.json"), classes(), reading);
}

RankTrace must_read(std::string_view text, KinetoReading reading = {}) {
  Result<std::vector<RankTrace>> traces = read(text, reading);
  EXPECT_TRUE(traces.ok()) << render(traces.error());
  EXPECT_EQ(traces->size(), 1u);
  return std::move(traces->front());
}

std::int64_t defects(const RankTrace& trace, std::string_view id) {
  for (const Defect& defect : trace.defects) {
    if (defect.message.id == id) return defect.count;
  }
  return 0;
}

std::string name_of(const RankTrace& trace, std::int32_t id) { return trace.names[static_cast<std::size_t>(id)]; }

// As PyTorch 2 writes it: float microseconds from a time base, what is said of the job in front and behind.
constexpr std::string_view kModern = R"json({
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}, {"id": 1, "name": "other"}],
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [
    {"pg_name": "0", "pg_desc": "default_pg", "pg_size": 2, "ranks": [0, 3]}]},
  "traceEvents": [
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "pid": 1, "tid": 1, "ts": 1000.000, "dur": 90.5},
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1001.250, "dur": 9.75, "args":
    {"External id": 5, "Concrete Inputs": ["", ""], "Input type": ["c10::BFloat16", "c10::BFloat16"],
     "Input Dims": [[128, 64], [64, 32]]}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1004, "dur": 2,
   "args": {"cbid": 211, "correlation": 17}},
  {"ph": "s", "id": 17, "pid": 1, "tid": 1, "ts": 1004, "cat": "ac2g", "name": "ac2g"},
  {"ph": "X", "cat": "kernel", "name": "nvjet_\"a\"", "pid": 1, "tid": 7, "ts": 1010.001, "dur": 20.002,
   "args": {"device": 1, "stream": 7, "correlation": 17}},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic_1", "pid": 1, "tid": 20, "ts": 1031, "dur": 9,
   "args": {"device": 1, "stream": 20, "correlation": 18, "Collective name": "_allgather_base",
            "In msg nelems": 100, "Out msg nelems": 200, "Group size": 2, "dtype": "BFloat16", "Seq": 41, "Src Rank": 5,
            "Process Group Name": "0", "Process Group Description": "default_pg", "Process Group Ranks": "[0, 3]"}},
  {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 1, "tid": 7, "ts": 1008, "dur": 1,
   "args": {"device": 1, "stream": 7, "correlation": 19, "bytes": 4096}},
  {"ph": "i", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": 1002.5, "args":
    {"Total Reserved": 2048, "Total Allocated": 1024, "Bytes": 512, "Device Type": 1, "Device Id": 1}}
  ],
  "traceName": "}{", "baseTimeNanoseconds": 1759300074000000000
})json";

TEST(TraceKineto, ModernForm) {
  const RankTrace trace = must_read(kModern);
  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(trace.ranks_total, 8);
  const RankTimeline& t = trace.timeline;
  EXPECT_EQ(t.base_time_ns, 1759300074000000000);
  EXPECT_EQ(t.device_name, "other");  // the events are of device 1
  EXPECT_EQ(t.window_begin_ns, 1000000);
  EXPECT_EQ(t.window_end_ns, 1090500);
  ASSERT_EQ(t.steps.size(), 1u);
  EXPECT_EQ(t.steps[0], (StepSpan{7, 1000000, 90500}));

  ASSERT_EQ(t.device.begin_ns, (std::vector<std::int64_t>{1008000, 1010001, 1031000}));
  EXPECT_EQ(t.device.duration_ns[1], 20002);
  EXPECT_EQ(t.device.stream, (std::vector<std::int32_t>{7, 7, 20}));
  EXPECT_EQ(t.device.event_class,
            (std::vector{DeviceEventClass::copy_to_device, DeviceEventClass::matmul, DeviceEventClass::collective}));
  EXPECT_EQ(t.device.bytes[0], 4096);
  EXPECT_EQ(name_of(trace, t.device.name_id[1]), "nvjet_\"a\"");

  ASSERT_EQ(t.host.begin_ns.size(), 3u);
  EXPECT_EQ(t.device.launch, (std::vector<std::int32_t>{-1, 2, -1}));
  EXPECT_EQ(t.host.span_class[2], HostSpanClass::launch);
  const Operands& operands = trace.operands[static_cast<std::size_t>(t.host.operands[1])];
  EXPECT_EQ(operands.dims, (std::vector<std::vector<std::int64_t>>{{128, 64}, {64, 32}}));
  EXPECT_EQ(operands.types[0], "c10::BFloat16");
  EXPECT_EQ(t.memory.bytes, (std::vector<std::int64_t>{512}));
  EXPECT_EQ(t.memory.allocated[0], 1024);
  EXPECT_TRUE(trace.defects.empty());
}

TEST(TraceKineto, CollectiveFromTheKernel) {
  const RankTrace trace = must_read(kModern);
  const Collectives& c = trace.timeline.collectives;
  ASSERT_EQ(c.event, (std::vector<std::int32_t>{2}));
  EXPECT_EQ(c.kind[0], CollectiveKind::all_gather);
  EXPECT_EQ(c.bytes[0], 200);  // 100 elements of two bytes
  EXPECT_EQ(c.dtype[0], Precision::bf16);
  EXPECT_EQ(c.sequence[0], 41);
  EXPECT_EQ(c.peer[0], 5);
  ASSERT_EQ(trace.groups.size(), 1u);  // the header's group is the event's
  EXPECT_EQ(c.group[0], 0);
  EXPECT_EQ(trace.groups[0], (Group{"0", "default_pg", GroupRole::other, {0, 3}, 2}));
}

// PyTorch before 2.3 records nothing in the kernel; the record around the launch has it.
TEST(TraceKineto, CollectiveFromTheHost) {
  const RankTrace trace = must_read(R"json({"traceEvents": [
    {"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":2,"ts":10,"dur":30,"args":{"Collective name":
      "broadcast","dtype":"Float","In msg nelems":10,"Group size":4,"Process Group Name":"1"}},
    {"ph":"X","cat":"user_annotation","name":"nccl:broadcast","pid":1,"tid":2,"ts":11,"dur":20,"args":{}},
    {"ph":"X","cat":"cuda_runtime","name":"hipExtModuleLaunchKernel","pid":1,"tid":2,"ts":12,"dur":1,"args":{"correlation":4}},
    {"ph":"X","cat":"user_annotation","name":"nccl:all_reduce","pid":1,"tid":2,"ts":50,"dur":20,"args":{"Input Dims": [[8, 2]],
      "Input type": ["float"]}},
    {"ph":"X","cat":"cuda_runtime","name":"hipExtModuleLaunchKernel","pid":1,"tid":2,"ts":55,"dur":1,"args":{"correlation":5}},
    {"ph":"X","cat":"cuda_runtime","name":"hipExtModuleLaunchKernel","pid":1,"tid":2,"ts":90,"dur":1,"args":{"correlation":6}},
    {"ph":"X","cat":"kernel","name":"ncclDevKernel_Generic_1","pid":2,"tid":4,"ts":20,"dur":1,"args":{"correlation":4}},
    {"ph":"X","cat":"kernel","name":"ncclDevKernel_Generic_1","pid":2,"tid":4,"ts":60,"dur":1,"args":{"correlation":5}},
    {"ph":"X","cat":"kernel","name":"ncclDevKernel_Generic_1","pid":2,"tid":4,"ts":95,"dur":1,"args":{"correlation":6}}
  ]})json");
  const Collectives& c = trace.timeline.collectives;
  EXPECT_EQ(c.kind, (std::vector{CollectiveKind::broadcast, CollectiveKind::all_reduce, CollectiveKind::other}));
  EXPECT_EQ(c.bytes, (std::vector<std::int64_t>{40, 64, -1}));  // 10 x 4 B; 8 x 2 x 4 B
  EXPECT_EQ(c.group, (std::vector<std::int32_t>{0, -1, -1}));
  EXPECT_EQ(trace.groups[0].size, 4);
}

// A bare list with the categories of PyTorch 1.8 and whole microseconds since 1970.
TEST(TraceKineto, OldForm) {
  const RankTrace trace = must_read(R"json([
    {"ph": "X", "cat": "Operator", "name": "ProfilerStep#3", "pid": 1, "tid": "4093687616", "ts": 1606910596297000, "dur": 100,
     "args": {"Input dims": [], "External id": 2}},
    {"ph": "X", "cat": "Operator", "name": "aten::relu", "pid": 1, "tid": "4093687616", "ts": 1606910596297023, "dur": 13,
     "args": {"Input dims": [[2, 3]], "External id": 2}},
    {"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": "5", "ts": 1606910596297025, "dur": 3,
     "args": {"correlation": 9}},
    {"ph": "X", "cat": "Kernel", "name": "elementwise", "pid": 0, "tid": "stream 7", "ts": 1606910596297040, "dur": 3,
     "args": {"device": 0, "stream": 7, "correlation": 9}},
    {"ph": "X", "cat": "Memset", "name": "Memset (Device)", "pid": 0, "tid": "stream 8", "ts": 1606910596297050, "dur": 1}
  ])json");
  const RankTimeline& t = trace.timeline;
  EXPECT_EQ(trace.rank, std::nullopt);
  EXPECT_EQ(t.device.begin_ns[0], 1606910596297040000);
  EXPECT_EQ(t.device.stream, (std::vector<std::int32_t>{7, 8}));  // the second from its row
  EXPECT_EQ(t.device.launch[0], 2);
  EXPECT_EQ(t.device.event_class[1], DeviceEventClass::memset);
  ASSERT_EQ(t.steps.size(), 1u);
  EXPECT_EQ(t.steps[0].index, 3);
  EXPECT_TRUE(trace.defects.empty());
}

// ROCm's profilers write numbers as strings; a sorted writer puts the arguments before the category.
TEST(TraceKineto, TextNumbersAndAnyOrderOfKeys) {
  const RankTrace trace = must_read(R"json({"traceEvents": [
    {"args": {"stream": "3", "correlation": "12", "bytes": "64"}, "cat": "gpu_memcpy", "dur": "2.5", "name": "CopyHostToDevice",
     "ph": "X", "pid": "0", "tid": "3", "ts": "10.125"},
    {"args": {"Input Dims": [[4]], "Input type": ["float"]}, "cat": "cpu_op", "dur": 1, "name": "aten::add", "ph": "X", "pid": 1,
     "tid": 1, "ts": 1},
    {"ph": "X", "cat": "kernel", "name": "a", "name": "b", "pid": 0, "tid": 3, "ts": 99, "ts": 20, "dur": 1,
     "args": {"stream": 1, "stream": 3}}
  ]})json");
  const DeviceEvents& d = trace.timeline.device;
  EXPECT_EQ(d.begin_ns, (std::vector<std::int64_t>{10125, 20000}));  // the second of two equal keys counts
  EXPECT_EQ(d.duration_ns[0], 2500);
  EXPECT_EQ(d.correlation[0], 12);
  EXPECT_EQ(d.bytes[0], 64);
  EXPECT_EQ(d.stream, (std::vector<std::int32_t>{3, 3}));
  EXPECT_EQ(name_of(trace, d.name_id[1]), "b");
  EXPECT_EQ(trace.timeline.host.operands[0], 0);
}

TEST(TraceKineto, WhatCannotBeIsSetAsideAndCounted) {
  const RankTrace trace = must_read(R"json({"traceEvents": [
    {"ph":"X","cat":"kernel","name":"good","tid":7,"ts":100.7,"dur":0.2},
    {"ph":"X","cat":"kernel","name":"zero","tid":7,"ts":0,"dur":0},
    {"ph":"X","cat":"kernel","name":"zero","tid":7,"ts":0,"dur":0},
    {"ph":"X","cat":"kernel","name":"negative","tid":7,"ts":5,"dur":-1},
    {"ph":"X","cat":"kernel","name":"236 years","tid":7,"ts":5,"dur":7447680000000000},
    {"ph":"X","cat":"kernel","name":"nan","tid":7,"ts":NaN,"dur":1},
    {"ph":"X","cat":"kernel","name":"infinity","tid":7,"ts":1,"dur":Infinity},
    {"ph":"X","cat":"kernel","name":"no duration","tid":7,"ts":1},
    {"ph":"X","cat":"kernel","name":"overflow","tid":7,"ts":9223372036854775807,"dur":1},
    {"ph":"X","cat":"cuda_profiler_range","name":"range","tid":7,"ts":1,"dur":1},
    {"ph":"B","cat":"kernel","name":"begin","tid":7,"ts":1},
    null, 7,
    {"ph":"M","name":"process_name","pid":1}
  ]})json");
  ASSERT_EQ(trace.timeline.device.begin_ns, (std::vector<std::int64_t>{100700}));
  EXPECT_EQ(trace.timeline.device.duration_ns[0], 200);
  EXPECT_EQ(defects(trace, "trace.zero_time"), 2);
  EXPECT_EQ(defects(trace, "trace.absurd_duration"), 2);
  EXPECT_EQ(defects(trace, "trace.invalid_time"), 4);
  EXPECT_EQ(defects(trace, "trace.other_category"), 1);
  EXPECT_EQ(defects(trace, "trace.other_phase"), 1);
  EXPECT_EQ(defects(trace, "trace.unreadable_event"), 2);
}

TEST(TraceKineto, ATruncatedFileGivesWhatItHas) {
  for (std::size_t cut :
       {kModern.find("ncclDevKernel_Gen"), kModern.find("\"Seq\""), kModern.find("  ],\n  \"traceName")}) {
    const RankTrace trace = must_read(kModern.substr(0, cut));
    EXPECT_GE(trace.timeline.device.begin_ns.size(), 1u);
    EXPECT_EQ(trace.rank, 3);
    EXPECT_EQ(defects(trace, "trace.truncated"), 1);
  }
}

TEST(TraceKineto, ATruncatedStreamGivesWhatItHas) {
  // One stored block (RFC 1951) behind a gzip head (RFC 1952), without its end.
  const std::string text(kModern.substr(0, kModern.find("ncclDevKernel_Gen")));
  const auto size = static_cast<unsigned>(text.size());
  std::string gzip("\x1f\x8b\x08\0\0\0\0\0\0\xff\0", 11);
  for (const unsigned byte : {size, size >> 8, ~size, ~size >> 8}) gzip += static_cast<char>(byte & 0xff);
  const RankTrace trace = must_read(gzip + text);
  EXPECT_EQ(trace.timeline.device.begin_ns.size(), 1u);
  EXPECT_EQ(defects(trace, "trace.damaged_stream"), 1);
  EXPECT_EQ(defects(trace, "trace.truncated"), 1);
}

// The autograd profiler before Kineto: no categories; kernels stand in a row of their own.
TEST(TraceKineto, AutogradForm) {
  const RankTrace trace = must_read(R"json([
    {"name": "conv2d", "ph": "X", "ts": 10.5, "dur": 30.25, "tid": 0, "pid": "CPU functions", "args": {}},
    {"name": "volta_sgemm_128x64_nn", "ph": "X", "ts": 12, "dur": 20, "tid": "stream 7", "pid": "CUDA functions", "args": {}}
  ])json");
  EXPECT_EQ(trace.timeline.host.duration_ns, (std::vector<std::int64_t>{30250}));
  EXPECT_EQ(trace.timeline.device.event_class, (std::vector{DeviceEventClass::matmul}));
  EXPECT_EQ(trace.timeline.device.stream[0], 7);
}

// Beginnings and ends apart, as Chrome's format has them: they nest on each thread.
TEST(TraceKineto, BeginningsAndEnds) {
  const std::string_view text = R"json({"traceEvents": [
    {"ph": "B", "cat": "cpu_op", "name": "outer", "pid": 1, "tid": 1, "ts": 10},
    {"ph": "B", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 12, "args": {"correlation": 5}},
    {"ph": "B", "cat": "cpu_op", "name": "elsewhere", "pid": 1, "tid": 2, "ts": 12.5},
    {"ph": "E", "pid": 1, "tid": 1, "ts": 13},
    {"ph": "E", "pid": 1, "tid": 1, "ts": 20.5},
    {"ph": "E", "pid": 1, "tid": 3, "ts": 21},
    {"ph": "B", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 30,
     "args": {"device": 0, "stream": 7, "correlation": 5}},
    {"ph": "E", "pid": 0, "tid": 7, "ts": 31.25},
    {"ph": "B", "cat": "counter", "name": "power", "pid": 0, "tid": 8, "ts": 30},
    {"ph": "E", "pid": 0, "tid": 8, "ts": 33}
  ]})json";
  for (const std::size_t block : {64u, 1u << 20}) {
    const RankTrace trace = must_read(text, {.block_bytes = block});
    const RankTimeline& t = trace.timeline;
    EXPECT_EQ(t.host.begin_ns, (std::vector<std::int64_t>{10000, 12000}));
    EXPECT_EQ(t.host.duration_ns, (std::vector<std::int64_t>{10500, 1000}));
    EXPECT_EQ(t.device.begin_ns, (std::vector<std::int64_t>{30000}));
    EXPECT_EQ(t.device.duration_ns, (std::vector<std::int64_t>{1250}));
    EXPECT_EQ(t.device.launch, (std::vector<std::int32_t>{1}));
    EXPECT_EQ(defects(trace, "trace.other_phase"), 2);  // `elsewhere` and the end on thread 3
    EXPECT_EQ(defects(trace, "trace.other_category"), 1);
  }
}

// A process that drives two devices and copies to a third: a timeline for each of the two.
TEST(TraceKineto, ATimelineForEachDeviceOfAProcess) {
  const auto traces = read(R"json({"distributedInfo": {"rank": 3, "world_size": 4},
    "deviceProperties": [{"id": 0, "name": "A"}, {"id": 1, "name": "B"}, {"id": 2, "name": "C"}], "traceEvents": [
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":5}},
    {"ph":"X","cat":"user_annotation","name":"recv_forward","pid":1,"tid":2,"ts":0.5,"dur":1,"args":{"device":0}},
    {"ph":"X","cat":"kernel","name":"gemm","ts":10,"dur":1,"args":{"device":1,"stream":7,"correlation":5}},
    {"ph":"X","cat":"kernel","name":"relu","ts":12,"dur":1,"args":{"device":0,"stream":7}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy PtoP","ts":14,"dur":1,"args":{"device":2,"stream":7}}]})json");
  ASSERT_TRUE(traces.ok()) << render(traces.error());
  ASSERT_EQ(traces->size(), 2u);
  const RankTrace& first = (*traces)[0];
  const RankTrace& second = (*traces)[1];
  EXPECT_EQ(first.timeline.device_name, "A");
  EXPECT_EQ(first.timeline.device.begin_ns, (std::vector<std::int64_t>{12000}));
  EXPECT_EQ(second.timeline.device.begin_ns, (std::vector<std::int64_t>{10000}));
  EXPECT_EQ(second.timeline.device.launch, (std::vector<std::int32_t>{0}));
  EXPECT_EQ(first.timeline.host.begin_ns, (std::vector<std::int64_t>{500, 1000}));
  EXPECT_EQ(second.timeline.host.begin_ns, (std::vector<std::int64_t>{1000}));  // the other span is of device 0
  EXPECT_FALSE(first.rank || second.rank);  // the file's number is that of the process
  EXPECT_EQ(defects(first, "trace.several_devices"), 1);
  EXPECT_EQ(defects(first, "trace.device_without_kernels"), 1);
}

TEST(TraceKineto, AFileThatNamesDevicesWithoutEndIsBounded) {
  std::string text = "[";
  for (int i = 0; i < 1000; ++i) {
    text += fmt::format(R"json({{"ph":"X","cat":"kernel","name":"k","ts":{},"dur":1,"args":{{"device":{}}}}},)json",
                        1000 - i, i);
  }
  const auto traces = read(text + R"json({"ph":"M"}])json");
  ASSERT_TRUE(traces.ok());
  EXPECT_EQ(traces->size(), 64u);
  EXPECT_EQ(traces->front().timeline.device.begin_ns, (std::vector<std::int64_t>{1000000}));  // device 0
  EXPECT_EQ(defects(traces->front(), "trace.device_without_kernels"), 1000 - 64);
}

TEST(TraceKineto, BadCharactersAreReplaced) {
  const RankTrace trace = must_read(
      "{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\x01\xff\",\"ts\":1,\"dur\":1},"
      "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"ts\":2,\"dur\":1}]}");
  ASSERT_EQ(trace.timeline.device.begin_ns.size(), 2u);
  EXPECT_EQ(name_of(trace, trace.timeline.device.name_id[0]), "a ?");
  EXPECT_EQ(defects(trace, "trace.repaired_character"), 2);
}

TEST(TraceKineto, RefusesWhatHoldsNoEvents) {
  for (const char* text : {"", "x", "{}", "[]", "{\"traceEvents\": []}", "{\"traceEvents\": 3}", "{\"nodes\": []}",
                           "[1,2]", "{\"x\": \"traceEvents\", \"y\": [{}]}"}) {
    const auto trace = read(text);
    ASSERT_FALSE(trace.ok()) << text;
    EXPECT_EQ(trace.error().place.file, "t.json");
  }
}

// Law: where the stream is cut into blocks, and on how many threads they are parsed, changes nothing. Names and lists
// of objects that look like the end of an event are there to mislead the cut.
TEST(TraceKineto, BlocksAndThreadsChangeNothing) {
  std::string text = R"json({"deviceProperties": [], "traceEvents": [)json";
  for (int i = 0; i < 300; ++i) {
    text += fmt::format(
        R"json({{"ph":"X","cat":"cpu_op","name":"op }}, {{ {}","pid":1,"tid":{},"ts":{}.{:03},"dur":{},"args":{{"Input Dims":[[{}]]}}}},)json",
        i % 7, i % 3, 1000 - i, i, i % 11, i % 5);
    text += fmt::format(
        R"json({{"ph":"X","cat":"kernel","name":"gemm{}\\\"","ts":{},"dur":1,"args":{{"list":[{{"a":1}}, {{"b":[2]}}],"stream":{}}}}})json",
        i % 5, i, i % 4);
    text += i == 299 ? "" : ",\n ";
  }
  text += R"json(], "distributedInfo": {"rank": 5}, "other": [{"ph": "X"}, {"ph": "X"}]})json";
  const RankTrace whole = must_read(text);
  EXPECT_EQ(whole.timeline.host.begin_ns.size(), 300u);
  EXPECT_EQ(whole.timeline.device.begin_ns.size(), 300u);
  EXPECT_EQ(whole.rank, 5);
  for (std::size_t block : {40u, 99u, 160u, 257u, 1000u, 5000u}) {
    for (unsigned threads : {1u, 3u}) {
      const RankTrace cut = must_read(text, {.threads = threads, .block_bytes = block});
      EXPECT_EQ(cut.timeline, whole.timeline) << block;
      EXPECT_EQ(cut.names, whole.names) << block;
      EXPECT_EQ(cut.operands, whole.operands) << block;
      EXPECT_EQ(cut.rank, 5) << block;
      EXPECT_TRUE(cut.defects.empty()) << block;
    }
  }
}

}  // namespace
}  // namespace nameplate
