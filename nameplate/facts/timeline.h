// What every rank did when, in columns: millions of device events a rank. The same whether a profiler or a prediction
// made it.
//
// Times are nanoseconds on the rank's own clock; `clock` says how that maps to the clock that the ranks share. Column i
// of every vector of an event table is event i; events are sorted by (begin, stream),
// spans by (begin, longest first), which puts what encloses before what is enclosed.
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
  convolution,
  memory_bound,  // normalisation, elementwise, reduction, layout
  embedding,
  optimizer,
  routing,       // of a mixture of experts: gate, permutation
  other_kernel,  // known, and none of these
  collective,
  copy,  // on one device, between devices, or direction not known
  copy_to_device,
  copy_to_host,
  memset,
  unclassified  // no rule knows the name
};

// Bits of DeviceEvents::flags.
enum DeviceEventFlag : std::uint8_t {
  kInGraph = 1,    // launched by a replayed graph: no launch of its own on the host
  kRecompute = 2,  // repeats forward work
  kContinued = 4,  // the rest of an event that another interrupts: not counted anew
};

struct DeviceEvents {
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> duration_ns;
  std::vector<std::int32_t> stream;
  std::vector<std::int32_t> name_id;  // into Timeline::names
  std::vector<DeviceEventClass> event_class;
  std::vector<std::int64_t> correlation;  // as recorded; -1: none
  std::vector<std::int32_t> launch;       // the span of HostSpans that launched it, by correlation; -1: none
  std::vector<std::int64_t> bytes;        // moved by a copy or memset; -1: not known
  std::vector<std::uint8_t> flags;
  std::vector<double> flops;  // as the profiler counted them, -1: not counted; empty where it counted none
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
  std::string id;           // as the framework prints it
  std::string description;  // "default_pg", "mesh_tp", "TENSOR_MODEL_PARALLEL_GROUP"; may be empty
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
  std::vector<std::int64_t> sequence;  // n-th of its group since the job began, where recorded; -1: not known
  std::vector<std::int64_t> peer;      // of a send or receive: the other rank of the job; -1: not known
  bool operator==(const Collectives&) const = default;
};

enum class HostSpanClass : std::uint8_t {
  operation,  // of the framework: "aten::mm"
  launch,     // a call that hands work to the device
  synchronise,
  data_wait,
  checkpoint,
  evaluation,
  allocator,
  step,
  annotation,
  python,    // a frame of Python
  garbage,   // garbage collection
  compile,   // a graph or kernel is compiled
  profiler,  // the profiler's own work
  other      // other calls of the device's runtime
};

// What an operator worked on, for counting its FLOPs. Each once in Timeline::operands.
struct Operands {
  std::vector<std::vector<std::int64_t>> dims;  // one per argument; empty: a scalar, or not a tensor
  std::vector<std::string> types;               // as recorded: "c10::BFloat16", "float"
  std::vector<std::string> values;  // of the arguments that are not tensors; convolutions and attention only
  bool operator==(const Operands&) const = default;
};

struct HostSpans {
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> duration_ns;
  std::vector<std::int32_t> thread;
  std::vector<std::int32_t> name_id;
  std::vector<HostSpanClass> span_class;
  std::vector<std::int64_t> correlation;  // of a launch or synchronisation; -1: none
  std::vector<std::int32_t> operands;     // into Timeline::operands; -1: not recorded
  bool operator==(const HostSpans&) const = default;
};

struct StepSpan {
  std::int64_t index = 0;
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  bool operator==(const StepSpan&) const = default;
};

// What the framework's allocator recorded, one event each.
struct MemoryEvents {
  std::vector<std::int64_t> time_ns;
  std::vector<std::int64_t> bytes;      // allocated; negative: freed
  std::vector<std::int64_t> allocated;  // in all, after it; -1: not recorded
  std::vector<std::int64_t> reserved;   // of the device, after it; -1: not recorded
  bool operator==(const MemoryEvents&) const = default;
};

// Where a rank's number comes from: the file says it, its name does ("rank12"), or its place among the files.
enum class RankSource : std::uint8_t { file, name, order };

// Shared time = own time + offset + drift x (own time - origin), good to `residual_ns`; nothing where the ranks share
// no event. Times count from the rank's base_time_ns.
struct ClockAlignment {
  std::int64_t offset_ns = 0;
  double drift = 0;            // seconds a second
  std::int64_t origin_ns = 0;  // own time at which `offset_ns` holds
  std::int64_t residual_ns = 0;
  bool operator==(const ClockAlignment&) const = default;
};

struct RankTimeline {
  std::int64_t rank = 0;
  RankSource rank_source = RankSource::file;
  std::string file;
  std::string device_name;
  std::int64_t base_time_ns = 0;  // add it to a time for nanoseconds since 1970, as the rank's host counts them
  std::int64_t window_begin_ns = 0;
  std::int64_t window_end_ns = 0;
  std::optional<ClockAlignment> clock;
  DeviceEvents device;
  Collectives collectives;
  HostSpans host;
  MemoryEvents memory;          // of the device
  std::vector<StepSpan> steps;  // as marked by the profiler (ProfilerStep#7); empty where it marked none
  bool operator==(const RankTimeline&) const = default;
};

struct Timeline {
  std::vector<std::string> names;  // of kernels and spans, each once
  std::vector<Operands> operands;
  std::vector<Group> groups;
  std::vector<RankTimeline> ranks;  // by rank
  std::int64_t ranks_total = 0;     // of the job; those present are `ranks`
  Defects defects;
};

}  // namespace nameplate
