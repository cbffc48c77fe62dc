// Diffusion transformers: DiT, Flux, Wan. Conditioning runs once per sample, the layers once per patch of the latent.
#include <numeric>

#include <fmt/format.h>

#include "nameplate/facts/operator_makers.h"
#include "nameplate/inputs/model_config_whole.h"

namespace nameplate::model_config {
namespace {

constexpr auto kProjection = OperatorRole::attention_projection;
constexpr const char* kText = "text_token";
constexpr const char* kJoint = "joint_token";
constexpr std::int64_t kTimeWidth = 256;  // sinusoids of the time step
const std::string kSample(kSampleUnit);

Operator table(std::string id, std::int64_t parameters) {
  return {.id = std::move(id), .shape = ElementwiseShape{parameters, parameters}};
}

// A vector of the sample through two matrices: time step, guidance, pooled text.
void add_conditioning(std::string_view id, std::int64_t in, std::int64_t hidden, std::vector<Operator>& ops) {
  ops.push_back(per(kSample, on_data(linear(fmt::format("{}.1", id), in, hidden))));
  ops.push_back(per(kSample, linear(fmt::format("{}.2", id), hidden, hidden)));
}

// Scales, shifts and gates of a layer's norms, made from the conditioning vector.
Operator modulation(std::string id, std::int64_t hidden, std::int64_t vectors) {
  return per(kSample, linear(std::move(id), hidden, vectors * hidden));
}

Block layers(std::string id, std::int64_t count, std::vector<Operator> ops) {
  Block block{.id = std::move(id), .repeat = count, .operators = std::move(ops)};
  block.layers.resize(static_cast<std::size_t>(count));
  std::iota(block.layers.begin(), block.layers.end(), 0);
  return block;
}

void in_unit(std::string_view unit, std::size_t from, std::vector<Operator>& ops) {
  for (std::size_t i = from; i < ops.size(); ++i) ops[i].unit = unit;
}

// --- Flux ------------------------------------------------------------------------------------------------------------

struct FluxSizes {
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t hidden = 0;
};

Operator joint_core(std::string id, const FluxSizes& f) {
  const AttentionShape shape{f.heads, f.heads, f.head_dim, f.head_dim, {MaskKind::bidirectional, 0}, {}};
  return {.id = std::move(id), .role = OperatorRole::attention_core, .shape = shape, .unit = kJoint};
}

// One of the two streams of a double layer: `prefix` "image" on the model's own unit, "text" on the text's.
void add_stream(const std::string& prefix, std::string_view unit, const FluxSizes& f, std::vector<Operator>& ops) {
  ops.push_back(modulation(prefix + ".modulation", f.hidden, 6));
  const std::size_t from = ops.size();
  const MatmulShape square{.in = f.hidden, .out = f.hidden, .bias = true};
  for (const char* name : {".q", ".k", ".v"}) ops.push_back(matmul(prefix + name, kProjection, square));
  ops.push_back(norm(prefix + ".qk_norm", NormKind::rms, f.head_dim, 2));
  in_unit(unit, from, ops);
}

void add_stream_end(const std::string& prefix, std::string_view unit, const FluxSizes& f, std::vector<Operator>& ops) {
  const std::size_t from = ops.size();
  const auto role = OperatorRole::mlp;
  ops.push_back(matmul(prefix + ".out", kProjection, {.in = f.hidden, .out = f.hidden, .bias = true}));
  ops.push_back(matmul(prefix + ".mlp.up", role, {.in = f.hidden, .out = 4 * f.hidden, .bias = true}));
  ops.push_back(matmul(prefix + ".mlp.down", role, {.in = 4 * f.hidden, .out = f.hidden, .bias = true}));
  in_unit(unit, from, ops);
}

std::vector<Operator> double_layer(const FluxSizes& f) {
  std::vector<Operator> ops;
  add_stream("image", "", f, ops);
  add_stream("text", kText, f, ops);
  ops.push_back(joint_core("core", f));
  add_stream_end("image", "", f, ops);
  add_stream_end("text", kText, f, ops);
  return ops;
}

// Attention and MLP side by side over text and image together, one output matrix for both.
std::vector<Operator> single_layer(const FluxSizes& f) {
  std::vector<Operator> ops = {modulation("modulation", f.hidden, 3)};
  const MatmulShape square{.in = f.hidden, .out = f.hidden, .bias = true};
  for (const char* name : {"q", "k", "v"}) ops.push_back(matmul(name, kProjection, square));
  ops.push_back(norm("qk_norm", NormKind::rms, f.head_dim, 2));
  ops.push_back(joint_core("core", f));
  ops.push_back(matmul("mlp.up", OperatorRole::mlp, {.in = f.hidden, .out = 4 * f.hidden, .bias = true}));
  ops.push_back(matmul("out", OperatorRole::mlp, {.in = 5 * f.hidden, .out = f.hidden, .bias = true}));
  in_unit(kJoint, 1, ops);
  return ops;
}

// --- Wan -------------------------------------------------------------------------------------------------------------

struct WanSizes {
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t ffn = 0;
};

void add_wan_attention(const std::string& name, bool cross, const WanSizes& w, std::vector<Operator>& ops) {
  const MatmulShape square{.in = w.hidden, .out = w.hidden, .bias = true};
  const std::string keys_unit = cross ? kText : "";
  const std::int64_t dim = w.hidden / w.heads;
  ops.push_back(matmul(name + ".q", kProjection, square));
  ops.push_back(per(keys_unit, matmul(name + ".k", kProjection, square)));
  ops.push_back(per(keys_unit, matmul(name + ".v", kProjection, square)));
  ops.push_back(norm(name + ".qk_norm", NormKind::rms, w.hidden, 2));
  ops.push_back({.id = name + ".core",
                 .role = OperatorRole::attention_core,
                 .shape = AttentionShape{w.heads, w.heads, dim, dim, {MaskKind::bidirectional, 0}, keys_unit}});
  ops.push_back(matmul(name + ".out", kProjection, square));
}

std::vector<Operator> wan_layer(const WanSizes& w) {
  std::vector<Operator> ops = {table("modulation", 6 * w.hidden)};
  add_wan_attention("attention", false, w, ops);
  ops.push_back(norm("cross_norm", NormKind::layer, w.hidden));
  add_wan_attention("cross_attention", true, w, ops);
  ops.push_back(matmul("mlp.up", OperatorRole::mlp, {.in = w.hidden, .out = w.ffn, .bias = true}));
  ops.push_back(matmul("mlp.down", OperatorRole::mlp, {.in = w.ffn, .out = w.hidden, .bias = true}));
  return ops;
}

std::int64_t divided(Keys& keys, std::string_view what, std::int64_t value, std::int64_t by) {
  if (value % by != 0 || value < by) {
    keys.fail({}, fmt::format("a {} of {}", what, value), fmt::format("a multiple of {}", by));
    return 1;
  }
  return value / by;
}

}  // namespace

// DiT (arXiv 2212.09748), table 1; dimensions in diffusers' keys. Classes are looked up, one more for none. The
// sinusoids of the positions are stored with the weights and not trained.
Architecture read_dit(Keys& keys) {
  StackShape s{.layers = keys.size_or({"num_layers", "depth"}, 28, kMostLayers),
               .heads = keys.size_or({"num_attention_heads", "num_heads"}, 16, kMostPatch),
               .norm = NormKind::unweighted};
  s.head_dim = keys.size_or({"attention_head_dim"}, 72, kMostPatch);
  s.hidden = s.heads * s.head_dim;
  s.ffn = 4 * s.hidden;
  const std::int64_t in = keys.size_or({"in_channels"}, 4);
  const std::int64_t out = keys.size_or({"out_channels"}, 2 * in);
  const std::int64_t patch = keys.size_or({"patch_size"}, 2, kMostPatch);
  const std::int64_t classes = keys.size_or({"num_embeds_ada_norm", "num_classes"}, 1000);
  const std::int64_t side = divided(
      keys, "latent size", keys.dimension("latent_size", keys.size_or({"sample_size"}, 32, kMostDimension)), patch);
  Architecture a{.unit = "latent_patch", .default_length = side * side};
  Operator sinusoids = embedding("position_embedding", OperatorRole::position_embedding, side * side, s.hidden);
  sinusoids.trainable = false;
  Block embed{.id = "embedding",
              .operators = {on_data(matmul("patch_embedding", OperatorRole::patch_embedding,
                                           {.in = in * patch * patch, .out = s.hidden, .bias = true})),
                            sinusoids}};
  add_conditioning("time", kTimeWidth, s.hidden, embed.operators);
  embed.operators.push_back(per(kSample, embedding("class_embedding", OperatorRole::other, classes + 1, s.hidden)));
  a.blocks.push_back(std::move(embed));
  Block block = stack_block(s);
  block.operators.insert(block.operators.begin(), modulation("modulation", s.hidden, 6));
  a.blocks.push_back(std::move(block));
  a.blocks.push_back({.id = "head",
                      .operators = {modulation("head.modulation", s.hidden, 2),
                                    matmul("output_projection", OperatorRole::output_projection,
                                           {.in = s.hidden, .out = patch * patch * out, .bias = true})}});
  return a;
}

// Flux.1 (Black Forest Labs; diffusers FluxTransformer2DModel): layers of two streams, then layers of one. Its unit is
// a token of the image: 16 x 16 pixels. The text encoders are other models.
Architecture read_flux(Keys& keys) {
  FluxSizes f{.heads = keys.size_or({"num_attention_heads"}, 24, kMostPatch),
              .head_dim = keys.size_or({"attention_head_dim"}, 128, kMostPatch)};
  f.hidden = f.heads * f.head_dim;
  const std::int64_t in = keys.size_or({"in_channels"}, 64);
  const std::int64_t text = keys.size_or({"joint_attention_dim"}, 4096);
  const std::int64_t side = divided(keys, "image_size", keys.dimension("image_size", 1024, true), 16);
  const std::int64_t text_length = keys.dimension("text_length", 512, true);
  Architecture a{.unit = "image_token", .default_length = side * side};
  a.units = {{.name = kText, .length = text_length}, {.name = kJoint, .length = text_length, .extends_own = true}};
  Block embed{.id = "embedding",
              .operators = {on_data(matmul("image_embedding", OperatorRole::patch_embedding,
                                           {.in = in, .out = f.hidden, .bias = true})),
                            per(kText, on_data(linear("text_embedding", text, f.hidden)))}};
  add_conditioning("time", kTimeWidth, f.hidden, embed.operators);
  if (keys.flag("guidance_embeds", false)) add_conditioning("guidance", kTimeWidth, f.hidden, embed.operators);
  add_conditioning("pooled_text", keys.size_or({"pooled_projection_dim"}, 768), f.hidden, embed.operators);
  a.blocks.push_back(std::move(embed));
  a.blocks.push_back(layers("double_layers", keys.size_or({"num_layers"}, 19, kMostLayers), double_layer(f)));
  a.blocks.push_back(layers("single_layers", keys.size_or({"num_single_layers"}, 38, kMostLayers), single_layer(f)));
  a.blocks.push_back({.id = "head",
                      .operators = {modulation("head.modulation", f.hidden, 2),
                                    matmul("output_projection", OperatorRole::output_projection,
                                           {.in = f.hidden, .out = in, .bias = true})}});
  return a;
}

// Wan 2.1 (arXiv 2503.20314), text to video: a latent of 1/4 of the frames and 1/8 of the height and width, patches of
// 1 x 2 x 2. The text encoder and the autoencoder are other models.
Architecture read_wan(Keys& keys) {
  if (keys.text("has_image_input") == "true") {
    keys.fail("has_image_input", "an image input, not counted yet", "a text-to-video model");
  }
  const WanSizes w{.hidden = keys.size({"dim"}), .heads = keys.size({"num_heads"}), .ffn = keys.size({"ffn_dim"})};
  if (w.hidden % w.heads != 0) keys.fail("num_heads", "heads that do not divide the width", "a divisor of 'dim'");
  const std::int64_t in = keys.size_or({"in_dim"}, 16), out = keys.size_or({"out_dim"}, 16);
  const std::int64_t text = keys.size_or({"text_dim"}, 4096), time = keys.size_or({"freq_dim"}, 256);
  const std::int64_t frames = (keys.dimension("frames", 81, true) - 1) / 4 + 1;
  const std::int64_t rows = divided(keys, "height", keys.dimension("height", 480, true), 16);
  const std::int64_t columns = divided(keys, "width", keys.dimension("width", 832, true), 16);
  Architecture a{.unit = "latent_patch", .default_length = frames * rows * columns};
  a.units.push_back(
      {.name = kText, .length = keys.dimension("text_length", keys.size_or({"text_len"}, 512, kMostDimension))});
  const std::int64_t h = w.hidden;
  Block embed{
      .id = "embedding",
      .operators = {
          on_data(matmul("patch_embedding", OperatorRole::patch_embedding, {.in = 4 * in, .out = h, .bias = true})),
          per(kText, on_data(linear("text_embedding.1", text, h))), per(kText, linear("text_embedding.2", h, h))}};
  add_conditioning("time", time, h, embed.operators);
  embed.operators.push_back(modulation("time.modulation", h, 6));
  a.blocks.push_back(std::move(embed));
  a.blocks.push_back(layers("layers", keys.size({"num_layers"}, kMostLayers), wan_layer(w)));
  a.blocks.push_back(
      {.id = "head",
       .operators = {table("head.modulation", 2 * h), matmul("output_projection", OperatorRole::output_projection,
                                                             {.in = h, .out = 4 * out, .bias = true})}});
  return a;
}

}  // namespace nameplate::model_config
