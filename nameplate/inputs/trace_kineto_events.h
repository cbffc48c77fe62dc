// What do the events of a Kineto trace say? Reads a stretch of the array "traceEvents".
//
// Parsed with simdjson On-Demand, one pass, no tree. Both spellings of the categories are known: those of PyTorch 1.8
// ("Kernel", "Operator", "Runtime", "Memcpy") and those of today ("kernel", "cpu_op", "cuda_runtime", "gpu_memcpy");
// events without any are those of the autograd profiler before Kineto. A number may be written as a string, as ROCm's
// profilers do. A key that appears twice counts as it stands last, as in Python's reader. Names are left as JSON spells
// them, escapes and all.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "nameplate/inputs/trace_events.h"

namespace nameplate {

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
  std::optional<std::size_t> parse(std::string_view text, TraceEvents& events);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nameplate
