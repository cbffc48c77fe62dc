// Reads a model's config.json (Hugging Face and close relatives) into the dimensions of a decoder transformer.
//
// Method: `model_type` selects a reader from one table (model_config_families.h); where the file has none, or one that
// is not in the table, the keys decide: with the five generic dimensions it is read as a Llama-like decoder and that is
// said as an assumption; without them the Error names the keys. A key that the file leaves out takes the default of the
// family's configuration class in Hugging Face transformers (4.x), which is an assumption, too. For vision-language
// models the `text_config` is read and the towers are named as not counted. Encoders, encoder-decoders, diffusion
// models and hybrids with state-space or linear-attention layers are Errors: a wrong count would be worse than none.
//
// Range: every size is 1..2^24, the number of layers at most 2^14. Known limits: sparse attention that chooses its keys
// by an indexer and models whose layers all differ are refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/node.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/architecture.h"
#include "nameplate/facts/defect.h"

namespace nameplate {

struct ModelConfig {
  DecoderShape shape;
  std::vector<Assumption> assumptions;
  Defects defects;
};

// `file` is the name for messages.
Result<ModelConfig> read_model_config(std::string_view text, const std::string& file);
Result<ModelConfig> read_model_config_file(const std::string& path);

// Whether a JSON document is a model's configuration, by its keys: it names a model_type, or has the number of layers,
// a width and the number of heads under any known spelling.
bool looks_like_model_config(const Node& root);

}  // namespace nameplate
