// flops: what one step of a model costs, per operator and under every convention.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/report/document.h"

namespace nameplate {

struct MemoryRequest {
  std::int64_t tp = 1;
  std::int64_t etp = 1;
  std::int64_t pp = 1;
  std::int64_t virtual_pp = 1;
  std::int64_t cp = 1;
  std::int64_t ep = 1;
  bool sp = false;
  std::optional<int> zero;            // 0..3; FSDP is 3; absent: what the framework does by itself
  std::optional<std::int64_t> shard;  // ranks that share one copy (HSDP); absent: all data-parallel ones
  std::int64_t micro_batch = 1;
  std::optional<std::int64_t> gpus;
  std::string accelerator;
  std::string framework;  // an id of data/calibration/memory.toml; empty: generic
  std::string optimizer;  // "adam", "adam-bf16", …; empty: adam
  std::string precision;
};

struct FlopsRequest {
  std::string model;  // a path to a config.json or run.toml, or a name of the catalogue
  std::optional<std::int64_t> sequence_length;
  std::optional<std::int64_t> sequences;                      // of one step
  std::vector<std::pair<std::string, std::string>> settings;  // further manifest keys
  std::string recompute;                // none, selective, full, or modules ("mlp+moe_act"); empty: none
  std::optional<MemoryRequest> memory;  // what a step needs on each accelerator of a plan
  std::string data_directory;
};

// Values parameters_*, flops_*; tables "operators", "conventions", "parts" (towers, language model and models that run
// forward only apart) and "precisions" (the share of the FLOPs in each); with `memory` what api/memory.h adds.
Result<Document> flops(const FlopsRequest& request);

}  // namespace nameplate
