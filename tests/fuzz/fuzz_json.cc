// Any bytes as JSON: a tree or a located error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nameplate/core/node.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = nameplate::parse_json(text, "input.json");
  if (!parsed) nameplate::render(parsed.error());
  return 0;
}
