// Any bytes as a saved Document: a Document that prints and compares with itself, or a located error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nameplate/api/diff.h"
#include "nameplate/report/read_document.h"
#include "nameplate/report/render.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nameplate;
  const auto json = parse_json({reinterpret_cast<const char*>(data), size}, "saved.json");
  if (!json.ok()) return 0;
  const auto document = read_document(json->root, "saved.json");
  if (!document.ok()) {
    render(document.error());
    return 0;
  }
  render_json(*document);
  const auto same = diff({"a", *document}, {"b", *document});
  if (same.ok()) render_text(*same, {});
  return 0;
}
