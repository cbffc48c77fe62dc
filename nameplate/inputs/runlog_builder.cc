#include "nameplate/inputs/runlog_builder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nameplate {
namespace {

constexpr double kLongestStep = 10 * 86400.0;
constexpr double kLeastRestart = 60;  // seconds: no job starts anew and redoes a step in less
constexpr std::size_t kLongestQuote = 200;

bool is_apart(const Maybe& a, const Maybe& b, double seconds) { return a && b && std::abs(*a - *b) > seconds; }

void fill(Maybe& value, const Maybe& other) {
  if (!value) value = other;
}

int drop(Maybe& value) {
  value = Maybe();
  return 1;
}

}  // namespace

void RunLogBuilder::begin_file(const std::string& path) {
  file_ = path;
  log_.files.push_back(path);
  is_first_row_of_file_ = true;
  ++epoch_;
}

void RunLogBuilder::begin_line(const LogLine& line) {
  line_ = line;
  if (!line.timestamp_s) return;
  if (!log_.first_time_s) log_.first_time_s = line.timestamp_s;
  log_.last_time_s = line.timestamp_s;
}

RunLogBuilder::RankState& RunLogBuilder::current_rank() {
  const std::string_view name = line_.rank.value_or(std::string_view{});
  auto found = ranks_.find(name);
  if (found == ranks_.end()) found = ranks_.emplace(std::string(name), RankState{}).first;
  RankState& rank = found->second;
  if (rank.epoch != epoch_) {
    rank = {};
    rank.epoch = epoch_;
  }
  return rank;
}

void RunLogBuilder::add_step(const StepLine& step) {
  if (step.index < 0) return count_invalid(1);
  const Maybe time = step.timestamp_s ? step.timestamp_s : line_.timestamp_s;
  const bool is_behind = has_rows() && step.index <= log_.steps.back().index;
  const Step* known = is_behind ? find_row(step.index) : nullptr;
  if (is_behind && is_restart(step.index, time, current_rank(), known)) {
    begin_attempt();
    known = nullptr;
  }
  is_first_row_of_file_ = false;
  RankState& rank = current_rank();
  last_rank_ = &rank;
  rank.last_index = step.index;
  rank.last_time = time;
  rank.row = Row::dropped;
  if (known != nullptr) {
    ++repeated_;
    return;
  }
  start_event_.reset();
  rank.row = Row::kept;
  const Step row = checked_row(step, time);
  if (has_rows() && step.index < log_.steps.back().index) {
    late_.emplace(step.index, row);
  } else {
    log_.steps.push_back(row);
  }
}

// The rules stand at the top of runlog_builder.h. `known` is the attempt's row of the same index, if there is one.
bool RunLogBuilder::is_restart(std::int64_t index, const Maybe& time, const RankState& rank, const Step* known) const {
  const bool has_clocks = known != nullptr && known->end_s && time;
  const double window = std::max(kLeastRestart, 2 * step_seconds());
  if (has_clocks && is_apart(known->end_s, time, window)) return true;
  if (is_first_row_of_file_) return !has_clocks;
  if (rank.last_index < index) return false;
  if (rank.last_index == index) return start_event_ && !has_clocks;
  if (start_event_ || (line_.rank && !time)) return true;
  if (index < third_last_index()) return true;
  return is_apart(time, rank.last_time, std::max(1.0, 2 * step_seconds()));
}

std::int64_t RunLogBuilder::third_last_index() const {
  const std::size_t rows = log_.steps.size() - attempt_first_row_;
  return log_.steps[log_.steps.size() - std::min<std::size_t>(rows, 3)].index;
}

double RunLogBuilder::step_seconds() const {
  const Step& last = log_.steps.back();
  if (last.duration_s) return *last.duration_s;
  if (log_.steps.size() < attempt_first_row_ + 2) return 0;
  const Step& before = log_.steps[log_.steps.size() - 2];
  if (!last.end_s || !before.end_s) return 0;
  return std::abs(*last.end_s - *before.end_s) / static_cast<double>(last.index - before.index);
}

Step* RunLogBuilder::find_in_order(std::int64_t index) {
  const auto first = log_.steps.begin() + static_cast<std::ptrdiff_t>(attempt_first_row_);
  const auto found = std::lower_bound(first, log_.steps.end(), index,
                                      [](const Step& row, std::int64_t wanted) { return row.index < wanted; });
  return found != log_.steps.end() && found->index == index ? &*found : nullptr;
}

Step* RunLogBuilder::find_row(std::int64_t index) {
  if (Step* row = find_in_order(index)) return row;
  const auto late = late_.find(index);
  return late == late_.end() ? nullptr : &late->second;
}

Step* RunLogBuilder::last_step() {
  const RankState* rank = line_.rank ? &current_rank() : last_rank_;
  const bool is_kept = rank != nullptr && rank->epoch == epoch_ && rank->row == Row::kept;
  return is_kept ? find_row(rank->last_index) : nullptr;
}

void RunLogBuilder::count_invalid(std::int64_t count) {
  if (count > 0) add_defect({"log.invalid_value", {{"file", file_}}}, Severity::data_loss, count);
}

Step RunLogBuilder::checked_row(const StepLine& step, const Maybe& time) {
  Step row;
  row.attempt = attempt_;
  row.index = step.index;
  row.line = line_.number;
  row.end_s = time;
  row.duration_s = step.duration_s;
  row.tokens = step.tokens;
  row.samples = step.samples;
  row.loss = step.loss;
  row.claimed_tokens_per_s = step.claimed_tokens_per_s;
  row.claimed_tflops = step.claimed_tflops;
  row.claimed_mfu = step.claimed_mfu;
  int dropped = step.unreadable;
  if (row.duration_s && !(*row.duration_s > 0 && *row.duration_s <= kLongestStep)) dropped += drop(row.duration_s);
  for (Maybe* amount : {&row.tokens, &row.samples, &row.claimed_tokens_per_s, &row.claimed_tflops, &row.claimed_mfu}) {
    if (*amount && !(**amount >= 0 && std::isfinite(**amount))) dropped += drop(*amount);
  }
  count_invalid(dropped);
  const bool is_timed = row.duration_s || row.end_s || row.claimed_tokens_per_s;
  if (dropped > 0 && !is_timed) row.step_class = StepClass::invalid;
  return row;
}

// What was read since a start belongs to the attempt that the start began.
void RunLogBuilder::begin_attempt() {
  sort_in_late_rows();
  ++attempt_;
  ++epoch_;
  attempt_first_row_ = log_.steps.size();
  for (std::size_t i = start_event_.value_or(log_.events.size()); i < log_.events.size(); ++i) {
    log_.events[i].attempt = attempt_;
    log_.events[i].after_step.reset();
  }
  start_event_.reset();
}

void RunLogBuilder::sort_in_late_rows() {
  if (late_.empty()) return;
  const std::size_t in_order_end = log_.steps.size();
  for (const auto& [index, row] : late_) log_.steps.push_back(row);
  late_.clear();
  const auto begin = log_.steps.begin();
  std::inplace_merge(begin + static_cast<std::ptrdiff_t>(attempt_first_row_),
                     begin + static_cast<std::ptrdiff_t>(in_order_end), log_.steps.end(),
                     [](const Step& a, const Step& b) { return a.index < b.index; });
}

Event* RunLogBuilder::find_same_event(const Event& event) {
  constexpr std::size_t kMostEvents = 64;  // between two rows
  for (std::size_t i = log_.events.size(); i-- > 0 && i + kMostEvents > log_.events.size();) {
    Event& known = log_.events[i];
    if (known.attempt == event.attempt && known.after_step == event.after_step &&
        known.event_class == event.event_class && known.subject == event.subject) {
      return &known;
    }
  }
  return nullptr;
}

void RunLogBuilder::add_event(Event event) {
  event.attempt = attempt_;
  if (!event.after_step && has_rows()) event.after_step = log_.steps.back().index;
  if (Event* known = find_same_event(event)) {
    fill(known->begin_s, event.begin_s);
    fill(known->end_s, event.end_s);
    fill(known->duration_s, event.duration_s);
    return;
  }
  if (event.event_class == EventClass::start && !start_event_) start_event_ = log_.events.size();
  event.evidence = evidence();
  log_.events.push_back(std::move(event));
}

Evidence RunLogBuilder::evidence() const {
  return {file_, line_.number, std::string(line_.whole.substr(0, kLongestQuote))};
}

const LogFact* RunLogBuilder::find_fact(std::string_view key) const {
  const auto found = std::find_if(log_.facts.begin(), log_.facts.end(), [&](const LogFact& f) { return f.key == key; });
  return found == log_.facts.end() ? nullptr : &*found;
}

void RunLogBuilder::add_fact(std::string_view key, std::string_view value) {
  if (const LogFact* known = find_fact(key)) {
    if (known->value != value) add_defect({"log.fact_changed", {{"key", std::string(key)}}}, Severity::info);
    return;
  }
  log_.facts.push_back({std::string(key), std::string(value), evidence()});
}

void RunLogBuilder::add_defect(Message message, Severity severity, std::int64_t count) {
  nameplate::add_defect(log_.defects, std::move(message), severity, count);
}

RunLog RunLogBuilder::finish() {
  sort_in_late_rows();
  if (repeated_ > 0) add_defect({"log.repeated_step", {}}, Severity::info, repeated_);
  log_.ranks_seen = static_cast<std::int64_t>(ranks_.size() - ranks_.count(std::string_view{}));
  return std::move(log_);
}

}  // namespace nameplate
