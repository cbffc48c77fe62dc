#include "nameplate/core/node.h"

#include <cmath>

namespace nameplate {

const Node* Node::find(std::string_view key) const {
  // From the end: of duplicate keys the last one counts, as in Python and JavaScript.
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    if (member->first == key) return &member->second;
  }
  return nullptr;
}

const Node* Node::find_path(std::string_view dotted_path) const {
  const Node* node = this;
  while (node != nullptr) {
    std::size_t dot = dotted_path.find('.');
    node = node->find(dotted_path.substr(0, dot));
    if (dot == dotted_path.npos) return node;
    dotted_path.remove_prefix(dot + 1);
  }
  return nullptr;
}

std::optional<std::string_view> Node::as_string() const {
  return kind == Kind::string ? std::optional<std::string_view>(string) : std::nullopt;
}

std::optional<std::int64_t> Node::as_integer() const {
  if (kind == Kind::integer) return integer;
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  bool integral = kind == Kind::number && number >= -kLimit && number < kLimit && std::trunc(number) == number;
  return integral ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

std::optional<double> Node::as_number() const {
  return kind == Kind::integer || kind == Kind::number ? std::optional(number) : std::nullopt;
}

std::optional<bool> Node::as_boolean() const { return kind == Kind::boolean ? std::optional(boolean) : std::nullopt; }

std::string_view name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::boolean:
      return "true or false";
    case Node::Kind::integer:
      return "an integer";
    case Node::Kind::number:
      return "a number";
    case Node::Kind::string:
      return "a string";
    case Node::Kind::array:
      return "a list";
    case Node::Kind::object:
      return "a table";
  }
  NAMEPLATE_CHECK(false);
}

std::string source_line(std::string_view text, int line) {
  constexpr std::size_t kMost = 400;
  for (int i = 1; i < line; ++i) {
    std::size_t newline = text.find('\n');
    if (newline == text.npos) return {};
    text.remove_prefix(newline + 1);
  }
  std::string_view found = text.substr(0, text.find('\n')).substr(0, kMost);
  if (!found.empty() && found.back() == '\r') found.remove_suffix(1);
  return std::string(found);
}

}  // namespace nameplate
