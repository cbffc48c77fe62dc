// Where does every accelerator-second of one rank's steps go? A step ledger that closes, from a profiler's timeline.
//
// The rule is "useful first" (sweep.h): each instant is booked once, under compute where any kernel computes, else
// under communication, else copies, else idle.
//   compute        model FLOPs at peak are model_compute, or recompute for repeated forward work (kernel_work.h); what
//   a
//                  kernel takes beyond that is the row of its class: matmul and convolution in kernel.matmul;
//                  attention; normalisation, elementwise, embedding, optimizer in kernel.memory_bound; the rest in
//                  kernel.other. A kernel whose FLOPs are not known is booked whole under its class.
//   communication  by the role of its group (group_roles.h).
//   copies         to the device: data_wait, but memory_stall inside an optimizer or offloading; to the host: sync when
//                  small or launched by aten::item, else memory_stall; within the device: kernel.memory_bound.
//   idle           by what the host was doing (idle.h).
// FLOPs beyond peak x time make kernel rows negative: they are booked as 0, `unattributed` goes negative, and the
// kernels are counted. Without device events the host's time is booked by the same causes; where the accelerator is a
// CPU, the framework's operators are its kernels (host_device.h). Range: one rank; waiting inside a collective for
// other ranks is in its communication row, until waits.h takes it out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nameplate/analysis/attribution/group_roles.h"
#include "nameplate/analysis/attribution/idle.h"
#include "nameplate/analysis/attribution/intervals.h"
#include "nameplate/analysis/attribution/operator_flops.h"
#include "nameplate/analysis/attribution/steps.h"
#include "nameplate/core/quantity.h"
#include "nameplate/facts/hardware.h"
#include "nameplate/facts/ledger.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

struct AttributionOptions {
  const Accelerator* accelerator = nullptr;  // its dense peak at the precision that most FLOPs run in
  std::optional<FlopsPerSecond> peak;        // stated: wins over the accelerator's
  // Model FLOPs of one step on this accelerator, from an architecture: they win over those from shapes.
  std::optional<Flops> model_flops_per_step;
  OperatorFormula operator_flops;  // of the user's own operators: tried before the built-in formulas; may be empty
};

// The temporal breakdown that HTA and others print, over all steps: unions of intervals on the device.
struct TimeSplit {
  Stretch window;
  std::int64_t compute_ns = 0;
  std::int64_t communication_ns = 0;
  std::int64_t exposed_communication_ns = 0;
  std::int64_t copy_only_ns = 0;
  std::int64_t idle_ns = 0;
};

// All kernels of one name that touch the window.
struct KernelTotal {
  std::int32_t name_id = 0;
  DeviceEventClass event_class = DeviceEventClass::unclassified;
  std::int64_t count = 0;
  std::int64_t time_ns = 0;     // sum of durations, inside the window
  double exclusive_ns = 0;      // booked to it
  std::int64_t unknown_ns = 0;  // of them, of kernels whose FLOPs are not known
  double flops = 0;             // of the others
  std::int64_t recompute_ns = 0;
};

// Collectives of one kind, group and size that touch the window.
struct CollectiveTotal {
  CollectiveKind kind = CollectiveKind::other;
  std::int32_t group = -1;  // into Timeline::groups
  GroupRole role = GroupRole::other;
  std::int64_t bytes = -1;
  std::int64_t count = 0;
  std::int64_t time_ns = 0;
  double exposed_ns = 0;
  std::int64_t least_ns = 0;  // of one that is whole inside the window; 0: none is
};

// Calls of one operator with arguments of one shape, by the time of their kernels: a point of the roofline.
struct OperatorTotal {
  std::string name;
  std::string shapes;  // "[2048, 384] [384, 1536]"; empty: not recorded
  std::string site;    // of the first call, the innermost frame outside the framework: "model.py(31): forward"
  std::int64_t calls = 0;
  std::int64_t device_ns = 0;   // durations of its kernels, inside the window
  std::int64_t unknown_ns = 0;  // of them, of kernels whose FLOPs are not known
  double flops = 0;             // model FLOPs, of the other kernels
  double at_peak_ns = 0;        // of them, each at the peak of its own precision; 0 where no peak is known
  std::optional<double> bytes;  // that must move at least (operator_bytes.h)
};

// Why the FLOPs of a kernel are not known: no launch in the capture, launched outside any operator, shapes not
// recorded, an argument that the formula needs not recorded (stride, causal), no formula for the operator.
enum class UncountedReason : std::uint8_t { no_launch, no_operator, no_shapes, arguments_missing, no_formula };

// Kernels of unknown FLOPs under one operator; without an operator, of one name.
struct UncountedTotal {
  std::string name;
  UncountedReason reason = UncountedReason::no_launch;
  std::int64_t kernels = 0;
  double ns = 0;  // booked to them
};

enum class Phase : std::uint8_t { forward, backward, optimizer };
inline constexpr std::size_t kPhases = static_cast<std::size_t>(Phase::optimizer) + 1;

struct PhaseTotal {
  double kernel_ns = 0;   // booked to its kernels
  double unknown_ns = 0;  // of them, to kernels whose FLOPs are not known
  double flops = 0;       // model FLOPs, of the others
};

struct MemoryPoint {
  std::int64_t time_ns = 0;
  std::int64_t allocated = -1;
  std::int64_t reserved = -1;
};

// What the framework's allocator holds of the device, where it was recorded.
struct MemoryUse {
  std::int64_t most_allocated = -1;
  std::int64_t most_reserved = -1;
  std::int64_t allocated_then = -1;  // at most, while most was reserved
  std::int64_t device_calls = 0;     // of the host to the device's allocator, in the window: each may stop the device
  std::vector<MemoryPoint> points;   // of each of at most 128 equal parts of the capture that with the most allocated
};

// What took time in a ledger row: a kernel, a call of the host, a kind of collective, a rank that was waited for.
struct RowEvidence {
  LedgerRow row = LedgerRow::unattributed;
  std::string name;  // at most 48 characters
  double ns = 0;
};
// "gemm_a 12.30 ms, gemm_b 4.50 ms": the three largest of a row; names that are equal are one.
std::string evidence_text(const std::vector<RowEvidence>& evidence, LedgerRow row);

struct LaunchStatistics {
  std::int64_t kernels = 0;           // computing, in the window
  std::int64_t short_kernels = 0;     // under 10 us
  std::int64_t in_graph = 0;          // of a replayed graph
  std::optional<double> queue_depth;  // launched and not begun, mean over the launches
};

struct RankAttribution {
  std::int64_t rank = 0;
  Steps steps;
  bool host_only = false;             // no device events: a ledger of the host's time
  bool host_is_device = false;        // the accelerator is a CPU: its kernels are the framework's operators
  TimeSplit split;                    // over all steps
  Ledger ledger;                      // over the steady steps
  std::vector<RowEvidence> evidence;  // of the ledger's rows
  std::vector<IdleClaim> idle;
  std::int64_t blocking_copy_ns = 0;         // of idle time booked to the host: it was inside a call that copies
  std::vector<KernelTotal> kernels;          // by time
  std::vector<CollectiveTotal> collectives;  // by time
  std::vector<OperatorTotal> operators;      // by time
  std::vector<UncountedTotal> uncounted;     // by time
  std::vector<PhaseTotal> phases;            // by Phase; empty where no backward pass is recorded
  MemoryUse memory;
  LaunchStatistics launches;
  double kernel_ns = 0;                // booked to compute kernels
  double unmodelled_ns = 0;            // of them, to kernels whose FLOPs are not known
  double unclassified_ns = 0;          // of all device time, to events of no known class
  std::int64_t device_ns = 0;          // the device had something to do
  std::int64_t recompute_ns = 0;       // durations of kernels that repeat forward work
  std::int64_t overlaps = 0;           // events that overlap within their stream
  std::int64_t faster_than_peak = 0;   // kernels whose FLOPs at peak take longer than they did
  std::optional<Precision> precision;  // most FLOPs run in it
  std::optional<FlopsPerSecond> peak;
  std::optional<BytesPerSecond> memory_bandwidth;  // of the accelerator
  std::optional<BytesPerSecond> link_bandwidth;    // of its fastest link, per direction
  Flops model_flops;                               // in the window, repeated work excluded
  Flops causal_flops;                              // of them, from shapes, of attention that is causal
  Flops full_attention_flops;                      // and of attention that is not
  Flops shape_flops;                               // the same as recorded shapes tell, where they do
  std::optional<double> mfu;  // nothing without a peak, or with over 5 % of kernel time not modelled
};

// Above it no MFU is derived from shapes (DESIGN, Rules).
inline constexpr double kMostUnmodelled = 0.05;

// `roles`: group_roles(timeline), which is the same for all ranks.
RankAttribution attribute(const Timeline& timeline, const RankTimeline& rank, const std::vector<GroupUse>& roles,
                          const AttributionOptions& options = {});

}  // namespace nameplate
