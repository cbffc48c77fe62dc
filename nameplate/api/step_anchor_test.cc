#include "nameplate/api/step_anchor.h"

#include <gtest/gtest.h>

#include "nameplate/core/folder_for_test.h"

namespace nameplate {
namespace {

TEST(StepAnchor, NeedsThreeOtherConfigurationsOfItsKind) {
  StepAnchors anchors;
  anchors.add({"mine", "dense", "a", 1.1});
  anchors.add({"mine", "dense", "a", 1.3});  // a repeat
  anchors.add({"mine", "dense", "b", 1.2});
  anchors.add({"mine", "experts", "c", 2});
  anchors.add({"theirs", "dense", "d", 2});
  EXPECT_FALSE(anchors.factor("mine", "dense", "e"));
  anchors.add({"mine", "dense", "e", 1.0});
  EXPECT_FALSE(anchors.factor("mine", "dense", "e"));  // not by itself
  // Medians in the logarithm: a sqrt(1.1 x 1.3) = 1.1958, b 1.2, e 1.0.
  EXPECT_NEAR(*anchors.factor("mine", "dense", "f"), 1.1958, 1e-4);
}

// A user's own runs scale every prediction, so none of them is dropped unsaid.
TEST(StepAnchor, ABadCellInTheTableIsAnError) {
  TestFolder folder;
  const std::string path = folder.write("runs.csv", "id,tp\na,eight\n");
  const Result<double> anchor = anchor_from_table(path, "H100 SXM bf16 dense", Catalogue::embedded());
  ASSERT_FALSE(anchor.ok());
  EXPECT_NE(anchor.error().found.find("'eight'"), std::string::npos) << anchor.error().found;
}

}  // namespace
}  // namespace nameplate
