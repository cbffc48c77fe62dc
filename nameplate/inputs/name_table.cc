#include "nameplate/inputs/name_table.h"

#include <functional>

namespace nameplate {

std::string_view NameTable::operator[](std::int32_t id) const {
  const auto i = static_cast<std::size_t>(id);
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(characters_).substr(begin, ends_[i] - begin);
}

std::int32_t NameTable::id(std::string_view text) {
  if (ends_.size() * 2 >= slots_.size()) grow();
  const std::size_t hash = std::hash<std::string_view>{}(text);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] >= 0; slot = (slot + 1) & mask) {
    const std::int32_t known = slots_[slot];
    if (hashes_[static_cast<std::size_t>(known)] == hash && (*this)[known] == text) return known;
  }
  characters_ += text;
  ends_.push_back(characters_.size());
  hashes_.push_back(hash);
  return slots_[slot] = size() - 1;
}

std::vector<std::int32_t> NameTable::add_all(const NameTable& other) {
  std::vector<std::int32_t> ids;
  ids.reserve(other.ends_.size());
  for (std::int32_t i = 0; i < other.size(); ++i) ids.push_back(id(other[i]));
  return ids;
}

void NameTable::grow() {
  slots_.assign(slots_.empty() ? 256 : slots_.size() * 2, -1);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    std::size_t slot = hashes_[i] & mask;
    while (slots_[slot] >= 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::int32_t>(i);
  }
}

}  // namespace nameplate
