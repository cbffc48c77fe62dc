// Home-grown logs, once by a column map and once by a regular expression.
#include "tests/fuzz/fuzz_runlog.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nameplate;
  const LogOptions columns = {
      .columns = {{"step", {"iter", ""}}, {"step_time", {"dt_ms", "ms"}}, {"tokens", {"tok", ""}}},
      .regex = {},
      .format = {}};
  const LogOptions regex = {
      .columns = {}, .regex = R"((?P<step>\d+) took (?P<step_time_ms>\S+) loss (?P<loss>\S+))", .format = {}};
  fuzz_runlog(data, size, columns);
  return fuzz_runlog(data, size, regex);
}
