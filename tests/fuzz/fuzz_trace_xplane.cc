// Any bytes as an XPlane profile: timelines whose columns agree, or a located error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nameplate/inputs/trace_xplane.h"
#include "tests/fuzz/fuzz_trace.h"

using namespace nameplate;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const KernelClasses classes = std::move(KernelClasses::built_in()).value();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto traces = read_xplane(ByteStream(ByteSource(bytes), "input.xplane.pb"), classes);
  if (!traces.ok()) {
    NAMEPLATE_CHECK(!traces.error().place.file.empty());
    return 0;
  }
  NAMEPLATE_CHECK(!traces->empty());
  for (const RankTrace& trace : *traces) check(trace);
  return 0;
}
