#include "nameplate/api/trace_tables.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "nameplate/analysis/attribution/merge_ranks.h"
#include "nameplate/facts/fabric.h"

namespace nameplate {
namespace {

constexpr std::size_t kTextRows = 12;

double in_seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

std::string text_of(DeviceEventClass c) {
  constexpr std::string_view kNames[] = {"matmul",         "attention",    "convolution",  "memory_bound", "embedding",
                                         "optimizer",      "routing",      "other_kernel", "collective",   "copy",
                                         "copy_to_device", "copy_to_host", "memset",       "unclassified"};
  return std::string(kNames[static_cast<std::size_t>(c)]);
}

std::string text_of(CollectiveKind kind) {
  constexpr std::string_view kNames[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                                         "broadcast",  "reduce",     "gather",         "scatter",
                                         "send",       "receive",    "barrier",        "other"};
  return std::string(kNames[static_cast<std::size_t>(kind)]);
}

std::string text_of(const Group& group) {
  return group.description.empty() ? group.id : group.id + " " + group.description;
}

std::int64_t size_of(const Group& group) {
  return group.size > 0 ? group.size : static_cast<std::int64_t>(group.ranks.size());
}

// Of the message, as nccl-tests counts it: of all ranks together where they gather; nothing where that is not known.
std::optional<std::int64_t> message_bytes(const CollectiveTotal& c, const Timeline& timeline) {
  if (c.bytes < 0 || c.kind != CollectiveKind::all_gather) return c.bytes < 0 ? std::nullopt : std::optional(c.bytes);
  const std::int64_t ranks = c.group < 0 ? 0 : size_of(timeline.groups[static_cast<std::size_t>(c.group)]);
  std::int64_t all = 0;
  return ranks > 0 && !__builtin_mul_overflow(c.bytes, ranks, &all) ? std::optional(all) : std::nullopt;
}

struct Bus {
  Bytes size;
  BytesPerSecond bandwidth;
};

// Of the fastest of these collectives, in which the last rank to arrive waits for nobody.
std::optional<Bus> bus(const CollectiveTotal& c, const Timeline& timeline) {
  if (c.group < 0 || c.bytes <= 0 || c.least_ns <= 0) return std::nullopt;
  const std::int64_t ranks = size_of(timeline.groups[static_cast<std::size_t>(c.group)]);
  const auto bytes = message_bytes(c, timeline);
  if (!bytes || ranks < 2 || c.kind == CollectiveKind::barrier || c.kind == CollectiveKind::other) return std::nullopt;
  const Bytes size = Bytes::from_base(static_cast<double>(*bytes));
  return Bus{size, size * bus_factor(c.kind, ranks) / seconds(in_seconds(c.least_ns))};
}

// What the benchmark reached with the same collective and the nearest size, at most twice or half as large.
std::optional<BytesPerSecond> measured(const MeasuredFabric* fabric, CollectiveKind kind, Bytes size) {
  std::optional<BytesPerSecond> nearest;
  double least = std::log(2.0) + 1e-9;
  if (fabric == nullptr) return nearest;
  for (const FabricPoint& point : fabric->points) {
    if (point.collective != kind || point.size.base() <= 0 || point.bus_bandwidth.base() <= 0) continue;
    const double distance = std::abs(std::log(point.size / size));
    if (distance >= least) continue;
    least = distance;
    nearest = point.bus_bandwidth;
  }
  return nearest;
}

double whole_ns(const std::vector<RankAttribution>& ranks) {
  double sum = 0;
  for (const RankAttribution& r : ranks) sum += static_cast<double>(r.steps.steady.length());
  return sum;
}

}  // namespace

Table trace_steps_table(const Timeline& timeline, const std::vector<RankAttribution>& ranks) {
  Table table{.id = "trace_steps",
              .columns = {{"rank", ""}, {"step", ""}, {"start_s", "s"}, {"step_time_s", "s"}},
              .text_rows = kTextRows};
  std::int64_t zero = INT64_MAX;
  const auto start = [&](std::size_t rank, const StepSpan& step) -> std::int64_t {
    const RankTimeline& own = timeline.ranks[rank];
    const ClockAlignment clock = own.clock.value_or(ClockAlignment{});
    const double drifted = clock.drift * static_cast<double>(step.begin_ns - clock.origin_ns);
    return step.begin_ns + own.base_time_ns + clock.offset_ns + std::llround(drifted);
  };
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (const StepSpan& step : ranks[i].steps.steps) zero = std::min(zero, start(i, step));
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (const StepSpan& step : ranks[i].steps.steps) {
      table.rows.push_back(
          {Int128{ranks[i].rank}, Int128{step.index}, in_seconds(start(i, step) - zero), in_seconds(step.duration_ns)});
    }
  }
  return table;
}

Table kernels_table(const Timeline& timeline, const std::vector<RankAttribution>& ranks) {
  Table table{.id = "kernels",
              .columns = {{"class", ""},
                          {"count", ""},
                          {"time_s", "s"},
                          {"share_ratio", "1"},
                          {"tflops_per_s", "TFLOP/s"},
                          {"recompute_s", "s"},
                          {"kernel", ""}},
              .text_rows = kTextRows};
  const double whole = whole_ns(ranks);
  for (const KernelTotal& k : merge_kernels(ranks)) {
    const double seconds = in_seconds(k.time_ns);
    table.rows.push_back({text_of(k.event_class), Int128{k.count}, seconds,
                          whole > 0 ? Cell(static_cast<double>(k.time_ns) / whole) : Cell(),
                          k.flops > 0 ? Cell(k.flops / in_seconds(k.time_ns - k.unknown_ns) / 1e12) : Cell(),
                          k.recompute_ns > 0 ? Cell(in_seconds(k.recompute_ns)) : Cell(),
                          timeline.names[static_cast<std::size_t>(k.name_id)]});
  }
  return table;
}

Table collectives_table(const Timeline& timeline, const std::vector<RankAttribution>& ranks,
                        const MeasuredFabric* fabric) {
  Table table{.id = "collectives",
              .columns = {{"kind", ""},
                          {"role", ""},
                          {"group", ""},
                          {"bytes", "B"},
                          {"count", ""},
                          {"time_s", "s"},
                          {"exposed_communication_s", "s"},
                          {"hidden_ratio", "1"},
                          {"bus_bandwidth_gb_per_s", "GB/s"},
                          {"link_ratio", "1"}},
              .text_rows = kTextRows};
  if (fabric != nullptr) table.columns.push_back({"fabric_ratio", "1"});
  const std::optional<BytesPerSecond> link = ranks.front().link_bandwidth;
  for (const CollectiveTotal& c : merge_collectives(ranks)) {
    const double exposed_s = c.exposed_ns / 1e9;
    const auto reached = bus(c, timeline);
    const auto bytes = message_bytes(c, timeline);
    table.rows.push_back({text_of(c.kind), std::string(name(c.role)),
                          c.group >= 0 ? Cell(text_of(timeline.groups[static_cast<std::size_t>(c.group)])) : Cell(),
                          bytes ? Cell(Int128{*bytes}) : Cell(), Int128{c.count}, in_seconds(c.time_ns), exposed_s,
                          c.time_ns > 0 ? Cell(1 - exposed_s / in_seconds(c.time_ns)) : Cell(),
                          reached ? Cell(reached->bandwidth.base() / 1e9) : Cell(),
                          reached && link ? Cell(reached->bandwidth / *link) : Cell()});
    if (fabric == nullptr) continue;
    const auto benchmark = reached ? measured(fabric, c.kind, reached->size) : std::nullopt;
    table.rows.back().push_back(benchmark ? Cell(reached->bandwidth / *benchmark) : Cell());
  }
  return table;
}

}  // namespace nameplate
