#include "nameplate/inputs/folder_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

namespace nameplate {
namespace {

namespace fs = std::filesystem;

class Walk {
 public:
  // What a folder below the first cannot give is left out: it may belong to somebody else.
  std::error_code into(const fs::path& folder, int depth) {
    std::error_code failure;
    const fs::path real = fs::canonical(folder, failure);
    if (failure || !seen_.insert(real.string()).second) return failure;
    std::vector<fs::path> entries;
    for (auto at = fs::directory_iterator(folder, failure); !failure && at != fs::directory_iterator();
         at.increment(failure)) {
      entries.push_back(at->path());
    }
    std::sort(entries.begin(), entries.end());
    for (const fs::path& entry : entries) take(entry, depth);
    return failure;
  }
  std::vector<std::string> files;

 private:
  void take(const fs::path& entry, int depth) {
    std::error_code ignored;
    const fs::file_status status = fs::status(entry, ignored);
    // The endless files of /proc say that they are empty.
    if (fs::is_regular_file(status) && fs::file_size(entry, ignored) > 0) files.push_back(entry.string());
    const bool hidden = entry.filename().string().starts_with(".");
    if (fs::is_directory(status) && !hidden && depth < kMostFolderDepth) into(entry, depth + 1);
  }

  std::set<std::string> seen_;
};

}  // namespace

Result<std::vector<std::string>> files_below(const std::string& folder) {
  Walk walk;
  if (const std::error_code failure = walk.into(folder, 0)) return Error{failure.message(), {}, {.file = folder}, {}};
  std::sort(walk.files.begin(), walk.files.end());
  return std::move(walk.files);
}

}  // namespace nameplate
