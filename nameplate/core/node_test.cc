#include "nameplate/core/node.h"

#include <gtest/gtest.h>

namespace nameplate {
namespace {

Node json(std::string_view text) { return parse_json(text, "a.json").value().root; }
Error json_error(std::string_view text) { return parse_json(text, "a.json").error(); }
Node toml(std::string_view text) { return parse_toml(text, "run.toml").value(); }
Error toml_error(std::string_view text) { return parse_toml(text, "run.toml").error(); }

TEST(ParseJson, KindsAndOrder) {
  Node root = json(R"({"b": [1, 2.5, "x", true, null], "a": {"c": -3}})");
  ASSERT_TRUE(root.is(Node::Kind::object));
  EXPECT_EQ(root.members[0].first, "b");
  const Node& list = *root.find("b");
  ASSERT_EQ(list.items.size(), 5u);
  EXPECT_EQ(list.items[0].as_integer(), 1);
  EXPECT_EQ(list.items[0].as_number(), 1.0);
  EXPECT_EQ(list.items[1].as_number(), 2.5);
  EXPECT_FALSE(list.items[1].as_integer());
  EXPECT_EQ(list.items[2].as_string(), "x");
  EXPECT_EQ(list.items[3].as_boolean(), true);
  EXPECT_TRUE(list.items[4].is(Node::Kind::null));
  EXPECT_EQ(root.find_path("a.c")->as_integer(), -3);
  EXPECT_EQ(root.find_path("a.d"), nullptr);
  EXPECT_EQ(root.find_path("b.c"), nullptr);
}

TEST(ParseJson, LargeIntegersBecomeNumbers) {
  Node root = json("[9223372036854775807, 9223372036854775808, 123456789012345678901234567890, 1e3]");
  EXPECT_EQ(root.items[0].as_integer(), INT64_MAX);
  EXPECT_TRUE(root.items[1].is(Node::Kind::number));
  EXPECT_FALSE(root.items[1].as_integer());
  EXPECT_DOUBLE_EQ(*root.items[2].as_number(), 123456789012345678901234567890.0);
  EXPECT_EQ(root.items[3].as_integer(), 1000);
}

TEST(ParseJson, PythonsNonFiniteLiterals) {
  auto parsed = parse_json(R"({"loss": NaN, "a": [Infinity, -Infinity, -1], "NaN": "NaN \" Infinity"})", "a.json");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->non_finite, 3);
  EXPECT_TRUE(parsed->root.find("loss")->is(Node::Kind::null));
  EXPECT_TRUE(parsed->root.find("a")->items[1].is(Node::Kind::null));
  EXPECT_EQ(parsed->root.find("a")->items[2].as_integer(), -1);
  EXPECT_EQ(parsed->root.find("NaN")->as_string(), "NaN \" Infinity");
}

TEST(ParseJson, ErrorsAreLocated) {
  Error error = json_error("{\n  \"layers\": 32,\n  \"heads\": nul\n}");
  EXPECT_EQ(error.place.file, "a.json");
  EXPECT_EQ(error.place.line, 3);
  EXPECT_EQ(error.place.source_line, "  \"heads\": nul");
  EXPECT_EQ(error.found.find("[json"), std::string::npos);
  EXPECT_EQ(error.found, "invalid JSON: invalid literal; last read: '\"heads\": nul<U+000A>'");
  // The two NaN before the error are three bytes each in the file: the stray "x" stands in column 13.
  EXPECT_EQ(json_error("[NaN, NaN, 1x]").place.column, 13);
  EXPECT_EQ(json_error("[1, 2").place.line, 1);
  EXPECT_EQ(json_error("[1] [2]").place.column, 5);
  EXPECT_EQ(json_error("").found, "the file is empty");
  EXPECT_EQ(json_error(" \n").found, "the file is empty");
  EXPECT_FALSE(parse_json("[NaNny]", "a.json"));
  EXPECT_FALSE(parse_json("[1e999]", "a.json"));
  EXPECT_FALSE(parse_json(std::string_view("\x89PNG\r\n\x1a\n\0\0", 10), "a.json"));
}

TEST(ParseJson, DepthIsLimited) {
  std::string deepest = std::string(kMaxNesting, '[') + std::string(kMaxNesting, ']');
  EXPECT_TRUE(parse_json(deepest, "a.json"));
  Error error = json_error(std::string(10'000'000, '['));
  EXPECT_EQ(error.found, "JSON nested deeper than 256 levels");
}

TEST(ParseJson, ByteOrderMarkAndDuplicateKeys) {
  EXPECT_EQ(json("\xef\xbb\xbf{\"a\": 1, \"a\": 2}").find("a")->as_integer(), 2);
}

TEST(ParseToml, KindsOrderAndPlaces) {
  Node root = toml("[model]\nname = 'llama'\nlayers = 32\n\n[a]\nd = 1979-05-27\nl = [1, 2.5, true]\nx = nan\n");
  EXPECT_EQ(root.members[0].first, "model");
  EXPECT_EQ(root.members[1].first, "a");
  EXPECT_EQ(root.find("model")->members[0].first, "name");  // toml++ would sort layers first
  EXPECT_EQ(root.find_path("model.name")->as_string(), "llama");
  EXPECT_EQ(root.find_path("model.layers")->as_integer(), 32);
  EXPECT_EQ(root.find_path("model.layers")->line, 3);
  EXPECT_EQ(root.find_path("model.layers")->column, 10);
  EXPECT_EQ(root.find_path("a.d")->as_string(), "1979-05-27");
  EXPECT_EQ(root.find_path("a.l")->items[1].as_number(), 2.5);
  EXPECT_TRUE(root.find_path("a.x")->is(Node::Kind::null));
}

TEST(ParseToml, TablesOfTables) {
  Node root =
      toml("[[failures.class]]\nname = 'gpu'\n[[failures.class]]\nname = 'host'\n[plan]\nfsdp = {replicate = 2}\n");
  ASSERT_EQ(root.find_path("failures.class")->items.size(), 2u);
  EXPECT_EQ(root.find_path("failures.class")->items[1].find("name")->as_string(), "host");
  EXPECT_EQ(root.find_path("plan.fsdp.replicate")->as_integer(), 2);
}

TEST(ParseToml, ErrorsAreLocated) {
  Error error = toml_error("[model]\nlayers = \n");
  EXPECT_EQ(error.place.line, 2);
  EXPECT_EQ(error.place.source_line, "layers = ");
  EXPECT_EQ(error.found.substr(0, 14), "invalid TOML: ");
  EXPECT_EQ(toml_error("").found, "the file is empty");
  EXPECT_FALSE(parse_toml("a = 1\na = 2\n", "run.toml"));
  EXPECT_EQ(toml_error("[ = 'x']").place.column, 3);  // an assertion of toml++ would abort here
  EXPECT_FALSE(parse_toml("4\u2eff", "run.toml"));    // and "unreachable" code be reached
  EXPECT_FALSE(parse_toml(std::string_view("\x7f"
                                           "ELF\0\1\2",
                                           7),
                          "run.toml"));
  EXPECT_EQ(toml("\xef\xbb\xbf"
                 "a = 1")
                .find("a")
                ->as_integer(),
            1);
}

TEST(ParseToml, DepthIsLimited) {
  EXPECT_FALSE(parse_toml("a = " + std::string(1'000'000, '['), "run.toml"));
  std::string key = "a";
  for (int i = 0; i < 1'000'000; ++i) key += ".a";
  EXPECT_EQ(toml_error("x = 1\n" + key + " = 1").place.line, 2);
  EXPECT_FALSE(parse_toml("[" + key + "]", "run.toml"));
  EXPECT_FALSE(parse_toml("x = {" + key + " = 1}", "run.toml"));
  // Dots in strings and comments are no depth.
  std::string dots(100, '.');
  EXPECT_TRUE(parse_toml("a = '" + dots + "' # " + dots + "\nb = \"\"\"\n" + dots + "\n\"\"\"\n", "run.toml"));
}

TEST(SourceLine, ByNumber) {
  EXPECT_EQ(source_line("a\nb\r\nc", 2), "b");
  EXPECT_EQ(source_line("a\nb\nc", 3), "c");
  EXPECT_EQ(source_line("a", 2), "");
  EXPECT_EQ(source_line(std::string(1000, 'x'), 1).size(), 400u);
}

}  // namespace
}  // namespace nameplate
