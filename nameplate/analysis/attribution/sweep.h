// Who has the device at each instant of a window? A sweep over the borders of device events, O(n log n).
//
// One rule for every way in which events overlap, nest or repeat: an instant belongs to compute where any compute
// kernel is active, else to communication, else to copies, else it is idle. Kernels active together share the instant:
// in proportion to the FLOPs they do per nanosecond when those of each are known and not all zero, else equally.
// Communication and copies share equally. Streams play no part, so their numbers may change; an event cut in two that
// touch gives the same times. Overlaps within one stream, where the device can only run one after another, are counted.
#pragma once

#include <cstdint>
#include <vector>

#include "nameplate/analysis/attribution/intervals.h"
#include "nameplate/analysis/attribution/kernel_work.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

struct Sweep {
  std::vector<double> exclusive_ns;  // by device event: its share of the window's instants
  Stretches idle;                    // nothing on the device
  // Unions over the window, as HTA and Kineto's own views count them.
  std::int64_t compute_ns = 0;
  std::int64_t communication_ns = 0;
  std::int64_t exposed_communication_ns = 0;  // no other kernel at the same time
  std::int64_t copy_only_ns = 0;
};

Sweep sweep(const DeviceEvents& device, const std::vector<KernelWork>& work, Stretch window);

// By what kernels that run together share the device: FLOPs per microsecond, whole, so that sums are exact and in any
// order; -1: not known.
std::int64_t flops_rate(const KernelWork& work, std::int64_t duration_ns);

// Events that begin before an earlier one of their stream has ended.
std::int64_t overlaps_in_streams(const DeviceEvents& device);

}  // namespace nameplate
