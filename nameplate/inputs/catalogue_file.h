// One file of the catalogue as facts: data/accelerators/<vendor>.toml or data/models/<family>.toml.
//
// A value's source is named by an id of the file's [sources]: the one that the entry's `sources` gives for its key,
// else the file's [field_sources], else the entry's `source`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/facts/hardware.h"
#include "nameplate/inputs/catalogue.h"

namespace nameplate {

struct AcceleratorFile {
  std::vector<std::string> vendor_words;
  std::vector<Accelerator> accelerators;
};

Result<AcceleratorFile> read_accelerator_file(std::string_view text, const std::string& file);
Result<std::vector<CatalogueModel>> read_model_file(std::string_view text, const std::string& file);

}  // namespace nameplate
