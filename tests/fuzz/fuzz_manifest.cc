// Any text as a manifest, and as the value of a flag that overrides it: a checked manifest or a located error.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "nameplate/inputs/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto manifest = nameplate::Manifest::parse(text, "run.toml");
  if (!manifest) {
    NAMEPLATE_CHECK(!nameplate::render(manifest.error()).empty());
    manifest = nameplate::Manifest();
  }
  for (const char* key : {"cluster.count", "cluster.peak", "training.precision"}) {
    if (const auto failure = manifest->set(key, text)) NAMEPLATE_CHECK(!nameplate::render(*failure).empty());
  }
  for (const std::string& key : nameplate::manifest_keys()) {
    manifest->text(key);
    manifest->integer(key);
    manifest->number(key);
    manifest->flops_rate(key);
    manifest->duration(key);
    manifest->texts(key);
  }
  manifest->log_options();
  manifest->model_in_place();
  return 0;
}
