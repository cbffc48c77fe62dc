#include "nameplate/inputs/table_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "nameplate/core/text.h"

namespace nameplate {
namespace {

std::string described(const Node& node) {
  if (node.is(Node::Kind::string)) return fmt::format("'{:.80}'", node.string);
  if (node.is(Node::Kind::integer)) return fmt::format("{}", node.integer);
  if (node.is(Node::Kind::number)) return fmt::format("{}", node.number);
  return std::string(name(node.kind));
}

bool in_range(const std::optional<std::int64_t>& value, std::int64_t least) {
  return value && *value >= least && *value <= TableReader::kMostCount;
}

std::string range(std::int64_t least) {
  return fmt::format("an integer between {} and {}", least, TableReader::kMostCount);
}

}  // namespace

TableReader::TableReader(const Node& table, std::string file, std::string path)
    : table_(table), file_(std::move(file)), path_(std::move(path)) {}

bool TableReader::has(std::string_view key) {
  allow(key);
  return table_.find(key) != nullptr;
}

std::optional<std::string> TableReader::text(std::string_view key) {
  const Node* node = find(key, Node::Kind::string);
  return node ? std::optional(node->string) : std::nullopt;
}

std::optional<std::int64_t> TableReader::count(std::string_view key, std::int64_t least) {
  allow(key);
  const Node* node = table_.find(key);
  if (!node) return std::nullopt;
  std::optional<std::int64_t> value = node->as_integer();
  if (in_range(value, least)) return value;
  fail(key, described(*node), range(least));
  return std::nullopt;
}

std::optional<double> TableReader::positive(std::string_view key) {
  allow(key);
  const Node* node = table_.find(key);
  if (!node) return std::nullopt;
  std::optional<double> value = node->as_number();
  if (value && *value > 0 && *value <= 1e18) return value;
  fail(key, described(*node), "a positive number");
  return std::nullopt;
}

std::optional<double> TableReader::ratio(std::string_view key) {
  const Node* node = any(key);
  if (!node) return std::nullopt;
  std::optional<double> value = node->as_number();
  if (const auto leading = parse_leading_number(node->string); leading && trim(leading->rest) == "%") {
    value = leading->value / 100;
  }
  if (value && *value >= 0 && *value <= 1) return value;
  fail(key, described(*node), "a ratio from 0 to 1, or a text in percent");
  return std::nullopt;
}

const Node* TableReader::any(std::string_view key) {
  allow(key);
  return table_.find(key);
}

bool TableReader::flag(std::string_view key, bool otherwise) {
  const Node* node = find(key, Node::Kind::boolean);
  return node ? node->boolean : otherwise;
}

std::vector<std::string> TableReader::texts(std::string_view key) {
  std::vector<std::string> values;
  for (const Node& item : array(key)) {
    if (item.is(Node::Kind::string))
      values.push_back(item.string);
    else
      fail(key, described(item), "a list of strings");
  }
  return values;
}

std::vector<std::int64_t> TableReader::counts(std::string_view key, std::int64_t least) {
  std::vector<std::int64_t> values;
  for (const Node& item : array(key)) {
    std::optional<std::int64_t> value = item.as_integer();
    if (in_range(value, least))
      values.push_back(*value);
    else
      fail(key, described(item), "a list, each item " + range(least));
  }
  return values;
}

const Node* TableReader::table(std::string_view key) { return find(key, Node::Kind::object); }

const std::vector<Node>& TableReader::array(std::string_view key) {
  static const std::vector<Node> kNone;
  const Node* node = find(key, Node::Kind::array);
  return node ? node->items : kNone;
}

std::string TableReader::required_text(std::string_view key) {
  if (!has(key)) fail(key, fmt::format("'{}' is missing", key), "a string");
  return text(key).value_or("");
}

std::int64_t TableReader::required_count(std::string_view key) {
  if (!has(key)) fail(key, fmt::format("'{}' is missing", key), "a positive integer");
  return count(key).value_or(1);
}

void TableReader::fail(std::string_view key, std::string found, std::string expected, std::string hint) {
  if (error_) return;
  const Node* node = table_.find(key);
  const Node& at = node ? *node : table_;
  std::string path = node ? fmt::format("{}{}{}", path_, path_.empty() ? "" : ".", key) : path_;
  error_ =
      Error{std::move(found), std::move(expected), {file_, at.line, at.column, std::move(path), {}}, std::move(hint)};
}

Status TableReader::finish() {
  if (!error_) check_unknown();
  return error_;
}

const Node* TableReader::find(std::string_view key, Node::Kind kind) {
  allow(key);
  const Node* node = table_.find(key);
  if (!node || node->is(kind)) return node;
  fail(key, described(*node), std::string(name(kind)));
  return nullptr;
}

void TableReader::check_unknown() {
  for (const auto& [key, value] : table_.members) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    fail(key, fmt::format("unknown key '{:.80}'", key), {}, did_you_mean(key, known_));
    return;
  }
}

}  // namespace nameplate
