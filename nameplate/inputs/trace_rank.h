// What one trace file gives: the timeline of one rank, with its own numbering of names, operands and groups, before
// the ranks are put side by side (trace.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nameplate/facts/defect.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

// Who wrote a trace: decides how a better one is asked for.
enum class Profiler : std::uint8_t { torch, nsight, xla };

struct RankTrace {
  RankTimeline timeline;
  std::vector<std::string> names;
  std::vector<Operands> operands;
  std::vector<Group> groups;
  std::optional<std::int64_t> rank;         // as the file says
  std::optional<std::int64_t> ranks_total;  // of the job, as the file says
  Defects defects;
  Profiler profiler = Profiler::torch;
};

}  // namespace nameplate
