// Which of some files hold the same bytes as an earlier one, or are the same file under another path.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace nameplate {

struct FileCopy {
  std::string path;
  std::string first;  // that it repeats
  bool operator==(const FileCopy&) const = default;
};

// Takes the repetitions out of `paths`. Only files of equal size are read.
std::vector<FileCopy> take_copies(std::vector<std::string>& paths);

}  // namespace nameplate
