// How fast is a Kineto trace read? 500 MB of JSON, made on the spot in two layouts (generated_trace.h). Whole commands
// are measured on files of make_trace.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "benchmarks/generated_trace.h"
#include "nameplate/inputs/trace.h"

namespace nameplate {
namespace {

// The generated file, removed at the end.
class TraceFile {
 public:
  explicit TraceFile(const GeneratedTrace& shape)
      : path_(std::filesystem::temp_directory_path() / fmt::format("nameplate_trace_bench_{}.json", std::rand())) {
    std::ofstream file(path_, std::ios::binary);
    write_trace(shape, file);
  }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void read_kineto_trace(benchmark::State& state) {
  const TraceFile trace({.compact = state.range(0) == 1});
  for (auto _ : state) {
    const auto timeline = read_traces({trace.path()}, {.threads = 2});
    if (!timeline.ok()) return state.SkipWithError("not read");
    state.counters["device_events"] = static_cast<double>(timeline->ranks[0].device.begin_ns.size());
    state.counters["host_spans"] = static_cast<double>(timeline->ranks[0].host.begin_ns.size());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(std::filesystem::file_size(trace.path())));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_memory_bytes"] = static_cast<double>(usage.ru_maxrss) * 1024;
}
BENCHMARK(read_kineto_trace)->ArgName("compact")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace nameplate
