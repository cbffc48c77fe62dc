// The operators of one layer of a decoder: attention (grouped, latent, chosen by an indexer), Mamba, Mamba-2, gated
// delta net; MLP or experts. Sources: at each function.
#pragma once

#include <vector>

#include "nameplate/facts/architecture.h"

namespace nameplate {

// `layer` must have what its mixer and feed-forward part need: check() of decoder.h says so.
std::vector<Operator> layer_operators(const DecoderShape& shape, const LayerShape& layer, const Mask& mask);

}  // namespace nameplate
