// Models that are not a decoder alone: encoders, encoder-decoders, vision models, diffusion transformers; and the
// towers that vision-language models put before their decoder.
//
// Each reader makes the list of operators itself, from facts/operator_makers.h. Source of defaults and structure: the
// configuration and modelling code of the family in Hugging Face transformers 4.x, diffusers, open_clip or timm.
#pragma once

#include <string_view>

#include "nameplate/core/node.h"
#include "nameplate/facts/architecture.h"
#include "nameplate/inputs/model_config_keys.h"

namespace nameplate::model_config {

using WholeReader = Architecture (*)(Keys&);

// By model_type, diffusers' _class_name, or the keys of open_clip; nullptr: none of these.
WholeReader find_whole_reader(const Node& root);

// model_config_encoders.cc
Architecture read_bert(Keys& keys);
Architecture read_roberta(Keys& keys);
Architecture read_esm(Keys& keys);
Architecture read_t5(Keys& keys);
Architecture read_whisper(Keys& keys);

// model_config_vision.cc
Architecture read_vit(Keys& keys);
Architecture read_clip(Keys& keys);
Architecture read_open_clip(Keys& keys);
Architecture read_siglip(Keys& keys);

// model_config_diffusion.cc
Architecture read_dit(Keys& keys);
Architecture read_flux(Keys& keys);
Architecture read_wan(Keys& keys);

// model_config_towers.cc. Adds the tower of `root`'s vision_config and what joins it to a decoder of width `hidden`;
// false when there is none of a known kind.
bool read_tower(Keys& root, std::string_view model_type, std::int64_t hidden, Architecture& architecture);

// Shared by towers and vision models (model_config_vision.cc).
struct VisionShape {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t ffn = 0;
  std::int64_t patch = 0;
  std::int64_t channels = 3;
  std::int64_t image_size = 0;
  bool class_token = true;
  bool patch_bias = true;
  bool pre_norm = false;  // CLIP: a norm before the layers
  bool post_norm = true;  // and one after
};
// hidden_size, intermediate_size, …; absent keys take `defaults`.
VisionShape read_vision_shape(Keys& keys, const VisionShape& defaults);
// The side of an image in patches, at the size that the caller or the file gives.
std::int64_t patches_per_side(Keys& keys, const VisionShape& shape);
// Patch embedding, positions, layers, norms. Its unit is "image_patch", or "image_token" with a class token.
struct VisionUnits {
  std::string layers;
  std::int64_t patches = 0;  // per image
  std::int64_t length = 0;   // patches, and the class token
};
VisionUnits add_vision(Keys& keys, const VisionShape& shape, std::int64_t images, Architecture& architecture);

}  // namespace nameplate::model_config
