// What every rank did when, in columns: millions of device events a rank. The same whether a profiler or a prediction
// made it.
//
// Times are nanoseconds on the rank's own clock; `clock` says how that maps to the clock that the ranks share. Column i
// of every vector of an event table is event i; events are sorted by (begin, stream).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/facts/defect.h"
#include "nameplate/facts/precision.h"

namespace nameplate {

enum class DeviceEventClass : std::uint8_t {
  matmul,
  attention,
  memory_bound,
  other_kernel,
  collective,
  copy,
  memset,
  unclassified
};

// Bits of DeviceEvents::flags.
enum DeviceEventFlag : std::uint8_t {
  kInGraph = 1,    // launched by a replayed graph: no launch of its own on the host
  kRecompute = 2,  // repeats forward work
  kTruncated = 4,  // the capture began or ended inside
};

struct DeviceEvents {
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> duration_ns;
  std::vector<std::int32_t> stream;
  std::vector<std::int32_t> name_id;  // into Timeline::names
  std::vector<DeviceEventClass> event_class;
  std::vector<std::int64_t> correlation;  // joins a launch on the host; -1: none
  std::vector<std::uint8_t> flags;
  bool operator==(const DeviceEvents&) const = default;
};

enum class CollectiveKind : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  reduce,
  gather,
  scatter,
  send,
  receive,
  barrier,
  other
};

// Which parallel dimension a communication group serves; decides the ledger row.
enum class GroupRole : std::uint8_t { dp, tp, pp, cp, ep, other };

struct Group {
  std::string id;  // as the framework prints it
  GroupRole role = GroupRole::other;
  std::vector<std::int64_t> ranks;  // empty: not known
  std::int64_t size = 0;            // 0: not known
  bool operator==(const Group&) const = default;
};

struct Collectives {
  std::vector<std::int32_t> event;  // index of the device event
  std::vector<std::int32_t> group;  // into Timeline::groups; -1: not known
  std::vector<CollectiveKind> kind;
  std::vector<std::int64_t> bytes;  // of this rank's input; -1: not known
  std::vector<std::optional<Precision>> dtype;
  std::vector<std::int64_t> sequence;  // n-th of its group: joins the ranks; -1: not known
  bool operator==(const Collectives&) const = default;
};

enum class HostSpanClass : std::uint8_t {
  operation,
  launch,
  synchronise,
  data_wait,
  checkpoint,
  evaluation,
  allocator,
  step,
  annotation,
  other
};

struct HostSpans {
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> duration_ns;
  std::vector<std::int32_t> thread;
  std::vector<std::int32_t> name_id;
  std::vector<HostSpanClass> span_class;
  std::vector<std::int64_t> correlation;  // -1: none
  bool operator==(const HostSpans&) const = default;
};

struct StepSpan {
  std::int64_t index = 0;
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  bool operator==(const StepSpan&) const = default;
};

// Shared time = own time + offset, good to `residual_ns`; nothing where the ranks share no event.
struct ClockAlignment {
  std::int64_t offset_ns = 0;
  std::int64_t residual_ns = 0;
  bool operator==(const ClockAlignment&) const = default;
};

struct RankTimeline {
  std::int64_t rank = 0;
  std::string file;
  std::string device_name;
  std::int64_t window_begin_ns = 0;
  std::int64_t window_end_ns = 0;
  std::optional<ClockAlignment> clock;
  DeviceEvents device;
  Collectives collectives;
  HostSpans host;
  std::vector<StepSpan> steps;
  bool operator==(const RankTimeline&) const = default;
};

struct Timeline {
  std::vector<std::string> names;  // of kernels and spans, each once
  std::vector<Group> groups;
  std::vector<RankTimeline> ranks;  // by rank
  std::int64_t ranks_total = 0;     // of the job; those present are `ranks`
  Defects defects;
};

}  // namespace nameplate
