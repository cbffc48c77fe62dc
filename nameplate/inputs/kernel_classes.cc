#include "nameplate/inputs/kernel_classes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "nameplate/core/embedded_data.h"
#include "nameplate/core/node.h"
#include "nameplate/core/text.h"

namespace nameplate {
namespace {

constexpr std::pair<std::string_view, DeviceEventClass> kClasses[] = {
    {"matmul", DeviceEventClass::matmul},
    {"attention", DeviceEventClass::attention},
    {"convolution", DeviceEventClass::convolution},
    {"memory_bound", DeviceEventClass::memory_bound},
    {"embedding", DeviceEventClass::embedding},
    {"optimizer", DeviceEventClass::optimizer},
    {"routing", DeviceEventClass::routing},
    {"other", DeviceEventClass::other_kernel},
    {"collective", DeviceEventClass::collective},
    {"copy", DeviceEventClass::copy},
    {"copy_to_device", DeviceEventClass::copy_to_device},
    {"copy_to_host", DeviceEventClass::copy_to_host},
    {"memset", DeviceEventClass::memset}};

// Letters only, longest first where one begins another.
constexpr std::pair<std::string_view, CollectiveKind> kCollectives[] = {
    {"allreduce", CollectiveKind::all_reduce},
    {"allgather", CollectiveKind::all_gather},
    {"reducescatter", CollectiveKind::reduce_scatter},
    {"alltoall", CollectiveKind::all_to_all},
    {"broadcast", CollectiveKind::broadcast},
    {"barrier", CollectiveKind::barrier},
    {"recv", CollectiveKind::receive},
    {"receive", CollectiveKind::receive},
    {"send", CollectiveKind::send},
    {"gather", CollectiveKind::gather},
    {"scatter", CollectiveKind::scatter},
    {"reduce", CollectiveKind::reduce}};

Error wrong(const Node& node, std::string found, std::string expected, std::string_view toml, const std::string& file) {
  return {std::move(found),
          std::move(expected),
          {.file = file, .line = node.line, .column = node.column, .source_line = source_line(toml, node.line)},
          {}};
}

Result<std::vector<std::string>> words(const Node& entry, std::string_view key, std::string_view toml,
                                       const std::string& file) {
  std::vector<std::string> out;
  const Node* list = entry.find(key);
  if (list == nullptr) return out;
  for (const Node& item : list->items) {
    const auto text = item.as_string();
    if (!text || text->empty()) return wrong(item, "no text", "part of a kernel's name", toml, file);
    out.push_back(to_lower(*text));
  }
  if (out.empty()) return wrong(*list, fmt::format("'{}' is empty", key), "a list of texts", toml, file);
  return out;
}

Result<DeviceEventClass> read_class(const Node& entry, std::string_view toml, const std::string& file) {
  const Node* node = entry.find("class");
  const auto text = node == nullptr ? std::nullopt : node->as_string();
  std::vector<std::string> known;
  for (const auto& [name, value] : kClasses) {
    if (text == name) return value;
    known.emplace_back(name);
  }
  return wrong(node == nullptr ? entry : *node,
               text ? fmt::format("unknown class '{}'", *text) : std::string("a rule without a class"),
               fmt::format("one of {}", fmt::join(known, ", ")), toml, file);
}

}  // namespace

bool KernelClasses::Rule::fits(std::string_view name, std::string_view lower) const {
  const auto begins = [&](const std::string& word) { return lower.starts_with(word); };
  const auto holds = [&](const std::string& word) { return lower.find(word) != lower.npos; };
  std::vector<std::string_view> groups;
  return (starts.empty() || std::any_of(starts.begin(), starts.end(), begins)) &&
         (contains.empty() || std::any_of(contains.begin(), contains.end(), holds)) &&
         (!regex || regex->match(name, groups));
}

Result<KernelClasses::Rule> KernelClasses::read_rule(const Node& entry, std::string_view toml,
                                                     const std::string& file) {
  Rule rule;
  NAMEPLATE_TRY(rule.result.event_class, read_class(entry, toml, file));
  NAMEPLATE_TRY(rule.starts, words(entry, "starts", toml, file));
  NAMEPLATE_TRY(rule.contains, words(entry, "contains", toml, file));
  if (const Node* regex = entry.find("regex")) {
    auto pattern = Pattern::compile(regex->as_string().value_or(""));
    if (!pattern.ok()) return wrong(*regex, pattern.error().found, "a regular expression", toml, file);
    rule.regex = std::move(pattern).value();
  }
  if (rule.starts.empty() && rule.contains.empty() && !rule.regex) {
    return wrong(entry, "a rule that fits every name", "'starts', 'contains' or 'regex'", toml, file);
  }
  if (const Node* kind = entry.find("collective")) {
    rule.result.collective = parse_collective(kind->as_string().value_or(""));
    if (!rule.result.collective) return wrong(*kind, "unknown collective", "\"all_reduce\", \"send\", …", toml, file);
  }
  if (const Node* library = entry.find("library")) rule.result.library = library->as_string().value_or("");
  return rule;
}

Status KernelClasses::add(std::string_view toml, const std::string& file) {
  auto root = parse_toml(toml, file);
  if (!root.ok()) return root.error();
  const Node* entries = root->find("rule");
  if (entries == nullptr || !entries->is(Node::Kind::array)) {
    return Error{"no rules", "tables [[rule]] with class, and starts, contains or regex", {.file = file}, {}};
  }
  std::vector<Rule> rules;
  for (const Node& entry : entries->items) {
    auto rule = read_rule(entry, toml, file);
    if (!rule.ok()) return rule.error();
    rules.push_back(std::move(rule).value());
  }
  rules_.insert(rules_.begin(), std::move_iterator(rules.begin()), std::move_iterator(rules.end()));
  return std::nullopt;
}

Result<KernelClasses> KernelClasses::built_in() {
  KernelClasses classes;
  const auto files = embedded_files();
  for (auto file = files.rbegin(); file != files.rend(); ++file) {  // the last added are tried first
    if (!file->path.starts_with("kernels/")) continue;
    if (Status bad = classes.add(file->text, std::string(file->path))) return *bad;
  }
  return classes;
}

KernelClass KernelClasses::classify(std::string_view name) const {
  const std::string lower = to_lower(name);
  for (const Rule& rule : rules_) {
    if (rule.fits(name, lower)) return rule.result;
  }
  return {};
}

std::optional<CollectiveKind> parse_collective(std::string_view text) {
  std::string letters;
  for (const char c : to_lower(text)) {
    if (c >= 'a' && c <= 'z') letters += c;
  }
  for (const auto& [name, kind] : kCollectives) {
    if (letters.find(name) != letters.npos) return kind;
  }
  return std::nullopt;
}

}  // namespace nameplate
