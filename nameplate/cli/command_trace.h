// nameplate trace: profiler traces of one or many ranks.
#pragma once

#include <functional>

#include "nameplate/cli/output.h"

namespace CLI {
class App;
}

namespace nameplate::cli {

// Adds the command and its flags to the program; calling the result runs it.
std::function<Outcome()> add_trace_command(CLI::App& program);

}  // namespace nameplate::cli
