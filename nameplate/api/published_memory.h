// A row of a table of published runs as a case for the memory model. Internal to api/.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "nameplate/core/quantity.h"
#include "nameplate/facts/architecture.h"
#include "nameplate/facts/memory.h"
#include "nameplate/facts/plan.h"
#include "nameplate/facts/workload.h"
#include "nameplate/inputs/catalogue.h"
#include "nameplate/inputs/memory_calibration.h"
#include "nameplate/inputs/published_runs.h"

namespace nameplate {

struct MemoryCase {
  Architecture architecture;
  Workload workload;
  Plan plan;
  MemoryFacts facts;
  std::optional<Bytes> capacity;  // of the accelerator, where the catalogue knows it
  // Equal for rows that differ in nothing that memory depends on: the number of micro-batches beyond a full pipeline.
  std::string configuration;
};

// The case, or the id of the reason why the row cannot be one: "no_dimensions", "hybrid_layers", "no_micro_batch",
// "no_plan", "offload", …
std::variant<MemoryCase, std::string> memory_case(const PublishedRun& run, const Catalogue& catalogue,
                                                  const MemoryCalibration& calibration);

}  // namespace nameplate
