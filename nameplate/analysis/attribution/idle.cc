#include "nameplate/analysis/attribution/idle.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "nameplate/analysis/attribution/host_tree.h"

namespace nameplate {
namespace {

// In the order in which they claim. `late_host` (garbage collection, compilation) and `busy` are host_bound.
enum Cause : std::size_t { kCheckpoint, kDataWait, kMemoryStall, kPipelineBubble, kSync, kLateHost, kBusy, kCauses };

constexpr std::array<LedgerRow, kCauses> kRowOfCause = {
    LedgerRow::checkpoint, LedgerRow::data_wait,  LedgerRow::memory_stall, LedgerRow::pipeline_bubble,
    LedgerRow::sync,       LedgerRow::host_bound, LedgerRow::host_bound};

bool waits_to_receive(std::string_view name) {
  constexpr std::string_view kParts[] = {"recv_forward", "recv_backward", "recv_prev", "recv_next",
                                         "nccl:recv",    "irecv",         "c10d::recv"};
  return std::any_of(std::begin(kParts), std::end(kParts), [&](auto part) { return name.find(part) != name.npos; });
}

std::optional<Cause> cause_of(HostSpanClass c, bool receives, bool host_only) {
  if (receives) return kPipelineBubble;
  switch (c) {
    case HostSpanClass::checkpoint:
      return kCheckpoint;
    case HostSpanClass::data_wait:
      return kDataWait;
    case HostSpanClass::allocator:
      return kMemoryStall;
    case HostSpanClass::synchronise:
      return kSync;
    case HostSpanClass::garbage:
    case HostSpanClass::compile:
      return kLateHost;
    case HostSpanClass::operation:
    case HostSpanClass::launch:
    case HostSpanClass::other:
      return kBusy;
    case HostSpanClass::annotation:
    case HostSpanClass::python:
      return host_only ? std::optional(kBusy) : std::nullopt;
    default:
      return std::nullopt;
  }
}

struct Piece {
  Stretch when;
  std::int32_t name_id;
};
using Pieces = std::vector<Piece>;  // sorted, disjoint: the outermost span of a cause speaks for those inside

class Claimer {
 public:
  Claimer(const Timeline& timeline, const RankTimeline& rank, const std::vector<std::int32_t>& enclosing)
      : rank_(rank), enclosing_(enclosing), main_thread_(main_thread(rank.host)) {
    std::vector<bool> receives;
    for (const std::string& name : timeline.names) receives.push_back(waits_to_receive(name));
    const HostSpans& host = rank.host;
    for (std::size_t i = 0; i < host.begin_ns.size(); ++i) {
      if (host.span_class[i] == HostSpanClass::launch && host.correlation[i] >= 0)
        first_correlation_ = std::min(first_correlation_.value_or(host.correlation[i]), host.correlation[i]);
      const auto cause = cause_of(host.span_class[i], receives[static_cast<std::size_t>(host.name_id[i])],
                                  rank.device.begin_ns.empty());
      if (!cause) continue;
      Pieces& pieces = evidence_[host.thread[i]][*cause];
      const std::int64_t begin =
          pieces.empty() ? host.begin_ns[i] : std::max(host.begin_ns[i], pieces.back().when.end_ns);
      const std::int64_t end = host.begin_ns[i] + host.duration_ns[i];
      if (end > begin) pieces.push_back({{begin, end}, host.name_id[i]});
    }
  }

  std::vector<IdleClaim> run(const Stretches& idle) {
    for (const Stretch stretch : idle) claim(stretch);
    std::sort(claims_.begin(), claims_.end(),
              [](const IdleClaim& a, const IdleClaim& b) { return a.when.begin_ns < b.when.begin_ns; });
    return std::move(claims_);
  }

 private:
  struct Ending {
    std::optional<std::size_t> launch;  // of an event that begins when the stretch ends
    bool before_capture = false;        // there is such an event, and its launch came before the first recorded
  };

  // At the end of a window nothing need begin: what comes next then ends the stretch, too.
  Ending ending(Stretch stretch) const {
    const DeviceEvents& device = rank_.device;
    const auto first = std::lower_bound(device.begin_ns.begin(), device.begin_ns.end(), stretch.end_ns);
    Ending found;
    if (first == device.begin_ns.end()) return found;
    for (auto i = static_cast<std::size_t>(first - device.begin_ns.begin());
         i < device.begin_ns.size() && device.begin_ns[i] == *first; ++i) {
      if (device.launch[i] >= 0) return {static_cast<std::size_t>(device.launch[i]), false};
      found.before_capture |=
          device.correlation[i] >= 0 && first_correlation_ && device.correlation[i] < *first_correlation_;
    }
    return found;
  }

  void claim(Stretch stretch) {
    Stretches rest = {stretch};
    const auto [launch, before_capture] = ending(stretch);
    const auto thread = launch ? std::optional(rank_.host.thread[*launch]) : main_thread_;
    for (std::size_t cause = 0; cause < kBusy; ++cause) {
      claim_by_evidence(static_cast<Cause>(cause), thread, rest);
      if (main_thread_ != thread) claim_by_evidence(static_cast<Cause>(cause), main_thread_, rest);
    }
    if (launch) {
      const bool late = rank_.host.begin_ns[*launch] > stretch.begin_ns - kLaunchLatencyNs;
      claim_rest(rest, late ? LedgerRow::host_bound : LedgerRow::sync, operator_of(*launch));
    } else if (before_capture) {
      claim_rest(rest, LedgerRow::sync, -1);
    } else {
      claim_by_evidence(kBusy, main_thread_, rest);
      claim_rest(rest, LedgerRow::unattributed, -1);
    }
  }

  void claim_by_evidence(Cause cause, std::optional<std::int32_t> thread, Stretches& rest) {
    if (rest.empty() || !thread) return;
    const auto of_thread = evidence_.find(*thread);
    if (of_thread == evidence_.end()) return;
    const Pieces& pieces = of_thread->second[cause];
    const Stretch whole{rest.front().begin_ns, rest.back().end_ns};
    auto piece = std::partition_point(pieces.begin(), pieces.end(),
                                      [&](const Piece& p) { return p.when.end_ns <= whole.begin_ns; });
    Stretches taken;
    for (; piece != pieces.end() && piece->when.begin_ns < whole.end_ns; ++piece) {
      for (const Stretch part : intersect(rest, {piece->when})) {
        claims_.push_back({part, kRowOfCause[cause], piece->name_id});
        taken.push_back(part);
      }
    }
    if (!taken.empty()) rest = subtract(rest, unite(std::move(taken)));
  }

  void claim_rest(const Stretches& rest, LedgerRow row, std::int32_t name_id) {
    for (const Stretch part : rest) claims_.push_back({part, row, name_id});
  }

  // The operator around a launch, which says more than "cudaLaunchKernel"; the call itself where there is none.
  std::int32_t operator_of(std::size_t launch) const {
    for (std::int32_t span = enclosing_[launch]; span >= 0; span = enclosing_[static_cast<std::size_t>(span)]) {
      const auto s = static_cast<std::size_t>(span);
      if (rank_.host.span_class[s] == HostSpanClass::operation) return rank_.host.name_id[s];
    }
    return rank_.host.name_id[launch];
  }

  const RankTimeline& rank_;
  const std::vector<std::int32_t>& enclosing_;
  std::optional<std::int32_t> main_thread_;
  // Of the launches recorded; drivers number calls upwards.
  std::optional<std::int64_t> first_correlation_;
  std::map<std::int32_t, std::array<Pieces, kCauses>> evidence_;
  std::vector<IdleClaim> claims_;
};

}  // namespace

std::vector<IdleClaim> claim_idle(const Timeline& timeline, const RankTimeline& rank, const Stretches& idle,
                                  const std::vector<std::int32_t>& enclosing) {
  return Claimer(timeline, rank, enclosing).run(idle);
}

}  // namespace nameplate
