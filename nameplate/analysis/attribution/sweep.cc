#include "nameplate/analysis/attribution/sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "nameplate/core/check.h"

namespace nameplate {
namespace {

enum Layer : std::size_t { kCompute, kCommunication, kCopy, kLayers };

Layer layer_of(DeviceEventClass c) {
  if (c == DeviceEventClass::collective) return kCommunication;
  return is_copy(c) ? kCopy : kCompute;
}

struct Border {
  std::int64_t time_ns;
  std::uint32_t event;
  bool begins;
};

std::vector<Border> borders(const DeviceEvents& device, Stretch window) {
  std::vector<Border> all;
  for (std::size_t i = 0; i < device.begin_ns.size() && device.begin_ns[i] < window.end_ns; ++i) {
    const std::int64_t begin = std::max(device.begin_ns[i], window.begin_ns);
    const std::int64_t end = std::min(device.begin_ns[i] + device.duration_ns[i], window.end_ns);
    if (begin >= end) continue;
    all.push_back({begin, static_cast<std::uint32_t>(i), true});
    all.push_back({end, static_cast<std::uint32_t>(i), false});
  }
  std::sort(all.begin(), all.end(), [](const Border& a, const Border& b) {
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.event < b.event;
  });
  return all;
}

// An event's share is the growth of its layer's meters between its borders, so a border costs the same however many
// events are active: `each` grows by dt / n where n share equally, `per_rate` by dt / (sum of rates) where FLOPs
// decide.
struct Meters {
  double each = 0;
  double per_rate = 0;
};

class Sweeper {
 public:
  Sweeper(const DeviceEvents& device, const std::vector<KernelWork>& work)
      : device_(device), work_(work), entered_(device.begin_ns.size()) {
    result_.exclusive_ns.resize(device.begin_ns.size());
  }

  Sweep run(Stretch window) {
    std::int64_t now = window.begin_ns;
    for (const Border& border : borders(device_, window)) {
      pass({now, border.time_ns});
      now = border.time_ns;
      border.begins ? enter(border.event) : leave(border.event);
    }
    pass({now, window.end_ns});
    return std::move(result_);
  }

 private:
  std::int64_t rate(std::size_t event) const { return flops_rate(work_[event], device_.duration_ns[event]); }

  void pass(Stretch now) {
    if (now.length() <= 0) return;
    if (active_[kCompute] > 0) result_.compute_ns += now.length();
    if (active_[kCommunication] > 0) result_.communication_ns += now.length();
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      if (active_[layer] == 0) continue;
      if (layer == kCommunication) result_.exposed_communication_ns += now.length();
      if (layer == kCopy) result_.copy_only_ns += now.length();
      grow(layer, static_cast<double>(now.length()));
      return;
    }
    result_.idle.push_back(now);
  }

  void grow(std::size_t layer, double dt) {
    const bool by_flops = layer == kCompute && rates_not_known_ == 0 && sum_of_rates_ > 0;
    if (by_flops) {
      meters_[layer].per_rate += dt / static_cast<double>(sum_of_rates_);
    } else {
      meters_[layer].each += dt / static_cast<double>(active_[layer]);
    }
  }

  void count_rate(std::size_t event, std::int64_t sign) {
    const std::int64_t own = rate(event);
    if (own < 0) {
      rates_not_known_ += sign;
    } else {
      sum_of_rates_ += sign * own;
    }
  }

  void enter(std::size_t event) {
    const Layer layer = layer_of(device_.event_class[event]);
    ++active_[layer];
    if (layer == kCompute) count_rate(event, 1);
    entered_[event] = meters_[layer];
  }

  void leave(std::size_t event) {
    const Layer layer = layer_of(device_.event_class[event]);
    const double by_flops = layer == kCompute ? static_cast<double>(std::max<std::int64_t>(rate(event), 0)) : 0;
    result_.exclusive_ns[event] =
        meters_[layer].each - entered_[event].each + by_flops * (meters_[layer].per_rate - entered_[event].per_rate);
    if (layer == kCompute) count_rate(event, -1);
    // A meter that nobody reads starts anew, so that it stays small and exact.
    if (--active_[layer] == 0) meters_[layer] = {};
  }

  const DeviceEvents& device_;
  const std::vector<KernelWork>& work_;
  std::vector<Meters> entered_;
  std::array<Meters, kLayers> meters_{};
  std::array<std::int64_t, kLayers> active_{};
  std::int64_t sum_of_rates_ = 0;
  std::int64_t rates_not_known_ = 0;
  Sweep result_;
};

}  // namespace

std::int64_t flops_rate(const KernelWork& work, std::int64_t duration_ns) {
  if (!work.flops) return -1;
  const double per_us = *work.flops / static_cast<double>(duration_ns) * 1e3;
  return static_cast<std::int64_t>(std::llround(std::min(per_us, 1e12)));
}

Sweep sweep(const DeviceEvents& device, const std::vector<KernelWork>& work, Stretch window) {
  NAMEPLATE_CHECK(work.size() == device.begin_ns.size());
  Sweep result = Sweeper(device, work).run(window);
  result.idle = unite(std::move(result.idle));
  return result;
}

std::int64_t overlaps_in_streams(const DeviceEvents& device) {
  std::unordered_map<std::int32_t, std::int64_t> end_of_stream;
  std::int64_t overlaps = 0;
  for (std::size_t i = 0; i < device.begin_ns.size(); ++i) {
    const std::int64_t end = device.begin_ns[i] + device.duration_ns[i];
    const auto [stream, first] = end_of_stream.emplace(device.stream[i], end);
    if (!first && device.begin_ns[i] < stream->second) ++overlaps;
    stream->second = std::max(stream->second, end);
  }
  return overlaps;
}

}  // namespace nameplate
