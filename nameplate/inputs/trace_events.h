// What the events of one process say, as columns in the order of its file: what every reader of traces fills, and
// trace_timeline.h makes timelines of.
//
// Texts are numbered (name_table.h). What cannot be used is counted in `counts`, never dropped silently.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nameplate/facts/defect.h"
#include "nameplate/facts/timeline.h"
#include "nameplate/inputs/name_table.h"

namespace nameplate {

enum class EventKind : std::uint8_t { operation, runtime, annotation, python, profiler, kernel, copy, memset };

enum class EventDefect : std::uint8_t {
  invalid_time,       // no number, or one that does not fit
  zero_time,          // begins at 0 and lasts 0: never ran
  absurd_duration,    // negative, or more than a day
  other_category,     // not host or device work: counters of a range profiler, …
  other_phase,        // a beginning without an end, or an end without a beginning
  unreadable,         // not JSON
  repaired_character  // control characters or bytes that are no UTF-8, replaced
};
inline constexpr std::size_t kEventDefects = 7;

// What the framework recorded with a collective. Texts are numbers of `labels`; -1: not recorded.
struct TraceCollective {
  std::int32_t collective = -1;
  std::int32_t dtype = -1;
  std::int32_t group = -1;
  std::int32_t description = -1;
  std::int32_t ranks = -1;  // "[0, 1, 2]"
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  std::int64_t group_size = 0;
  std::int64_t sequence = -1;
  std::int64_t peer = -1;
};

struct EventColumns {
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> duration_ns;
  std::vector<std::int32_t> name;
  std::vector<std::int64_t> correlation;  // -1: none
  std::vector<EventKind> kind;
  std::size_t size() const { return begin_ns.size(); }
  std::int64_t end_ns(std::size_t i) const { return begin_ns[i] + duration_ns[i]; }
};

struct DeviceColumns : EventColumns {
  std::vector<std::int32_t> device;
  std::vector<std::int32_t> stream;
  std::vector<std::int64_t> bytes;
  std::vector<std::int32_t> collective;  // into `collectives`
  std::vector<double> flops;             // -1: not recorded; empty: none is
  void keep(const std::vector<bool>& kept);
};

struct HostColumns : EventColumns {
  std::vector<std::int32_t> thread;                                  // into `threads`
  std::vector<std::int32_t> operands;                                // into `operands`
  std::vector<std::pair<std::int64_t, std::int32_t>> collective_of;  // (span, into `collectives`)
  std::vector<std::pair<std::int64_t, std::int32_t>> device_of;      // (span, device), where a span is of one alone
  void keep(const std::vector<bool>& kept);
};

struct MemoryColumns {
  std::vector<std::int64_t> time_ns;
  std::vector<std::int64_t> bytes;
  std::vector<std::int64_t> allocated;
  std::vector<std::int64_t> reserved;
};

// A beginning or an end that the file tells apart ("ph": "B" and "E"); pair_marks makes spans of them.
struct EventMark {
  std::int64_t time_ns = 0;
  std::int32_t thread = -1;  // into `threads`
  bool begins = false;
  // Of a beginning only.
  std::optional<EventKind> kind;  // nothing: no work
  std::int32_t name = -1;
  std::int64_t correlation = -1;
  std::int32_t device = -1;
  std::int32_t stream = -1;
  std::int64_t bytes = -1;
};

struct EventStep {
  std::int32_t name = 0;
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  std::int32_t device = -1;  // -1: of each
};

struct TraceEvents {
  NameTable names;     // of Kineto as JSON spells them, escapes and all
  NameTable labels;    // of collectives
  NameTable operands;  // dims, types and values as JSON, each behind a kOperandMark
  NameTable threads;   // "pid/tid"
  DeviceColumns device;
  HostColumns host;
  MemoryColumns memory;
  std::vector<EventMark> marks;
  std::vector<TraceCollective> collectives;
  std::vector<EventStep> device_steps;  // "ProfilerStep#7" as projected on the device
  std::array<std::int64_t, kEventDefects> counts{};

  void count(EventDefect defect, std::int64_t times = 1) { counts[static_cast<std::size_t>(defect)] += times; }
  // Whether such a span can be; counts it under what is wrong with it when not.
  bool accept(std::int64_t begin_ns, std::int64_t duration_ns);
  Defects defects(const std::string& file) const;
  void append(TraceEvents&& later);
  // Makes a span of each beginning and the end that follows it on its thread, the innermost first, as the format of
  // Chrome's traces defines. Clears `marks`.
  void pair_marks();
};
inline constexpr char kOperandMark = '\x1f';

// What a file says beside its events.
struct TraceHeader {
  std::vector<std::string> device_names;  // by device id; may hold empty names
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> ranks_total;
  std::int64_t base_time_ns = 0;
  std::vector<Group> groups;
  bool own_timeline = false;  // written by --timeline
};

}  // namespace nameplate
