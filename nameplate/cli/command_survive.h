// nameplate survive: what failures leave of a run, and which headroom pays.
#pragma once

#include <functional>

#include "nameplate/cli/output.h"
#include "nameplate/core/executor.h"

namespace CLI {
class App;
}

namespace nameplate::cli {

// Adds the command and its flags to the program; calling the result runs it. Simulated runs are spread over `executor`,
// which must outlive the result.
std::function<Outcome()> add_survive_command(CLI::App& program, const Executor& executor);

}  // namespace nameplate::cli
