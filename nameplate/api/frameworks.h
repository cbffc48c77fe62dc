// One list of framework names for time and memory: what either calibration file calls an entry, or what a framework
// prints of itself. Internal to api/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/facts/memory.h"
#include "nameplate/facts/step_framework.h"

namespace nameplate {

// Ids of data/calibration/frameworks.toml, then those that only memory.toml has.
std::vector<std::string> framework_ids();

// How the framework spends time; the generic facts where only its memory is known. An Error for a name in no list.
Result<StepFramework> step_framework_of(std::string_view name);
// How the framework uses memory; the generic facts where only its time is known. An Error for a name in no list.
Result<MemoryFacts> memory_facts_of(std::string_view name);

}  // namespace nameplate
