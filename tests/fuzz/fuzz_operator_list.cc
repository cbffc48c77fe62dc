// Any bytes as a run.toml with a list of operators: an architecture that the counters accept, or a located error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nameplate/analysis/flops/count.h"
#include "nameplate/core/node.h"
#include "nameplate/inputs/operator_list.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nameplate;
  const auto root = parse_toml({reinterpret_cast<const char*>(data), size}, "run.toml");
  if (!root.ok() || root->find("model") == nullptr) return 0;
  const auto model = read_operator_list(*root->find("model"), "run.toml");
  if (!model.ok()) {
    render(model.error());
    return 0;
  }
  count_parameters(*model);
  step_flops(*model, uniform_workload(1, 1024), AttentionCount::causal);
  return 0;
}
