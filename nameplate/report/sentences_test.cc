#include "nameplate/report/sentences.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "nameplate/core/embedded_data.h"
#include "nameplate/core/node.h"
#include "nameplate/facts/ledger.h"

namespace nameplate {
namespace {

TEST(Sentences, FillsPlaceholders) {
  EXPECT_EQ(sentence({"text.ranks", {{"present", std::int64_t{8}}, {"total", std::int64_t{16384}}}}),
            "8 of 16,384 ranks present");
}

TEST(Sentences, ArgumentsAreNotTemplates) {
  EXPECT_EQ(sentence({"text.figure.histogram", {{"x", std::string("{table}")}, {"table", std::string("t")}}}),
            "Histogram of {table}. The numbers are in the table t.");
}

TEST(Sentences, AMissingArgumentStaysVisible) {
  EXPECT_EQ(sentence({"text.ranks", {{"present", std::int64_t{8}}}}), "8 of {total:count} ranks present");
}

TEST(Sentences, AnUnknownIdLosesNothing) {
  EXPECT_EQ(sentence({"no.such", {{"a", 0.25}, {"b", std::string("x")}}}), "no.such a=0.25 b=x");
  EXPECT_FALSE(has_sentence("no.such"));
  EXPECT_EQ(label("no_such_label"), "no_such_label");
}

TEST(Sentences, ALanguageWithoutCatalogueSpeaksEnglish) { EXPECT_EQ(label("idle", "xx"), "idle"); }

TEST(Sentences, EveryLedgerRowHasALabel) {
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const std::string_view id = name(static_cast<LedgerRow>(i));
    if (id.find_first_of("._") == std::string_view::npos) continue;
    EXPECT_NE(label(id), id);
  }
}

// A typo in a format would show a number in the wrong unit without anyone noticing.
TEST(Sentences, CataloguesUseKnownFormatsOnly) {
  const std::set<std::string, std::less<>> formats = {"percent", "points", "s", "count", "rate_tflops", "bytes", "g"};
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.path.starts_with("sentences/")) continue;
    const Result<Node> root = parse_toml(file.text, std::string(file.path));
    ASSERT_TRUE(root.ok()) << render(root.error());
    const Node* sentences = root->find("sentences");
    ASSERT_NE(sentences, nullptr);
    for (const auto& [id, text] : sentences->members) {
      ASSERT_TRUE(text.is(Node::Kind::string)) << id;
      for (std::size_t open = text.string.find('{'); open != std::string::npos;
           open = text.string.find('{', open + 1)) {
        const std::size_t close = text.string.find('}', open);
        ASSERT_NE(close, std::string::npos) << id;
        const std::string placeholder = text.string.substr(open + 1, close - open - 1);
        const std::size_t colon = placeholder.find(':');
        if (colon == std::string::npos) continue;
        const std::string format = placeholder.substr(colon + 1);
        const bool counted = format.starts_with("n ") && format.find('|') != std::string::npos;  // {n:n rank|ranks}
        EXPECT_TRUE(counted || formats.contains(format)) << id;
      }
    }
  }
}

}  // namespace
}  // namespace nameplate
