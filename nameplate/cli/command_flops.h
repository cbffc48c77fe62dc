// nameplate flops: parameters and FLOPs of a model.
#pragma once

#include <functional>

#include "nameplate/cli/output.h"

namespace CLI {
class App;
}

namespace nameplate::cli {

// Adds the command and its flags to the program; calling the result runs it.
std::function<Outcome()> add_flops_command(CLI::App& program);

}  // namespace nameplate::cli
