// A member of a closed set, by the name that a TOML file gives it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "nameplate/core/text.h"
#include "nameplate/inputs/table_reader.h"

namespace nameplate {

// Absent, or (then the reader keeps the error, which lists the names) unknown: nothing.
template <class Enum, std::size_t kSize>
std::optional<Enum> choice_at(TableReader& reader, std::string_view key, const std::array<Enum, kSize>& all) {
  const std::optional<std::string> given = reader.text(key);
  if (!given) return std::nullopt;
  std::vector<std::string> names;
  for (Enum one : all) {
    if (name(one) == *given) return one;
    names.emplace_back(name(one));
  }
  reader.fail(key, fmt::format("'{:.80}'", *given), fmt::format("one of {}", fmt::join(names, ", ")),
              did_you_mean(*given, names));
  return std::nullopt;
}

}  // namespace nameplate
