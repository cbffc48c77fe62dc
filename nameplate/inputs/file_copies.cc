#include "nameplate/inputs/file_copies.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

namespace nameplate {
namespace {

bool same_bytes(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (std::filesystem::equivalent(a, b, ignored)) return true;
  std::ifstream one(a, std::ios::binary), other(b, std::ios::binary);
  std::array<char, 1 << 16> left, right;
  while (one && other) {
    one.read(left.data(), left.size());
    other.read(right.data(), right.size());
    if (one.gcount() != other.gcount() || !std::equal(left.data(), left.data() + one.gcount(), right.data())) {
      return false;
    }
  }
  return one.eof() && other.eof();
}

}  // namespace

std::vector<FileCopy> take_copies(std::vector<std::string>& paths) {
  std::map<std::uintmax_t, std::vector<std::string>> by_size;
  std::vector<FileCopy> copies;
  std::erase_if(paths, [&](const std::string& path) {
    std::error_code failure;
    // A pipe can be read once only.
    if (!std::filesystem::is_regular_file(path, failure)) return false;
    const std::uintmax_t size = std::filesystem::file_size(path, failure);
    if (failure) return false;
    std::vector<std::string>& others = by_size[size];
    const auto first = std::find_if(others.begin(), others.end(), [&](auto& other) { return same_bytes(other, path); });
    if (first == others.end()) {
      others.push_back(path);
      return false;
    }
    copies.push_back({path, *first});
    return true;
  });
  return copies;
}

}  // namespace nameplate
