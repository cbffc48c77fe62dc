// Any bytes as a Kineto trace: a timeline whose columns agree, or a located error. The first byte says in which blocks
// the text is cut.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nameplate/core/node.h"
#include "nameplate/inputs/trace_kineto.h"
#include "tests/fuzz/fuzz_trace.h"

using namespace nameplate;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const KernelClasses classes = std::move(KernelClasses::built_in()).value();
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t block_bytes = 16 + 4 * std::size_t{data[0]};
  const auto trace = read_kineto(ByteStream(ByteSource(text), "input.json"), classes, {.block_bytes = block_bytes});
  if (trace.ok()) {
    for (const RankTrace& one : *trace) check(one);
  } else {
    NAMEPLATE_CHECK(!render(trace.error()).empty());
  }
  if (!parse_json(text, "input.json").ok()) return 0;
  const auto whole = read_kineto(ByteStream(ByteSource(text), "input.json"), classes);
  NAMEPLATE_CHECK(trace.ok() == whole.ok());
  if (!trace.ok()) return 0;
  NAMEPLATE_CHECK(trace->size() == whole->size());
  for (std::size_t i = 0; i < trace->size(); ++i) {
    NAMEPLATE_CHECK((*trace)[i].timeline == (*whole)[i].timeline && (*trace)[i].names == (*whole)[i].names);
  }
  return 0;
}
