#include "nameplate/analysis/records/join.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

namespace nameplate {
namespace {

constexpr double kSlack_s = 600;
constexpr std::string_view kAccounting = "slurm-sacct";

struct Window {
  double begin;
  double end;
  double shared_with(const Window& other) const { return std::min(end, other.end) - std::max(begin, other.begin); }
};

std::optional<Window> window_of(const RunLog& log) {
  Maybe first = log.first_time_s;
  Maybe last = log.last_time_s;
  for (const Step& step : log.steps) {
    if (!step.end_s) continue;
    if (!first) first = step.end_s;
    if (!last || *step.end_s > *last) last = step.end_s;
  }
  if (!first || !last) return std::nullopt;
  return Window{*first, *last};
}

Maybe time_of(const Event& event) {
  if (event.event_class == EventClass::queue) return event.end_s;  // a queue ends where the job begins
  return event.begin_s ? event.begin_s : event.end_s;
}

// The job of an accounting file that shares the most time with the log; empty: none does.
std::string job_of(const ClusterRecords& records, const Window& log) {
  std::map<std::string, Window> jobs;
  for (const Event& event : records.events) {
    const Maybe when = time_of(event);
    if (!when) continue;
    const auto [at, fresh] = jobs.emplace(event.subject, Window{*when, *when});
    if (fresh) continue;
    at->second = {std::min(at->second.begin, *when), std::max(at->second.end, *when)};
  }
  std::string best;
  double most = 0;
  for (const auto& [job, window] : jobs) {
    if (window.shared_with(log) <= most) continue;
    most = window.shared_with(log);
    best = job;
  }
  return best;
}

// The steps by the time at which they ended.
class StepClock {
 public:
  explicit StepClock(const RunLog& log) {
    for (const Step& step : log.steps) {
      if (step.end_s) steps_.push_back(&step);
    }
    std::stable_sort(steps_.begin(), steps_.end(), [](const Step* a, const Step* b) { return *a->end_s < *b->end_s; });
  }

  // Puts the event behind the last step that ended before it.
  void place(Event& event) const {
    const auto after = std::upper_bound(steps_.begin(), steps_.end(), *time_of(event),
                                        [](double when, const Step* step) { return when < *step->end_s; });
    if (after == steps_.begin()) return;
    event.attempt = (*std::prev(after))->attempt;
    event.after_step = (*std::prev(after))->index;
  }

 private:
  std::vector<const Step*> steps_;
};

bool comes_before(const Event& a, const Event& b) {
  if (a.attempt != b.attempt) return a.attempt < b.attempt;
  return a.after_step.value_or(-1) < b.after_step.value_or(-1);
}

// The log's events in their order, with the others in front of the first that comes after them.
void merge(std::vector<Event> others, std::vector<Event>& events) {
  std::stable_sort(others.begin(), others.end(), comes_before);
  std::vector<Event> merged;
  auto next = others.begin();
  for (Event& event : events) {
    while (next != others.end() && comes_before(*next, event)) merged.push_back(std::move(*next++));
    merged.push_back(std::move(event));
  }
  merged.insert(merged.end(), std::make_move_iterator(next), std::make_move_iterator(others.end()));
  events = std::move(merged);
}

// The events of one file that belong to the run.
std::vector<Event> events_of_run(const ClusterRecords& file, const Window& around, const std::string& job) {
  std::vector<Event> events;
  for (const Event& event : file.events) {
    const Maybe when = time_of(event);
    if (!when) continue;
    const bool belongs = file.kind == kAccounting ? event.subject == job : *when >= around.begin && *when <= around.end;
    if (belongs) events.push_back(event);
  }
  return events;
}

}  // namespace

JoinedLog join_records(const RunLog& log, const std::vector<ClusterRecords>& records) {
  JoinedLog joined{log, 0, {}};
  const auto window = window_of(log);
  if (!window) return joined;
  const Window around{window->begin - kSlack_s, window->end + kSlack_s};
  const StepClock clock(log);
  std::vector<Event> all;
  for (const ClusterRecords& file : records) {
    if (!file.first_s || Window{*file.first_s, *file.last_s}.shared_with(around) < 0) continue;
    const std::string job = file.kind == kAccounting ? job_of(file, *window) : "";
    std::vector<Event> events = events_of_run(file, around, job);
    if (events.empty()) continue;
    const auto count = static_cast<std::int64_t>(events.size());
    joined.events_joined += count;
    joined.assumptions.push_back({"records.same_clock", {{"file", file.file}, {"events", count}}});
    if (!job.empty()) joined.assumptions.push_back({"records.job", {{"file", file.file}, {"job", job}}});
    for (Event& event : events) {
      clock.place(event);
      all.push_back(std::move(event));
    }
  }
  merge(std::move(all), joined.log.events);
  return joined;
}

std::vector<Event> stuck_events(const std::vector<StuckCollective>& stuck, const std::string& file) {
  std::vector<Event> events;
  for (const StuckCollective& each : stuck) {
    Event event;
    event.event_class = EventClass::collective_stuck;
    event.scope = EventScope::rank;
    event.subject = fmt::format("rank {}", fmt::join(each.ranks, ", "));
    event.begin_s = each.since_s;
    event.evidence = {file, 0,
                      fmt::format("{} {} #{} {} waits for {}", each.description, each.operation, each.sequence,
                                  each.input_sizes, event.subject)};
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace nameplate
