#include "nameplate/analysis/resilience/event_spares.h"

#include <algorithm>

#include "nameplate/core/check.h"

namespace nameplate {

SparePools::SparePools(const EventModel& model, std::size_t first) : plan_(model.spares), nodes_(plan_.size()) {
  for (std::size_t pool = 0; pool < plan_.size(); ++pool) {
    for (std::int64_t i = 0; i < plan_[pool].nodes; ++i) nodes_[pool].push_back(first++);
    count(pool) += plan_[pool].nodes;
  }
}

std::optional<SparePools::Taken> SparePools::take() {
  for (std::size_t pool = 0; pool < nodes_.size(); ++pool) {
    if (nodes_[pool].empty()) continue;
    const Taken taken{nodes_[pool].front(), pool};
    remove(taken.node, pool);
    return taken;
  }
  return std::nullopt;
}

std::size_t SparePools::put(std::size_t node) {
  std::size_t pool = 0;
  while (nodes_[pool].size() >= static_cast<std::size_t>(plan_[pool].nodes)) {
    ++pool;
    NAMEPLATE_CHECK(pool < plan_.size());  // no node comes from outside, so one pool has room
  }
  nodes_[pool].push_back(node);
  ++count(pool);
  return pool;
}

void SparePools::remove(std::size_t node, std::size_t pool) {
  auto& nodes = nodes_[pool];
  auto found = std::find(nodes.begin(), nodes.end(), node);
  NAMEPLATE_CHECK(found != nodes.end());
  nodes.erase(found);
  --count(pool);
}

}  // namespace nameplate
