// flops: what one step of a model costs, per operator and under every convention.
#pragma once

#include <optional>
#include <string>

#include "nameplate/core/result.h"
#include "nameplate/report/document.h"

namespace nameplate {

struct FlopsRequest {
  std::string model;  // a path to a config.json or run.toml, or a name of the catalogue
  std::optional<std::int64_t> sequence_length;
  std::optional<std::int64_t> sequences;  // of one step
  std::string recompute;                  // none, selective, full; empty: none
  std::string data_directory;
};

// Values parameters_*, flops_*; tables "operators" and "conventions".
Result<Document> flops(const FlopsRequest& request);

}  // namespace nameplate
