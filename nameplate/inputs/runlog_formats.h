// The makers of the built-in formats; runlog.cc lists them in the order in which they are asked.
#pragma once

#include <memory>

#include "nameplate/core/result.h"
#include "nameplate/inputs/runlog.h"
#include "nameplate/inputs/runlog_format.h"

namespace nameplate {

std::unique_ptr<RunLogFormat> make_megatron_format();

}  // namespace nameplate
