#include "nameplate/inputs/model_config.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "nameplate/core/file_reader.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/model_config_families.h"
#include "nameplate/inputs/model_config_keys.h"
#include "nameplate/inputs/model_config_refused.h"
#include "nameplate/inputs/model_config_whole.h"

namespace nameplate {
namespace {

using namespace model_config;

constexpr std::int64_t kMostBytes = 16 << 20;  // the largest published config.json has 0.1 MB
constexpr std::array kTowers = {"vision_config", "vision_tower", "visual", "audio_config", "audio_encoder_config"};
constexpr std::string_view kGenericKeys =
    "num_hidden_layers, hidden_size, num_attention_heads, intermediate_size and vocab_size";

bool has_generic_keys(const Keys& keys) {
  return keys.has(kLayers) && keys.has(kHidden) && keys.has(kHeads) && keys.has(kFfn) && keys.has(kVocab);
}

// How a file is read whose model_type is absent or not in the table.
struct Guess {
  std::string_view family;
  Reader reader;
};

// Other programs' formats, by keys that only they have: DeepSeek's, OpenAI's, Meta's, llm-analysis'. Mistral's
// params.json has `dim`, too, but calls the MLP's width hidden_dim.
std::optional<Guess> guess_family(const Keys& keys, std::string_view model_type) {
  if (model_type.empty()) {
    if (keys.has({"kv_lora_rank"})) return Guess{"deepseek_v3", read_deepseek};
    if (keys.has({"n_embd"})) return Guess{"gpt2", read_gpt2};
    if (keys.has({"dim"}) && keys.has({"multiple_of"})) return Guess{"Meta's Llama", read_meta_llama};
    if (keys.has({"hidden_dim"}) && !keys.has({"dim"})) {
      return Guess{"a decoder like GPT-2 (plain MLP, layer norms, biases)", read_megatron};
    }
  }
  if (!has_generic_keys(keys)) return std::nullopt;
  return Guess{"a decoder like Llama (gated MLP, RMS norms)", read_like_llama};
}

Error refusal_error(const Refusal& refusal, std::string_view model_type, const Place& place) {
  const std::string subject = model_type.empty() ? "the model" : fmt::format("model_type '{}'", model_type);
  return Error{fmt::format("{} {}; not counted yet", subject, refusal.reason), "a family that is known", place,
               "write it as a list of operators: [[model.blocks]] in run.toml"};
}

Error unknown_error(std::string_view model_type, const Keys& keys, const Place& place) {
  std::string missing;
  for (const Names& names : std::initializer_list<Names>{kLayers, kHidden, kHeads, kFfn, kVocab}) {
    if (!keys.has(names)) missing += fmt::format("{}'{}'", missing.empty() ? "" : ", ", names.first());
  }
  std::vector<std::string> known;
  for (const Family& family : families()) known.emplace_back(family.model_type);
  std::string hint = model_type.empty() ? std::string{} : did_you_mean(model_type, known);
  if (!hint.empty()) hint += " ";
  hint += "or give layers, hidden, heads, ffn and vocab under [model] in run.toml";
  const std::string subject =
      model_type.empty() ? std::string("no model_type") : fmt::format("unknown model_type '{}'", model_type);
  return Error{fmt::format("{}, and no {}", subject, missing), std::string(kGenericKeys), place, std::move(hint)};
}

std::string name_of(const Node& root, std::string_view model_type) {
  for (std::string_view key : {"_name_or_path", "name_or_path", "name", "model_name"}) {
    const Node* node = root.find(key);
    if (node != nullptr && node->as_string() && !node->as_string()->empty()) return std::string(*node->as_string());
  }
  return std::string(model_type);
}

std::string towers_of(const Node& root) {
  std::string towers;
  for (const char* key : kTowers) {
    const Node* node = root.find(key);
    if (node == nullptr || node->is(Node::Kind::null)) continue;
    towers += fmt::format("{}{}", towers.empty() ? "" : ", ", key);
  }
  return towers;
}

std::string join(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

// Where the decoder's keys are: the root, or the object that a vision-language model nests them in.
struct Decoder {
  const Node* object;
  std::string path;
  std::string_view model_type;
};

Decoder find_decoder(const Node& root) {
  const Node* own = root.find("model_type");
  const std::string_view outer = own == nullptr ? std::string_view{} : own->as_string().value_or("");
  for (std::string_view key : {"text_config", "language_config", "llm_config"}) {
    const Node* text = root.find(key);
    if (text == nullptr || !text->is(Node::Kind::object)) continue;
    const Node* inner = text->find("model_type");
    return {text, fmt::format("/{}", key), inner == nullptr ? outer : inner->as_string().value_or(outer)};
  }
  return {&root, {}, outer};
}

Assumption guess_message(std::string_view model_type, std::string_view family) {
  if (model_type.empty()) return {"model_config.no_type", {{"family", std::string(family)}}};
  return {"model_config.read_as", {{"model_type", std::string(model_type)}, {"family", std::string(family)}}};
}

// How the object that holds the decoder is read; refused families are Errors.
Result<Family> decoder_family(const Decoder& decoder, const Keys& keys, const std::string& file, ModelConfig& config) {
  if (const Reader reader = find_reader(decoder.model_type)) return Family{decoder.model_type, reader};
  if (const auto refusal = refused(*decoder.object, decoder.model_type)) {
    return refusal_error(*refusal, decoder.model_type,
                         {.file = file, .path = fmt::format("{}/{}", decoder.path, refusal->key)});
  }
  const std::optional<Guess> guess = guess_family(keys, decoder.model_type);
  if (!guess) return unknown_error(decoder.model_type, keys, {.file = file, .path = decoder.path});
  config.assumptions.push_back(guess_message(decoder.model_type, guess->family));
  return Family{decoder.model_type, guess->reader};
}

// The decoder, and the tower before it.
Status read_decoder(Keys& root, const std::string& file, ModelConfig& config) {
  const Decoder decoder = find_decoder(root.object());
  const bool nested = decoder.object != &root.object();
  Keys inner(*decoder.object, file, decoder.path, nested ? &root.object() : nullptr);
  const Result<Family> family = decoder_family(decoder, inner, file, config);
  if (!family.ok()) return family.error();
  config.decoder = family->reader(inner);
  if (inner.status()) return inner.status();
  config.decoder->name = name_of(root.object(), decoder.model_type);
  if (!read_tower(root, root.text("model_type"), config.decoder->hidden, config.rest)) {
    const std::string towers = towers_of(root.object());
    if (!towers.empty()) config.assumptions.push_back({"model_config.text_only", {{"towers", towers}}});
  }
  root.add_defaults(inner);
  return root.status();
}

Status read_whole(Keys& root, WholeReader reader, ModelConfig& config) {
  config.rest = reader(root);
  config.rest.name = name_of(root.object(), root.text("model_type"));
  return root.status();
}

Status check_dimensions(const Keys& keys, const ModelDimensions& dimensions) {
  const std::vector<std::string>& known = keys.asked_dimensions();
  for (const auto& [dimension, value] : dimensions) {
    if (std::find(known.begin(), known.end(), dimension) != known.end()) continue;
    Error bad = error(fmt::format("the model has no dimension '{}' to set", dimension), did_you_mean(dimension, known));
    bad.expected = known.empty() ? "none" : fmt::format("one of {}", join(known));
    return bad;
  }
  return std::nullopt;
}

}  // namespace

Result<ModelConfig> read_model_config(std::string_view text, const std::string& file,
                                      const ModelDimensions& dimensions) {
  NAMEPLATE_TRY(const ParsedJson json, parse_json(text, file));
  if (!json.root.is(Node::Kind::object)) {
    return Error{
        fmt::format("{}", name(json.root.kind)), "a JSON object with a model's configuration", {.file = file}, {}};
  }
  ModelConfig config;
  Keys root(json.root, file);
  root.set_dimensions(dimensions);
  const WholeReader whole = find_whole_reader(json.root);
  if (Status bad = whole != nullptr ? read_whole(root, whole, config) : read_decoder(root, file, config)) return *bad;
  if (Status bad = check_dimensions(root, dimensions)) return *bad;
  if (!root.defaults().empty()) {
    config.assumptions.push_back({"model_config.defaults", {{"keys", join(root.defaults())}}});
  }
  if (json.non_finite > 0) {
    add_defect(config.defects, {"model_config.non_finite", {{"file", file}}}, Severity::info, json.non_finite);
  }
  return config;
}

Result<ModelConfig> read_model_config_file(const std::string& path, const ModelDimensions& dimensions) {
  NAMEPLATE_TRY(const std::string text, read_file(path, kMostBytes));
  return read_model_config(text, path, dimensions);
}

bool looks_like_model_config(const Node& root) {
  if (!root.is(Node::Kind::object)) return false;
  const Node* model_type = root.find("model_type");
  if (model_type != nullptr && model_type->as_string()) return true;
  if (find_whole_reader(root) != nullptr) return true;
  const Keys keys(root, {});
  return keys.has(kLayers) && keys.has(kHidden) && keys.has(kHeads);
}

}  // namespace nameplate
