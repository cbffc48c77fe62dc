// How fast a log is read: a generated Megatron-LM log of 200 MB, streamed from a file on one core. The aim: 300 MB/s,
// with less than 100 MB of memory in all.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "nameplate/inputs/runlog.h"

namespace nameplate {
namespace {

constexpr std::int64_t kBytes = 200'000'000;

// The generated file, removed at the end.
class GeneratedLog {
 public:
  GeneratedLog()
      : path_(std::filesystem::temp_directory_path() / fmt::format("nameplate_runlog_bench_{}", std::rand())) {
    std::ofstream file(path_, std::ios::binary);
    std::int64_t written = 0;
    for (std::int64_t i = 1; written < kBytes; ++i) {
      const std::string line = fmt::format(
          " [2025-05-{:02} {:02}:{:02}:{:02}] iteration {:8}/  900000 | consumed samples: {:12} | elapsed time per "
          "iteration "
          "(ms): {:.1f} | throughput per GPU (TFLOP/s/GPU): {:.1f} | learning rate: {:.6E} | global batch size: {:5} | "
          "lm loss: "
          "{:.6E} | loss scale: 1.0 | grad norm: {:.3f} | num zeros: 0.0 | params norm: 1000.125 | number of skipped "
          "iterations:   0 | number of nan iterations:   0 |\n",
          1 + i / 86400 % 28, i / 3600 % 24, i / 60 % 60, i % 60, i, i * 256, 2500 + static_cast<double>(i % 97),
          400 + static_cast<double>(i % 13), 1e-5 / static_cast<double>(1 + i % 7), 256,
          2 + 1.0 / static_cast<double>(i), 1.0 / static_cast<double>(1 + i % 11));
      file << line;
      written += static_cast<std::int64_t>(line.size());
    }
  }
  ~GeneratedLog() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void read_megatron_log(benchmark::State& state) {
  const GeneratedLog log;
  for (auto _ : state) {
    const auto read = read_runlog({log.path()});
    if (!read.ok()) return state.SkipWithError("not read");
    benchmark::DoNotOptimize(read->steps.data());
    state.counters["rows"] = static_cast<double>(read->steps.size());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * kBytes);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_memory_bytes"] = static_cast<double>(usage.ru_maxrss) * 1024;
}
BENCHMARK(read_megatron_log)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nameplate
