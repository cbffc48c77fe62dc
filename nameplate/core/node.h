// A parsed JSON or TOML document as one tree, each value with its place, so that errors in a user's file are located.
//
// JSON as Python writes it is accepted: NaN, Infinity and -Infinity become absent numbers (kind null) and are counted.
// Nesting deeper than `kMaxNesting` and syntax errors are located Errors; nothing here recurses on input depth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nameplate/core/result.h"

namespace nameplate {

inline constexpr int kMaxNesting = 256;

class Node {
 public:
  enum class Kind { null, boolean, integer, number, string, array, object };

  Kind kind = Kind::null;
  bool boolean = false;
  std::int64_t integer = 0;  // kind integer
  double number = 0;         // kind number, and integer as a double
  std::string string;
  std::vector<Node> items;                              // array
  std::vector<std::pair<std::string, Node>> members{};  // object, in file order; "{}": clang 14 needs it
  int line = 0;                                         // 1-based; TOML only (0: unknown)
  int column = 0;

  bool is(Kind k) const { return kind == k; }
  const Node* find(std::string_view key) const;               // member of an object, else nullptr
  const Node* find_path(std::string_view dotted_path) const;  // "training.seq_len"
  // Typed views; nothing when absent or of another kind. as_integer accepts a number with integral value.
  std::optional<std::string_view> as_string() const;
  std::optional<std::int64_t> as_integer() const;
  std::optional<double> as_number() const;
  std::optional<bool> as_boolean() const;
};

std::string_view name(Node::Kind kind);  // "a string", "an integer", "a table" …

struct ParsedJson {
  Node root;
  std::int64_t non_finite = 0;  // NaN and Infinity literals
};

Result<ParsedJson> parse_json(std::string_view text, const std::string& file);
Result<Node> parse_toml(std::string_view text, const std::string& file);
// The line of `text` that `line` (1-based) names, for Place::source_line; cut at 400 characters.
std::string source_line(std::string_view text, int line);

}  // namespace nameplate
