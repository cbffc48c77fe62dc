#include "nameplate/analysis/steptime/pipeline.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "nameplate/analysis/steptime/pipeline_order.h"
#include "nameplate/core/check.h"
#include "nameplate/core/exact.h"

namespace nameplate {
namespace {

using Picoseconds = std::int64_t;
using enum PipelineOpKind;

constexpr std::int64_t kMostPasses = 20'000'000;  // of micro-batches through chunks: what a schedule is worked out for
constexpr Seconds kLongestStep = seconds(4e6);    // all stages' work one after the other, in picoseconds of 64 bits
constexpr std::int64_t kMostPeriodsPerTwin = 4;   // a steady state may alternate between a few patterns

Picoseconds picoseconds(Seconds t) { return std::llround(t.base() * 1e12); }
Seconds to_seconds(Picoseconds t) { return seconds(static_cast<double>(t) * 1e-12); }

// Where an operation's input comes from and its output goes to. Parts of the model are numbered along the way of a
// micro-batch; under DualPipe those of the second direction follow those of the first.
struct Place {
  std::int64_t part = 0;
  bool first = false;              // of the model: its forward pass waits for nobody
  bool last = false;               // its backward pass waits for its own forward pass, which is before it in the order
  bool previous_elsewhere = true;  // the part before it is on another stage
  bool next_elsewhere = true;
};

Place place_of(const OrderShape& s, std::int64_t stage, std::int64_t chunk) {
  const std::int64_t p = s.stages;
  if (s.schedule == PipelineSchedule::dualpipe) {
    const std::int64_t along = chunk == 0 ? stage : p - 1 - stage;
    return {chunk * p + along, along == 0, along == p - 1, true, true};
  }
  const bool v_shaped = s.schedule == PipelineSchedule::zero_bubble && s.chunks == 2;
  const std::int64_t part = v_shaped && chunk == 1 ? 2 * p - 1 - stage : chunk * p + stage;
  const bool turns = v_shaped && stage == p - 1;
  return {part, part == 0, part == p * s.chunks - 1, p > 1 && !(turns && chunk == 1), p > 1 && !(turns && chunk == 0)};
}

// A chunk on a stage: its times, the rows of end times that it reads and writes, by micro-batch, and what a transfer
// adds before it reads (delay) or after it wrote (send).
struct Lane {
  Picoseconds forward, backward, backward_input, backward_weight;
  const Picoseconds* forward_from;
  Picoseconds forward_delay;
  Picoseconds* forward_to;
  Picoseconds forward_send;
  const Picoseconds* backward_from;
  Picoseconds backward_delay;
  Picoseconds* backward_to;
  Picoseconds backward_send;
};

struct StageState {
  StageOrder order;
  std::vector<Lane> lanes;        // by chunk
  std::vector<Picoseconds> ends;  // of the operations done, in order
  Picoseconds free = 0;
  Picoseconds first_start = 0;
  Picoseconds first_backward = -1;
  Picoseconds last_forward = 0;
};

struct Work {
  Picoseconds busy = 0;
  Picoseconds sending = 0;
};

bool has_forward(PipelineOpKind kind) { return kind == forward || kind == forward_backward; }
bool has_backward(PipelineOpKind kind) { return kind != forward && kind != backward_weight; }

class Execution {
 public:
  Execution(const PipelineInput& input, std::int64_t micro_batches)
      : input_(input),
        shape_{input.schedule, input.stages, input.chunks, micro_batches},
        forward_ends_(static_cast<std::size_t>(input.stages * input.chunks * micro_batches), kNotDone),
        backward_ends_(forward_ends_),
        at_once_(static_cast<std::size_t>(micro_batches), 0),
        stages_(static_cast<std::size_t>(input.stages)) {
    for (std::size_t i = 0; i < stages_.size(); ++i) prepare(static_cast<std::int64_t>(i), stages_[i]);
  }
  Execution(const Execution&) = delete;  // lanes point into it
  Execution& operator=(const Execution&) = delete;

  // Sweeps over the stages, down and up in turn, each as far as its inputs allow. Every sweep does at least one
  // operation, since an order never waits in a circle.
  void run() {
    bool progress = true;
    for (bool down = true; progress; down = !down) {
      progress = false;
      for (std::size_t i = 0; i < stages_.size(); ++i) {
        StageState& stage = stages_[down ? i : stages_.size() - 1 - i];
        while (stage.ends.size() < stage.order.ops.size() && step(stage)) progress = true;
      }
    }
    for (const StageState& stage : stages_) NAMEPLATE_CHECK(stage.ends.size() == stage.order.ops.size());
  }

  const OrderShape& shape() const { return shape_; }
  const std::vector<StageState>& stages() const { return stages_; }
  Picoseconds makespan() const {
    Picoseconds latest = 0;
    for (const StageState& stage : stages_) latest = std::max(latest, stage.free);
    return latest;
  }
  Picoseconds duration(const StageState& stage, const PipelineOp& op) const {
    const Lane& lane = stage.lanes[op.chunk];
    switch (op.kind) {
      case forward:
        return lane.forward;
      case backward:
        return lane.backward;
      case backward_input:
        return lane.backward_input;
      case backward_weight:
        return lane.backward_weight;
      case forward_backward:
        break;
    }
    const Picoseconds apart = lane.forward + stage.lanes[1 - op.chunk].backward;
    return std::llround(input_.joint_ratio * static_cast<double>(apart));
  }
  // Of operations [begin, end) of a stage, `times` times.
  Work work(const StageState& stage, std::size_t begin, std::size_t end, std::int64_t times) const {
    Work sum;
    for (std::size_t i = begin; i < end; ++i) {
      const PipelineOp& op = stage.order.ops[i];
      sum.busy += duration(stage, op);
      if (has_forward(op.kind)) sum.sending += stage.lanes[op.chunk].forward_send;
      if (has_backward(op.kind)) sum.sending += backward_lane(stage, op).backward_send;
    }
    return {times * sum.busy, times * sum.sending};
  }

 private:
  static constexpr Picoseconds kNotDone = -1;

  static const Lane& backward_lane(const StageState& stage, const PipelineOp& op) {
    return stage.lanes[op.kind == forward_backward ? 1 - op.chunk : op.chunk];
  }

  void prepare(std::int64_t index, StageState& stage) {
    stage.order = stage_order(shape_, index);
    stage.ends.reserve(stage.order.ops.size());
    for (std::int64_t chunk = 0; chunk < shape_.chunks; ++chunk) stage.lanes.push_back(lane(index, chunk));
  }

  Lane lane(std::int64_t stage, std::int64_t chunk) {
    const ChunkTimes& t = input_.times[static_cast<std::size_t>(stage * shape_.chunks + chunk)];
    const Place place = place_of(shape_, stage, chunk);
    const Picoseconds transfer = picoseconds(input_.transfer);
    const Picoseconds to_input = picoseconds(t.recompute) + picoseconds(t.backward_input);
    const Picoseconds to_weight = picoseconds(t.backward_weight);
    const Picoseconds down = !place.first && place.previous_elsewhere ? transfer : 0;
    const Picoseconds up = !place.last && place.next_elsewhere ? transfer : 0;
    const bool blocks = input_.transfer_blocks;
    return {.forward = picoseconds(t.forward),
            .backward = to_input + to_weight,
            .backward_input = to_input,
            .backward_weight = to_weight,
            .forward_from = place.first ? at_once_.data() : row(forward_ends_, place.part - 1),
            .forward_delay = down,
            .forward_to = row(forward_ends_, place.part),
            .forward_send = blocks ? up : 0,
            .backward_from = place.last ? at_once_.data() : row(backward_ends_, place.part + 1),
            .backward_delay = up,
            .backward_to = row(backward_ends_, place.part),
            .backward_send = blocks ? down : 0};
  }
  Picoseconds* row(std::vector<Picoseconds>& ends, std::int64_t part) const {
    return ends.data() + part * shape_.micro_batches;
  }

  // When the operation's input is there; kNotDone while that is not known.
  static Picoseconds ready(const StageState& stage, const PipelineOp& op) {
    Picoseconds at = 0;
    if (has_forward(op.kind)) {
      const Lane& lane = stage.lanes[op.chunk];
      const Picoseconds end = lane.forward_from[op.micro_batch];
      if (end == kNotDone) return kNotDone;
      at = end + lane.forward_delay;
    }
    if (has_backward(op.kind)) {
      const Lane& lane = backward_lane(stage, op);
      const Picoseconds end = lane.backward_from[op.kind == forward_backward ? op.second : op.micro_batch];
      if (end == kNotDone) return kNotDone;
      at = std::max(at, end + lane.backward_delay);
    }
    return at;
  }

  // Does the next operation of the stage if its input is known.
  bool step(StageState& stage) const {
    const PipelineOp& op = stage.order.ops[stage.ends.size()];
    const Picoseconds input = ready(stage, op);
    if (input == kNotDone) return false;
    const Picoseconds begin = std::max(stage.free, input);
    const Picoseconds end = begin + duration(stage, op);
    if (stage.ends.empty()) stage.first_start = begin;
    stage.ends.push_back(end);
    stage.free = end;
    if (has_forward(op.kind)) {
      const Lane& lane = stage.lanes[op.chunk];
      lane.forward_to[op.micro_batch] = end;
      stage.last_forward = end;
      stage.free += lane.forward_send;
    }
    if (has_backward(op.kind)) {
      const Lane& lane = backward_lane(stage, op);
      lane.backward_to[op.kind == forward_backward ? op.second : op.micro_batch] = end;
      if (stage.first_backward < 0) stage.first_backward = begin;
      stage.free += lane.backward_send;
    }
    return true;
  }

  const PipelineInput& input_;
  OrderShape shape_;
  std::vector<Picoseconds> forward_ends_;  // by part and micro-batch
  std::vector<Picoseconds> backward_ends_;
  std::vector<Picoseconds> at_once_;  // what nobody is waited for
  std::vector<StageState> stages_;
};

// In the steady part, every operation of the last period ends `interval` after its twin `periods` periods before.
struct Repetition {
  std::int64_t periods = 1;
  Picoseconds interval = 0;
};

std::optional<Picoseconds> interval_of(const std::vector<StageState>& stages, std::size_t periods) {
  std::optional<Picoseconds> interval;
  for (const StageState& stage : stages) {
    const SteadyPart& steady = stage.order.steady;
    if (steady.periods < periods + 1) return std::nullopt;
    const std::size_t last = steady.begin + steady.length * (steady.periods - 1);
    for (std::size_t i = last; i < last + steady.length; ++i) {
      const Picoseconds apart = stage.ends[i] - stage.ends[i - periods * steady.length];
      if (interval && *interval != apart) return std::nullopt;
      interval = apart;
    }
  }
  return interval;
}

std::optional<Repetition> repetition(const std::vector<StageState>& stages) {
  for (std::int64_t periods = 1; periods <= kMostPeriodsPerTwin; ++periods) {
    if (const auto interval = interval_of(stages, static_cast<std::size_t>(periods)))
      return Repetition{periods, *interval};
  }
  return std::nullopt;
}

// The most chunks whose activations a stage holds at a time. A steady period leaves as many as it found, so one counts.
std::int64_t peak_chunks(const StageOrder& order) {
  const SteadyPart& steady = order.steady;
  std::int64_t held = 0;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < order.ops.size(); ++i) {
    if (steady.periods > 1 && i == steady.begin + steady.length) i += steady.length * (steady.periods - 1);
    if (i == order.ops.size()) break;
    const PipelineOpKind kind = order.ops[i].kind;
    if (kind == forward) ++held;
    most = std::max(most, held + (kind == forward_backward ? 1 : 0));  // both at once
    if (kind == backward || kind == backward_weight) --held;
  }
  return most;
}

Work whole_work(const Execution& execution, const StageState& stage, std::int64_t more_periods) {
  const SteadyPart& steady = stage.order.steady;
  const std::size_t end = steady.begin + steady.length * steady.periods;
  const Work before = execution.work(stage, 0, steady.begin, 1);
  const Work inside = execution.work(stage, steady.begin, steady.begin + steady.length,
                                     static_cast<std::int64_t>(steady.periods) + more_periods);
  const Work after = execution.work(stage, end, stage.order.ops.size(), 1);
  return {before.busy + inside.busy + after.busy, before.sending + inside.sending + after.sending};
}

// The result of `execution` with its steady repetition `skipped` times more.
PipelineResult result_of(const Execution& execution, const PipelineInput& input, std::int64_t skipped,
                         Repetition repeated) {
  PipelineResult result;
  const Picoseconds added = skipped * repeated.interval;
  const Picoseconds makespan = execution.makespan() + added;
  result.makespan = to_seconds(makespan);
  result.micro_batches_run = execution.shape().micro_batches;
  for (const StageState& stage : execution.stages()) {
    const Work sum = whole_work(execution, stage, skipped * repeated.periods);
    result.stages.push_back(
        {.busy = to_seconds(sum.busy),
         .sending = to_seconds(sum.sending),
         .idle = to_seconds(makespan - sum.busy - sum.sending),
         .warm_up = to_seconds(stage.first_backward),
         .cool_down = to_seconds(execution.makespan() - stage.last_forward),
         .first_start = to_seconds(stage.first_start),
         .last_end = to_seconds(stage.ends.back() + added),
         .peak_in_flight = static_cast<double>(peak_chunks(stage.order)) / static_cast<double>(input.chunks)});
  }
  return result;
}

// All work and transfers one after the other: no schedule takes longer.
Seconds serial_time(const PipelineInput& input) {
  Seconds sum;
  for (const ChunkTimes& t : input.times) {
    sum += t.forward + t.recompute + t.backward_input + t.backward_weight + 2 * input.transfer;
  }
  return sum * static_cast<double>(input.micro_batches);
}

}  // namespace

std::string_view name(PipelineOpKind kind) {
  switch (kind) {
    case forward:
      return "forward";
    case backward:
      return "backward";
    case backward_input:
      return "backward_input";
    case backward_weight:
      return "backward_weight";
    case forward_backward:
      return "forward_backward";
  }
  return {};
}

Status check(const PipelineInput& input) {
  const auto [schedule, p, v, m] = OrderShape{input.schedule, input.stages, input.chunks, input.micro_batches};
  if (p < 1 || m < 1 || v < 1 || v > 127 || std::ssize(input.times) != p * v) {
    return error(fmt::format("a pipeline of {} stages with {} chunks each and {} micro-batches", p, v, m));
  }
  if (Int128{p} * v * m > kMostPasses) {
    return error(fmt::format("a pipeline of {} stages with {} chunks each and {} micro-batches", p, v, m),
                 "at most 20 million passes of a micro-batch through a chunk");
  }
  if (!(serial_time(input) <= kLongestStep)) {
    return error(fmt::format("a step whose stages work {:.3g} s together", serial_time(input).base()),
                 fmt::format("at most {:.0e} s: a smaller batch or shorter sequences", kLongestStep.base()));
  }
  const bool one_chunk = schedule == PipelineSchedule::gpipe || schedule == PipelineSchedule::one_f_one_b;
  if (one_chunk && v != 1) return error(fmt::format("{} chunks a stage", v), "plan.schedule = \"interleaved\"");
  if (schedule == PipelineSchedule::zero_bubble && v > 2) {
    return error(fmt::format("zero_bubble with {} chunks a stage", v), "1 (ZB-H1) or 2 (ZB-V)");
  }
  if (schedule != PipelineSchedule::dualpipe) return std::nullopt;
  if (v != 2 || p % 2 != 0) return error(fmt::format("dualpipe on {} stages", p), "an even number of stages");
  if (m % 2 != 0 || m < 2 * p) {
    return error(fmt::format("dualpipe with {} micro-batches on {} stages", m, p),
                 "an even number of micro-batches, at least two for each stage");
  }
  return std::nullopt;
}

std::vector<double> peak_in_flight(const PipelineInput& input) {
  OrderShape shape{input.schedule, input.stages, input.chunks, input.micro_batches};
  // One period counts for all that repeat.
  if (shape.schedule != PipelineSchedule::gpipe) {
    shape.micro_batches = std::min(shape.micro_batches, micro_batches_for_periods(shape, 2));
  }
  std::vector<double> held;
  for (std::int64_t stage = 0; stage < shape.stages; ++stage) {
    held.push_back(static_cast<double>(peak_chunks(stage_order(shape, stage))) / static_cast<double>(shape.chunks));
  }
  return held;
}

PipelineResult run_pipeline_in_full(const PipelineInput& input) {
  Execution execution(input, input.micro_batches);
  execution.run();
  return result_of(execution, input, 0, {});
}

PipelineResult run_pipeline(const PipelineInput& input) {
  if (input.schedule == PipelineSchedule::gpipe) return run_pipeline_in_full(input);
  const OrderShape shape{input.schedule, input.stages, input.chunks, input.micro_batches};
  const std::int64_t unit = period_micro_batches(shape);
  // A state takes up to about one period a stage to settle where a period is one micro-batch.
  std::int64_t periods = shape.stages / unit + 2;
  while (true) {
    const std::int64_t some = micro_batches_for_periods(shape, periods);
    if (some >= input.micro_batches) return run_pipeline_in_full(input);
    Execution execution(input, some);
    execution.run();
    const std::int64_t left = (input.micro_batches - some) / unit;
    const std::optional<Repetition> found = repetition(execution.stages());
    if (found && left % found->periods == 0) return result_of(execution, input, left / found->periods, *found);
    periods = found ? periods + left % found->periods : 2 * periods;
  }
}

std::vector<PipelineEvent> pipeline_events(const PipelineInput& input) {
  Execution execution(input, input.micro_batches);
  execution.run();
  std::vector<PipelineEvent> events;
  for (std::size_t s = 0; s < execution.stages().size(); ++s) {
    const StageState& stage = execution.stages()[s];
    for (std::size_t i = 0; i < stage.ends.size(); ++i) {
      const PipelineOp& op = stage.order.ops[i];
      const Picoseconds begin = stage.ends[i] - execution.duration(stage, op);
      events.push_back({op.kind, static_cast<std::int64_t>(s), op.chunk, op.micro_batch, op.second, to_seconds(begin),
                        to_seconds(stage.ends[i])});
    }
  }
  return events;
}

}  // namespace nameplate
