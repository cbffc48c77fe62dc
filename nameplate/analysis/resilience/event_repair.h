// The repair of nodes: stations one after the other, each with so many crews; who finds none waits in order.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "nameplate/analysis/resilience/event_clocks.h"
#include "nameplate/analysis/resilience/event_model.h"
#include "nameplate/analysis/resilience/event_tree.h"

namespace nameplate {

class RepairPipeline {
 public:
  // `timers` has a slot for each node; one under repair is due there when its station is done with it.
  RepairPipeline(const EventModel& model, std::size_t nodes, const UnitRandom& random, EventTree& timers);

  void submit(std::size_t node, double now);
  // The node's timer struck. Nothing: it went on to the next station; else it left, and whether it is repaired.
  std::optional<bool> finish(std::size_t node, double now);

 private:
  struct Station {
    std::int64_t busy = 0;
    std::deque<std::size_t> waiting;
  };

  void arrive(std::size_t node, std::size_t station, double now);
  void begin(std::size_t node, double now);
  double uniform(std::size_t node);

  const std::vector<RepairStage>& stages_;
  UnitRandom random_;
  EventTree& timers_;
  std::vector<Station> stations_;
  std::vector<std::size_t> station_of_;  // by node
  std::vector<std::uint32_t> draws_;     // by node
};

}  // namespace nameplate
