#include "nameplate/core/result.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(Render, PlaceFoundExpectedCaretHint) {
  Error error{"unknown key 'layer'", "a key of [model]", Place{"run.toml", 3, 1, {}, "layer = 4"},
              "did you mean 'layers'?"};
  EXPECT_EQ(render(error),
            "run.toml:3:1: unknown key 'layer', expected a key of [model]\n"
            "  layer = 4\n"
            "  ^\n"
            "  did you mean 'layers'?");
}

TEST(Render, OnlyWhatIsKnown) {
  EXPECT_EQ(render(error("no input")), "no input");
  EXPECT_EQ(render(Error{"is empty", {}, Place{"a.json", 0, 0, {}, {}}, {}}), "a.json: is empty");
  EXPECT_EQ(render(Error{"a string", "an integer", Place{"a.json", 0, 0, "/layers", {}}, {}}),
            "a.json: /layers: a string, expected an integer");
}

TEST(Render, LongLineIsCutAroundTheColumn) {
  std::string line(5000, 'x');
  line[999] = 'Y';
  std::string text = render(Error{"bad", {}, Place{"f", 1, 1000, {}, line}, {}});
  // 90 characters of the line from column 960 on, so the caret stands under the 41st.
  std::string shown = std::string(40, 'x') + "Y" + std::string(49, 'x');
  EXPECT_EQ(text, "f:1:1000: bad\n  " + shown + "\n  " + std::string(40, ' ') + "^");
}

Result<int> half(int value) {
  if (value % 2 != 0) return error("odd");
  return value / 2;
}

Result<int> quarter(int value) {
  NAMEPLATE_TRY(int halved, half(value));
  return half(halved);
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error().found, "odd");
}

}  // namespace
}  // namespace nameplate
