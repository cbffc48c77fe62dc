#include "nameplate/core/csv.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

using Cells = std::vector<std::string>;

TEST(Csv, ReadsQuotedCellsAndLineEnds) {
  const struct {
    const char* what;
    std::string_view text;
    std::vector<Cells> rows;
  } cases[] = {
      {"plain", "a,b\n1,2\n", {{"1", "2"}}},
      {"no newline at the end", "a,b\n1,2", {{"1", "2"}}},
      {"carriage returns", "a,b\r\n1,2\r\n3,4", {{"1", "2"}, {"3", "4"}}},
      {"byte-order mark",
       "\xEF\xBB\xBF"
       "a,b\n1,2\n",
       {{"1", "2"}}},
      {"comma and quote inside quotes", "a,b\n\"x, \"\"y\"\"\",2\n", {{"x, \"y\"", "2"}}},
      {"line break inside quotes", "a,b\n\"x\r\ny\",2\n", {{"x\r\ny", "2"}}},
      {"quote in the middle is a character", "a,b\n5\" disk,2\n", {{"5\" disk", "2"}}},
      {"empty cells", "a,b\n,\n\"\",\n", {{"", ""}, {"", ""}}},
      {"empty lines", "\na,b\n\n1,2\n\r\n", {{"1", "2"}}},
      {"a lone carriage return is data", "a,b\n1\r,2\n", {{"1\r", "2"}}},
      {"header only", "a,b", {}},
  };
  for (const auto& c : cases) {
    const auto table = parse_csv(c.text, "t.csv");
    ASSERT_TRUE(table.ok()) << c.what << ": " << render(table.error());
    EXPECT_EQ(table->header, (Cells{"a", "b"})) << c.what;
    ASSERT_EQ(table->rows.size(), c.rows.size()) << c.what;
    for (std::size_t i = 0; i < c.rows.size(); ++i) EXPECT_EQ(table->rows[i].cells, c.rows[i]) << c.what;
  }
}

TEST(Csv, RowsKnowTheirLine) {
  const auto table = parse_csv("a,b\n\"1\n\n2\",x\n3,4\n", "t.csv");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->rows[0].line, 2);
  EXPECT_EQ(table->rows[1].line, 5);
  EXPECT_EQ(table->column("b"), 1u);
  EXPECT_EQ(table->column("c"), std::nullopt);
}

TEST(Csv, LocatesWhatIsWrong) {
  const struct {
    std::string_view text;
    std::string_view found;
    int line;
  } cases[] = {
      {"", "an empty table", 1},
      {"\n\n", "an empty table", 1},
      {"a,b\n1,2\n\"3,4\n5,6\n", "a quote that is never closed", 3},
      {"a,b\n\"1\"x,2\n", "text after the closing quote of a cell", 2},
      {"a,b\n1,2\n1,2,3\n", "a row of 3 cells", 3},
      {"a,b\n1\n", "a row of 1 cells", 2},
      {"a,b,a\n", "column 'a' twice", 1},
  };
  for (const auto& c : cases) {
    const auto table = parse_csv(c.text, "t.csv");
    ASSERT_FALSE(table.ok()) << c.text;
    EXPECT_EQ(table.error().found, c.found);
    EXPECT_EQ(table.error().place.line, c.line) << c.text;
    EXPECT_EQ(table.error().place.file, "t.csv");
  }
}

TEST(Csv, SurvivesBinaryInput) {
  const std::string zeros(1000, '\0');
  EXPECT_TRUE(parse_csv(zeros, "t.csv").ok());  // one column of a strange name, no rows
  EXPECT_FALSE(parse_csv(zeros + "\n\"" + zeros, "t.csv").ok());
}

}  // namespace
}  // namespace nameplate
