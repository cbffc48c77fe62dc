// A predicted step as a Chrome trace in Kineto's spelling, which Perfetto opens and `nameplate trace` reads. Internal
// to api/.
//
// A pass of the schedule is drawn as its kernels one after the other (matrix products, attention, passes over memory,
// exposed communication), in the proportion that they have on the stage over the step; what is left of a pass is the
// host's. Waiting for another stage is a host span named as Megatron-LM names it (recv_forward).
#pragma once

#include <string>
#include <vector>

#include "nameplate/api/predict.h"
#include "nameplate/api/predict_run.h"

namespace nameplate {

std::vector<TimelineFile> timeline_files(const Prediction& prediction, const std::string& path);

}  // namespace nameplate
