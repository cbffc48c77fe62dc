// For the tests of log formats: reads a log written in the test, which must be readable.
#pragma once

#include <string_view>

#include "nameplate/inputs/runlog.h"

namespace nameplate {

inline RunLog read_log(std::string_view text, const LogReading& reading = {}) {
  return read_runlog(LineReader::from_memory(text, "test.log"), reading).value();
}

inline std::string fact(const RunLog& log, std::string_view key) {
  for (const LogFact& known : log.facts) {
    if (known.key == key) return known.value;
  }
  return {};
}

inline std::int64_t defects(const RunLog& log, std::string_view id) {
  std::int64_t count = 0;
  for (const Defect& defect : log.defects) count += defect.message.id == id ? defect.count : 0;
  return count;
}

}  // namespace nameplate
