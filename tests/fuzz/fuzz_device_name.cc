// Any text as the name of an accelerator or a model: a match or an error that names what is near.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nameplate/inputs/catalogue.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const nameplate::Catalogue& catalogue = nameplate::Catalogue::embedded();
  const auto match = catalogue.resolve_accelerator(text);
  NAMEPLATE_CHECK(match ? !match->candidates.empty() : !nameplate::render(match.error()).empty());
  const auto model = catalogue.find_model(text);
  NAMEPLATE_CHECK(model ? *model != nullptr : !nameplate::render(model.error()).empty());
  return 0;
}
