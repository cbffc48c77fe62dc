// What is kept of one trace file when its timelines are gone, and its form as bytes, in which it travels between
// processes. Internal to api/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/analysis/attribution/attribution.h"
#include "nameplate/analysis/attribution/group_roles.h"
#include "nameplate/analysis/attribution/rank_summary.h"
#include "nameplate/core/result.h"
#include "nameplate/inputs/trace_rank.h"

namespace nameplate {

struct RankResult {
  RankTrace trace;              // without events, spans and operands; its names are those of attribution.kernels
  std::vector<GroupUse> roles;  // by group of the trace
  bool has_shapes = false;
  // Without the claims on idle stretches, which are as many as the events.
  RankAttribution attribution{.ledger = LedgerBuilder(LedgerScope::step, 1, 1).close(0)};
  RankSummary summary;
};

std::string to_bytes(const Result<std::vector<RankResult>>& of_file);
// An Error for bytes that are not what to_bytes() of this version gives.
Result<std::vector<RankResult>> rank_results(std::string_view bytes);

}  // namespace nameplate
