// Where do the steps of a rank begin and end? From the first of these that there is, and said: the profiler's marks
// (ProfilerStep#), ranges that the user named as steps, the optimizer's steps (from the end of one to the end of the
// next), a sequence of kernels that repeats; else the whole capture is one window without steps.
//
// A sequence repeats when the kernels' names, read from the end, have a period that covers at least half of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nameplate/analysis/attribution/intervals.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

enum class StepSource : std::uint8_t { profiler, annotation, optimizer, kernels, none };
std::string_view name(StepSource source);  // "profiler"

struct Steps {
  StepSource source = StepSource::none;
  std::vector<StepSpan> steps;  // by time; the warm-up first
  std::size_t warm_up = 0;      // leading steps in which a tenth of the time or more went into compiling
  Stretch whole;                // from the first step to the end of the last; without steps, the device's events (else
                                // the host's)
  Stretch steady;               // the same without the warm-up
};

Steps find_steps(const Timeline& timeline, const RankTimeline& rank);

}  // namespace nameplate
