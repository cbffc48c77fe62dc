// Any bytes behind the words that make a file a trainer_state.json: rows, or a located error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "nameplate/core/check.h"
#include "nameplate/core/file_reader.h"
#include "nameplate/inputs/runlog.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text = "{\"log_history\": ";
  text.append(reinterpret_cast<const char*>(data), size);
  nameplate::LogReading reading;
  reading.options.format = "hf-trainer-state";
  const auto log = nameplate::read_runlog(nameplate::LineReader::from_memory(text), reading);
  if (!log) {
    nameplate::render(log.error());
    return 0;
  }
  for (const nameplate::Step& step : log->steps) NAMEPLATE_CHECK(step.index >= 0);
  return 0;
}
