#include "nameplate/api/catalog.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

TEST(Catalog, ListsBothKindsOrOne) {
  const Document all = catalog({}).value();
  EXPECT_GE(all.find_table("accelerators")->rows.size(), 40u);
  EXPECT_GE(all.find_table("models")->rows.size(), 40u);
  EXPECT_EQ(catalog({.kind = "models"}).value().find_table("accelerators"), nullptr);
  EXPECT_EQ(catalog({.kind = "accelerators"}).value().find_table("models"), nullptr);
}

TEST(Catalog, EveryFactOfAnAcceleratorHasASource) {
  const Document d = catalog({.kind = "accelerators", .name = "NVIDIA H100 80GB HBM3"}).value();
  EXPECT_EQ(d.title.args[0].second, Argument("H100 SXM"));
  const Table* facts = d.find_table("facts");
  ASSERT_NE(facts, nullptr);
  for (const auto& row : facts->rows) EXPECT_NE(std::get<std::string>(row[2]), "") << std::get<std::string>(row[0]);
}

TEST(Catalog, AnAmbiguousNameListsItsCandidates) {
  const Document d = catalog({.kind = "accelerators", .name = "H100"}).value();
  ASSERT_NE(d.find_table("candidates"), nullptr);
  EXPECT_GE(d.find_table("candidates")->rows.size(), 3u);
}

TEST(Catalog, AModelWithItsParameters) {
  const Document d = catalog({.kind = "models", .name = "meta-llama/Meta-Llama-3-8B"}).value();
  EXPECT_EQ(std::get<Int128>(d.find_value("parameters_total")->value), Int128{8'030'261'248});
}

TEST(Catalog, WrongNames) {
  EXPECT_NE(catalog({.kind = "modles"}).error().hint.find("models"), std::string::npos);
  EXPECT_FALSE(catalog({.kind = "accelerators", .name = "Imaginator 9000"}).ok());
  EXPECT_FALSE(catalog({.kind = "models", .name = "lama-3-8b"}).ok());
  EXPECT_FALSE(catalog({.data_directory = "/no/such/folder"}).ok());
}

}  // namespace
}  // namespace nameplate
