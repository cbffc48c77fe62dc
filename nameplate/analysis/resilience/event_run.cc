#include "nameplate/analysis/resilience/event_run.h"

#include <algorithm>
#include <optional>
#include <string>

#include "nameplate/analysis/resilience/event_fleet.h"

namespace nameplate {
namespace {

std::optional<std::size_t> class_for(EventScope scope, const EventModel& model) {
  const bool of_node = scope != EventScope::job;
  for (std::size_t i = 0; i < model.classes.size(); ++i) {
    if (model.classes[i].takes_nodes == of_node) return i;
  }
  return std::nullopt;
}

std::int64_t number_of(const std::string& node, std::vector<std::string>& seen) {
  auto found = std::find(seen.begin(), seen.end(), node);
  if (found == seen.end()) found = seen.insert(seen.end(), node);
  return found - seen.begin();
}

}  // namespace

Replication simulate(const EventModel& model, std::uint64_t seed, std::uint32_t number, std::vector<PathPoint>* path) {
  return is_memoryless(model) ? simulate_job(model, seed, number, path) : simulate_fleet(model, seed, number, path);
}

RecordedRun recorded_failures(std::span<const Event> events, double start_s, const EventModel& model) {
  RecordedRun result;
  std::vector<std::string> nodes;
  for (const Event& event : events) {
    if (event.event_class != EventClass::failure) continue;
    const std::optional<std::size_t> failure = class_for(event.scope, model);
    const Maybe at = event.begin_s ? event.begin_s : event.end_s;
    if (!failure || !at || *at < start_s) {
      ++result.left_out;
      continue;
    }
    RecordedFailure recorded{*at - start_s, *failure, std::nullopt};
    if (event.scope == EventScope::node) recorded.node = number_of(event.subject, nodes);
    result.failures.push_back(recorded);
  }
  std::stable_sort(result.failures.begin(), result.failures.end(),
                   [](const RecordedFailure& a, const RecordedFailure& b) { return a.at < b.at; });
  return result;
}

}  // namespace nameplate
