// What do the events of a Kineto trace say? A stretch of the array "traceEvents" as columns, in file order.
//
// Parsed with simdjson On-Demand, one pass, no tree. Both spellings of the categories are known: those of PyTorch 1.8
// ("Kernel", "Operator", "Runtime", "Memcpy") and those of today ("kernel", "cpu_op", "cuda_runtime", "gpu_memcpy");
// events without any are those of the autograd profiler before Kineto. Texts are numbered (name_table.h); a number may
// be written as a string, as ROCm's profilers do. What cannot be used is counted in `counts`, never dropped silently.
// A key that appears twice counts as it stands last, as in Python's reader.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nameplate/facts/defect.h"
#include "nameplate/inputs/name_table.h"

namespace nameplate {

enum class KinetoKind : std::uint8_t { operation, runtime, annotation, python, profiler, kernel, copy, memset };

enum class KinetoDefect : std::uint8_t {
  invalid_time,       // no number, or one that does not fit
  zero_time,          // begins at 0 and lasts 0: never ran
  absurd_duration,    // negative, or more than a day
  other_category,     // not host or device work: counters of a range profiler, …
  other_phase,        // a beginning without an end, or an end without a beginning
  unreadable,         // not JSON
  repaired_character  // control characters or bytes that are no UTF-8, replaced
};
inline constexpr std::size_t kKinetoDefects = 7;

// What the framework recorded with a collective. Texts are numbers of `labels`; -1: not recorded.
struct KinetoCollective {
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

struct KinetoSpans {
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> duration_ns;
  std::vector<std::int32_t> name;
  std::vector<std::int64_t> correlation;  // -1: none
  std::vector<KinetoKind> kind;
  std::size_t size() const { return begin_ns.size(); }
};

struct KinetoDevice : KinetoSpans {
  std::vector<std::int32_t> device;
  std::vector<std::int32_t> stream;
  std::vector<std::int64_t> bytes;
  std::vector<std::int32_t> collective;  // into `collectives`
  std::vector<double> flops;             // -1: not recorded; empty: none is
};

struct KinetoHost : KinetoSpans {
  std::vector<std::int32_t> thread;                                  // into `threads`
  std::vector<std::int32_t> operands;                                // into `operands`
  std::vector<std::pair<std::int64_t, std::int32_t>> collective_of;  // (span, into `collectives`)
};

struct KinetoMemory {
  std::vector<std::int64_t> time_ns;
  std::vector<std::int64_t> bytes;
  std::vector<std::int64_t> allocated;
  std::vector<std::int64_t> reserved;
};

// A beginning or an end that the file tells apart ("ph": "B" and "E"); pair_marks makes spans of them.
struct KinetoMark {
  std::int64_t time_ns = 0;
  std::int32_t thread = -1;  // into `threads`
  bool begins = false;
  // Of a beginning only.
  std::optional<KinetoKind> kind;  // nothing: no work
  std::int32_t name = -1;
  std::int64_t correlation = -1;
  std::int32_t device = -1;
  std::int32_t stream = -1;
  std::int64_t bytes = -1;
};

struct KinetoStep {
  std::int32_t name = 0;
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  std::int32_t device = -1;
};

struct KinetoEvents {
  NameTable names;     // as JSON spells them, escapes and all
  NameTable labels;    // of collectives
  NameTable operands;  // dims, types and values as JSON, each behind a kOperandMark
  NameTable threads;   // "pid/tid"
  KinetoDevice device;
  KinetoHost host;
  KinetoMemory memory;
  std::vector<KinetoMark> marks;
  std::vector<KinetoCollective> collectives;
  std::vector<KinetoStep> device_steps;  // ProfilerStep# as projected on the device
  std::array<std::int64_t, kKinetoDefects> counts{};

  void count(KinetoDefect defect, std::int64_t times = 1) { counts[static_cast<std::size_t>(defect)] += times; }
  // Whether such a span can be; counts it under what is wrong with it when not.
  bool accept(std::int64_t begin_ns, std::int64_t duration_ns);
  Defects defects(const std::string& file) const;
  void append(KinetoEvents&& later);
  // Makes a span of each beginning and the end that follows it on its thread, the innermost first, as the format of
  // Chrome's traces defines. Clears `marks`.
  void pair_marks();
};
inline constexpr char kOperandMark = '\x1f';

class KinetoParser {
 public:
  KinetoParser();
  KinetoParser(KinetoParser&&) noexcept;
  KinetoParser& operator=(KinetoParser&&) noexcept;
  ~KinetoParser();

  // Bytes that must be readable behind the text given to `parse`.
  static const std::size_t kPadding;
  // Parses "[{…},{…}]…" up to the bracket that ends the array and returns the place behind it (the size of `text` when
  // nothing follows); nothing when the text is not such an array, and then `events` is of no use.
  std::optional<std::size_t> parse(std::string_view text, KinetoEvents& events);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nameplate
