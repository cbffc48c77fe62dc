// The image towers of vision-language models, and what joins them to the decoder. The decoder's own sequence contains
// the tokens that the tower makes, so nothing is added to it here.
#include <algorithm>

#include <fmt/format.h>

#include "nameplate/facts/operator_makers.h"
#include "nameplate/inputs/model_config_whole.h"

namespace nameplate::model_config {
namespace {

const std::string kPatch = "image_patch";
const std::string kMerged = "merged_patch";

std::int64_t images(Keys& keys) { return keys.dimension("images", 1, true); }

void in_part(Block block, Architecture& a) {
  block.part = "vision";
  a.blocks.push_back(std::move(block));
}

// --- CLIP and SigLIP towers ------------------------------------------------------------------------------------------

struct Joined {
  VisionShape shape;
  VisionUnits units;
};

Joined read_clip_tower(Keys& root, bool siglip, Architecture& a) {
  Joined joined;
  const std::int64_t count = images(root);
  root.within("vision_config", [&](Keys& keys) {
    VisionShape defaults{
        .layers = 12, .hidden = 768, .heads = 12, .ffn = 3072, .patch = siglip ? 16 : 32, .image_size = 224};
    if (siglip) {
      defaults.class_token = false;
    } else {
      defaults.patch_bias = false;
      defaults.pre_norm = true;
    }
    joined.shape = read_vision_shape(keys, defaults);
    joined.units = add_vision(keys, joined.shape, count, a);
  });
  return joined;
}

// LLaVA 1.5 (arXiv 2310.03744): an MLP of two matrices on each patch.
void add_llava(Keys& root, bool siglip, std::int64_t hidden, Architecture& a) {
  const Joined tower = read_clip_tower(root, siglip, a);
  const bool bias = root.flag("multimodal_projector_bias", true);
  in_part({.id = "projector",
           .operators = {per(kPatch, linear("projector.1", tower.shape.hidden, hidden, bias)),
                         per(kPatch, linear("projector.2", hidden, hidden, bias))}},
          a);
}

// Gemma 3 (arXiv 2503.19786): patches are averaged down to 256 tokens, normed and projected.
void add_gemma3(Keys& root, std::int64_t hidden, Architecture& a) {
  const Joined tower = read_clip_tower(root, true, a);
  a.units.push_back({.name = kMerged,
                     .length = root.size_or({"mm_tokens_per_image"}, 256),
                     .sequences = root.dimension("images", 1)});
  in_part({.id = "projector",
           .operators = {per(kMerged, norm("projector.norm", NormKind::rms, tower.shape.hidden)),
                         per(kMerged, linear("projector", tower.shape.hidden, hidden, false))}},
          a);
}

// Llama 4: pixels are shuffled 2 x 2 into the width, then two matrices, then the projector.
void add_llama4(Keys& root, std::int64_t hidden, Architecture& a) {
  const std::int64_t count = images(root);
  root.within("vision_config", [&](Keys& keys) {
    VisionShape v = read_vision_shape(keys, {.layers = 34,
                                             .hidden = 768,
                                             .heads = 16,
                                             .ffn = 5632,
                                             .patch = 14,
                                             .image_size = 448,
                                             .patch_bias = false,
                                             .pre_norm = true});
    const VisionUnits units = add_vision(keys, v, count, a);
    const std::int64_t in = keys.size_or({"projector_input_dim"}, 4096);
    const std::int64_t out = keys.size_or({"projector_output_dim"}, 4096);
    a.units.push_back({.name = kMerged, .length = std::max<std::int64_t>(units.patches / 4, 1), .sequences = count});
    in_part({.id = "projector",
             .operators = {per(kMerged, linear("adapter.1", 4 * v.hidden, in, false)),
                           per(kMerged, linear("adapter.2", in, out, false)),
                           per(kMerged, linear("projector", out, hidden, false))}},
            a);
  });
}

// --- Qwen-VL: any resolution -----------------------------------------------------------------------------------------

struct QwenTower {
  StackShape stack;
  std::int64_t patch = 0;
  std::int64_t temporal = 2;
  std::int64_t merge = 2;
  std::int64_t channels = 3;
};

QwenTower read_qwen_tower(Keys& keys, StackShape stack) {
  stack.id = "vision_layers";
  stack.prefix = "vision.";
  stack.part = "vision";
  stack.unit = kPatch;
  stack.layers = keys.size_or({"depth"}, stack.layers, kMostLayers);
  stack.hidden = keys.size_or({"embed_dim", "hidden_size"}, stack.hidden);
  stack.heads = keys.size_or({"num_heads"}, stack.heads);
  if (stack.hidden % stack.heads != 0) keys.fail("num_heads", "heads that do not divide the hidden size", "a divisor");
  stack.head_dim = stack.hidden / stack.heads;
  return {.stack = std::move(stack),
          .patch = keys.size_or({"patch_size", "spatial_patch_size"}, 14, kMostPatch),
          .temporal = keys.size_or({"temporal_patch_size"}, 2, kMostPatch),
          .merge = keys.size_or({"spatial_merge_size"}, 2, kMostPatch),
          .channels = keys.size_or({"in_channels", "in_chans"}, 3, kMostPatch)};
}

// Patches of `images` images, or of a video of `frames`, at a size rounded down to whole merged patches.
void add_qwen_units(Keys& keys, const QwenTower& t, Architecture& a) {
  const std::int64_t count = images(keys);
  const std::int64_t size = keys.dimension("image_size", 448, true);
  const std::int64_t frames = keys.dimension("frames", 1);
  const std::int64_t cell = t.patch * t.merge;
  const std::int64_t rows = keys.dimension("image_height", size) / cell;
  const std::int64_t columns = keys.dimension("image_width", size) / cell;
  if (rows < 1 || columns < 1)
    keys.fail({}, fmt::format("an image smaller than {} pixels", cell), "a larger image_size");
  const std::int64_t merged = std::max<std::int64_t>(rows * columns, 1);
  const std::int64_t sequences = count * ((frames + t.temporal - 1) / t.temporal);  // attention stays inside a frame
  a.units.push_back({.name = kPatch, .length = merged * t.merge * t.merge, .sequences = sequences});
  a.units.push_back({.name = kMerged, .length = merged, .sequences = sequences});
}

void add_qwen_embedding(const QwenTower& t, bool bias, std::int64_t positions, Architecture& a) {
  Block block{.id = "vision_embedding"};
  const std::int64_t in = t.channels * t.temporal * t.patch * t.patch;
  block.operators.push_back(per(kPatch, on_data(matmul("vision.patch_embedding", OperatorRole::patch_embedding,
                                                       {.in = in, .out = t.stack.hidden, .bias = bias}))));
  if (positions > 0) {
    block.operators.push_back(per(
        kPatch, embedding("vision.position_embedding", OperatorRole::position_embedding, positions, t.stack.hidden)));
  }
  in_part(std::move(block), a);
}

// Neighbouring patches side by side, two matrices. `deep` more of them feed the decoder's first layers (Qwen3-VL).
void add_merger(const QwenTower& t, NormKind kind, std::int64_t hidden, std::int64_t deep, Architecture& a) {
  const std::int64_t wide = t.stack.hidden * t.merge * t.merge;
  in_part({.id = "merger",
           .operators = {per(kPatch, norm("merger.norm", kind, t.stack.hidden)),
                         per(kMerged, linear("merger.1", wide, wide)), per(kMerged, linear("merger.2", wide, hidden))}},
          a);
  if (deep == 0) return;
  in_part(
      {.id = "deepstack_mergers",
       .repeat = deep,
       .operators = {per(kMerged, norm("deepstack.norm", kind, wide)), per(kMerged, linear("deepstack.1", wide, wide)),
                     per(kMerged, linear("deepstack.2", wide, hidden))}},
      a);
}

// Qwen2-VL (arXiv 2409.12191).
void add_qwen2_vl(Keys& root, std::int64_t hidden, Architecture& a) {
  root.within("vision_config", [&](Keys& keys) {
    QwenTower t = read_qwen_tower(keys, {.layers = 32, .hidden = 1280, .heads = 16});
    t.stack.ffn = 4 * t.stack.hidden;
    add_qwen_units(keys, t, a);
    add_qwen_embedding(t, false, 0, a);
    a.blocks.push_back(stack_block(t.stack));
    add_merger(t, NormKind::layer, hidden, 0, a);
  });
}

// Qwen2.5-VL (arXiv 2502.13923): attention inside windows of `window_size` pixels, but in the listed layers.
void add_qwen25_vl(Keys& root, std::int64_t hidden, Architecture& a) {
  root.within("vision_config", [&](Keys& keys) {
    QwenTower t =
        read_qwen_tower(keys, {.layers = 32, .hidden = 1280, .heads = 16, .gated_mlp = true, .norm = NormKind::rms});
    t.stack.ffn = keys.size_or({"intermediate_size"}, 3420);
    add_qwen_units(keys, t, a);
    add_qwen_embedding(t, false, 0, a);
    const std::int64_t side = std::max<std::int64_t>(keys.size_or({"window_size"}, 112) / t.patch, 1);
    std::vector<std::int64_t> full = keys.has({"fullatt_block_indexes"}) ? keys.indices("fullatt_block_indexes")
                                                                         : std::vector<std::int64_t>{7, 15, 23, 31};
    std::sort(full.begin(), full.end());
    full.erase(std::unique(full.begin(), full.end()), full.end());
    full.erase(std::lower_bound(full.begin(), full.end(), t.stack.layers), full.end());
    const std::int64_t layers = t.stack.layers;
    t.stack.layers = layers - static_cast<std::int64_t>(full.size());
    t.stack.mask = {MaskKind::blocks, side * side};
    Block windowed = stack_block(t.stack);
    windowed.id = "vision_window_layers";
    t.stack.layers = static_cast<std::int64_t>(full.size());
    t.stack.mask = {MaskKind::bidirectional, 0};
    a.blocks.push_back(std::move(windowed));
    if (!full.empty()) a.blocks.push_back(stack_block(t.stack));
    add_merger(t, NormKind::rms, hidden, 0, a);
  });
}

// Qwen3-VL: learned positions, layer norms, features of some layers into the decoder's first ones.
void add_qwen3_vl(Keys& root, std::int64_t hidden, Architecture& a) {
  root.within("vision_config", [&](Keys& keys) {
    QwenTower t = read_qwen_tower(keys, {.layers = 27, .hidden = 1152, .heads = 16});
    t.patch = keys.size_or({"patch_size"}, 16, kMostPatch);
    t.stack.ffn = keys.size_or({"intermediate_size"}, 4304);
    add_qwen_units(keys, t, a);
    add_qwen_embedding(t, true, keys.size_or({"num_position_embeddings"}, 2304), a);
    a.blocks.push_back(stack_block(t.stack));
    const auto deep = keys.has({"deepstack_visual_indexes"}) ? keys.indices("deepstack_visual_indexes").size() : 3;
    add_merger(t, NormKind::layer, hidden, std::min<std::int64_t>(static_cast<std::int64_t>(deep), kMostLayers), a);
  });
}

std::string_view tower_type(const Keys& root) {
  const Node* vision = root.find({"vision_config"});
  const Node* type = vision == nullptr ? nullptr : vision->find("model_type");
  return type == nullptr ? std::string_view{} : type->as_string().value_or("");
}

}  // namespace

bool read_tower(Keys& root, std::string_view model_type, std::int64_t hidden, Architecture& a) {
  if (!root.has({"vision_config"})) return false;
  const std::string_view tower = tower_type(root);
  const bool siglip = tower == "siglip_vision_model";
  if (model_type == "qwen2_vl") {
    add_qwen2_vl(root, hidden, a);
  } else if (model_type == "qwen2_5_vl") {
    add_qwen25_vl(root, hidden, a);
  } else if (model_type == "qwen3_vl" || model_type == "qwen3_vl_moe") {
    add_qwen3_vl(root, hidden, a);
  } else if (model_type == "gemma3") {
    add_gemma3(root, hidden, a);
  } else if (model_type == "llama4") {
    add_llama4(root, hidden, a);
  } else if (model_type == "llava" && (siglip || tower == "clip_vision_model" || tower.empty())) {
    add_llava(root, siglip, hidden, a);
  } else {
    return false;
  }
  return true;
}

}  // namespace nameplate::model_config
