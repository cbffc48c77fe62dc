// The keys of one object of a config.json as exact, bounded values.
//
// Families spell one dimension differently (num_hidden_layers, n_layer, num_layers): a `Names` lists the spellings, and
// the first that is present and not null counts. The first thing wrong is kept as `status()`, and reads return a
// harmless 1 from then on, so that a family reads as a plain list of its keys.
//
// Absent and null differ where Python's `transformers` makes them differ: an absent flag is the family's default, a
// null one is false; an absent head_dim is the family's default, a null one is hidden_size / num_attention_heads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/check.h"
#include "nameplate/core/node.h"
#include "nameplate/core/result.h"

namespace nameplate::model_config {

// The spellings of one key, at most six.
class Names {
 public:
  constexpr Names(std::initializer_list<std::string_view> list) : size_(list.size()) {
    NAMEPLATE_CHECK(list.size() <= spellings_.size());
    std::copy(list.begin(), list.end(), spellings_.begin());
  }
  constexpr const std::string_view* begin() const { return spellings_.data(); }
  constexpr const std::string_view* end() const { return spellings_.data() + size_; }
  constexpr std::string_view first() const { return spellings_[0]; }

 private:
  std::array<std::string_view, 6> spellings_;
  std::size_t size_;
};

inline constexpr std::int64_t kMostLayers = 1 << 14;
inline constexpr std::int64_t kMostSize = 1 << 24;
inline constexpr std::int64_t kMostPredictionModules = 64;
inline constexpr std::int64_t kMostPatch = 1 << 10;      // a patch's side, channels of an image, patches merged in one
inline constexpr std::int64_t kMostDimension = 1 << 17;  // an image's side, frames, a text's length

inline constexpr Names kLayers = {"num_hidden_layers", "n_layer", "num_layers", "n_layers", "layer_num"};
inline constexpr Names kHidden = {"hidden_size", "n_embd", "d_model", "dim", "hidden_dim"};
inline constexpr Names kHeads = {"num_attention_heads", "n_head", "num_heads", "n_heads", "head_num"};
inline constexpr Names kKvHeads = {"num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads", "kv_head_num"};
inline constexpr Names kHeadDim = {"head_dim", "kv_channels", "head_size"};
inline constexpr Names kFfn = {"intermediate_size", "n_inner",       "ffn_dim",
                               "ffn_hidden_size",   "ffn_embed_dim", "inter_dim"};
inline constexpr Names kVocab = {"vocab_size", "padded_vocab_size"};
inline constexpr Names kPositions = {"n_positions", "max_position_embeddings", "n_ctx", "max_seq_len"};
inline constexpr Names kExperts = {"num_experts", "n_routed_experts", "num_local_experts", "expert_num"};
inline constexpr Names kExpertsPerToken = {"num_experts_per_tok", "experts_per_token", "num_experts_per_token",
                                           "n_activated_experts", "moe_topk",          "topk"};
inline constexpr Names kExpertFfn = {"moe_intermediate_size", "moe_inter_dim", "moe_ffn_hidden_size"};

class Keys {
 public:
  // `path` locates `object` in the file ("", "/text_config"); `outer` is the object around it, if any. Both nodes must
  // outlive this.
  Keys(const Node& object, std::string file, std::string path = {}, const Node* outer = nullptr);

  // The first of `names` that is present and not null; else nullptr.
  const Node* find(const Names& names) const;
  bool has(const Names& names) const { return find(names) != nullptr; }

  std::int64_t size(const Names& names, std::int64_t most = kMostSize);  // required, 1..most
  // Like `size`, but absent or null means `fallback`, which is noted as a default unless it is 0 ("required").
  std::int64_t size_or(const Names& names, std::int64_t fallback, std::int64_t most = kMostSize);
  // The same where the fallback is no assumption but follows from other keys.
  std::int64_t size_if_given(const Names& names, std::int64_t otherwise);
  std::int64_t count(const Names& names, std::int64_t most = kMostSize);  // 0..most; absent or null means 0
  bool flag(std::string_view key, bool fallback);
  bool tied_embeddings(bool fallback);                        // the outer object's word comes first; a default is noted
  std::string_view text(std::string_view key) const;          // empty unless a string
  std::vector<std::int64_t> indices(std::string_view key);    // a list of integers >= 0; absent or null: empty
  std::vector<std::string_view> words(std::string_view key);  // a list of strings; absent or null: empty
  bool is_null(const Names& names) const;                     // one of them is there, and none has a value

  // What the file leaves open and the caller may set; the fallback is noted as a default where `assumed`.
  std::int64_t dimension(std::string_view name, std::int64_t fallback, bool assumed = false);
  void set_dimensions(const std::map<std::string, std::int64_t, std::less<>>& dimensions) { dimensions_ = dimensions; }
  const std::vector<std::string>& asked_dimensions() const { return asked_; }

  // Reads the object under `key` with keys of its own; what is wrong there, its defaults and dimensions become these's.
  void within(std::string_view key, const std::function<void(Keys&)>& read);

  void note_default(std::string_view key, std::string value);
  void add_defaults(const Keys& inner) {
    defaults_.insert(defaults_.begin(), inner.defaults_.begin(), inner.defaults_.end());
  }
  void fail(std::string_view key, std::string found, std::string expected);

  const Node& object() const { return object_; }
  bool is_nested() const {
    return outer_ != nullptr;
  }  // nested configurations leave out what equals the class's defaults
  const Status& status() const { return status_; }
  const std::vector<std::string>& defaults() const { return defaults_; }  // "tie_word_embeddings = true"

 private:
  std::int64_t bounded(const Names& names, const Node& node, std::int64_t least, std::int64_t most);
  std::string_view spelling(const Names& names) const;  // the one in the file, else the first

  const Node& object_;
  std::string file_;
  std::string path_;
  const Node* outer_;
  Status status_;
  std::vector<std::string> defaults_;
  std::map<std::string, std::int64_t, std::less<>> dimensions_;
  std::vector<std::string> asked_;
};

}  // namespace nameplate::model_config
