#include "nameplate/report/heatmap_svg.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Table table_of(std::vector<std::vector<Cell>> rows) {
  return {.id = "t", .columns = {{"rank", ""}, {"row", ""}, {"share_ratio", "1"}}, .rows = std::move(rows)};
}

TEST(HeatmapSvg, ACellForEachRatioAboveZero) {
  const Table table = table_of({{Int128{0}, "checkpoint", 0.2},
                                {Int128{0}, "sync", 0.0},
                                {Int128{1}, "checkpoint", 0.8},
                                {Int128{1}, "sync", 0.4}});
  const Heatmap drawn = draw_heatmap(table, {0, 1, 2}, "en");
  EXPECT_EQ(count(drawn.body, "<rect"), 3u + 5u);             // the scale has five
  EXPECT_EQ(count(drawn.body, "fill-opacity=\"0.25\""), 1u);  // 0.2 of the largest, 0.8
  EXPECT_EQ(count(drawn.body, "80.0 %"), 2u);                 // of its line, and where the scale ends
  EXPECT_EQ(count(drawn.body, "synchronisation"), 1u);        // the ledger's own label
  EXPECT_GT(drawn.height, 0);
}

TEST(HeatmapSvg, NeighboursShareACell) {
  std::vector<std::vector<Cell>> rows;
  for (std::int64_t rank = 0; rank < 1000; ++rank) rows.push_back({Int128{rank}, "sync", rank < 5 ? 1.0 : 0.5});
  const Heatmap drawn = draw_heatmap(table_of(std::move(rows)), {0, 1, 2}, "en");
  EXPECT_EQ(count(drawn.body, "<rect"), 200u + 5u);
  EXPECT_EQ(count(drawn.body, "fill-opacity=\"1.00\""), 1u + 1u);
}

TEST(HeatmapSvg, NothingToDraw) {
  EXPECT_TRUE(draw_heatmap(table_of({}), {0, 1, 2}, "en").body.empty());
  EXPECT_TRUE(draw_heatmap(table_of({{Int128{0}, "sync", 0.0}}), {0, 1, 2}, "en").body.empty());
}

}  // namespace
}  // namespace nameplate
