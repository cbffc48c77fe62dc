// Tables of NVIDIA's nccl-tests (all_reduce_perf and its siblings): a measured fabric.
//
//   #       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw
//   #wrong
//        1048576        262144     float     sum      -1   1626.5    0.64    1.24      0   2302.3    0.46    0.87 0
//
// Sizes in bytes, times in microseconds, bandwidths in GB/s = 1e9 B/s; the first four numbers are out of place, the
// others in place. A table names its collective in newer versions only ("# Collective test starting: all_reduce_perf");
// else the columns tell: with a reduction and no root it is all-reduce when busbw >= algbw and reduce-scatter when
// below. The ranks are counted in the list of devices; else, of an all-reduce, they follow from busbw/algbw = 2(n-1)/n
// at the row whose printed digits are the most, good up to about n = 100 since three digits tell no more. Source:
// nccl-tests 2.13 to 2.17, src/common.cu, doc/PERFORMANCE.md.
#include <cmath>

#include "nameplate/core/text.h"
#include "nameplate/inputs/events_format.h"
#include "nameplate/inputs/nccl_lines.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;

bool is_header(std::string_view line) {
  return line.starts_with("#") && line.find("algbw") != kNone && line.find("busbw") != kNone;
}

bool fits(std::string_view head) { return any_line(head, is_header); }

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(line, ' ')) {
    if (!trim(word).empty()) words.push_back(trim(word));
  }
  return words;
}

struct NamedCollective {
  std::string_view program;
  CollectiveKind collective;
};
constexpr NamedCollective kPrograms[] = {{"all_reduce_perf", CollectiveKind::all_reduce},
                                         {"all_gather_perf", CollectiveKind::all_gather},
                                         {"reduce_scatter_perf", CollectiveKind::reduce_scatter},
                                         {"alltoall_perf", CollectiveKind::all_to_all},
                                         {"broadcast_perf", CollectiveKind::broadcast},
                                         {"sendrecv_perf", CollectiveKind::send},
                                         {"gather_perf", CollectiveKind::gather},
                                         {"scatter_perf", CollectiveKind::scatter},
                                         {"reduce_perf", CollectiveKind::reduce}};

class Reader {
 public:
  explicit Reader(ClusterRecords& records) : records_(records), nccl_(records) {}

  void take(std::string_view line, std::int64_t number) {
    if (line.starts_with("#")) return comment(line);
    if (nccl_.take(line, number)) return;
    const auto words = words_of(line);
    if (words.size() < 9 || !parse_integer(words[0]) || !parse_integer(words[1])) return;
    row(words);
  }

  void finish() {
    nccl_.finish();
    const CollectiveKind kind = named_ ? *named_ : told_by_columns();
    for (FabricPoint& point : fabric_.points) point.collective = kind;
    if (fabric_.ranks == 0 && kind == CollectiveKind::all_reduce) derive_ranks();
    if (!fabric_.points.empty()) records_.fabric = std::move(fabric_);
  }

 private:
  void comment(std::string_view line) {
    for (const NamedCollective& each : kPrograms) {
      if (line.find(each.program) != kNone && !named_) named_ = each.collective;
    }
    if (line.find(" Rank ") == kNone || line.find(" on ") == kNone) return;
    ++fabric_.ranks;
    const std::size_t bracket = line.rfind("] ");
    if (fabric_.device.empty() && bracket != kNone) fabric_.device = std::string(trim(line.substr(bracket + 2)));
  }

  // size count type redop root, then four numbers out of place and four in place.
  void row(const std::vector<std::string_view>& words) {
    ++records_.entries;
    reduction_ = words[3] != "none";
    rooted_ = words[4] != "-1";
    if (!point(words, 5, false)) {
      return add_defect(records_.defects, {"records.unreadable_row", {{"file", records_.file}}}, Severity::data_loss);
    }
    if (words.size() >= 13) point(words, 9, true);
  }

  bool point(const std::vector<std::string_view>& words, std::size_t at, bool in_place) {
    const auto time = parse_number(words[at]);
    const auto algorithm = parse_number(words[at + 1]);
    const auto bus = parse_number(words[at + 2]);
    if (!time || !algorithm || !bus || *time < 0 || *algorithm < 0 || *bus < 0) return false;
    FabricPoint point;
    point.size = bytes(*parse_number(words[0]));
    point.dtype = std::string(words[2]);
    point.in_place = in_place;
    point.time = seconds(*time / 1e6);
    point.algorithm_bandwidth = gigabytes_per_s(*algorithm);
    point.bus_bandwidth = gigabytes_per_s(*bus);
    if (at + 3 < words.size()) point.wrong = parse_integer(words[at + 3]);
    fabric_.points.push_back(std::move(point));
    return true;
  }

  // The row with the most significant digits.
  const FabricPoint* sharpest() const {
    const FabricPoint* best = nullptr;
    for (const FabricPoint& point : fabric_.points) {
      if (best == nullptr || point.algorithm_bandwidth->base() > best->algorithm_bandwidth->base()) best = &point;
    }
    return best != nullptr && best->algorithm_bandwidth->base() > 0 ? best : nullptr;
  }

  CollectiveKind told_by_columns() const {
    const FabricPoint* best = sharpest();
    if (!reduction_ || rooted_ || best == nullptr) return CollectiveKind::other;
    return best->bus_bandwidth >= *best->algorithm_bandwidth ? CollectiveKind::all_reduce
                                                             : CollectiveKind::reduce_scatter;
  }

  void derive_ranks() {
    const FabricPoint* best = sharpest();
    if (best == nullptr) return;
    constexpr double kMostTold = 100;
    const double ratio = best->bus_bandwidth / *best->algorithm_bandwidth;
    const double ranks = 2 / (2 - ratio);
    if (!(ratio >= 1) || !(ratio < 2) || ranks > kMostTold) return;
    fabric_.ranks = std::llround(ranks);
    fabric_.ranks_are_derived = true;
  }

  ClusterRecords& records_;
  NcclLines nccl_;
  MeasuredFabric fabric_;
  std::optional<CollectiveKind> named_;
  bool reduction_ = false;
  bool rooted_ = false;
};

Status read(const RecordInput& input, ClusterRecords& records) {
  Reader reader(records);
  Status failure =
      read_record_lines(input, records, [&](std::string_view line, std::int64_t n) { reader.take(line, n); });
  reader.finish();
  return failure;
}

}  // namespace

const RecordFormat kNcclTestsFormat{"nccl-tests", fits, read};

}  // namespace nameplate
