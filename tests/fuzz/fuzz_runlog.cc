// The log readers over the whole driver: detection, every format, and a custom map of columns. The first byte says
// which.
#include <cstdint>
#include <string_view>

#include "nameplate/core/check.h"
#include "nameplate/inputs/runlog.h"

namespace {

using namespace nameplate;

LogReading reading_for(unsigned choice) {
  LogReading reading;
  const auto formats = runlog_formats();
  switch (choice % 4) {
    case 1:
      reading.options.columns = {{"step", {"iter", ""}},
                                 {"step_time", {"dt", "ms"}},
                                 {"loss", {"loss", ""}},
                                 {"timestamp", {"when", ""}},
                                 {"mfu", {"mfu", "%"}}};
      break;
    case 2:
      reading.options.regex = R"((?P<step>-?\d+)\D+(?P<step_time_ms>[-+.\w]+)(?: (?P<tokens>\S+))?)";
      break;
    case 3:
      reading.options.format = formats[choice / 4 % formats.size()];
      break;
    default:
      break;
  }
  return reading;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto log = read_runlog(LineReader::from_memory(text), reading_for(data[0]));
  if (!log.ok()) {
    NAMEPLATE_CHECK(!render(log.error()).empty());
    return 0;
  }
  // One row per (attempt, index), in order; every time that is given is possible.
  for (std::size_t i = 0; i < log->steps.size(); ++i) {
    const Step& step = log->steps[i];
    NAMEPLATE_CHECK(step.index >= 0 && step.attempt >= 0 && step.line >= 1);
    NAMEPLATE_CHECK(!step.duration_s || *step.duration_s > 0);
    if (i == 0) continue;
    const Step& before = log->steps[i - 1];
    NAMEPLATE_CHECK(before.attempt < step.attempt || (before.attempt == step.attempt && before.index < step.index));
  }
  return 0;
}
