// Is the work spread evenly: over the experts of a mixture, over the stages of a pipeline, over the groups' members?
//
// Experts work between two all-to-alls of their group (dispatch and combine). Those come in twos, so every second gap
// between them is the experts' and the others hold the rest of the layer; which is which is told by the spread of the
// kernels' time, the wider being the experts'. That a group is of experts must be recorded or be in its description:
// an all-to-all by itself may be of anything. All but the slowest then wait by the difference.
// A stage is a rank's place in its pipeline group, where the ranks of the group are recorded; its work the time of
// kernels in the steps, mean over its ranks. What holds of groups is their waiting and transfer, of all members.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nameplate/analysis/attribution/meetings.h"

namespace nameplate {

// Of one channel (collective_match.h) in which collectives were matched.
struct ChannelUse {
  Group group;
  std::vector<std::int64_t> members;  // ranks present
  bool point_to_point = false;
  std::int64_t collectives = 0;
  double wait_ns = 0;      // before the last was there, all members
  double transfer_ns = 0;  // after
  // Of experts' groups: between exchanges the slowest member's kernels over the mean, and what
  // the others idle.
  std::optional<double> slowest_over_mean;
  double expert_idle_ns = 0;
};

struct StageLoad {
  std::int64_t stage = 0;
  std::int64_t ranks = 0;      // present
  double kernels_ns = 0;       // a rank and step, mean
  double over_mean_ratio = 0;  // its kernels over the mean of the stages
};

std::vector<ChannelUse> channel_uses(const Meetings& meetings);
// By stage; empty without pipeline groups.
std::vector<StageLoad> stage_loads(const std::vector<RankSummary>& ranks);

}  // namespace nameplate
