#include "nameplate/inputs/published_notes.h"

#include <algorithm>
#include <array>

#include "nameplate/core/text.h"

namespace nameplate {
namespace {

// Says nothing about FLOPs or sharding that the columns do not say, too.
constexpr std::array<std::string_view, 11> kRemarksWithoutEffect = {
    "untied embeddings",
    "no biases",
    "dims from the repo launch scripts",
    "squared ReLU",
    "MoE 128 experts",
    "source table says",
    "Muon optimizer",
    "capacity factor",
    "multi-query attention",
    "rotary",
    "parallel attention",
};

// The integer in `text` right behind `before`, e.g. 1536 in "q_lora 1536"; 0 where there is none or it is absurd.
std::int64_t number_after(std::string_view text, std::string_view before) {
  const std::size_t found = text.find(before);
  if (found == text.npos) return 0;
  const std::string_view rest = text.substr(found + before.size());
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  const std::int64_t value = parse_integer(rest.substr(0, digits)).value_or(0);
  return value <= 1'000'000 ? value : 0;
}

void read_latent_attention(std::string_view remark, ArchitectureNotes& notes) {
  notes.latent_attention = true;
  notes.latent = {.q_rank = number_after(remark, "q_lora "),
                  .kv_rank = number_after(remark, "kv_lora "),
                  .nope_dim = number_after(remark, "qk_nope "),
                  .rope_dim = number_after(remark, "qk_rope "),
                  .v_dim = number_after(remark, " v ")};
}

// "first layer dense" and "first 3 layers dense".
std::int64_t dense_layers(std::string_view remark) {
  return remark == "first layer dense" ? 1 : number_after(remark, "first ");
}

bool has_no_effect(std::string_view remark) {
  for (std::string_view known : kRemarksWithoutEffect) {
    if (remark.starts_with(known)) return true;
  }
  return false;
}

void read_remark(std::string_view remark, ArchitectureNotes& notes) {
  if (remark.starts_with("hybrid ")) {
    notes.hybrid = true;
  } else if (remark == "tied embeddings") {
    notes.tied_embeddings = true;
  } else if (remark.starts_with("learned positions")) {
    notes.learned_positions = true;
  } else if (remark == "MLA" || remark.starts_with("MLA (")) {
    read_latent_attention(remark, notes);
  } else if (remark.ends_with(" shared expert") || remark.ends_with(" shared experts")) {
    notes.shared_experts = number_after(remark, "");
  } else if (remark.starts_with("first ") && remark.ends_with(" dense")) {
    notes.first_dense_layers = dense_layers(remark);
  } else if (remark.starts_with("MTP depth ")) {
    notes.mtp_depth = number_after(remark, "MTP depth ");
  } else if (remark.starts_with("alternating sliding-window(")) {
    notes.alternating_window = number_after(remark, "sliding-window(");
  } else if (remark == "attention sinks") {
    notes.attention_sinks = true;
  } else if (!has_no_effect(remark)) {
    notes.not_understood.emplace_back(remark);
  }
}

constexpr PublishedLatentDims kLatentDims[] = {
    {"deepseek-v2",
     {.q_rank = 1536, .kv_rank = 512, .nope_dim = 128, .rope_dim = 64, .v_dim = 128},
     "DeepSeek-V2, arXiv 2405.04434, section 3.1.2"},
    {"kimi-k2",
     {.q_rank = 1536, .kv_rank = 512, .nope_dim = 128, .rope_dim = 64, .v_dim = 128},
     "config.json of moonshotai/Kimi-K2-Instruct"},
};

}  // namespace

ArchitectureNotes read_architecture_notes(std::string_view text) {
  ArchitectureNotes notes;
  for (std::string_view remark : split(text, ';')) {
    remark = trim(remark);
    if (!remark.empty()) read_remark(remark, notes);
  }
  return notes;
}

const PublishedLatentDims* find_latent_dims(std::string_view model_name) {
  for (const PublishedLatentDims& dims : kLatentDims) {
    if (model_name.starts_with(dims.model)) return &dims;
  }
  return nullptr;
}

}  // namespace nameplate
