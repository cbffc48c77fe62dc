// Any bytes as a table of published runs: rows with their reasons or a located error; and the audit of what was read.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nameplate/api/audit.h"
#include "nameplate/inputs/published_runs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = nameplate::read_published_runs(text, "input.csv");
  if (!table) {
    nameplate::render(table.error());
    return 0;
  }
  for (const nameplate::PublishedRun& run : table->runs) nameplate::tokens_per_s_per_gpu(run);
  if (!nameplate::audit_runs(*table, "input.csv", "").ok()) __builtin_trap();
  return 0;
}
