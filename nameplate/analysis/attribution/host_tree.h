// What encloses a span of the host? Spans of one thread nest: a frame holds an operator, which holds a launch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nameplate/facts/timeline.h"

namespace nameplate {

// For each span the innermost span of its thread in which it begins; -1: none. A parent stands before its children.
// Spans that overlap without nesting (clocks of two sources) count by where they begin.
std::vector<std::int32_t> enclosing_spans(const HostSpans& host);

// The thread that drives the steps: that of the step marks, else the one that launches most; nothing without spans.
std::optional<std::int32_t> main_thread(const HostSpans& host);

}  // namespace nameplate
