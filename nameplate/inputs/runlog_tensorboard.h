// A run's steps out of its TensorBoard event files.
//
// One row a step that has a known scalar (scalar_names.h, or the manifest's columns), at the time when its first scalar
// was written. TensorBoard prints no step time of its own: where the program logs none, the clock times the rows, and
// includes what lies between them. The writer's session entries become events.
#pragma once

#include <string_view>

#include "nameplate/core/result.h"
#include "nameplate/inputs/runlog.h"
#include "nameplate/inputs/runlog_builder.h"

namespace nameplate {

inline constexpr std::string_view kTensorBoardFormat = "tensorboard";

// Adds the file's rows to `builder`, which has begun it. An Error for columns that cannot be.
Status read_tensorboard(std::string_view bytes, const LogOptions& options, RunLogBuilder& builder);

}  // namespace nameplate
