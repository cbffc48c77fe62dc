// Any bytes as a model's config.json: an architecture that the counters accept, or a located error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nameplate/analysis/flops/count.h"
#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/core/check.h"
#include "nameplate/core/node.h"
#include "nameplate/inputs/model_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nameplate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = parse_json(text, "config.json");
  if (parsed) looks_like_model_config(parsed->root);
  const auto config = read_model_config(text, "config.json");
  if (!config) {
    render(config.error());
    return 0;
  }
  if (config->decoder && check(*config->decoder)) return 0;  // sizes that contradict each other are refused there
  const Architecture model = config->decoder ? build_decoder(*config->decoder, config->rest) : config->rest;
  NAMEPLATE_CHECK(count_parameters(model).total > 0);
  NAMEPLATE_CHECK(step_flops(model, uniform_workload(1, 1024), AttentionCount::causal).total() > 0);
  return 0;
}
