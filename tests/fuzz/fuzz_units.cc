// Any text as a quantity with its unit: a finite value or an error that lists the accepted suffixes.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nameplate/core/units.h"

namespace {

template <class T>
void check(const nameplate::Result<T>& parsed) {
  if (parsed) {
    NAMEPLATE_CHECK(std::isfinite(parsed->base()));
  } else {
    NAMEPLATE_CHECK(!nameplate::render(parsed.error()).empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(nameplate::parse_bytes(text));
  check(nameplate::parse_duration(text));
  check(nameplate::parse_flops_rate(text));
  check(nameplate::parse_bandwidth(text));
  check(nameplate::parse_power(text));
  check(nameplate::parse_token_rate(text));
  return 0;
}
