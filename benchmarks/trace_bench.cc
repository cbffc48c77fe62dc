// How fast a Kineto trace is read: 500 MB of JSON, made on the spot in two layouts: indented with Python frames, as
// PyTorch writes it, and one compact line, as tools rewrite it. The aim on two cores: under 1.5 s from JSON to ledger,
// under 400 MB of memory.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "nameplate/inputs/trace.h"

namespace nameplate {
namespace {

constexpr std::int64_t kBytes = 500'000'000;

constexpr const char* kHead =
    R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],
"distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8}, "traceEvents": [)";

// Eight events of one operator: frames, operator, launch, flow, kernel, end of flow.
void append_operator(std::string& text, std::int64_t i, bool frames) {
  const std::int64_t ts = 6322354292000000 + i * 20;
  const auto out = std::back_inserter(text);
  for (int depth = 0; depth < (frames ? 4 : 1); ++depth) {
    fmt::format_to(out,
                   R"(
  {{
    "ph": "X", "cat": "python_function", "name": "torch/nn/modules/module.py({}): _call_impl", "pid": 4211, "tid": 4211,
    "ts": {}.{:03}, "dur": {}.250,
    "args": {{
      "Python parent id": {}, "Python id": {}, "Ev Idx": {}
    }}
  }},)",
                   1700 + (i * 7 + depth) % 900, ts + depth, i % 1000, 18 - depth * 2, i, i + depth, i * 4 + depth);
  }
  fmt::format_to(out,
                 R"json(
  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::op_{}", "pid": 4211, "tid": 4211,
    "ts": {}.{:03}, "dur": 9.500,
    "args": {{
      "External id": {},"Record function id": {}, "Concrete Inputs": ["", "", ""], "Input type": ["c10::BFloat16", "c10::BFloat16", ""], "Input Strides": [[{}, 1], [4096, 1], []], "Input Dims": [[8192, {}], [{}, 4096], []], "Ev Idx": {}
    }}
  }},
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4211, "tid": 4211,
    "ts": {}.{:03}, "dur": 3.120,
    "args": {{
      "External id": {}, "cbid": 211, "correlation": {}
    }}
  }},
  {{
    "ph": "s", "id": {}, "pid": 4211, "tid": 4211, "ts": {}.{:03},
    "cat": "ac2g", "name": "ac2g"
  }},
  {{
    "ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, {}ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)", "pid": 0, "tid": {},
    "ts": {}.{:03}, "dur": 12.{:03},
    "args": {{
      "External id": {}, "queued": 0, "device": 0, "context": 1, "stream": {}, "correlation": {}, "registers per thread": 32, "shared memory": 0, "blocks per SM": 12.412121, "warps per SM": 49.648483, "grid": [1639, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 78
    }}
  }},
  {{
    "ph": "f", "id": {}, "pid": 0, "tid": 7, "ts": {}.{:03},
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  }})json",
                 i % 60, ts + 8, i % 1000, i, i, 1024 << (i % 3), 1024 << (i % 3), 1024 << (i % 3), i * 4, ts + 10,
                 i % 997, i, i, i, ts + 10, i % 997, i % 40, 7 + (i % 3) * 6, ts + 15, i % 991, i % 983, i,
                 7 + (i % 3) * 6, i, i, ts + 15, i % 991);
}

void make_compact(std::string& text) {
  std::erase(text, '\n');
  std::size_t out = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool after_mark = out > 0 && (text[out - 1] == ',' || text[out - 1] == '{' || text[out - 1] == ':');
    const bool indent = text[i] == ' ' && (after_mark || (i + 1 < text.size() && text[i + 1] == ' '));
    if (!indent) text[out++] = text[i];
  }
  text.resize(out);
}

// The generated file, removed at the end.
class GeneratedTrace {
 public:
  explicit GeneratedTrace(bool compact)
      : path_(std::filesystem::temp_directory_path() / fmt::format("nameplate_trace_bench_{}.json", std::rand())) {
    std::ofstream file(path_, std::ios::binary);
    file << kHead;
    std::string text;
    for (std::int64_t i = 0, written = 0; written < kBytes; ++i) {
      text.assign(i == 0 ? "" : ",");
      append_operator(text, i, !compact);
      if (compact) make_compact(text);
      file << text;
      written += static_cast<std::int64_t>(text.size());
    }
    file << "],\n\"traceName\": \"generated\", \"baseTimeNanoseconds\": 1759300074000000000}\n";
  }
  GeneratedTrace(const GeneratedTrace&) = delete;
  GeneratedTrace& operator=(const GeneratedTrace&) = delete;
  ~GeneratedTrace() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void read_kineto_trace(benchmark::State& state) {
  const GeneratedTrace trace(state.range(0) == 1);
  for (auto _ : state) {
    const auto timeline = read_traces({trace.path()}, {.threads = 2});
    if (!timeline.ok()) return state.SkipWithError("not read");
    state.counters["device_events"] = static_cast<double>(timeline->ranks[0].device.begin_ns.size());
    state.counters["host_spans"] = static_cast<double>(timeline->ranks[0].host.begin_ns.size());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * kBytes);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_memory_bytes"] = static_cast<double>(usage.ru_maxrss) * 1024;
}
BENCHMARK(read_kineto_trace)->ArgName("compact")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace nameplate
