#include "nameplate/analysis/attribution/booked.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "nameplate/analysis/attribution/event_rows.h"
#include "nameplate/analysis/attribution/host_tree.h"
#include "nameplate/analysis/attribution/idle.h"
#include "nameplate/analysis/attribution/kernel_work.h"
#include "nameplate/analysis/attribution/totals.h"

namespace nameplate {
namespace {

enum Layer : std::size_t { kCompute, kCommunication, kCopy, kLayers };

Layer layer_of(DeviceEventClass c) {
  if (c == DeviceEventClass::collective) return kCommunication;
  return is_copy(c) ? kCopy : kCompute;
}

enum class BorderKind : std::uint8_t { ends, begins, all_there };

struct Border {
  std::int64_t time_ns;
  std::size_t event;
  BorderKind kind;
};

// Part of an instant, `part` of 0..1.
struct Share {
  LedgerRow row;
  std::size_t event;
  double part;
};

// What waiting is in a rank's events, by event.
using WaitingInEvents = std::map<std::size_t, Waiting>;

// Columns of a summary leave collectives out (times that cannot be), and keep the order.
WaitingInEvents in_events(const RankTimeline& rank, const RankBooking& booking) {
  std::vector<std::size_t> event_of;
  for (std::size_t c = 0; c < rank.collectives.event.size(); ++c) {
    const auto event = static_cast<std::size_t>(rank.collectives.event[c]);
    const std::size_t next = event_of.size();
    if (next == booking.collectives.begin_ns.size()) break;
    if (rank.device.begin_ns[event] == booking.collectives.begin_ns[next]) event_of.push_back(event);
  }
  WaitingInEvents found;
  for (const Waiting& waiting : booking.waiting) {
    if (waiting.collective < event_of.size()) found.emplace(event_of[waiting.collective], waiting);
  }
  return found;
}

class Booker {
 public:
  Booker(const Timeline& timeline, const RankTimeline& rank, const RankBooking& booking)
      : timeline_(timeline),
        rank_(rank),
        of_rank_(booking.of_rank),
        enclosing_(enclosing_spans(rank.host)),
        rows_(event_rows(timeline, rank, booking.roles, enclosing_)),
        work_(kernel_work(timeline, rank, enclosing_, booking.operator_flops)),
        waiting_(in_events(rank, booking)) {}

  std::vector<BookedSlice> run() {
    const Steps& steps = of_rank_.steps;
    weigh(sweep(rank_.device, work_, steps.whole), steps.whole);
    compare_with_ledger(sweep(rank_.device, work_, steps.steady));
    book({steps.whole.begin_ns, steps.steady.begin_ns});
    book(steps.steady);
    std::sort(slices_.begin(), slices_.end(),
              [](const BookedSlice& a, const BookedSlice& b) { return a.when.begin_ns < b.when.begin_ns; });
    return std::move(slices_);
  }

 private:
  // The part of each kernel's share of the device that its FLOPs take at peak.
  void weigh(const Sweep& swept, Stretch window) {
    at_peak_.assign(work_.size(), 0);
    if (!of_rank_.peak) return;
    const SweptRank r{rank_, work_, swept, window};
    for (std::size_t i = 0; i < work_.size(); ++i) {
      const auto duration = static_cast<double>(rank_.device.duration_ns[i]);
      const auto inside = static_cast<double>(r.inside_ns(i));
      if (swept.exclusive_ns[i] <= 0 || duration <= 0) continue;
      const double ideal_ns = work_[i].flops.value_or(0) * inside / duration / of_rank_.peak->base() * 1e9;
      at_peak_[i] = std::min(1.0, ideal_ns / swept.exclusive_ns[i]);
    }
  }

  // What the ledger moves from rows of kernels to model compute, and of model compute to redundant work.
  void compare_with_ledger(const Sweep& swept) {
    std::array<double, kLedgerRows> held_s{};
    double useful_s = 0;
    for (std::size_t i = 0; i < work_.size(); ++i) {
      if (!is_compute(rank_.device.event_class[i])) continue;
      const double own_s = swept.exclusive_ns[i] / 1e9;
      held_s[static_cast<std::size_t>(rows_[i])] += own_s * (1 - at_peak_[i]);
      if (!work_[i].recompute) useful_s += own_s * at_peak_[i];
    }
    for (std::size_t r = 0; r < kLedgerRows; ++r) {
      const auto kept_s = of_rank_.ledger.value(static_cast<LedgerRow>(r));
      if (held_s[r] > 0 && kept_s) moved_[r] = std::clamp(1 - *kept_s / held_s[r], 0.0, 1.0);
    }
    const double redundant_s = of_rank_.ledger.value(LedgerRow::redundant_compute).value_or(0);
    if (useful_s > 0) redundant_ = std::clamp(redundant_s / useful_s, 0.0, 1.0);
  }

  std::vector<Border> borders(Stretch window) const {
    std::vector<Border> all;
    for (std::size_t i = 0; i < rank_.device.begin_ns.size(); ++i) {
      const std::int64_t begin = std::max(rank_.device.begin_ns[i], window.begin_ns);
      const std::int64_t end = std::min(rank_.device.begin_ns[i] + rank_.device.duration_ns[i], window.end_ns);
      if (begin >= end) continue;
      all.push_back({begin, i, BorderKind::begins});
      all.push_back({end, i, BorderKind::ends});
      const auto waiting = waiting_.find(i);
      if (waiting == waiting_.end() || waiting->second.until_ns <= begin || waiting->second.until_ns >= end) continue;
      all.push_back({waiting->second.until_ns, i, BorderKind::all_there});
    }
    std::sort(all.begin(), all.end(), [](const Border& a, const Border& b) {
      return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.event < b.event;
    });
    return all;
  }

  void book(Stretch window) {
    Stretches idle;
    std::int64_t now = window.begin_ns;
    const auto pass = [&](std::int64_t until) {
      if (until <= now) return;
      const Stretch when{std::exchange(now, until), until};
      const auto busy =
          std::find_if(active_.begin(), active_.end(), [](const auto& events) { return !events.empty(); });
      if (busy == active_.end()) return idle.push_back(when);
      divide(when, *busy, static_cast<Layer>(busy - active_.begin()));
    };
    for (const Border& border : borders(window)) {
      pass(border.time_ns);
      auto& events = active_[layer_of(rank_.device.event_class[border.event])];
      if (border.kind == BorderKind::begins) events.insert(border.event);
      if (border.kind == BorderKind::ends) events.erase(border.event);
    }
    pass(window.end_ns);
    for (const IdleClaim& claim : claim_idle(timeline_, rank_, unite(std::move(idle)), enclosing_)) {
      slices_.push_back({claim.when, claim.row, -1, claim.name_id});
    }
  }

  // The events of one layer share a stretch as in sweep.h.
  void divide(Stretch when, const std::set<std::size_t>& events, Layer layer) {
    std::int64_t sum = 0;
    bool known = layer == kCompute;
    for (const std::size_t e : events) {
      const std::int64_t rate = flops_rate(work_[e], rank_.device.duration_ns[e]);
      known = known && rate >= 0;
      sum += rate;
    }
    std::vector<Share> shares;
    for (const std::size_t e : events) {
      const double part = known && sum > 0 ? static_cast<double>(flops_rate(work_[e], rank_.device.duration_ns[e])) /
                                                 static_cast<double>(sum)
                                           : 1 / static_cast<double>(events.size());
      layer == kCompute ? add_kernel(e, part, shares) : shares.push_back({row_at(e, when.begin_ns), e, part});
    }
    cut(when, shares);
  }

  LedgerRow row_at(std::size_t event, std::int64_t time_ns) const {
    const auto waiting = waiting_.find(event);
    return waiting != waiting_.end() && time_ns < waiting->second.until_ns ? waiting->second.row : rows_[event];
  }

  void add_kernel(std::size_t event, double part, std::vector<Share>& shares) const {
    const double at_peak = part * at_peak_[event];
    const double moved = (part - at_peak) * moved_[static_cast<std::size_t>(rows_[event])];
    const double useful = moved + (work_[event].recompute ? 0 : at_peak);
    if (work_[event].recompute) shares.push_back({LedgerRow::recompute, event, at_peak});
    shares.push_back({LedgerRow::model_compute, event, useful * (1 - redundant_)});
    shares.push_back({LedgerRow::redundant_compute, event, useful * redundant_});
    shares.push_back({rows_[event], event, part - at_peak - moved});
  }

  void cut(Stretch when, const std::vector<Share>& shares) {
    double until = 0;
    std::int64_t now = when.begin_ns;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      until += shares[i].part * static_cast<double>(when.length());
      const std::int64_t end = i + 1 == shares.size() ? when.end_ns : when.begin_ns + std::llround(until);
      if (end > now) add({std::exchange(now, end), end}, shares[i]);
    }
  }

  void add(Stretch when, const Share& share) {
    const auto event = static_cast<std::int32_t>(share.event);
    if (!slices_.empty() && slices_.back().event == event && slices_.back().row == share.row &&
        slices_.back().when.end_ns == when.begin_ns) {
      slices_.back().when.end_ns = when.end_ns;
      return;
    }
    slices_.push_back({when, share.row, event, rank_.device.name_id[share.event]});
  }

  const Timeline& timeline_;
  const RankTimeline& rank_;
  const RankAttribution& of_rank_;
  std::vector<std::int32_t> enclosing_;
  std::vector<LedgerRow> rows_;
  std::vector<KernelWork> work_;
  WaitingInEvents waiting_;
  std::vector<double> at_peak_;
  std::array<double, kLedgerRows> moved_{};
  double redundant_ = 0;
  std::array<std::set<std::size_t>, kLayers> active_;
  std::vector<BookedSlice> slices_;
};

}  // namespace

std::vector<std::vector<Waiting>> waiting_by_rank(const Meetings& meetings) {
  std::vector<std::vector<Waiting>> all(meetings.ranks().size());
  for (std::size_t match = 0; match < meetings.size(); ++match) {
    for (const MatchedMember m : meetings.members(match)) {
      const Stretch waiting = meetings.waiting(match, m);
      if (waiting.length() > 0) all[m.rank].push_back({m.collective, waiting.end_ns, meetings.waiting_row(m)});
    }
  }
  return all;
}

std::vector<BookedSlice> booked_slices(const Timeline& timeline, const RankTimeline& rank, const RankBooking& booking) {
  return Booker(timeline, rank, booking).run();
}

}  // namespace nameplate
