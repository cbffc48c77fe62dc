// Finds the files of a run among what the user names: files and folders, told apart by content and never by name alone
// (only the manifest is known by its ending, .toml).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nameplate/core/result.h"

namespace nameplate {

struct RunFiles {
  std::optional<std::string> manifest;
  std::optional<std::string> config;  // a model's config.json
  std::vector<std::string> logs;      // in the order named; in a folder by name
  std::vector<std::string> traces;    // profiler traces; of a folder also those in folders below it
  std::vector<std::string> records;   // of the cluster: scheduler, driver, NCCL, exporters
  std::vector<std::string> unknown;   // found in a folder and not recognised
};

// A file that is named and is none of these is an Error; in a folder it is `unknown`. Two manifests are an Error.
Result<RunFiles> find_run_files(const std::vector<std::string>& paths);
// The files that a manifest's pattern names ("trace/*.json.gz"), relative to `folder`, sorted. An Error when there is
// none.
Result<std::vector<std::string>> expand_pattern(const std::string& pattern, const std::string& folder);

}  // namespace nameplate
