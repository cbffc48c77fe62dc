#include "nameplate/inputs/manifest.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "nameplate/core/file_reader.h"
#include "nameplate/core/text.h"
#include "nameplate/core/units.h"
#include "nameplate/inputs/manifest_keys.h"

namespace nameplate {
namespace {

const ManifestKey* find_key(std::string_view path) {
  for (const ManifestKey& key : manifest_key_table()) {
    if (key.path == path) return &key;
  }
  return nullptr;
}

// Sections whose keys are the user's own or are checked by another reader.
bool is_open(std::string_view path) {
  if (path.starts_with("model.")) return true;
  const ManifestKey* key = find_key(path.substr(0, path.find('.')));
  return key != nullptr && (key->kind == KeyKind::free_table || key->kind == KeyKind::table);
}

// A number, or a text in percent.
std::optional<double> parse_ratio(const Node& node) {
  if (!node.is(Node::Kind::string)) return node.as_number();
  const auto leading = parse_leading_number(node.string);
  if (!leading || trim(leading->rest) != "%") return std::nullopt;
  return leading->value / 100;
}

struct Checker {
  const std::string& file;
  std::string_view text;

  Error at(const Node& node, std::string found, std::string expected = {}, std::string hint = {}) const {
    return {std::move(found),
            std::move(expected),
            {file, node.line, node.column, {}, source_line(text, node.line)},
            std::move(hint)};
  }

  Status unknown(const Node& node, const std::string& path) const {
    std::vector<std::string> known = manifest_keys();
    if (path.find('.') == std::string::npos) {  // a section: compared with sections
      for (std::string& key : known) key = key.substr(0, key.find('.'));
    }
    return at(node, fmt::format("unknown key '{}'", path), {}, did_you_mean(path, known));
  }

  Status wrong_kind(const Node& node, std::string_view path, std::string expected) const {
    return at(node, fmt::format("'{}' is {}", path, name(node.kind)), std::move(expected));
  }

  template <class T>
  Status quantity(const Node& node, std::string_view path, Result<T> (*parse)(std::string_view)) const {
    if (node.is(Node::Kind::integer) || node.is(Node::Kind::number)) {
      const Result<T> bare = parse(fmt::format("{}", node.number));  // its error lists the units
      return at(node, fmt::format("'{}' has no unit", path), bare.ok() ? "a text with a unit" : bare.error().expected);
    }
    if (!node.is(Node::Kind::string)) return wrong_kind(node, path, "a text with a unit");
    const Result<T> parsed = parse(node.string);
    if (parsed.ok() && parsed->base() > 0) return std::nullopt;
    if (parsed.ok()) return at(node, fmt::format("'{}' is '{}'", path, node.string), "more than zero");
    Error bad = parsed.error();
    bad.place = {file, node.line, node.column, {}, source_line(text, node.line)};
    bad.found = fmt::format("'{}': {}", path, bad.found);
    return bad;
  }

  Status choice(const Node& node, const ManifestKey& key) const {
    if (key.choices.empty()) return std::nullopt;
    std::vector<std::string> known, joined;
    for (std::string_view one : split(key.choices, '|')) {
      if (one.starts_with('+')) joined.emplace_back(one.substr(1));
      known.emplace_back(one.starts_with('+') ? one.substr(1) : one);
    }
    const std::vector<std::string_view> words = split(node.string, '+');
    for (std::string_view word : words) {
      const std::vector<std::string>& allowed = words.size() == 1 ? known : joined;
      if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) continue;
      return at(node, fmt::format("'{}' is '{}'", key.path, node.string),
                fmt::format("one of {}{}", fmt::join(known, ", "),
                            joined.empty() ? "" : fmt::format(", the last {} also joined by '+'", joined.size())),
                did_you_mean(word, allowed));
    }
    return std::nullopt;
  }

  Status integer(const Node& node, std::string_view path) const {
    const auto value = node.as_integer();
    if (!value) return wrong_kind(node, path, "a whole number");
    const bool may_be_zero = path == "plan.zero" || path.starts_with("data.") || path.starts_with("failures.");
    if (*value < (may_be_zero ? 0 : 1) || *value > 1'000'000'000'000) {
      return at(node, fmt::format("'{}' is {}", path, *value),
                may_be_zero ? "zero or a positive number" : "a positive number");
    }
    return std::nullopt;
  }

  Status number(const Node& node, std::string_view path) const {
    const auto value = node.as_number();
    if (!value) return wrong_kind(node, path, "a number");
    if (!std::isfinite(*value) || *value < 0)
      return at(node, fmt::format("'{}' is {}", path, *value), "a finite number, not negative");
    return std::nullopt;
  }

  Status ratio(const Node& node, std::string_view path) const {
    const auto value = parse_ratio(node);
    if (!value && !node.is(Node::Kind::string))
      return wrong_kind(node, path, "a ratio from 0 to 1, or a text in percent");
    if (value && *value >= 0 && *value <= 1) return std::nullopt;
    return at(
        node,
        fmt::format("'{}' is {}", path, node.is(Node::Kind::string) ? node.string : fmt::format("{}", node.number)),
        "a ratio from 0 to 1, or a text in percent", "0.45 and \"45 %\" are the same");
  }

  Status columns(const Node& node, std::string_view path) const {
    if (!node.is(Node::Kind::object)) return wrong_kind(node, path, "a table");
    for (const auto& [field, column] : node.members) {
      if (!column.is(Node::Kind::string)) return wrong_kind(column, fmt::format("{}.{}", path, field), "a text");
      if (field == "step_time" && column.string.find(':') == std::string::npos) {
        return at(column, fmt::format("the column '{}' of step_time has no unit", column.string), "name:unit",
                  fmt::format("\"{0}:ms\" or \"{0}:s\"", column.string));
      }
    }
    return std::nullopt;
  }

  Status texts(const Node& node, std::string_view path) const {
    if (node.is(Node::Kind::string)) return std::nullopt;
    if (!node.is(Node::Kind::array)) return wrong_kind(node, path, "a list of texts");
    for (const Node& item : node.items) {
      if (!item.is(Node::Kind::string)) return wrong_kind(item, path, "a list of texts");
    }
    return std::nullopt;
  }

  Status integers(const Node& node, std::string_view path) const {
    if (!node.is(Node::Kind::array)) return integer(node, path);
    for (const Node& item : node.items) {
      if (Status bad = integer(item, path)) return bad;
    }
    return std::nullopt;
  }

  Status value(const Node& node, const ManifestKey& key) const {
    switch (key.kind) {
      case KeyKind::text:
        if (!node.is(Node::Kind::string)) return wrong_kind(node, key.path, "a text");
        return choice(node, key);
      case KeyKind::integer:
        return integer(node, key.path);
      case KeyKind::number:
        return number(node, key.path);
      case KeyKind::ratio:
        return ratio(node, key.path);
      case KeyKind::columns:
        return columns(node, key.path);
      case KeyKind::boolean:
        return node.is(Node::Kind::boolean) ? Status() : wrong_kind(node, key.path, "true or false");
      case KeyKind::texts:
        return texts(node, key.path);
      case KeyKind::integers:
        return integers(node, key.path);
      case KeyKind::bytes:
        return quantity(node, key.path, parse_bytes);
      case KeyKind::duration:
        return quantity(node, key.path, parse_duration);
      case KeyKind::flops_rate:
        return quantity(node, key.path, parse_flops_rate);
      case KeyKind::bandwidth:
        return quantity(node, key.path, parse_bandwidth);
      case KeyKind::power:
        return quantity(node, key.path, parse_power);
      case KeyKind::table:
        return node.is(Node::Kind::object) || node.is(Node::Kind::array) ? Status()
                                                                         : wrong_kind(node, key.path, "a table");
      case KeyKind::own:
        return std::nullopt;
      case KeyKind::free_table:
        return node.is(Node::Kind::object) ? Status() : wrong_kind(node, key.path, "a table");
    }
    return std::nullopt;
  }

  // A top-level section or a key inside one.
  Status check(const Node& node, const std::string& path) const {
    if (const ManifestKey* key = find_key(path)) return value(node, *key);
    if (is_open(path)) return std::nullopt;
    const bool section = std::any_of(manifest_key_table().begin(), manifest_key_table().end(),
                                     [&](const ManifestKey& k) { return k.path.starts_with(path + "."); });
    if (!section) return unknown(node, path);
    if (!node.is(Node::Kind::object)) return wrong_kind(node, path, fmt::format("a section [{}]", path));
    for (const auto& [name, member] : node.members) {
      if (Status bad = check(member, path + "." + name)) return bad;
    }
    return std::nullopt;
  }
};

Node* child(Node& table, std::string_view key) {
  for (auto& [name, member] : table.members) {
    if (name == key) return &member;
  }
  return nullptr;
}

Node& make_child(Node& table, std::string_view key) {
  if (Node* known = child(table, key)) return *known;
  table.members.emplace_back(std::string(key), Node{.kind = Node::Kind::object});
  return table.members.back().second;
}

// "64" is a number, "true" a boolean, anything else a text: what a person types after --set needs no quotes.
Node node_from_text(std::string_view value) {
  Node node{.kind = Node::Kind::string, .string = std::string(value)};
  if (value.starts_with('[')) {
    const Result<Node> toml = parse_toml("list = " + node.string, "--set");
    if (toml.ok()) return *toml->find("list");
  }
  if (const auto integer = parse_integer(value)) {
    node = {.kind = Node::Kind::integer, .integer = *integer, .number = static_cast<double>(*integer)};
  } else if (const auto number = parse_number(value)) {
    node = {.kind = Node::Kind::number, .number = *number};
  } else if (value == "true" || value == "false") {
    node = {.kind = Node::Kind::boolean, .boolean = value == "true"};
  }
  return node;
}

// "400 Gbit/s" x 10 -> "4000 Gbit/s": the unit stays, so the key's own check reads it.
std::optional<Node> scaled(const Node& old, double factor) {
  if (const auto number = old.as_number()) {
    const double value = *number * factor;
    const bool whole = old.is(Node::Kind::integer) && value == std::floor(value) && std::fabs(value) < 9e15;
    if (whole) return Node{.kind = Node::Kind::integer, .integer = static_cast<std::int64_t>(value), .number = value};
    return Node{.kind = Node::Kind::number, .number = value};
  }
  if (!old.is(Node::Kind::string)) return std::nullopt;
  const auto leading = parse_leading_number(old.string);
  if (!leading) return std::nullopt;
  return Node{.kind = Node::Kind::string, .string = fmt::format("{} {}", leading->value * factor, trim(leading->rest))};
}

std::optional<double> parse_factor(std::string_view value) {
  if (value.size() < 2 || (value[0] != 'x' && value[0] != 'X')) return std::nullopt;
  return parse_number(value.substr(1));
}

}  // namespace

std::vector<std::string> manifest_keys() {
  std::vector<std::string> keys;
  for (const ManifestKey& key : manifest_key_table()) keys.emplace_back(key.path);
  std::sort(keys.begin(), keys.end());
  return keys;
}

Result<Manifest> Manifest::parse(std::string_view text, const std::string& file) {
  Manifest manifest;
  NAMEPLATE_TRY(manifest.root_, parse_toml(text, file));
  manifest.file_ = file;
  manifest.text_ = text;
  if (Status bad = manifest.check_all()) return *bad;
  return manifest;
}

Result<Manifest> Manifest::read(const std::string& path) {
  NAMEPLATE_TRY(const std::string text, read_file(path, 16 << 20));
  return parse(text, path);
}

Status Manifest::check_all() const {
  const Checker checker{file_, text_};
  for (const auto& [name, member] : root_.members) {
    if (Status bad = checker.check(member, name)) return bad;
  }
  return std::nullopt;
}

Status Manifest::set(std::string_view key, std::string_view value) {
  const ManifestKey* known = find_key(key);
  if (known == nullptr && !is_open(key)) {
    return error(fmt::format("unknown key '{}' in --set", key), did_you_mean(key, manifest_keys()));
  }
  Node* node = &root_;
  for (std::string_view part : split(key, '.')) {
    if (!node->is(Node::Kind::object)) return error(fmt::format("'{}' lies inside a value, not a section", key));
    node = &make_child(*node, part);
  }
  if (known != nullptr && known->kind == KeyKind::text) {
    *node = {.kind = Node::Kind::string, .string = std::string(value)};
  } else if (const auto factor = parse_factor(value)) {
    const auto result = scaled(*node, *factor);
    if (!result)
      return error(fmt::format("--set {}={}: there is no number to multiply", key, value),
                   "give the key a value first");
    *node = *result;
  } else {
    *node = node_from_text(value);
  }
  flags_.emplace_back(key);
  if (Status bad = known != nullptr ? Checker{"--set", ""}.value(*node, *known) : Status()) return bad;
  return std::nullopt;
}

void Manifest::drop(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  Node* section = dot == std::string_view::npos ? &root_ : child(root_, key.substr(0, dot));
  if (section == nullptr) return;
  std::erase_if(section->members, [&](const auto& member) { return member.first == key.substr(dot + 1); });
}

std::string Manifest::folder() const {
  const std::size_t slash = file_.rfind('/');
  return slash == std::string::npos ? std::string() : file_.substr(0, slash);
}

Origin Manifest::origin(std::string_view key) const {
  return std::find(flags_.begin(), flags_.end(), key) != flags_.end() ? Origin::flag : Origin::manifest;
}

namespace {

template <class T>
std::optional<Known<T>> known(std::optional<T> value, Origin origin, const std::string& file, const Node* node) {
  if (!value) return std::nullopt;
  std::string detail = origin == Origin::flag ? "flag" : fmt::format("{}:{}", file, node->line);
  return Known<T>{std::move(*value), origin, std::move(detail)};
}

template <class T>
std::optional<T> quantity_of(const Node* node, Result<T> (*parse)(std::string_view)) {
  if (node == nullptr || !node->is(Node::Kind::string)) return std::nullopt;
  const Result<T> parsed = parse(node->string);
  return parsed.ok() ? std::optional<T>(parsed.value()) : std::nullopt;
}

}  // namespace

std::optional<Known<std::string>> Manifest::text(std::string_view key) const {
  const Node* node = root_.find_path(key);
  if (node == nullptr) return std::nullopt;
  std::optional<std::string> value;
  if (const auto view = node->as_string()) value = std::string(*view);
  if (node->is(Node::Kind::integer)) value = fmt::format("{}", node->integer);
  if (node->is(Node::Kind::number)) value = fmt::format("{}", node->number);
  return known(value, origin(key), file_, node);
}

std::optional<Known<std::int64_t>> Manifest::integer(std::string_view key) const {
  const Node* node = root_.find_path(key);
  return node == nullptr ? std::nullopt : known(node->as_integer(), origin(key), file_, node);
}

std::optional<Known<double>> Manifest::number(std::string_view key) const {
  const Node* node = root_.find_path(key);
  return node == nullptr ? std::nullopt : known(parse_ratio(*node), origin(key), file_, node);
}

std::optional<Known<FlopsPerSecond>> Manifest::flops_rate(std::string_view key) const {
  const Node* node = root_.find_path(key);
  return known(quantity_of(node, parse_flops_rate), origin(key), file_, node);
}

std::optional<Known<Seconds>> Manifest::duration(std::string_view key) const {
  const Node* node = root_.find_path(key);
  return known(quantity_of(node, parse_duration), origin(key), file_, node);
}

std::optional<Known<BytesPerSecond>> Manifest::bandwidth(std::string_view key) const {
  const Node* node = root_.find_path(key);
  return known(quantity_of(node, parse_bandwidth), origin(key), file_, node);
}

std::optional<Known<Bytes>> Manifest::bytes(std::string_view key) const {
  const Node* node = root_.find_path(key);
  return known(quantity_of(node, parse_bytes), origin(key), file_, node);
}

std::vector<std::string> Manifest::texts(std::string_view key) const {
  const Node* node = root_.find_path(key);
  std::vector<std::string> values;
  if (node == nullptr) return values;
  if (node->is(Node::Kind::string)) values.push_back(node->string);
  for (const Node& item : node->items) values.push_back(item.string);
  return values;
}

std::vector<std::int64_t> Manifest::integers(std::string_view key) const {
  const Node* node = root_.find_path(key);
  std::vector<std::int64_t> values;
  if (node == nullptr) return values;
  if (const auto one = node->as_integer()) values.push_back(*one);
  for (const Node& item : node->items) values.push_back(item.as_integer().value_or(0));
  return values;
}

LogOptions Manifest::log_options() const {
  LogOptions options;
  if (const auto regex = text("inputs.regex")) options.regex = regex->value;
  if (const auto format = text("inputs.format")) options.format = format->value;
  const Node* columns = root_.find_path("inputs.columns");
  if (columns == nullptr) return options;
  for (const auto& [field, column] : columns->members) {
    const std::string& spec = column.string;  // "dt_ms:ms"
    const std::size_t colon = spec.rfind(':');
    const bool has_unit = colon != std::string::npos;
    options.columns.push_back({field, {spec.substr(0, colon), has_unit ? spec.substr(colon + 1) : std::string()}});
  }
  return options;
}

std::optional<Node> Manifest::model_in_place() const {
  const Node* model = root_.find_path("model");
  if (model == nullptr) return std::nullopt;
  const bool listed = model->find("blocks") != nullptr;
  Node in_place = *model;
  std::erase_if(in_place.members, [&](const auto& member) {
    if (listed && (member.first == "dimensions" || member.first == "name")) return false;
    return find_key("model." + member.first) != nullptr;
  });
  if (in_place.members.empty()) return std::nullopt;
  return in_place;
}

}  // namespace nameplate
