// Texts numbered in the order in which they first appear, each stored once: names of millions of events.
//
// An open-addressing table of numbers over one arena of characters; looking up a text that is there allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nameplate {

class NameTable {
 public:
  std::int32_t id(std::string_view text);
  std::string_view operator[](std::int32_t id) const;
  std::int32_t size() const { return static_cast<std::int32_t>(ends_.size()); }
  // The ids in this table of all texts of `other`, which are added where they are new.
  std::vector<std::int32_t> add_all(const NameTable& other);

 private:
  void grow();

  std::string characters_;
  std::vector<std::size_t> ends_;    // of text i in characters_
  std::vector<std::size_t> hashes_;  // of text i
  std::vector<std::int32_t> slots_;  // -1: free; a power of two
};

}  // namespace nameplate
