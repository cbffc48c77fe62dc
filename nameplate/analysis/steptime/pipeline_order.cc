#include "nameplate/analysis/steptime/pipeline_order.h"

#include <algorithm>

namespace nameplate {
namespace {

using enum PipelineOpKind;

struct OrderBuilder {
  StageOrder order;

  void add(PipelineOpKind kind, std::int64_t chunk, std::int64_t micro_batch, std::int64_t second = -1) {
    order.ops.push_back({kind, static_cast<std::uint8_t>(chunk), static_cast<std::int32_t>(micro_batch),
                         static_cast<std::int32_t>(second)});
  }
  void steady_from_here(std::size_t length, std::int64_t periods) {
    if (periods > 0) order.steady = {order.ops.size(), length, static_cast<std::size_t>(periods)};
  }
};

// All forward passes, then all backward passes, the last micro-batch first.
StageOrder gpipe(std::int64_t m) {
  OrderBuilder b;
  for (std::int64_t i = 0; i < m; ++i) b.add(forward, 0, i);
  for (std::int64_t i = m - 1; i >= 0; --i) b.add(backward, 0, i);
  return std::move(b.order);
}

// Stage s runs p - 1 - s forward passes ahead of its first backward pass.
StageOrder one_f_one_b(std::int64_t p, std::int64_t m, std::int64_t stage) {
  OrderBuilder b;
  const std::int64_t ahead = std::min(m, p - 1 - stage);
  for (std::int64_t i = 0; i < ahead; ++i) b.add(forward, 0, i);
  b.steady_from_here(2, m - p + 1);
  for (std::int64_t i = ahead; i < m; ++i) {
    b.add(forward, 0, i);
    b.add(backward, 0, i - ahead);
  }
  for (std::int64_t i = m - ahead; i < m; ++i) b.add(backward, 0, i);
  return std::move(b.order);
}

// Micro-batches go in groups of p, each through all chunks of a stage before the next group begins. The last group may
// be smaller: its order is that of a whole group, without the micro-batches that do not exist, so that no stage waits
// in a circle.
struct Interleaved {
  std::int64_t p, v, m, stage;
  OrderBuilder b;
  struct Turn {  // which chunk's, counted in the direction of the pass, and which micro-batch of which group is next
    std::int64_t chunk = 0, in_group = 0, group_begin = 0;
  };
  Turn forwards, backwards;

  void advance(Turn& turn) const {
    if (++turn.in_group < p) return;
    turn.in_group = 0;
    if (++turn.chunk < v) return;
    turn.chunk = 0;
    turn.group_begin += p;
  }
  void add_forward() {
    const std::int64_t i = forwards.group_begin + forwards.in_group;
    if (i < m) b.add(forward, forwards.chunk, i);
    advance(forwards);
  }
  void add_backward() {
    const std::int64_t i = backwards.group_begin + backwards.in_group;
    if (i < m) b.add(backward, v - 1 - backwards.chunk, i);
    advance(backwards);
  }

  StageOrder order() {
    b.order.ops.reserve(static_cast<std::size_t>(2 * m * v));
    const std::int64_t total = (m + p - 1) / p * p * v;
    const std::int64_t most_ahead = 2 * (p - 1) + (v - 1) * p;
    const std::int64_t ahead = std::min(total, most_ahead - 2 * stage);
    for (std::int64_t n = 0; n < ahead; ++n) add_forward();
    b.steady_from_here(static_cast<std::size_t>(2 * p * v), (m / p * p * v - most_ahead) / (p * v));
    for (std::int64_t n = ahead; n < total; ++n) {
      add_forward();
      add_backward();
    }
    for (std::int64_t n = 0; n < ahead; ++n) add_backward();
    return std::move(b.order);
  }
};

// ZB-H1: 1F1B whose weight gradients are put off on stage s by s micro-batches, so that no stage holds more activations
// than the first one does under 1F1B, and fill the gaps at the end.
StageOrder zero_bubble_h1(std::int64_t p, std::int64_t m, std::int64_t stage) {
  OrderBuilder b;
  const std::int64_t ahead = std::min(m, p - 1 - stage);
  const std::int64_t delay = std::min(m, stage);
  std::int64_t weights = 0;
  for (std::int64_t i = 0; i < ahead; ++i) b.add(forward, 0, i);
  for (std::int64_t i = 0; i < m; ++i) {
    if (i == delay) b.steady_from_here(3, m - p + 1);
    if (i + ahead < m) b.add(forward, 0, i + ahead);
    b.add(backward_input, 0, i);
    if (i >= delay) b.add(backward_weight, 0, weights++);
  }
  while (weights < m) b.add(backward_weight, 0, weights++);
  return std::move(b.order);
}

// ZB-V, as in PyTorch's ScheduleZBVZeroBubble. The order is made for at least 2 p - 1 micro-batches; those that do not
// exist are left out.
struct ZeroBubbleV {
  std::int64_t p, m, stage;
  OrderBuilder b;
  std::int64_t forwards[2] = {0, 0};
  std::int64_t inputs[2] = {0, 0};
  std::int64_t weights[2] = {0, 0};

  void add(PipelineOpKind kind, std::int64_t chunk) {
    std::int64_t(&count)[2] = kind == forward ? forwards : kind == backward_input ? inputs : weights;
    if (count[chunk] < m) b.add(kind, chunk, count[chunk]);
    ++count[chunk];
  }
  void add_backward(std::int64_t chunk) {
    add(backward_input, chunk);
    add(backward_weight, chunk);
  }

  void warm_up() {
    for (std::int64_t i = 0; i < 2 * (p - stage) - 1; ++i) add(forward, 0);
    for (std::int64_t i = 0; i < stage; ++i) {
      add(forward, 1);
      add(forward, 0);
    }
    for (std::int64_t i = 0; i < p - stage; ++i) {
      add(forward, 1);
      add_backward(1);
    }
  }

  void steady(std::int64_t count) {
    while (forwards[1] < forwards[0] || forwards[0] < count) {
      if (forwards[0] < count) add(forward, 0);
      add_backward(0);
      add(forward, 1);
      add_backward(1);
    }
  }

  void cool_down() {
    for (std::int64_t i = 0; i < stage; ++i) {
      add(backward_input, 0);
      add(backward_input, 1);
    }
    for (std::int64_t i = 0; i < p - stage; ++i) {
      add(backward_input, 0);
      add(backward_weight, 0);
    }
    while (weights[1] < inputs[1]) add(backward_weight, 1);
    while (weights[0] < inputs[0]) add(backward_weight, 0);
  }

  StageOrder order() {
    const std::int64_t count = std::max(2 * p - 1, m);
    warm_up();
    b.steady_from_here(6, m - 2 * p + 1);
    steady(count);
    cool_down();
    return std::move(b.order);
  }
};

// DualPipe, as in the published dualpipe.py: micro-batches enter from both ends, and in the main part the forward pass
// of one direction runs together with the backward pass of the other. `near` is the direction that enters at the end of
// the pipeline that is nearer to the stage, `half_rank` the distance from that end.
struct DualPipe {
  std::int64_t p, half_m, stage;
  OrderBuilder b;
  std::int64_t forwards[2] = {0, 0};
  std::int64_t backwards[2] = {0, 0};
  std::vector<std::pair<std::int64_t, std::int64_t>> put_off;  // weight gradients: chunk, micro-batch
  std::size_t weights = 0;

  std::int64_t near() const { return stage < p / 2 ? 0 : 1; }
  std::int64_t half_rank() const { return std::min(stage, p - 1 - stage); }
  std::int64_t direction(int phase) const { return phase == 0 ? near() : 1 - near(); }

  void add_forward(int phase) { b.add(forward, direction(phase), forwards[phase]++); }
  void add_backward(int phase, bool puts_off = false) {
    const std::int64_t i = backwards[phase]++;
    b.add(puts_off ? backward_input : backward, direction(phase), i);
    if (puts_off) put_off.emplace_back(direction(phase), i);
  }
  void add_weight() {
    const auto [chunk, i] = put_off[weights++];
    b.add(backward_weight, chunk, i);
  }
  void add_joint(int phase) {
    const std::int64_t first = forwards[phase]++;
    b.add(forward_backward, direction(phase), first, backwards[1 - phase]++);
  }

  void warm_up(std::int64_t h, std::int64_t outward) {
    for (std::int64_t i = 0; i < 2 * outward; ++i) add_forward(0);
    for (std::int64_t i = 0; i < h + 1; ++i) {
      add_forward(0);
      add_forward(1);
    }
    for (std::int64_t i = 0; i < outward; ++i) {
      add_backward(1, true);
      add_weight();
      add_forward(1);
    }
  }

  void main_part(std::int64_t h, std::int64_t outward) {
    const std::int64_t turns = half_m - p + h + 1;
    for (std::int64_t i = 0; i < turns; ++i) {
      if (i == h + 1) b.steady_from_here(2, half_m - p);
      if (i == 0 && outward == 0) {  // a middle stage: apart, which shortens the bubble further
        add_forward(0);
        add_backward(1);
      } else {
        add_joint(0);
      }
      add_joint(1);
    }
  }

  void cool_down(std::int64_t h, std::int64_t outward) {
    for (std::int64_t i = 0; i < outward; ++i) {
      add_backward(1);
      add_joint(1);
    }
    bool puts_off = false;
    for (std::int64_t i = 0; i < h + 1; ++i) {
      const bool half_way = i == (h + 1) / 2;
      puts_off = puts_off || (half_way && h % 2 == 1);
      add_backward(1, puts_off);
      puts_off = puts_off || (half_way && h % 2 == 0);
      add_backward(0, puts_off);
    }
    for (std::int64_t i = 0; i < outward; ++i) {
      add_weight();
      add_backward(0, true);
    }
    while (weights < put_off.size()) add_weight();
  }

  StageOrder order() {
    const std::int64_t h = half_rank();
    const std::int64_t outward = p / 2 - h - 1;
    warm_up(h, outward);
    main_part(h, outward);
    cool_down(h, outward);
    return std::move(b.order);
  }
};

}  // namespace

StageOrder stage_order(const OrderShape& shape, std::int64_t stage) {
  switch (shape.schedule) {
    case PipelineSchedule::gpipe:
      return gpipe(shape.micro_batches);
    case PipelineSchedule::one_f_one_b:
      return one_f_one_b(shape.stages, shape.micro_batches, stage);
    case PipelineSchedule::interleaved:

      return Interleaved{shape.stages, shape.chunks, shape.micro_batches, stage}.order();
    case PipelineSchedule::zero_bubble:
      if (shape.chunks == 1) return zero_bubble_h1(shape.stages, shape.micro_batches, stage);
      return ZeroBubbleV{shape.stages, shape.micro_batches, stage}.order();
    case PipelineSchedule::dualpipe:
      return DualPipe{shape.stages, shape.micro_batches / 2, stage}.order();
  }
  return {};
}

std::int64_t period_micro_batches(const OrderShape& shape) {
  if (shape.schedule == PipelineSchedule::interleaved) return shape.stages;
  return shape.schedule == PipelineSchedule::dualpipe ? 2 : 1;
}

std::int64_t micro_batches_for_periods(const OrderShape& shape, std::int64_t periods) {
  const std::int64_t p = shape.stages;
  switch (shape.schedule) {
    case PipelineSchedule::gpipe:
      break;
    case PipelineSchedule::one_f_one_b:
      return periods + p - 1;
    case PipelineSchedule::interleaved: {
      const std::int64_t ahead = 2 * (p - 1) + (shape.chunks - 1) * p;
      const std::int64_t groups = periods + (ahead + p * shape.chunks - 1) / (p * shape.chunks);
      return groups * p + shape.micro_batches % p;
    }
    case PipelineSchedule::zero_bubble:
      return periods + (shape.chunks == 1 ? p - 1 : 2 * p - 1);
    case PipelineSchedule::dualpipe:
      return 2 * (periods + p);
  }
  return shape.micro_batches;
}

}  // namespace nameplate
