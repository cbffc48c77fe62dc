// A model written out as a list of operators with named dimensions, in TOML: for what no config.json describes.
//
//   [model]
//   name = "potential"
//   unit = "atom"            # what the batch counts; "token" unless given
//   length = "atoms"         # how many of it a sample has
//   [model.dimensions]       # numbers with names; --set model.dimensions.atoms=64 changes one
//   atoms = 21
//   [model.units]            # other units: a length per sample, or several sequences
//   edge = "20 * atoms"
//   pair_row = { length = "residues", sequences = "residues" }
//   [[model.blocks]]
//   id = "interactions"
//   repeat = 3
//   part = "encoder"         # optional: figures are given apart
//   operators = [ { id = "filter", kind = "matmul", in = 20, out = "channels", unit = "edge" }, … ]
//
// Any size is a number or an expression of dimensions (dimension_expression.h). Kinds and their keys, as in
// facts/architecture.h: matmul (in, out, instances, active, bias), attention (heads, kv_heads, qk_dim, v_dim, mask,
// window, keys_unit), convolution (in, out, kernel, groups, positions, bias), contraction and message (in, out),
// triangle (out), scan (scan, heads, key_dim, value_dim, parameters), norm and elementwise (width, parameters),
// embedding (rows, width). All have id, unit, repeat, role, frozen, reads_data, recompute, shares_weights.
#pragma once

#include <string>

#include "nameplate/core/node.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/architecture.h"

namespace nameplate {

// `table` is the manifest's [model]; `file` names it in errors.
Result<Architecture> read_operator_list(const Node& table, const std::string& file);

}  // namespace nameplate
