// Operators and blocks that many architectures share, made from their dimensions.
#pragma once

#include <string>

#include "nameplate/facts/architecture.h"

namespace nameplate {

Operator matmul(std::string id, OperatorRole role, const MatmulShape& shape);
// A dense layer with a bias, in no particular role.
Operator linear(std::string id, std::int64_t in, std::int64_t out, bool bias = true);

std::int64_t norm_parameters(NormKind kind, std::int64_t width);
Operator norm(std::string id, NormKind kind, std::int64_t width, std::int64_t repeat = 1);

// A table of `rows`, or a learned vector (rows = 1).
Operator embedding(std::string id, OperatorRole role, std::int64_t rows, std::int64_t width);

// The same operator, run once per `unit`; the same on raw data, whose gradient nobody needs.
Operator per(std::string unit, Operator op);
Operator on_data(Operator op);

// A stack of like transformer layers: self attention, cross attention if `cross_unit` says to what, MLP.
struct StackShape {
  std::string id = "layers";  // of the block
  std::string prefix;         // before the operators' ids: "encoder."
  std::string part;
  std::string unit;  // empty: the model's own
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t ffn = 0;
  bool gated_mlp = false;
  bool bias = true;      // of every projection
  bool key_bias = true;  // Whisper: none on the keys
  NormKind norm = NormKind::layer;
  std::int64_t norms_per_layer = 2;
  bool qk_norm = false;  // over heads * head_dim
  Mask mask = {MaskKind::bidirectional, 0};
  std::string cross_unit;
  std::int64_t cross_width = 0;  // of what keys and values are projected from; 0: hidden
};
Block stack_block(const StackShape& shape);

}  // namespace nameplate
