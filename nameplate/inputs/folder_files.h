// The files below a folder, for looking at their content: profilers put traces into folders of their own
// (rank0/trace.json.gz, plugins/profile/<date>/host.xplane.pb).
#pragma once

#include <string>
#include <vector>

#include "nameplate/core/result.h"

namespace nameplate {

// "traces/plugins/profile/2026_01_01/host.xplane.pb" lies three folders below "traces".
inline constexpr int kMostFolderDepth = 6;

// Regular files that are not empty, in this folder and the folders up to kMostFolderDepth below it, by path. Links to
// folders are followed, each folder once; hidden folders are left out.
Result<std::vector<std::string>> files_below(const std::string& folder);

}  // namespace nameplate
