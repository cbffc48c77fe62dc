// What a prediction took for granted, as a message. Internal to api/.
#pragma once

#include <string>
#include <utility>

#include "nameplate/facts/defect.h"

namespace nameplate {

// "step.assumed": the fact's name ("network") and the value taken.
inline Assumption step_assumption(std::string fact, std::string value) {
  return {"step.assumed", {{"fact", std::move(fact)}, {"value", std::move(value)}}};
}

}  // namespace nameplate
