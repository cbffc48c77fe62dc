// Any bytes as a table of published runs: rows with their reasons or a located error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nameplate/inputs/convention_notes.h"
#include "nameplate/inputs/published_runs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = nameplate::read_published_runs(text, "input.csv");
  if (!table) {
    nameplate::render(table.error());
    return 0;
  }
  for (const nameplate::PublishedRun& run : table->runs) {
    nameplate::tokens_per_s_per_gpu(run);
    nameplate::peaks_in_notes(run.convention_notes);
  }
  return 0;
}
