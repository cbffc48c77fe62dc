// When does each stage of a pipeline work on what, and when is the last one done?
//
// Method: every schedule is a fixed order of operations on each stage (pipeline_order.h). An operation starts when its
// stage is free and its input has arrived; so the start times are the longest paths of a graph, computed once through.
// Nothing is assumed of the times: stages and chunks may differ (embedding, output head, uneven layers). Times are
// whole picoseconds inside, so that a state that repeats repeats exactly: when every operation of a steady period ends
// the same interval after its twin one (or a few) periods before, all further periods do, and they are skipped.
//
// Sources: GPipe (Huang et al. 2019, arXiv 1811.06965); 1F1B and interleaving (Narayanan et al. 2021, arXiv 2104.04473,
// section 2.2; Megatron Core's schedules.py); ZB-H1 (Qi et al. 2023, arXiv 2401.10241); ZB-V (Qi et al. 2024, arXiv
// 2405.15362; order as in PyTorch's ScheduleZBVZeroBubble); DualPipe (DeepSeek-V3 report, arXiv 2412.19437, and its
// published dualpipe.py). Range: one step, every micro-batch alike. The closed forms of these papers are its test.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/plan.h"

namespace nameplate {

// Of one micro-batch in one chunk of the model.
struct ChunkTimes {
  Seconds forward;
  Seconds recompute;  // before the backward pass
  Seconds backward_input;
  Seconds backward_weight;
  bool operator==(const ChunkTimes&) const = default;
};

struct PipelineInput {
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  std::int64_t stages = 1;
  // Model chunks on a stage: 1; more when interleaved; zero_bubble with 1 is ZB-H1, with 2 ZB-V, where chunk 1 of stage
  // s is part 2 p - 1 - s of the model. DualPipe has 2, one for each direction: chunk 0 of stage s is part s, chunk 1
  // part p - 1 - s.
  std::int64_t chunks = 1;
  std::int64_t micro_batches = 1;  // of one replica in one step; DualPipe: both directions together
  std::vector<ChunkTimes> times;   // of chunk c on stage s at [s * chunks + c]
  Seconds transfer;                // of one micro-batch's activations, or their gradient, to a neighbour
  bool transfer_blocks = false;    // the sender does nothing else meanwhile
  double joint_ratio = 1;          // DualPipe: a forward and a backward run together take this share of their sum
};

// What a pipeline cannot be: stages without chunks, DualPipe on an odd number of stages, work beyond picoseconds in 64
// bits, …
Status check(const PipelineInput& input);

struct StageUse {
  Seconds busy;               // computing
  Seconds sending;            // where transfers block
  Seconds idle;               // the rest of the makespan
  Seconds warm_up;            // until its first backward pass begins
  Seconds cool_down;          // from the end of its last forward pass to the end of the step
  Seconds first_start;        // of its first operation
  Seconds last_end;           // of its last operation
  double peak_in_flight = 0;  // micro-batches whose activations it holds, a chunk's counting 1 / chunks
  bool operator==(const StageUse&) const = default;
};

struct PipelineResult {
  Seconds makespan;
  std::vector<StageUse> stages;
  std::int64_t micro_batches_run = 0;  // fewer than there are where periods were skipped
};

enum class PipelineOpKind : std::uint8_t { forward, backward, backward_input, backward_weight, forward_backward };
std::string_view name(PipelineOpKind kind);

// One operation on a stage. `backward` is recompute, backward_input and backward_weight in one. A forward_backward also
// runs the backward pass of `second_micro_batch` in the other chunk.
struct PipelineEvent {
  PipelineOpKind kind = PipelineOpKind::forward;
  std::int64_t stage = 0;
  std::int64_t chunk = 0;
  std::int64_t micro_batch = 0;
  std::int64_t second_micro_batch = -1;
  Seconds begin;
  Seconds end;
};

// `input` as check() accepts it.
PipelineResult run_pipeline(const PipelineInput& input);
PipelineResult run_pipeline_in_full(const PipelineInput& input);  // no period is skipped: what the other is tested by
// Micro-batches whose activations each stage holds at most, as StageUse counts them: a matter of the order alone, so
// `times` may be empty. Under DualPipe one counts both parts of a device.
std::vector<double> peak_in_flight(const PipelineInput& input);
// Every operation, by stage, each stage in the order of time.
std::vector<PipelineEvent> pipeline_events(const PipelineInput& input);

}  // namespace nameplate
