// nameplate diff: two runs, captures or saved documents, row by row.
#pragma once

#include <functional>

#include "nameplate/cli/output.h"

namespace CLI {
class App;
}

namespace nameplate::cli {

std::function<Outcome()> add_diff_command(CLI::App& program);

}  // namespace nameplate::cli
