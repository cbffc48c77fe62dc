// The flags that say something about a run, shared by report, mfu and flops: each sets a key of the manifest.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "nameplate/cli/output.h"
#include "nameplate/core/result.h"

namespace CLI {
class App;
}

namespace nameplate::cli {

struct RunOptions {
  // One value a flag, in the order of kRunFlags; empty: not given. No values without add_run_flags().
  std::vector<std::string> values;
  std::vector<std::string> sets;  // --set KEY=VALUE
  std::string data;
};

// `measured` adds the flags for figures typed in (mfu).
void add_run_flags(CLI::App& app, RunOptions& options, bool measured);
void add_output_flags(CLI::App& app, OutputOptions& options);

// The manifest settings that the flags stand for; an Error for a --set without "=".
Result<std::vector<std::pair<std::string, std::string>>> settings(const RunOptions& options);

}  // namespace nameplate::cli
