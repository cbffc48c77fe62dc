// Which collective is each communication kernel, of which group, of how many bytes?
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nameplate/facts/timeline.h"
#include "nameplate/inputs/trace_events.h"
#include "nameplate/inputs/trace_rank.h"

namespace nameplate {

struct CollectiveEvidence {
  const TraceEvents& events;
  std::span<const std::int32_t> recorded;                // by device event: into events.collectives; -1
  std::span<const std::int32_t> recorded_on_host;        // by host span: the same
  std::span<const std::optional<CollectiveKind>> kinds;  // by name: what the kernel's name says
};

// Fills trace.timeline.collectives and adds the groups that occur to trace.groups, which holds those of the header.
void add_collectives(const CollectiveEvidence& evidence, RankTrace& trace);

}  // namespace nameplate
