#include "nameplate/analysis/resilience/event_repair.h"

namespace nameplate {
namespace {

constexpr std::uint32_t kRepairDraw = 0x10010;  // a purpose of a unit's random numbers, see event_clocks.cc

}  // namespace

RepairPipeline::RepairPipeline(const EventModel& model, std::size_t nodes, const UnitRandom& random, EventTree& timers)
    : stages_(model.repair),
      random_(random),
      timers_(timers),
      stations_(model.repair.size()),
      station_of_(nodes, 0),
      draws_(nodes, 0) {}

double RepairPipeline::uniform(std::size_t node) { return random_.uniform(node, kRepairDraw, draws_[node]++); }

void RepairPipeline::submit(std::size_t node, double now) { arrive(node, 0, now); }

void RepairPipeline::arrive(std::size_t node, std::size_t station, double now) {
  station_of_[node] = station;
  const std::int64_t crews = stages_[station].crews;
  if (crews > 0 && stations_[station].busy >= crews) {
    stations_[station].waiting.push_back(node);
  } else {
    begin(node, now);
  }
}

void RepairPipeline::begin(std::size_t node, double now) {
  const std::size_t station = station_of_[node];
  ++stations_[station].busy;
  timers_.set(node, now + stages_[station].duration.base() * exponential(uniform(node)));
}

std::optional<bool> RepairPipeline::finish(std::size_t node, double now) {
  timers_.clear(node);
  const std::size_t at = station_of_[node];
  Station& station = stations_[at];
  --station.busy;
  if (!station.waiting.empty()) {
    const std::size_t next = station.waiting.front();
    station.waiting.pop_front();
    begin(next, now);
  }
  // Two numbers at every station, so that one answer does not shift the others.
  const bool leaves = uniform(node) < stages_[at].success || at + 1 == stages_.size();
  const bool repaired = uniform(node) >= stages_[at].silent_failure;
  if (leaves) return repaired;
  arrive(node, at + 1, now);
  return std::nullopt;
}

}  // namespace nameplate
