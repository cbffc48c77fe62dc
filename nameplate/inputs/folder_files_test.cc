#include "nameplate/inputs/folder_files.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "nameplate/core/folder_for_test.h"

namespace nameplate {
namespace {

namespace fs = std::filesystem;

TEST(FilesBelow, FoldersInOrderLoopsOnceAndNotTooDeep) {
  const TestFolder folder;
  const fs::path root = folder.path();
  fs::create_directories(root / "b/c/d/e/f/g/h");
  fs::create_directories(root / ".hidden");
  for (const char* file : {"z", "b/one", "b/c/d/e/f/g/six", "b/c/d/e/f/g/h/seven", ".hidden/file"}) {
    folder.write(file, "text");
  }
  folder.write("empty", "");
  fs::create_directory_symlink(root, root / "b/loop");
  const auto files = files_below(root.string());
  ASSERT_TRUE(files.ok());
  std::vector<std::string> names;
  for (const std::string& file : *files) names.push_back(fs::relative(file, root).string());
  EXPECT_EQ(names, (std::vector<std::string>{"b/c/d/e/f/g/six", "b/one", "z"}));
  EXPECT_FALSE(files_below((root / "none").string()).ok());
}

}  // namespace
}  // namespace nameplate
