// Expands the published dimensions of a decoder transformer into operators.
//
// Layers that are alike form one block, so a model with alternating windows has two blocks of layers; Block::layers
// keeps which layers they are. Multi-token-prediction modules are blocks of their own (DeepSeek-V3 report, section 2.2:
// two norms, a projection of 2h x h, one layer, and the shared output projection). Hybrids give the kind of each layer
// (DecoderShape::pattern): Mamba, Mamba-2, gated delta net, attention or an MLP alone.
#pragma once

#include "nameplate/core/result.h"
#include "nameplate/facts/architecture.h"

namespace nameplate {

// The shape's first contradiction, if any: a non-positive dimension, more active experts than experts, a mask list
// whose length is neither 0, 1 nor the number of layers, …
Status check(const DecoderShape& shape);

// `shape` must pass check().
Architecture build_decoder(const DecoderShape& shape);
// The decoder behind the towers of a vision-language model, as its part "text"; without towers, build_decoder().
Architecture build_decoder(const DecoderShape& shape, Architecture towers);

}  // namespace nameplate
