// Encoders (BERT, RoBERTa, ESM-2) and encoder-decoders (T5, Whisper).
#include <fmt/format.h>

#include "nameplate/facts/operator_makers.h"
#include "nameplate/inputs/model_config_whole.h"

namespace nameplate::model_config {
namespace {

constexpr auto kTokens = OperatorRole::token_embedding;
constexpr auto kPositionTable = OperatorRole::position_embedding;
const std::string kSample(kSampleUnit);

struct EncoderSizes {
  std::int64_t vocab = 0;
  std::int64_t positions = 0;
  StackShape stack;
};

EncoderSizes read_encoder(Keys& keys) {
  constexpr Names kPadded = {"padded_vocab_size"};
  EncoderSizes e{
      .vocab = keys.has(kPadded) ? keys.size(kPadded) : keys.size(kVocab),
      .positions = keys.size(kPositions),
      .stack = {.layers = keys.size(kLayers, kMostLayers), .hidden = keys.size(kHidden), .heads = keys.size(kHeads)}};
  e.stack.ffn = keys.size_if_given(kFfn, 4 * e.stack.hidden);
  if (e.stack.hidden % e.stack.heads != 0) {
    keys.fail(kHeads.first(), fmt::format("{} heads do not divide the hidden size {}", e.stack.heads, e.stack.hidden),
              "a divisor of the hidden size");
  }
  e.stack.head_dim = e.stack.hidden / e.stack.heads;
  return e;
}

bool is_class(const Keys& keys, std::string_view what) {
  const Node* architectures = keys.find({"architectures"});
  if (architectures == nullptr) return false;
  for (const Node& item : architectures->items) {
    if (item.as_string().value_or("").find(what) != std::string_view::npos) return true;
  }
  return false;
}

Operator tied_projection(std::int64_t hidden, std::int64_t vocab) {
  Operator op = matmul("output_projection", OperatorRole::output_projection, {.in = hidden, .out = vocab});
  op.shares_weights = true;
  return op;
}

// Every token goes through the head, as in the usual implementations, though the loss needs the masked ones only.
void add_masked_language_head(std::int64_t hidden, std::int64_t vocab, std::vector<Operator>& ops) {
  ops.push_back(linear("head.transform", hidden, hidden));
  ops.push_back(norm("head.norm", NormKind::layer, hidden));
  ops.push_back(tied_projection(hidden, vocab));
  ops.push_back({.id = "head.bias", .shape = ElementwiseShape{vocab, vocab}});
}

Block embedding_block(const EncoderSizes& e, std::int64_t position_rows, std::int64_t types, bool normed) {
  Block block{.id = "embedding"};
  block.operators.push_back(embedding("token_embedding", kTokens, e.vocab, e.stack.hidden));
  if (position_rows > 0) {
    block.operators.push_back(embedding("position_embedding", kPositionTable, position_rows, e.stack.hidden));
  }
  if (types > 0) block.operators.push_back(embedding("type_embedding", OperatorRole::other, types, e.stack.hidden));
  if (normed) block.operators.push_back(norm("embedding_norm", NormKind::layer, e.stack.hidden));
  return block;
}

Architecture bert_like(Keys& keys, std::int64_t types, bool pooled) {
  const EncoderSizes e = read_encoder(keys);
  const std::int64_t h = e.stack.hidden;
  Architecture a{.default_length = std::min<std::int64_t>(e.positions, 512)};
  a.blocks.push_back(embedding_block(e, e.positions, keys.size_if_given({"type_vocab_size"}, types), true));
  a.blocks.push_back(stack_block(e.stack));
  Block head{.id = "head"};
  if (pooled) {
    head.operators.push_back(per(kSample, linear("pooler", h, h)));
    head.operators.push_back(per(kSample, linear("next_sentence", h, 2)));
  }
  add_masked_language_head(h, e.vocab, head.operators);
  a.blocks.push_back(std::move(head));
  return a;
}

}  // namespace

// BERT (arXiv 1810.04805) as it is pre-trained, with both losses; a "…ForMaskedLM" has the first only.
Architecture read_bert(Keys& keys) { return bert_like(keys, 2, !is_class(keys, "MaskedLM")); }

Architecture read_roberta(Keys& keys) { return bert_like(keys, 1, false); }

// ESM-2 (Lin et al. 2023, doi 10.1126/science.ade2574): rotary positions, norms before each part, a final norm.
Architecture read_esm(Keys& keys) {
  const EncoderSizes e = read_encoder(keys);
  const bool table = keys.text("position_embedding_type") == "absolute";
  Architecture a{.default_length = std::min<std::int64_t>(e.positions, 1024)};
  a.blocks.push_back(embedding_block(e, table ? e.positions : 0, 0, keys.flag("emb_layer_norm_before", false)));
  a.blocks.push_back(stack_block(e.stack));
  Block head{.id = "head", .operators = {norm("final_norm", NormKind::layer, e.stack.hidden)}};
  add_masked_language_head(e.stack.hidden, e.vocab, head.operators);
  a.blocks.push_back(std::move(head));
  return a;
}

// T5 (arXiv 1910.10683). Positions are biases of the first layer's scores, shared by the others. The decoder's length
// is that of the targets of span corruption: 114 for inputs of 512.
Architecture read_t5(Keys& keys) {
  const std::int64_t vocab = keys.size(kVocab);
  StackShape encoder{.id = "encoder_layers",
                     .prefix = "encoder.",
                     .part = "encoder",
                     .layers = keys.size(kLayers, kMostLayers),
                     .hidden = keys.size(kHidden),
                     .heads = keys.size(kHeads),
                     .head_dim = keys.size({"d_kv"}, kMostPatch),
                     .ffn = keys.size({"d_ff"}),
                     .gated_mlp = keys.text("feed_forward_proj").starts_with("gated"),
                     .bias = false,
                     .norm = NormKind::rms};
  StackShape decoder = encoder;
  decoder.id = "decoder_layers";
  decoder.prefix = "decoder.";
  decoder.part = "decoder";
  decoder.unit = "target_token";
  decoder.layers = keys.size_if_given({"num_decoder_layers"}, encoder.layers);
  decoder.norms_per_layer = 3;
  decoder.mask = {MaskKind::causal, 0};
  decoder.cross_unit = "token";
  const std::int64_t h = encoder.hidden;
  const std::int64_t biases = keys.size_or({"relative_attention_num_buckets"}, 32) * encoder.heads;
  Architecture a{.default_length = 512};
  a.units.push_back({.name = "target_token", .length = keys.dimension("target_length", 114, true)});
  const auto edge = [&](std::string id, std::string unit, std::vector<Operator> ops) {
    for (Operator& op : ops) op.unit = unit;
    a.blocks.push_back({.id = std::move(id), .operators = std::move(ops)});
  };
  const auto bias = [&](std::string id) {
    return Operator{.id = std::move(id), .role = kPositionTable, .shape = ElementwiseShape{encoder.heads, biases}};
  };
  edge("embedding", "", {embedding("token_embedding", kTokens, vocab, h), bias("encoder.position_bias")});
  a.blocks.push_back(stack_block(encoder));
  edge("encoder_norm", "", {norm("encoder.final_norm", NormKind::rms, h)});
  edge("decoder_embedding", "target_token", {bias("decoder.position_bias")});
  a.blocks.push_back(stack_block(decoder));
  Operator head = tied_projection(h, vocab);
  head.shares_weights = keys.tied_embeddings(true);
  edge("head", "target_token", {norm("decoder.final_norm", NormKind::rms, h), head});
  return a;
}

// Whisper (arXiv 2212.04356): two convolutions, the second of stride 2, over 3000 frames of a spectrogram; the
// encoder's sinusoids are stored with the weights and not trained.
Architecture read_whisper(Keys& keys) {
  const std::int64_t h = keys.size(kHidden);
  const std::int64_t vocab = keys.size(kVocab);
  const std::int64_t frames = keys.size_or({"max_source_positions"}, 1500);
  const std::int64_t targets = keys.size_or({"max_target_positions"}, 448);
  const std::int64_t mels = keys.size_or({"num_mel_bins"}, 80);
  StackShape encoder{.id = "encoder_layers",
                     .prefix = "encoder.",
                     .part = "encoder",
                     .unit = "audio_frame",
                     .layers = keys.size({"encoder_layers"}, kMostLayers),
                     .hidden = h,
                     .heads = keys.size({"encoder_attention_heads"}),
                     .ffn = keys.size({"encoder_ffn_dim"}),
                     .key_bias = false};
  StackShape decoder = encoder;
  decoder.id = "decoder_layers";
  decoder.prefix = "decoder.";
  decoder.part = "decoder";
  decoder.unit = "";
  decoder.layers = keys.size({"decoder_layers"}, kMostLayers);
  decoder.heads = keys.size({"decoder_attention_heads"});
  decoder.ffn = keys.size({"decoder_ffn_dim"});
  decoder.norms_per_layer = 3;
  decoder.mask = {MaskKind::causal, 0};
  decoder.cross_unit = "audio_frame";
  if (h % encoder.heads != 0 || h % decoder.heads != 0) {
    keys.fail("d_model", fmt::format("a width of {} that the heads do not divide", h), "a multiple of the heads");
  }
  encoder.head_dim = h / encoder.heads;
  decoder.head_dim = h / decoder.heads;
  Architecture a{.default_length = targets};
  a.units.push_back({.name = "audio_frame", .length = keys.dimension("audio_frames", frames)});
  const auto convolution = [&](std::string id, std::int64_t in, std::int64_t positions) {
    return Operator{.id = std::move(id),
                    .role = OperatorRole::convolution,
                    .shape = ConvolutionShape{.in = in, .out = h, .kernel = 3, .positions = positions, .bias = true}};
  };
  Operator sinusoids = embedding("encoder.position_embedding", kPositionTable, frames, h);
  sinusoids.trainable = false;
  Block ears{.id = "audio_embedding",
             .operators = {on_data(convolution("encoder.convolution_1", mels, 2)),
                           convolution("encoder.convolution_2", h, 1), sinusoids},
             .part = "encoder"};
  for (Operator& op : ears.operators) op.unit = "audio_frame";
  a.blocks.push_back(std::move(ears));
  a.blocks.push_back(stack_block(encoder));
  a.blocks.push_back({.id = "encoder_norm",
                      .operators = {per("audio_frame", norm("encoder.final_norm", NormKind::layer, h))},
                      .part = "encoder"});
  a.blocks.push_back({.id = "embedding",
                      .operators = {embedding("token_embedding", kTokens, vocab, h),
                                    embedding("position_embedding", kPositionTable, targets, h)},
                      .part = "decoder"});
  a.blocks.push_back(stack_block(decoder));
  a.blocks.push_back({.id = "head",
                      .operators = {norm("final_norm", NormKind::layer, h), tied_projection(h, vocab)},
                      .part = "decoder"});
  return a;
}

}  // namespace nameplate::model_config
