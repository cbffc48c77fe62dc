// What the free-text column `other_arch_notes` of a table of published runs says about a decoder.
//
// The column is a list of remarks separated by ";". Each remark is matched against a short list of patterns (see the
// .cc); a remark that matches none is returned, not dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/facts/architecture.h"

namespace nameplate {

struct ArchitectureNotes {
  bool hybrid = false;             // "hybrid Mamba-2 / attention"
  bool tied_embeddings = false;    // "tied embeddings"
  bool learned_positions = false;  // "learned positions (…)"
  bool latent_attention = false;   // "MLA", with or without its dimensions in parentheses
  MlaShape latent;  // those named: "q_lora 1536", "kv_lora 512", "qk_nope 128", "qk_rope 64", "v 128"; else 0
  std::int64_t shared_experts = 0;      // "1 shared expert", each as wide as a routed one
  std::int64_t first_dense_layers = 0;  // "first layer dense", "first 3 layers dense"
  std::int64_t mtp_depth = 0;           // "MTP depth 1"
  std::int64_t alternating_window = 0;  // "alternating sliding-window(128)/full attention": even layers have the window
  bool attention_sinks = false;
  std::vector<std::string> not_understood;
  bool operator==(const ArchitectureNotes&) const = default;
};

ArchitectureNotes read_architecture_notes(std::string_view notes);

// The latent dimensions of a model whose table row leaves some out, from its published configuration.
struct PublishedLatentDims {
  std::string_view model;  // the name begins with it
  MlaShape shape;
  std::string_view source;
};
const PublishedLatentDims* find_latent_dims(std::string_view model_name);

}  // namespace nameplate
