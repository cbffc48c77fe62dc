// The pools of spare nodes: taken in the order given, filled in the same order; in a pool the longest waiting first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nameplate/analysis/resilience/event_model.h"

namespace nameplate {

class SparePools {
 public:
  // Nodes `first`, `first + 1`, … begin as spares.
  SparePools(const EventModel& model, std::size_t first);

  struct Taken {
    std::size_t node = 0;
    std::size_t pool = 0;
  };
  std::optional<Taken> take();
  std::size_t put(std::size_t node);  // the pool that it went to
  void remove(std::size_t node, std::size_t pool);

  const SparePool& pool(std::size_t pool) const { return plan_[pool]; }
  const std::vector<std::size_t>& nodes(std::size_t pool) const { return nodes_[pool]; }
  std::int64_t held() const { return held_; }  // of the fleet's own
  std::int64_t lent() const { return lent_; }  // borrowed ones, at their own work

 private:
  std::int64_t& count(std::size_t pool) { return plan_[pool].kind == SpareKind::borrowed ? lent_ : held_; }

  const std::vector<SparePool>& plan_;
  std::vector<std::vector<std::size_t>> nodes_;  // a few hundred at most, so moving them up is cheap
  std::int64_t held_ = 0;
  std::int64_t lent_ = 0;
};

}  // namespace nameplate
