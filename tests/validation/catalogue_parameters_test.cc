// The shapes of the catalogue against the parameter counts that their authors published.
//
// Reports round to two or three digits; a checkpoint's exact count is reproduced exactly. Known error: counts "as
// published" of GLM-4.5 include what its shape does not say (0.8 %), Falcon 180B is rounded up (0.8 %).
#include <gtest/gtest.h>

#include <cmath>

#include "nameplate/analysis/flops/count.h"
#include "nameplate/analysis/flops/decoder.h"
#include "nameplate/inputs/catalogue.h"

namespace nameplate {
namespace {

TEST(CatalogueParametersTest, ShapesReproduceThePublishedCounts) {
  int exact = 0;
  for (const CatalogueModel& model : Catalogue::embedded().models()) {
    Status wrong = check(model.shape);
    ASSERT_FALSE(wrong.has_value()) << model.shape.name << ": " << render(*wrong);
    double counted = to_double(count_parameters(build_decoder(model.shape)).total);
    double published = *model.published_parameters;
    bool rounded = std::fmod(published, 1e6) == 0;
    EXPECT_NEAR(counted / published, 1, rounded ? 0.01 : 0) << model.shape.name;
    if (!rounded) ++exact;
  }
  EXPECT_GE(exact, 60);
}

}  // namespace
}  // namespace nameplate
