#include "nameplate/api/step_anchor.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace nameplate
