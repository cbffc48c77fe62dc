#include "nameplate/inputs/model_config_whole.h"

namespace nameplate::model_config {
namespace {

struct Whole {
  std::string_view type;  // model_type, or diffusers' _class_name
  WholeReader reader;
};

constexpr Whole kWhole[] = {
    {"bert", read_bert},
    {"camembert", read_roberta},
    {"clip", read_clip},
    {"dit", read_dit},
    {"DiTTransformer2DModel", read_dit},
    {"esm", read_esm},
    {"flux", read_flux},
    {"FluxTransformer2DModel", read_flux},
    {"mt5", read_t5},
    {"nv_esm", read_esm},
    {"roberta", read_roberta},
    {"siglip", read_siglip},
    {"t5", read_t5},
    {"vit", read_vit},
    {"wan", read_wan},
    {"whisper", read_whisper},
    {"xlm-roberta", read_roberta},
};

std::string_view text(const Node& root, std::string_view key) {
  const Node* node = root.find(key);
  return node == nullptr ? std::string_view{} : node->as_string().value_or("");
}

}  // namespace

WholeReader find_whole_reader(const Node& root) {
  for (const std::string_view type : {text(root, "model_type"), text(root, "_class_name")}) {
    for (const Whole& whole : kWhole) {
      if (whole.type == type) return whole.reader;
    }
  }
  const bool open_clip = root.find("vision_cfg") != nullptr && root.find("text_cfg") != nullptr;
  return open_clip ? read_open_clip : nullptr;
}

}  // namespace nameplate::model_config
