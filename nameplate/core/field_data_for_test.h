// Where recorded logs and published tables lie. They are not part of the repository: ./test names their folder in
// NAMEPLATE_FIELD_DATA.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

#include "nameplate/core/file_reader.h"

namespace nameplate {

// The content of a file of the data folder; nothing where it is absent, and the test should then be skipped.
inline std::optional<std::string> field_file(const std::string& relative) {
  const char* folder = std::getenv("NAMEPLATE_FIELD_DATA");
  if (folder == nullptr || !file_exists(folder + ("/" + relative))) return std::nullopt;
  Result<std::string> text = read_file(folder + ("/" + relative));
  return text.ok() ? std::optional(std::move(text).value()) : std::nullopt;
}

inline constexpr const char* kNoFieldData = "the recorded data is not here (set NAMEPLATE_FIELD_DATA to its folder).";

}  // namespace nameplate
