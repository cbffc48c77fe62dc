// all_reduce_bench.py (bigscience; older form of the one in Bekman's ML Engineering book): all-reduces of one size in a
// row, each timed by each rank.
//
//   3 data size: 4.0 GB
//   3:
//    duration: 0.0483 sec
//    algo throughput: 1325052362787.1750 bps, 1325.0524 Gbps
//    busbw: 993.7893  Gbps
//
// "busbw" is nccl-tests' bus bandwidth in Gbit/s; "algo throughput" counts the size twice, so it is left out. Ranks
// interleave line by line: lines are taken alone, and the figure is the median of all, which also passes over the first
// round (it includes the set-up of the communicator). Data are fp32.
// Source: bigscience, experiments/bandwidth/all_reduce_bench.py.
#include <set>

#include "nameplate/core/statistics.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/events_format.h"
#include "nameplate/inputs/nccl_lines.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;

bool fits(std::string_view head) { return head.find(" algo throughput: ") != kNone && head.find(" busbw: ") != kNone; }

class Reader {
 public:
  explicit Reader(ClusterRecords& records) : records_(records), nccl_(records) {}

  void take(std::string_view line, std::int64_t number) {
    if (nccl_.take(line, number)) return;
    if (const std::size_t at = line.find(" data size: "); at != kNone) return size(line, at);
    if (const auto value = behind(line, " duration: ", " sec")) durations_.push_back(*value);
    if (const auto value = behind(line, " busbw: ", " Gbps")) {
      ++records_.entries;
      bandwidths_.push_back(*value / 8);
    }
  }

  void finish() {
    nccl_.finish();
    if (bandwidths_.empty() || durations_.empty()) return;
    FabricPoint point;
    point.collective = CollectiveKind::all_reduce;
    point.size = gigabytes(size_gb_);
    point.dtype = "float";
    point.time = seconds(median(durations_));
    point.bus_bandwidth = gigabytes_per_s(median(bandwidths_));
    point.samples = static_cast<std::int64_t>(bandwidths_.size());
    records_.fabric = MeasuredFabric{{}, static_cast<std::int64_t>(ranks_.size()), false, {point}};
  }

 private:
  static std::optional<double> behind(std::string_view line, std::string_view words, std::string_view unit) {
    if (!line.starts_with(words)) return std::nullopt;
    const auto value = parse_leading_number(trim(line.substr(words.size())));
    if (!value || value->value < 0 || trim(value->rest) != trim(unit)) return std::nullopt;
    return value->value;
  }

  // "3 data size: 4.0 GB"
  void size(std::string_view line, std::size_t at) {
    const auto rank = parse_integer(trim(line.substr(0, at)));
    const auto gigabytes = parse_leading_number(line.substr(at + 12));
    if (rank) ranks_.insert(*rank);
    if (gigabytes) size_gb_ = gigabytes->value;
  }

  ClusterRecords& records_;
  NcclLines nccl_;
  std::set<std::int64_t> ranks_;
  double size_gb_ = 0;
  std::vector<double> durations_;
  std::vector<double> bandwidths_;  // GB/s
};

Status read(const RecordInput& input, ClusterRecords& records) {
  Reader reader(records);
  Status failure =
      read_record_lines(input, records, [&](std::string_view line, std::int64_t n) { reader.take(line, n); });
  reader.finish();
  return failure;
}

}  // namespace

const RecordFormat kAllReduceBenchFormat{"all-reduce-bench", fits, read};

}  // namespace nameplate
