#include "nameplate/api/published_step_notes.h"

#include <algorithm>

#include "nameplate/core/check.h"
#include "nameplate/core/text.h"

namespace nameplate {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct RecomputeWords {
  std::string_view words;
  RecomputeShares shares;
};
// MaxText: remat policies (models docs); "qkv_proj_offloaded" keeps three of the projections. torchtitan: a layer of
// two.
constexpr RecomputeWords kRecomputeWords[] = {
    {"remat minimal", {.elementwise = 1}},
    {"remat qkv_proj_offloaded", {.projections = 0.3, .core = 1, .feed_forward = 1, .elementwise = 1}},
    {"selective layer AC", {.projections = 0.5, .core = 0.5, .feed_forward = 0.5, .elementwise = 0.5}},
};

// Shares of a layer's forward pass that one module stands for; those of element-wise work are counts of passes,
// assumed.
RecomputeShares shares_of(RecomputeModule module) {
  switch (module) {
    case RecomputeModule::core_attention:
      return {.core = 1};
    case RecomputeModule::norm:
      return {.elementwise = 0.3};
    case RecomputeModule::mlp:
    case RecomputeModule::experts:
      return {.feed_forward = 1, .elementwise = 0.5};
    case RecomputeModule::expert_activation:
      return {.elementwise = 0.1};
    case RecomputeModule::latent_up_projection:
      return {.projections = 0.4};
    case RecomputeModule::alternate_matmuls:
      return {.projections = 0.5, .feed_forward = 0.5, .elementwise = 1};
  }
  NAMEPLATE_CHECK(false);
}

// "recompute modules: core_attn+layernorm, …"
std::vector<RecomputeModule> stated_modules(std::string_view notes) {
  constexpr std::string_view kWords = "recompute modules: ";
  const std::size_t at = notes.find(kWords);
  if (at == std::string_view::npos) return {};
  std::string_view list = notes.substr(at + kWords.size());
  list = list.substr(0, list.find_first_of(",; "));
  std::vector<RecomputeModule> modules;
  for (const std::string_view word : split(list, '+')) {
    if (const auto module = parse_recompute_module(word)) modules.push_back(*module);
  }
  return modules;
}

}  // namespace

RecomputeShares recompute_shares(const std::vector<RecomputeModule>& modules) {
  RecomputeShares sum;
  for (const RecomputeModule module : modules) {
    const RecomputeShares shares = shares_of(module);
    sum.projections = std::min(1.0, sum.projections + shares.projections);
    sum.core = std::min(1.0, sum.core + shares.core);
    sum.feed_forward = std::min(1.0, sum.feed_forward + shares.feed_forward);
    sum.elementwise = std::min(1.0, sum.elementwise + shares.elementwise);
  }
  return sum;
}

std::optional<double> number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t begin = at + word.size();
  while (begin < text.size() && text[begin] == ' ') ++begin;
  std::size_t end = begin;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  return parse_number(text.substr(begin, end - begin));
}

std::optional<double> number_before(std::string_view text, std::string_view word) {
  std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  while (at > 0 && text[at - 1] == ' ') --at;
  std::size_t begin = at;
  while (begin > 0 && (is_digit(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  return parse_number(text.substr(begin, at - begin));
}

std::optional<std::int64_t> as_count(std::optional<double> value) {
  return value && *value >= 1 ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

std::optional<BytesPerSecond> stated_network(std::string_view notes, double per_node) {
  if (const auto cards = number_before(notes, "x400G")) return gigabytes_per_s(50 * *cards / per_node);
  if (const auto cards = number_before(notes, "x HDR 200G")) return gigabytes_per_s(25 * *cards / per_node);
  if (const auto rate = number_before(notes, "G/GPU")) return gigabytes_per_s(*rate / 8);
  const auto rate = number_before(notes, "Gb/s");
  if (!rate) return std::nullopt;
  const bool whole_node = contains(notes, "per node") || contains(notes, "inter-node");
  return gigabytes_per_s(*rate / 8 / (whole_node ? per_node : 1));
}

std::optional<std::int64_t> slice_chips(std::string_view notes) {
  if (!contains(notes, "slice")) return std::nullopt;
  if (const auto chips = number_before(notes, "chips)")) return as_count(chips);
  return as_count(number_behind(notes, "v5e-"));
}

std::optional<RecomputeShares> stated_recompute(std::string_view notes) {
  for (const RecomputeWords& each : kRecomputeWords) {
    if (contains(notes, each.words)) return each.shares;
  }
  const std::vector<RecomputeModule> modules = stated_modules(notes);
  return modules.empty() ? std::nullopt : std::optional(recompute_shares(modules));
}

}  // namespace nameplate
