// The tables of a prediction. Internal to api/.
#pragma once

#include "nameplate/api/predict_run.h"
#include "nameplate/report/document.h"

namespace nameplate {

// One row a pipeline stage: layers, times of one micro-batch, the schedule, memory.
Table predicted_stages(const Prediction& p);
// One row an operator: time forward and backward, its FLOPs at peak, what binds it.
Table predicted_operators(const Prediction& p);
// Forward, backward and optimizer apart.
Table predicted_phases(const Prediction& p);

}  // namespace nameplate
