#include "nameplate/analysis/attribution/rank_activity.h"

#include <algorithm>
#include <cmath>

#include "nameplate/analysis/attribution/kernel_work.h"

namespace nameplate {
namespace {

enum Layer : std::size_t { kCompute, kCommunication, kCopy, kIdle, kLayers, kCut = kLayers };

Layer layer_of(DeviceEventClass c) {
  if (c == DeviceEventClass::collective) return kCommunication;
  return is_copy(c) ? kCopy : kCompute;
}

struct Border {
  std::int64_t time_ns;
  Layer layer;
  LedgerRow row;
  bool begins;
};

void add_borders(Stretch when, Stretch window, Layer layer, LedgerRow row, std::vector<Border>& all) {
  const std::int64_t begin = std::max(when.begin_ns, window.begin_ns);
  const std::int64_t end = std::min(when.end_ns, window.end_ns);
  if (begin >= end) return;
  all.push_back({begin, layer, row, true});
  all.push_back({end, layer, row, false});
}

// Collects stretches of the same kind (exposed communication or not) into runs, and runs into pieces.
class Pieces {
 public:
  explicit Pieces(std::int64_t begin_ns) {
    out_.begin_ns = begin_ns;
    out_.first.push_back(0);
  }

  void cut(std::int64_t now) {
    end_run(now);
    flush(mixed_, now);
  }

  // Until `end_ns` every row of `counts` has that many of `active` equal shares of the device.
  void add(Stretch when, bool exposed, const std::array<std::int32_t, kLedgerRows>& counts, std::int32_t active) {
    if (exposed != exposed_) end_run(when.begin_ns);
    exposed_ = exposed;
    for (std::size_t row = 0; row < kLedgerRows; ++row) {
      if (counts[row] > 0) run_[row] += static_cast<double>(when.length()) * counts[row] / active;
    }
  }

  RankActivity finish(std::int64_t now) {
    cut(now);
    return std::move(out_);
  }

 private:
  void end_run(std::int64_t now) {
    if (now - run_begin_ >= kFinestNs) {
      flush(mixed_, run_begin_);
      flush(run_, now);
    } else {
      for (std::size_t row = 0; row < kLedgerRows; ++row) mixed_[row] += std::exchange(run_[row], 0.0);
    }
    run_begin_ = now;
  }

  void flush(RowTimes& times, std::int64_t now) {
    bool any = false;
    for (std::size_t row = 0; row < kLedgerRows; ++row) {
      if (times[row] <= 0) continue;
      any = true;
      out_.row.push_back(static_cast<LedgerRow>(row));
      out_.ns.push_back(std::exchange(times[row], 0.0));
    }
    if (!any) return;
    out_.end_ns.push_back(now);
    out_.first.push_back(static_cast<std::uint32_t>(out_.row.size()));
  }

  RankActivity out_;
  RowTimes run_{};
  RowTimes mixed_{};  // runs too short for pieces of their own
  std::int64_t run_begin_ = out_.begin_ns;
  bool exposed_ = false;
};

}  // namespace

RowTimes RankActivity::inside(Stretch when) const {
  RowTimes times{};
  auto piece = static_cast<std::size_t>(std::upper_bound(end_ns.begin(), end_ns.end(), when.begin_ns) - end_ns.begin());
  for (; piece < end_ns.size(); ++piece) {
    const Stretch own{piece == 0 ? begin_ns : end_ns[piece - 1], end_ns[piece]};
    const std::int64_t common = std::min(own.end_ns, when.end_ns) - std::max(own.begin_ns, when.begin_ns);
    if (common <= 0) break;
    const double part = static_cast<double>(common) / static_cast<double>(own.length());
    for (std::uint32_t share = first[piece]; share < first[piece + 1]; ++share) {
      times[static_cast<std::size_t>(row[share])] += ns[share] * part;
    }
  }
  return times;
}

RankActivity rank_activity(const DeviceEvents& device, const std::vector<LedgerRow>& rows,
                           const std::vector<Claimed>& idle, const std::vector<std::int64_t>& cuts, Stretch window) {
  std::vector<Border> borders;
  borders.reserve(2 * (device.begin_ns.size() + idle.size()));
  for (std::size_t i = 0; i < device.begin_ns.size(); ++i) {
    const Stretch when{device.begin_ns[i], device.begin_ns[i] + device.duration_ns[i]};
    add_borders(when, window, layer_of(device.event_class[i]), rows[i], borders);
  }
  for (const Claimed& claim : idle) add_borders(claim.when, window, kIdle, claim.row, borders);
  for (const std::int64_t cut : cuts) borders.push_back({cut, kCut, LedgerRow::unattributed, true});
  std::sort(borders.begin(), borders.end(), [](const Border& a, const Border& b) { return a.time_ns < b.time_ns; });
  std::array<std::array<std::int32_t, kLedgerRows>, kLayers> counts{};
  std::array<std::int32_t, kLayers> active{};
  Pieces pieces(window.begin_ns);
  std::int64_t now = window.begin_ns;
  for (const Border& border : borders) {
    for (std::size_t layer = 0; layer < kLayers && border.time_ns > now; ++layer) {
      if (active[layer] == 0) continue;
      pieces.add({now, border.time_ns}, layer == kCommunication, counts[layer], active[layer]);
      now = border.time_ns;
    }
    now = border.time_ns;
    if (border.layer == kCommunication || border.layer == kCut) pieces.cut(now);
    if (border.layer == kCut) continue;
    const std::int32_t sign = border.begins ? 1 : -1;
    counts[border.layer][static_cast<std::size_t>(border.row)] += sign;
    active[border.layer] += sign;
  }
  return pieces.finish(window.end_ns);
}

}  // namespace nameplate
