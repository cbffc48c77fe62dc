// What a promise would need to be true: closed forms of three that vendors and papers make.
//
// Overlap. If a share f of the communication that may overlap is hidden, 1 - f is exposed; from f to g the exposed part
// falls by at most (1 - f) / (1 - g), less where some of it cannot overlap at all.
//
// Effective compute. Useful FLOPs per second = accelerators x peak x MFU x share of the time that trains. A factor k
// while the MFU goes from a to b needs k a / b in the other three.
//
// Bandwidth. A kernel ceiling c leaves a stall s = 1 / c - 1 in units of compute time, of which b = share x s waits for
// memory bandwidth and r for something else. With k times the bandwidth the ceiling is 1 / (1 + b / k + r) where
// waiting and computing take turns, and 1 / (max(1, (1 + b) / k) + r) where they overlap fully: a bracket, since a
// ceiling does not tell which. The share of a stall that a promised ceiling t implies, taking turns: b = (s - (1 / t -
// 1)) / (1 - 1 / k).
#pragma once

#include <optional>

namespace nameplate {

// 0 <= from, to < 1.
double exposed_ratio(double from, double to);

double unseen_factor(double compute_factor, double mfu_before, double mfu_after);

struct BandwidthStall {
  double ceiling = 1;  // MFU without what bandwidth does not explain, 0..1
  double share = 1;    // of the stall that waits for bandwidth
};
struct CeilingBracket {
  double in_turns = 0;
  double overlapped = 0;
};
CeilingBracket ceiling_with_bandwidth(const BandwidthStall& stall, double factor);

// The share of the stall that is bandwidth when `factor` times of it brings the ceiling to `target`; nothing where not
// even all of it does, or where the target lies below the ceiling.
std::optional<double> implied_share(double ceiling, double target, double factor);

}  // namespace nameplate
