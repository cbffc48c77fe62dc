// The model of a row of a table of published runs. Internal to api/.
#pragma once

#include <optional>

#include "nameplate/facts/architecture.h"
#include "nameplate/inputs/catalogue.h"
#include "nameplate/inputs/published_runs.h"

namespace nameplate {

// From the row, else from the catalogue by the model's name. The vocabulary may be 0 where the row does not say it.
std::optional<DecoderShape> published_shape(const PublishedRun& run, const Catalogue& catalogue);

}  // namespace nameplate
