// The next event of many units, each of which has at most one: a tournament tree over a fixed set of slots.
//
// A general queue (binary, 4-ary or calendar) pays for entries that come, move and go; here the units are known, an
// event is replaced in place, and an update plays at most log2(n) matches along one path, stopping where nothing
// changes: 12 levels of 16 bytes for 4,096 nodes. Ties go to the lower slot.
#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "nameplate/analysis/resilience/event_account.h"

namespace nameplate {

class EventTree {
 public:
  explicit EventTree(std::size_t slots) : leaves_(std::bit_ceil(slots > 0 ? slots : 1)), matches_(2 * leaves_) {
    for (std::size_t i = 0; i < leaves_; ++i) matches_[leaves_ + i].slot = i;
    for (std::size_t i = leaves_ - 1; i > 0; --i) matches_[i] = matches_[2 * i];
  }

  double next() const { return matches_[1].at; }
  std::size_t slot() const { return matches_[1].slot; }
  double at(std::size_t slot) const { return matches_[leaves_ + slot].at; }

  void set(std::size_t slot, double at) {
    std::size_t i = leaves_ + slot;
    matches_[i].at = at;
    while (i > 1) {
      i /= 2;
      const Match& winner = matches_[2 * i + 1].at < matches_[2 * i].at ? matches_[2 * i + 1] : matches_[2 * i];
      if (matches_[i].slot == winner.slot && matches_[i].at == winner.at) return;
      matches_[i] = winner;
    }
  }
  void clear(std::size_t slot) { set(slot, kNever); }

  // All slots from 0 on at once, in linear time.
  void assign(std::span<const double> times) {
    for (std::size_t i = 0; i < times.size(); ++i) matches_[leaves_ + i].at = times[i];
    for (std::size_t i = leaves_ - 1; i > 0; --i) {
      matches_[i] = matches_[2 * i + 1].at < matches_[2 * i].at ? matches_[2 * i + 1] : matches_[2 * i];
    }
  }

 private:
  struct Match {
    double at = kNever;
    std::size_t slot = 0;
  };
  std::size_t leaves_;
  std::vector<Match> matches_;  // 1: the root; i: the winner of 2i and 2i + 1
};

}  // namespace nameplate
