// The dimensions of a decoder transformer as keys of a TOML table: an entry of the catalogue (data/models) or the
// section [model] of a manifest. docs/catalogue.md lists the keys.
//
// Required: layers, hidden, heads, vocab, and ffn or experts. kv_heads is heads unless given, head_dim is hidden /
// heads. Nothing else is assumed beyond the defaults of DecoderShape (facts/architecture.h).
#pragma once

#include <optional>
#include <string>

#include "nameplate/core/node.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/architecture.h"

namespace nameplate {

// A hybrid's layer as NVIDIA writes it (hybrid_override_pattern): "*" attention, "M" Mamba-2, "-" MLP, "E" experts,
// each with one norm; nothing for another letter.
std::optional<LayerShape> layer_by_letter(char letter);

Result<DecoderShape> read_decoder_shape(const Node& table, const std::string& file);

}  // namespace nameplate
