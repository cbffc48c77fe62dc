// Any bytes as a plain, gzip or zstd file: lines within the promised length, then an end or an error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nameplate/core/file_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto reader = nameplate::LineReader::from_memory(text);
  std::int64_t lines = 0;
  while (const auto line = reader.next()) {
    NAMEPLATE_CHECK(line->size() <= nameplate::kMaxLineBytes);
    NAMEPLATE_CHECK(reader.line_number() == ++lines);
  }
  return 0;
}
