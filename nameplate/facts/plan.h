// How a job is spread over its accelerators.
//
// Pitfall: ep divides dp * cp (or dp * cp * tp with expert tensor parallelism); `dp` excludes `cp`. One validator owns
// such rules: check().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nameplate/core/result.h"

namespace nameplate {

enum class PipelineSchedule { gpipe, one_f_one_b, interleaved, zero_bubble, dualpipe };
enum class ContextParallelKind { ring, all_to_all };

struct Overlap {
  bool dp = true;
  bool tp = false;
  std::optional<double> fraction;  // of the communication that may run beside compute; not stated: as frameworks do
  bool operator==(const Overlap&) const = default;
};

struct Plan {
  std::int64_t tp = 1;
  std::int64_t etp = 1;
  std::int64_t pp = 1;
  std::int64_t virtual_pp = 1;
  std::int64_t cp = 1;
  ContextParallelKind cp_kind = ContextParallelKind::ring;
  std::int64_t ep = 1;
  std::int64_t dp = 1;        // replicate * shard
  std::int64_t dp_shard = 1;  // ranks that share one copy (FSDP, HSDP)
  int zero = 0;
  bool sp = false;
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  std::vector<std::int64_t> stage_layers;  // empty: even
  std::int64_t micro_batch = 1;
  std::int64_t accumulation = 1;
  Overlap overlap;
  std::string offload;
  std::string order = "tp-cp-ep-dp-pp";
  bool operator==(const Plan&) const = default;
};

// The first rule of parallel degrees that the plan breaks on `accelerators` devices, if any.
Status check(const Plan& plan, std::int64_t accelerators);

}  // namespace nameplate
