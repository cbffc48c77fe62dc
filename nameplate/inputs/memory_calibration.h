// data/calibration/memory.toml: how each generation of a framework uses memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/memory.h"

namespace nameplate {

struct MemoryFramework {
  std::vector<std::string> names;  // as frameworks print themselves, or the beginning of it
  std::string when;                // a word of the run's notes; empty: any
  std::int64_t from_year = 0;
  MemoryFacts facts;
};

// What a framework's published recipe for a model changes.
struct MemoryRecipe {
  std::string framework;  // id of the framework's facts
  std::string model;      // the model's name begins with it
  std::optional<double> optimizer_state_bytes;
  bool sequence_parallel = false;
  std::string source;
};

struct MemoryCalibration {
  std::vector<MemoryFramework> frameworks;
  std::vector<MemoryRecipe> recipes;
  double risk_sigma_ratio = 0;
  Bytes outside_allocator;
  std::string risk_source;

  // The file in the program. It is tested, so a mistake in it aborts.
  static const MemoryCalibration& embedded();

  // The facts for a framework's name as printed; the generic ones when none holds.
  const MemoryFacts& find(std::string_view framework, std::optional<std::int64_t> year, std::string_view notes) const;
  // By id or exact name; nothing when unknown.
  const MemoryFacts* find_by_id(std::string_view id) const;
  const MemoryRecipe* find_recipe(const MemoryFacts& facts, std::string_view model) const;
};

Result<MemoryCalibration> read_memory_calibration(std::string_view text, const std::string& file);

}  // namespace nameplate
