// Any bytes as a log: a run whose rows keep the promises of facts/run.h, or an error. One target a format, since a
// format is found only once its own step line is; the target without a format covers the search for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "nameplate/core/file_reader.h"
#include "nameplate/inputs/runlog.h"

namespace nameplate {

inline void check_steps(const std::vector<Step>& steps) {
  std::int32_t attempt = 0;
  for (const Step& step : steps) {
    NAMEPLATE_CHECK(step.attempt >= attempt);
    NAMEPLATE_CHECK(!step.duration_s || *step.duration_s > 0);
    attempt = step.attempt;
  }
}

// `options.format` empty: any format, by content.
inline int fuzz_runlog(const std::uint8_t* data, std::size_t size, const LogOptions& options) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto log = read_runlog(LineReader::from_memory(text), {.options = options, .progress = {}, .on_row = {}});
  if (log) {
    check_steps(log->steps);
  } else {
    NAMEPLATE_CHECK(!render(log.error()).empty());
  }
  return 0;
}

}  // namespace nameplate
