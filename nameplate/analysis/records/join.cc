#include "nameplate/analysis/records/join.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace nameplate {
namespace {

constexpr double kSlack_s = 600;

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

// Puts the event behind the last step that ended before it.
void place(Event& event, const RunLog& log) {
  const double when = *time_of(event);
  for (const Step& step : log.steps) {
    if (!step.end_s || *step.end_s > when) continue;
    event.attempt = step.attempt;
    event.after_step = step.index;
  }
}

bool comes_before(const Event& a, const Event& b) {
  if (a.attempt != b.attempt) return a.attempt < b.attempt;
  return a.after_step.value_or(-1) < b.after_step.value_or(-1);
}

void insert(RunLog& log, Event event) {
  const auto at = std::find_if(log.events.begin(), log.events.end(),
                               [&](const Event& known) { return comes_before(event, known); });
  log.events.insert(at, std::move(event));
}

}  // namespace

JoinedLog join_records(const RunLog& log, const std::vector<ClusterRecords>& records) {
  JoinedLog joined{log, 0, {}};
  const auto window = window_of(log);
  if (!window) return joined;
  const Window around{window->begin - kSlack_s, window->end + kSlack_s};
  for (const ClusterRecords& file : records) {
    if (!file.first_s || Window{*file.first_s, *file.last_s}.shared_with(around) < 0) continue;
    const bool accounting = file.kind == "slurm-sacct";
    const std::string job = accounting ? job_of(file, *window) : "";
    std::int64_t count = 0;
    for (const Event& event : file.events) {
      const Maybe when = time_of(event);
      if (!when || (accounting && event.subject != job)) continue;
      if (!accounting && (*when < around.begin || *when > around.end)) continue;
      Event placed = event;
      place(placed, log);
      insert(joined.log, std::move(placed));
      ++count;
    }
    if (count == 0) continue;
    joined.events_joined += count;
    joined.assumptions.push_back({"records.same_clock", {{"file", file.file}, {"events", count}}});
    if (accounting) joined.assumptions.push_back({"records.job", {{"file", file.file}, {"job", job}}});
  }
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
