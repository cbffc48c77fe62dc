// predict: a run that has not happened.
#pragma once

#include <functional>

#include "nameplate/cli/output.h"

namespace CLI {
class App;
}

namespace nameplate::cli {

std::function<Outcome()> add_predict_command(CLI::App& program);

}  // namespace nameplate::cli
