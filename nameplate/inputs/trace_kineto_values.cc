#include "nameplate/inputs/trace_kineto_values.h"

#include <array>
#include <utility>

#include <simdjson.h>

#include "nameplate/core/text.h"
#include "nameplate/inputs/trace_kineto_events.h"
#include "nameplate/inputs/trace_time.h"

namespace nameplate {
namespace {

namespace json = simdjson::ondemand;

// Calls use(value) for each element of the list in `text`.
template <class Use>
void each_element(std::string_view text, Use use) {
  if (text.empty()) return;
  const simdjson::padded_string padded(text);
  json::parser parser;
  json::document document;
  json::array array;
  if (parser.iterate(padded).get(document) || document.get_array().get(array)) return;
  for (auto element : array) {
    json::value value;
    if (std::move(element).get(value)) return;
    use(value);
  }
}

// The sizes of a tensor; empty for a list of tensors.
std::vector<std::int64_t> sizes(json::value& value) {
  std::vector<std::int64_t> out;
  json::array array;
  if (value.get_array().get(array)) return out;
  bool numbers = true;
  for (auto element : array) {
    json::value item;
    std::int64_t size = 0;
    if (std::move(element).get(item)) break;
    numbers = numbers && !item.get_int64().get(size);
    if (numbers) out.push_back(size);
  }
  if (!numbers) out.clear();
  return out;
}

std::vector<std::string> texts(std::string_view list) {
  std::vector<std::string> out;
  each_element(list, [&](json::value& value) {
    std::string_view view;
    out.emplace_back(value.get_string().get(view) ? std::string_view() : view);
  });
  return out;
}

constexpr std::pair<std::string_view, std::int64_t> kElementBytes[] = {
    {"float8", 1},     {"bfloat16", 2}, {"half", 2},  {"float16", 2}, {"float", 4}, {"double", 8},
    {"longint", 8},    {"long", 8},     {"int", 4},   {"byte", 1},    {"char", 1},  {"unsignedchar", 1},
    {"signedchar", 1}, {"bool", 1},     {"short", 2}, {"int8", 1},    {"uint8", 1}, {"complexfloat", 8}};

}  // namespace

std::string unescape(std::string_view inside) {
  if (inside.find('\\') == inside.npos) return std::string(inside);
  const simdjson::padded_string padded("\"" + std::string(inside) + "\"");
  json::parser parser;
  json::document document;
  std::string_view text;
  if (parser.iterate(padded).get(document) || document.get_string().get(text)) return std::string(inside);
  return std::string(text);
}

Operands parse_operands(std::string_view key) {
  Operands operands;
  const std::vector<std::string_view> parts = split(key, kOperandMark);
  each_element(parts[0], [&](json::value& value) { operands.dims.push_back(sizes(value)); });
  if (parts.size() > 1) operands.types = texts(parts[1]);
  if (parts.size() > 2) operands.values = texts(parts[2]);
  return operands;
}

std::vector<std::int64_t> parse_ranks(std::string_view text) {
  std::vector<std::int64_t> ranks;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return ranks;
  for (const std::string_view item : split(text.substr(1, text.size() - 2), ',')) {
    const auto rank = parse_whole(trim(item));
    if (!rank || *rank < 0) return {};
    ranks.push_back(*rank);
  }
  return ranks;
}

std::optional<std::int64_t> element_bytes(std::string_view type) {
  std::string plain;
  for (const char c : to_lower(type.starts_with("c10::") ? type.substr(5) : type)) {
    if (c != ' ' && c != '_') plain += c;
  }
  if (plain.starts_with("float8")) return 1;
  for (const auto& [name, bytes] : kElementBytes) {
    if (plain == name) return bytes;
  }
  return std::nullopt;
}

}  // namespace nameplate
