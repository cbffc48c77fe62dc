#include "nameplate/inputs/file_copies.h"

#include <gtest/gtest.h>

#include "nameplate/core/folder_for_test.h"

namespace nameplate {
namespace {

TEST(FileCopies, EqualBytesAndThePathThatIsNamedTwice) {
  const TestFolder folder;
  const std::string a = folder.write("a", std::string(100'000, 'x'));
  const std::string b = folder.write("b", std::string(99'999, 'x') + "y");
  const std::string c = folder.write("c", std::string(100'000, 'x'));
  std::vector<std::string> paths = {a, b, c, a, "-", "none"};
  EXPECT_EQ(take_copies(paths), (std::vector<FileCopy>{{c, a}, {a, a}}));
  EXPECT_EQ(paths, (std::vector<std::string>{a, b, "-", "none"}));
}

}  // namespace
}  // namespace nameplate
