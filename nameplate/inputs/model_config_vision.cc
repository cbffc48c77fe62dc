// Image models: ViT, and pairs of an image and a text tower (CLIP in two formats, SigLIP).
#include <fmt/format.h>

#include "nameplate/facts/operator_makers.h"
#include "nameplate/inputs/model_config_whole.h"

namespace nameplate::model_config {
namespace {

constexpr auto kProjection = OperatorRole::output_projection;
constexpr const char* kImagePatch = "image_patch";
constexpr const char* kImageToken = "image_token";
const std::string kSample(kSampleUnit);

Operator parameter(std::string id, std::int64_t count) {
  return {.id = std::move(id), .shape = ElementwiseShape{count, count}};
}

// A text tower: causal in CLIP, not in SigLIP.
struct TextTower {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t ffn = 0;
  std::int64_t vocab = 0;
  std::int64_t positions = 0;
  MaskKind mask = MaskKind::causal;
};

TextTower read_text_tower(Keys& keys, const TextTower& defaults) {
  return {.layers = keys.size_or(kLayers, defaults.layers, kMostLayers),
          .hidden = keys.size_or(kHidden, defaults.hidden),
          .heads = keys.size_or(kHeads, defaults.heads),
          .ffn = keys.size_or(kFfn, defaults.ffn),
          .vocab = keys.size_or(kVocab, defaults.vocab),
          .positions = keys.size_or(kPositions, defaults.positions),
          .mask = defaults.mask};
}

void add_text_tower(Keys& keys, const TextTower& t, Architecture& a) {
  if (t.hidden % t.heads != 0) keys.fail(kHeads.first(), "heads that do not divide the hidden size", "a divisor");
  a.units.push_back({.name = "token", .length = keys.dimension("text_length", t.positions)});
  Block embed{.id = "text_embedding", .part = "text"};
  embed.operators = {embedding("text.token_embedding", OperatorRole::token_embedding, t.vocab, t.hidden),
                     embedding("text.position_embedding", OperatorRole::position_embedding, t.positions, t.hidden)};
  for (Operator& op : embed.operators) op.unit = "token";
  a.blocks.push_back(std::move(embed));
  a.blocks.push_back(stack_block({.id = "text_layers",
                                  .prefix = "text.",
                                  .part = "text",
                                  .unit = "token",
                                  .layers = t.layers,
                                  .hidden = t.hidden,
                                  .heads = t.heads,
                                  .head_dim = t.hidden / t.heads,
                                  .ffn = t.ffn,
                                  .mask = {t.mask, 0}}));
  a.blocks.push_back({.id = "text_norm",
                      .operators = {per("token", norm("text.final_norm", NormKind::layer, t.hidden))},
                      .part = "text"});
}

void add_head(std::string id, std::string part, std::vector<Operator> ops, Architecture& a) {
  for (Operator& op : ops) op.unit = kSample;
  a.blocks.push_back({.id = std::move(id), .operators = std::move(ops), .part = std::move(part)});
}

Operator projection(std::string id, std::int64_t in, std::int64_t out, bool bias) {
  return matmul(std::move(id), kProjection, {.in = in, .out = out, .bias = bias});
}

// The image tower's own unit is the model's.
void own_unit(const VisionUnits& units, Architecture& a) {
  std::erase_if(a.units, [&](const UnitLength& unit) { return unit.name == units.layers; });
  a.unit = units.layers;
  a.default_length = units.length;
}

// SigLIP (arXiv 2303.15343) pools by attention from one learned query (the probe), then an MLP.
void add_attention_pooling(const VisionShape& v, const VisionUnits& units, Architecture& a) {
  const std::int64_t h = v.hidden;
  Block block{.id = "vision_pooling", .part = "vision"};
  const auto role = OperatorRole::attention_projection;
  AttentionShape core{v.heads, v.heads, h / v.heads, h / v.heads, {MaskKind::bidirectional, 0}, units.layers};
  const MatmulShape square{.in = h, .out = h, .bias = true};
  block.operators = {
      parameter("vision.pooling.probe", h),
      per(kSample, matmul("vision.pooling.q", role, square)),
      per(units.layers, matmul("vision.pooling.k", role, square)),
      per(units.layers, matmul("vision.pooling.v", role, square)),
      {.id = "vision.pooling.core", .role = OperatorRole::attention_core, .shape = core, .unit = kSample},
      per(kSample, matmul("vision.pooling.out", role, square)),
      per(kSample, norm("vision.pooling.norm", NormKind::layer, h)),
      per(kSample, linear("vision.pooling.mlp.up", h, v.ffn)),
      per(kSample, linear("vision.pooling.mlp.down", v.ffn, h))};
  a.blocks.push_back(std::move(block));
}

}  // namespace

VisionShape read_vision_shape(Keys& keys, const VisionShape& defaults) {
  VisionShape v = defaults;
  v.layers = keys.size_or({"num_hidden_layers", "layers", "depth"}, defaults.layers, kMostLayers);
  v.hidden = keys.size_or({"hidden_size", "width", "embed_dim"}, defaults.hidden);
  v.heads = keys.size_or({"num_attention_heads", "num_heads"}, defaults.heads);
  v.ffn = keys.size_or({"intermediate_size"}, defaults.ffn);
  v.patch = keys.size_or({"patch_size"}, defaults.patch, kMostPatch);
  v.image_size = keys.size_or({"image_size"}, defaults.image_size, kMostDimension);
  v.channels = keys.count({"num_channels", "in_channels", "in_chans"}, kMostPatch);
  if (v.channels == 0) v.channels = defaults.channels;
  if (v.hidden % v.heads != 0) {
    keys.fail("num_attention_heads", fmt::format("{} heads do not divide the hidden size {}", v.heads, v.hidden),
              "a divisor of the hidden size");
  }
  return v;
}

std::int64_t patches_per_side(Keys& keys, const VisionShape& v) {
  const std::int64_t size = keys.dimension("image_size", v.image_size);
  if (size < v.patch) {
    keys.fail("patch_size", fmt::format("patches of {} in an image of {}", v.patch, size), "patches inside the image");
    return 1;
  }
  return size / v.patch;
}

VisionUnits add_vision(Keys& keys, const VisionShape& v, std::int64_t images, Architecture& a) {
  const std::int64_t side = patches_per_side(keys, v);
  const std::int64_t table_side = std::max<std::int64_t>(v.image_size / v.patch, 1);  // of the table of positions
  VisionUnits units{.layers = v.class_token ? kImageToken : kImagePatch, .patches = side * side};
  units.length = units.patches + (v.class_token ? 1 : 0);
  if (v.class_token) a.units.push_back({.name = kImagePatch, .length = units.patches, .sequences = images});
  a.units.push_back({.name = units.layers, .length = units.length, .sequences = images});
  Block embed{.id = "vision_embedding", .part = "vision"};
  embed.operators.push_back(
      per(kImagePatch, on_data(matmul("vision.patch_embedding", OperatorRole::patch_embedding,
                                      {.in = v.channels * v.patch * v.patch, .out = v.hidden, .bias = v.patch_bias}))));
  if (v.class_token) embed.operators.push_back(parameter("vision.class_token", v.hidden));
  embed.operators.push_back(per(units.layers, embedding("vision.position_embedding", OperatorRole::position_embedding,
                                                        table_side * table_side + (v.class_token ? 1 : 0), v.hidden)));
  if (v.pre_norm) embed.operators.push_back(per(units.layers, norm("vision.pre_norm", NormKind::layer, v.hidden)));
  for (Operator& op : embed.operators) {
    if (op.unit.empty()) op.unit = units.layers;
  }
  a.blocks.push_back(std::move(embed));
  a.blocks.push_back(stack_block({.id = "vision_layers",
                                  .prefix = "vision.",
                                  .part = "vision",
                                  .unit = units.layers,
                                  .layers = v.layers,
                                  .hidden = v.hidden,
                                  .heads = v.heads,
                                  .head_dim = v.hidden / v.heads,
                                  .ffn = v.ffn}));
  if (v.post_norm) {
    a.blocks.push_back({.id = "vision_norm",
                        .operators = {per(units.layers, norm("vision.final_norm", NormKind::layer, v.hidden))},
                        .part = "vision"});
  }
  return units;
}

// ViT (arXiv 2010.11929); the head of classes where the file names classes.
Architecture read_vit(Keys& keys) {
  const VisionShape v =
      read_vision_shape(keys, {.layers = 12, .hidden = 768, .heads = 12, .ffn = 3072, .patch = 16, .image_size = 224});
  Architecture a;
  own_unit(add_vision(keys, v, 1, a), a);
  const Node* labels = keys.find({"id2label"});
  const std::int64_t classes =
      labels != nullptr ? static_cast<std::int64_t>(labels->members.size()) : keys.count({"num_labels", "num_classes"});
  if (classes > 0) add_head("vision_head", "vision", {projection("vision.classes", v.hidden, classes, true)}, a);
  return a;
}

// CLIP (arXiv 2103.00020) as Hugging Face stores it.
Architecture read_clip(Keys& keys) {
  VisionShape v;
  TextTower t;
  Architecture a;
  VisionUnits units;
  keys.within("vision_config", [&](Keys& vision) {
    v = read_vision_shape(vision, {.layers = 12,
                                   .hidden = 768,
                                   .heads = 12,
                                   .ffn = 3072,
                                   .patch = 32,
                                   .image_size = 224,
                                   .patch_bias = false,
                                   .pre_norm = true});
    units = add_vision(vision, v, 1, a);
  });
  const std::int64_t width = keys.size_or({"projection_dim"}, 512);
  add_head("vision_head", "vision", {projection("vision.projection", v.hidden, width, false)}, a);
  keys.within("text_config", [&](Keys& text) {
    t = read_text_tower(text, {.layers = 12, .hidden = 512, .heads = 8, .ffn = 2048, .vocab = 49408, .positions = 77});
    add_text_tower(text, t, a);
  });
  add_head("text_head", "text", {projection("text.projection", t.hidden, width, false), parameter("logit_scale", 1)},
           a);
  own_unit(units, a);
  return a;
}

// open_clip's model_configs: heads of 64 in the image tower, MLPs of four times the width.
Architecture read_open_clip(Keys& keys) {
  VisionShape v{.patch_bias = false, .pre_norm = true};
  TextTower t;
  Architecture a;
  VisionUnits units;
  const std::int64_t width = keys.size({"embed_dim"});
  keys.within("vision_cfg", [&](Keys& vision) {
    v.layers = vision.size({"layers"}, kMostLayers);
    v.hidden = vision.size({"width"});
    v.patch = vision.size({"patch_size"}, kMostPatch);
    v.image_size = vision.size({"image_size"}, kMostDimension);
    v.heads = v.hidden / vision.size_if_given({"head_width"}, 64);
    v.ffn = 4 * v.hidden;
    if (v.heads < 1 || v.hidden % v.heads != 0) {
      vision.fail("width", fmt::format("a width of {} for heads of 64", v.hidden), "a multiple of 'head_width'");
      v.heads = 1;
    }
    units = add_vision(vision, v, 1, a);
  });
  add_head("vision_head", "vision", {projection("vision.projection", v.hidden, width, false)}, a);
  keys.within("text_cfg", [&](Keys& text) {
    t = {.layers = text.size({"layers"}, kMostLayers),
         .hidden = text.size({"width"}),
         .heads = text.size({"heads"}),
         .vocab = text.size({"vocab_size"}),
         .positions = text.size({"context_length"})};
    t.ffn = 4 * t.hidden;
    add_text_tower(text, t, a);
  });
  add_head("text_head", "text", {projection("text.projection", t.hidden, width, false), parameter("logit_scale", 1)},
           a);
  own_unit(units, a);
  return a;
}

Architecture read_siglip(Keys& keys) {
  Architecture a;
  VisionUnits units;
  keys.within("vision_config", [&](Keys& vision) {
    const VisionShape v = read_vision_shape(
        vision,
        {.layers = 12, .hidden = 768, .heads = 12, .ffn = 3072, .patch = 16, .image_size = 224, .class_token = false});
    units = add_vision(vision, v, 1, a);
    if (vision.flag("vision_use_head", true)) add_attention_pooling(v, units, a);
  });
  keys.within("text_config", [&](Keys& text) {
    const TextTower t = read_text_tower(text, {.layers = 12,
                                               .hidden = 768,
                                               .heads = 12,
                                               .ffn = 3072,
                                               .vocab = 32000,
                                               .positions = 64,
                                               .mask = MaskKind::bidirectional});
    add_text_tower(text, t, a);
    const std::int64_t width = text.size_if_given({"projection_size"}, t.hidden);
    add_head("text_head", "text",
             {projection("text.projection", t.hidden, width, true), parameter("logit_scale_and_bias", 2)}, a);
  });
  own_unit(units, a);
  return a;
}

}  // namespace nameplate::model_config
