// Reads a model's config.json (Hugging Face, diffusers, open_clip and close relatives) into facts about its
// architecture.
//
// Method: `model_type` selects a reader from one table (model_config_families.h for decoders, model_config_whole.h for
// encoders, encoder-decoders, vision and diffusion models); where the file has none, or one that is not in the tables,
// the keys decide: with the five generic dimensions it is read as a Llama-like decoder and that is said as an
// assumption; without them the Error names the keys. A key that the file leaves out takes the default of the family's
// configuration class in Hugging Face transformers (4.x), which is an assumption, too. A vision-language model is its
// decoder and its tower; a tower of an unknown kind is named as not counted. What a file leaves open (the size of an
// image, the length of a text) is a dimension with a default that the caller may set.
//
// Range: every size is 1..2^24, the number of layers at most 2^14. Families of other structure are Errors: a wrong
// count would be worse than none; they can be written as a list of operators.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/node.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/architecture.h"
#include "nameplate/facts/defect.h"

namespace nameplate {

struct ModelConfig {
  std::optional<DecoderShape> decoder;  // expanded by analysis/flops/decoder.h
  Architecture rest;                    // towers before the decoder; the whole model where there is none
  std::vector<Assumption> assumptions;
  Defects defects;
};

// What a file leaves open: image_size, images, frames, text_length, …
using ModelDimensions = std::map<std::string, std::int64_t, std::less<>>;

// `file` is the name for messages. A dimension that the model does not have is an Error.
Result<ModelConfig> read_model_config(std::string_view text, const std::string& file,
                                      const ModelDimensions& dimensions = {});
Result<ModelConfig> read_model_config_file(const std::string& path, const ModelDimensions& dimensions = {});

// Whether a JSON document is a model's configuration, by its keys: it names a model_type, or has the number of layers,
// a width and the number of heads under any known spelling.
bool looks_like_model_config(const Node& root);

}  // namespace nameplate
