// Any bytes as a Kineto trace: a timeline whose columns agree, or a located error. The first byte says in which blocks
// the text is cut.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nameplate/core/check.h"
#include "nameplate/core/node.h"
#include "nameplate/inputs/trace_kineto.h"

namespace {

using namespace nameplate;

template <class Spans>
void check_spans(const Spans& spans, std::size_t names) {
  const std::size_t size = spans.begin_ns.size();
  NAMEPLATE_CHECK(spans.duration_ns.size() == size && spans.name_id.size() == size && spans.correlation.size() == size);
  for (std::size_t i = 0; i < size; ++i) {
    NAMEPLATE_CHECK(spans.duration_ns[i] >= 0 && static_cast<std::size_t>(spans.name_id[i]) < names);
    NAMEPLATE_CHECK(spans.begin_ns[i] <= INT64_MAX - spans.duration_ns[i]);
    NAMEPLATE_CHECK(i == 0 || spans.begin_ns[i - 1] <= spans.begin_ns[i]);
  }
}

void check(const RankTrace& trace) {
  const RankTimeline& t = trace.timeline;
  check_spans(t.device, trace.names.size());
  check_spans(t.host, trace.names.size());
  NAMEPLATE_CHECK(t.device.launch.size() == t.device.begin_ns.size());
  for (const std::int32_t launch : t.device.launch) {
    NAMEPLATE_CHECK(launch >= -1 && launch < static_cast<std::int64_t>(t.host.begin_ns.size()));
  }
  for (const std::int32_t operands : t.host.operands) {
    NAMEPLATE_CHECK(operands >= -1 && operands < static_cast<std::int64_t>(trace.operands.size()));
  }
  for (std::size_t i = 0; i < t.collectives.event.size(); ++i) {
    const auto event = static_cast<std::size_t>(t.collectives.event[i]);
    NAMEPLATE_CHECK(t.device.event_class.at(event) == DeviceEventClass::collective);
    NAMEPLATE_CHECK(t.collectives.group[i] < static_cast<std::int64_t>(trace.groups.size()));
  }
  NAMEPLATE_CHECK(t.window_begin_ns <= t.window_end_ns);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const KernelClasses classes = std::move(KernelClasses::built_in()).value();
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t block_bytes = 16 + 4 * std::size_t{data[0]};
  const auto trace = read_kineto(ByteStream(ByteSource(text), "input.json"), classes, {.block_bytes = block_bytes});
  if (trace.ok()) {
    check(*trace);
  } else {
    NAMEPLATE_CHECK(!render(trace.error()).empty());
  }
  if (!parse_json(text, "input.json").ok()) return 0;
  const auto whole = read_kineto(ByteStream(ByteSource(text), "input.json"), classes);
  NAMEPLATE_CHECK(trace.ok() == whole.ok());
  NAMEPLATE_CHECK(!trace.ok() || (trace->timeline == whole->timeline && trace->names == whole->names));
  return 0;
}
