// How fast lines come out of a file: 200 MB of lines like Megatron-LM's (some 240 bytes), plain and gzip, from the page
// cache, on one core.
#include <benchmark/benchmark.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <string>

#include "nameplate/core/check.h"
#include "nameplate/core/file_reader.h"

namespace {

constexpr std::size_t kBytes = 200'000'000;

std::string generated_text() {
  std::string text;
  text.reserve(kBytes + 256);
  for (int step = 1; text.size() < kBytes; ++step) {
    text += " [2025-01-01 00:00:00] iteration " + std::to_string(step) +
            "/ 1000000 | consumed samples: " + std::to_string(step * 512L) +
            " | elapsed time per iteration (ms): " + std::to_string(1000 + step * 7919L % 100) +
            ".1 | throughput per GPU (TFLOP/s/GPU): 412.3 | learning rate: 3.000000E-04 | global batch size:   512 |\n";
  }
  return text;
}

// A file that goes away with the program; written by zlib, which writes plain text, too (mode "wT").
class GeneratedFile {
 public:
  explicit GeneratedFile(const char* mode) {
    NAMEPLATE_CHECK(::close(::mkstemp(path_.data())) == 0);
    static const std::string text = generated_text();
    gzFile file = gzopen(path_.c_str(), mode);
    NAMEPLATE_CHECK(gzwrite(file, text.data(), static_cast<unsigned>(text.size())) > 0);
    NAMEPLATE_CHECK(gzclose(file) == Z_OK);
  }
  ~GeneratedFile() { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/nameplate_bench_XXXXXX";
};

void read_lines(benchmark::State& state, const std::string& path) {
  std::int64_t bytes = 0;
  for (auto _ : state) {
    auto reader = nameplate::LineReader::open(path).value();
    std::size_t length = 0;
    while (auto line = reader.next()) length += line->size();
    benchmark::DoNotOptimize(length);
    bytes += reader.bytes_read();
  }
  state.SetBytesProcessed(bytes);
}

void BM_PlainLines(benchmark::State& state) {
  static const GeneratedFile file("wT");
  read_lines(state, file.path());
}
BENCHMARK(BM_PlainLines)->Unit(benchmark::kMillisecond);

void BM_GzipLines(benchmark::State& state) {
  static const GeneratedFile file("w6");
  read_lines(state, file.path());
}
BENCHMARK(BM_GzipLines)->Unit(benchmark::kMillisecond);

}  // namespace
