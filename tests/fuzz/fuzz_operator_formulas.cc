// Any bytes as a file of operators' FLOPs: formulas that count, or a located error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nameplate/inputs/operator_formulas.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nameplate;
  OperatorFormulas formulas;
  if (const Status bad = formulas.add({reinterpret_cast<const char*>(data), size}, "operators.toml")) {
    render(*bad);
    return 0;
  }
  formulas.flops("a", {{{3, 5}, {5, 7}}, {}, {}});
  return 0;
}
