// TensorBoard event files. The first byte says whether the rest is a file, or the content of one record, framed here
// with right checksums, since random bytes never have them.
#include <cstdint>
#include <string>
#include <string_view>

#include "nameplate/core/check.h"
#include "nameplate/inputs/event_file_for_test.h"
#include "nameplate/inputs/runlog_tensorboard.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nameplate;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string file = data[0] % 2 == 0 ? std::string(rest) : event_file::version() + event_file::record(rest);
  RunLogBuilder builder;
  builder.begin_file("events.out.tfevents");
  NAMEPLATE_CHECK(!read_tensorboard(file, {}, builder));
  for (const Step& step : builder.finish().steps) NAMEPLATE_CHECK(step.index >= 0 && step.line >= 1);
  return 0;
}
