// Can these captures be of one job, at one time? Ranks of one job run side by side on one kind of device; a later
// capture of the same ranks is the same job, too. Others are shown, but not compared. Internal to api/.
#pragma once

#include <vector>

#include "nameplate/facts/defect.h"
#include "nameplate/facts/timeline.h"

namespace nameplate {

struct OneJob {
  bool can_be = true;
  std::vector<Message> notes;  // what does not fit
};

OneJob one_job(const std::vector<RankTimeline>& ranks);

}  // namespace nameplate
