// nameplate validate: predictions against measured runs.
#pragma once

#include <functional>

#include "nameplate/cli/output.h"

namespace CLI {
class App;
}

namespace nameplate::cli {

// Adds the command and its flags to the program; calling the result runs it.
std::function<Outcome()> add_validate_command(CLI::App& program);

}  // namespace nameplate::cli
