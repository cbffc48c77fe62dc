#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "nameplate/report/render.h"
#include "nameplate/report/sample_document.h"

namespace nameplate {
namespace {

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// A run of `steps` steps with one slow step in a hundred, drawn in every way that takes a table.
Document long_run(int steps) {
  Document document;
  Table table;
  table.id = "steps";
  table.text_hidden = true;
  table.columns = {{"step", "1"}, {"step_time_s", "s"}};
  for (int i = 0; i < steps; ++i) table.rows.push_back({Int128{i}, i % 100 == 0 ? 2.0 : 1.0 + (i % 7) * 0.01});
  document.tables = {table};
  for (const FigureKind kind : {FigureKind::line, FigureKind::scatter, FigureKind::histogram}) {
    document.figures.push_back({"f",
                                kind,
                                "steps",
                                kind == FigureKind::histogram ? "step_time_s" : "step",
                                {"step_time_s"},
                                {"sample.figure", {}}});
  }
  return document;
}

TEST(RenderHtml, EscapesWhatCameFromTheInput) {
  const std::string page = render_html(sample_document());
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)&lt;/script&gt;"), std::string::npos);
  EXPECT_NE(page.find("a,&quot;b&quot; &lt;b&gt;"), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
}

TEST(RenderHtml, AsksForNothingFromOutside) {
  const std::string page = render_html(sample_document());
  for (const char* outside : {"http:", "https:", "src=", "url(", "@import", "<link"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
}

TEST(RenderHtml, FiguresSayWhatTheyShow) {
  const std::string page = render_html(sample_document());
  EXPECT_EQ(count_of(page, "<svg "), 2u);
  EXPECT_EQ(count_of(page, "role=\"img\""), 2u);
  EXPECT_NE(page.find("Line chart of step time over step."), std::string::npos);
}

TEST(RenderHtml, AFigureWithoutDataIsLeftOut) {
  Document document = long_run(0);
  document.figures.push_back({"g", FigureKind::line, "no_such_table", "x", {"y"}, {"sample.figure", {}}});
  document.figures.push_back({"w", FigureKind::waterfall, "ledger:run", "", {}, {"sample.figure", {}}});
  EXPECT_EQ(count_of(render_html(document), "<svg "), 0u);
}

TEST(RenderHtml, ALongRunIsAShortPage) {
  const std::string page = render_html(long_run(600000));
  EXPECT_EQ(count_of(page, "<svg "), 3u);
  EXPECT_LT(page.size(), 200000u);
}

}  // namespace
}  // namespace nameplate
