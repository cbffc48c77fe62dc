// The order of operations on each stage, schedule by schedule. Internal to analysis/steptime/pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nameplate/analysis/steptime/pipeline.h"

namespace nameplate {

struct PipelineOp {
  PipelineOpKind kind = PipelineOpKind::forward;
  std::uint8_t chunk = 0;
  std::int32_t micro_batch = 0;  // DualPipe: of its direction
  std::int32_t second = -1;      // of a forward_backward: the micro-batch of the backward pass, in the other chunk
};

// The part of an order that repeats: `periods` times `length` operations from `begin`; as many periods on every stage.
// What an operation in it or behind it waits for on another stage is at most one period back. None for GPipe, which
// would have two.
struct SteadyPart {
  std::size_t begin = 0;
  std::size_t length = 0;
  std::size_t periods = 0;
};

struct StageOrder {
  std::vector<PipelineOp> ops;
  SteadyPart steady;
};

struct OrderShape {
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  std::int64_t stages = 1;
  std::int64_t chunks = 1;
  std::int64_t micro_batches = 1;
};

StageOrder stage_order(const OrderShape& shape, std::int64_t stage);

// Micro-batches of one steady period.
std::int64_t period_micro_batches(const OrderShape& shape);
// The fewest micro-batches, congruent to those of `shape` modulo the period's, whose orders have `periods` steady
// periods.
std::int64_t micro_batches_for_periods(const OrderShape& shape, std::int64_t periods);

}  // namespace nameplate
