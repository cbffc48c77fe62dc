// parse_toml: toml++ without exceptions, copied into Nodes with every place kept.
#include <algorithm>
#include <sstream>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "nameplate/core/node.h"
#include "nameplate/core/node_text.h"

namespace nameplate {
namespace {

// toml++ limits nested values to 256 but not dotted keys, and destroys its tables recursively: "a.a.a…" of a megabyte
// would exhaust the stack. Sixteen parts in each of 256 nested tables do not.
constexpr int kMaxDots = 16;

// The index behind the string that starts at `i`, one line or several ("""…""").
std::size_t after_string(std::string_view text, std::size_t i) {
  char quote = text[i];
  std::string_view three = text.substr(i, 3);
  bool several_lines = three.size() == 3 && three[1] == quote && three[2] == quote;
  std::size_t length = several_lines ? 3 : 1;
  for (i += length; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (!several_lines && text[i] == '\n') {
      return i;
    } else if (text[i] == quote && (!several_lines || text.substr(i, 3) == three)) {
      return i + length;
    }
  }
  return text.size();
}

// The offset of a key with more than kMaxDots dots; npos when there is none.
std::size_t find_deep_key(std::string_view text) {
  int dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    char c = text[i];
    if (c == '"' || c == '\'') {
      i = after_string(text, i);
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (c == '.' && ++dots > kMaxDots) return i;
    if (c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}') dots = 0;
    ++i;
  }
  return text.npos;
}

template <class Value>
std::string as_text(const Value& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

void set_place(Node& node, const toml::source_region& region) {
  node.line = static_cast<int>(region.begin.line);
  node.column = static_cast<int>(region.begin.column);
}

void set_number(Node& node, double value) {
  if (!std::isfinite(value)) return;
  node.kind = Node::Kind::number;
  node.number = value;
}

Node convert(const toml::node& from);

Node convert_table(const toml::table& table) {
  Node node;
  node.kind = Node::Kind::object;
  std::vector<std::pair<toml::source_position, std::pair<std::string, Node>>> members;  // toml++ sorts by name
  for (const auto& [key, value] : table) {
    members.emplace_back(key.source().begin, std::pair(std::string(key.str()), convert(value)));
  }
  std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& member : members) node.members.push_back(std::move(member.second));
  return node;
}

Node convert_array(const toml::array& array) {
  Node node;
  node.kind = Node::Kind::array;
  for (const toml::node& item : array) node.items.push_back(convert(item));
  return node;
}

// Recursion is bounded: nesting by toml++, dots by find_deep_key.
Node convert(const toml::node& from) {
  Node node;
  from.visit([&](const auto& value) {
    if constexpr (toml::is_table<decltype(value)>) {
      node = convert_table(value);
    } else if constexpr (toml::is_array<decltype(value)>) {
      node = convert_array(value);
    } else if constexpr (toml::is_string<decltype(value)>) {
      node.kind = Node::Kind::string;
      node.string = value.get();
    } else if constexpr (toml::is_boolean<decltype(value)>) {
      node.kind = Node::Kind::boolean;
      node.boolean = value.get();
    } else if constexpr (toml::is_integer<decltype(value)>) {
      node.kind = Node::Kind::integer;
      node.integer = value.get();
      node.number = static_cast<double>(value.get());
    } else if constexpr (toml::is_floating_point<decltype(value)>) {
      set_number(node, value.get());
    } else {
      node.kind = Node::Kind::string;
      node.string = as_text(value.get());
    }
  });
  set_place(node, from.source());
  return node;
}

}  // namespace

Result<Node> parse_toml(std::string_view text, const std::string& file) {
  text = without_byte_order_mark(text);
  if (is_blank(text)) return Error{"the file is empty", "a TOML document", Place{file, 0, 0, {}, {}}, {}};
  if (std::size_t deep = find_deep_key(text); deep != text.npos) {
    return Error{"a key of too many parts", "at most " + std::to_string(kMaxDots + 1), place_of(text, deep, file), {}};
  }
  toml::parse_result parsed = toml::parse(text, file);
  if (parsed) return convert_table(parsed.table());
  const toml::parse_error& problem = parsed.error();
  int line = static_cast<int>(problem.source().begin.line);
  int column = static_cast<int>(problem.source().begin.column);
  return Error{"invalid TOML: " + ascii_excerpt(problem.description()),
               {},
               Place{file, line, column, {}, source_line(text, line)},
               {}};
}

}  // namespace nameplate
