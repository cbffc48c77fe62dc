// The steps of load(): each resolves one group of facts into the LoadedRun. Internal to api/.
#pragma once

#include "nameplate/api/load.h"
#include "nameplate/inputs/catalogue.h"

namespace nameplate {

// The catalogue for `data_directory`; the embedded one when empty. Overlays live as long as the program.
Result<const Catalogue*> open_catalogue(const std::string& data_directory);

// model.*: configuration file, catalogue name, dimensions in place, or the dimensions that the log prints.
Status resolve_model(const Catalogue& catalogue, const std::optional<std::string>& config_file, LoadedRun& run);
// training.*: sequence length, batch, precision, recompute; and cluster.count.
Status resolve_training(LoadedRun& run);
// cluster.accelerator and cluster.peak at the run's precision.
Status resolve_accelerator(const Catalogue& catalogue, LoadedRun& run);

// A fact from the manifest (or a flag), else from the log; adds it to run.inputs.
std::optional<Known<std::string>> find_text(LoadedRun& run, const std::string& key);
std::optional<Known<std::int64_t>> find_integer(LoadedRun& run, const std::string& key);
void add_input(LoadedRun& run, std::string key, std::string value, Origin origin, std::string detail);

}  // namespace nameplate
