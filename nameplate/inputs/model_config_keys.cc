#include "nameplate/inputs/model_config_keys.h"

#include <utility>

#include <fmt/format.h>

#include "nameplate/core/text.h"

namespace nameplate::model_config {
namespace {

std::string describe(const Node& node) {
  if (node.is(Node::Kind::integer)) return fmt::format("{}", node.integer);
  if (node.is(Node::Kind::number)) return fmt::format("{}", node.number);
  if (node.is(Node::Kind::boolean)) return node.boolean ? "true" : "false";
  return std::string(name(node.kind));
}

std::string near_key(const Node& object, std::string_view wanted) {
  std::vector<std::string> keys;
  for (const auto& member : object.members) keys.push_back(member.first);
  return did_you_mean(wanted, keys);
}

}  // namespace

Keys::Keys(const Node& object, std::string file, std::string path, const Node* outer)
    : object_(object), file_(std::move(file)), path_(std::move(path)), outer_(outer) {}

const Node* Keys::find(const Names& names) const {
  for (std::string_view key : names) {
    const Node* node = object_.find(key);
    if (node != nullptr && !node->is(Node::Kind::null)) return node;
  }
  return nullptr;
}

bool Keys::is_null(const Names& names) const {
  if (has(names)) return false;
  for (std::string_view key : names) {
    if (object_.find(key) != nullptr) return true;
  }
  return false;
}

std::string_view Keys::spelling(const Names& names) const {
  for (std::string_view key : names) {
    const Node* node = object_.find(key);
    if (node != nullptr && !node->is(Node::Kind::null)) return key;
  }
  return names.first();
}

void Keys::fail(std::string_view key, std::string found, std::string expected) {
  if (status_) return;
  const std::string path = key.empty() ? path_ : fmt::format("{}/{}", path_, key);
  status_ = Error{std::move(found), std::move(expected), Place{.file = file_, .path = path}, {}};
}

void Keys::note_default(std::string_view key, std::string value) {
  defaults_.push_back(fmt::format("{} = {}", key, value));
}

std::int64_t Keys::bounded(const Names& names, const Node& node, std::int64_t least, std::int64_t most) {
  const std::optional<std::int64_t> value = node.as_integer();
  if (value && *value >= least && *value <= most) return *value;
  const std::string_view key = spelling(names);
  fail(key, fmt::format("'{}' is {}", key, describe(node)), fmt::format("an integer from {} to {}", least, most));
  return 1;
}

std::int64_t Keys::size(const Names& names, std::int64_t most) {
  if (const Node* node = find(names)) return bounded(names, *node, 1, most);
  const std::string_view key = names.first();
  if (!status_) {
    fail({}, fmt::format("no '{}'", key), "a positive integer under that key");
    status_->hint = near_key(object_, key);
    if (status_->hint.empty()) status_->hint = "or give the dimensions under [model] in run.toml";
  }
  return 1;
}

std::int64_t Keys::size_or(const Names& names, std::int64_t fallback, std::int64_t most) {
  if (fallback == 0 || has(names)) return size(names, most);
  note_default(names.first(), fmt::format("{}", fallback));
  return fallback;
}

std::int64_t Keys::size_if_given(const Names& names, std::int64_t otherwise) {
  return has(names) ? size(names) : otherwise;
}

std::int64_t Keys::count(const Names& names, std::int64_t most) {
  const Node* node = find(names);
  return node == nullptr ? 0 : bounded(names, *node, 0, most);
}

bool Keys::flag(std::string_view key, bool fallback) {
  const Node* node = object_.find(key);
  if (node == nullptr) return fallback;
  if (node->is(Node::Kind::null)) return false;
  if (const std::optional<bool> value = node->as_boolean()) return *value;
  fail(key, fmt::format("'{}' is {}", key, describe(*node)), "true or false");
  return fallback;
}

bool Keys::tied_embeddings(bool fallback) {
  constexpr std::string_view kKey = "tie_word_embeddings";
  if (outer_ != nullptr) {
    const Node* node = outer_->find(kKey);
    if (node != nullptr && node->as_boolean()) return *node->as_boolean();
  }
  if (object_.find(kKey) == nullptr) note_default(kKey, fallback ? "true" : "false");
  return flag(kKey, fallback);
}

std::string_view Keys::text(std::string_view key) const {
  const Node* node = object_.find(key);
  return node == nullptr ? std::string_view{} : node->as_string().value_or(std::string_view{});
}

std::vector<std::int64_t> Keys::indices(std::string_view key) {
  const Node* node = find({key});
  if (node == nullptr) return {};
  if (!node->is(Node::Kind::array)) fail(key, fmt::format("'{}' is {}", key, describe(*node)), "a list of integers");
  std::vector<std::int64_t> values;
  for (const Node& item : node->items) {
    const std::optional<std::int64_t> value = item.as_integer();
    if (!value || *value < 0) {
      fail(key, fmt::format("'{}' contains {}", key, describe(item)), "integers of at least 0");
    }
    values.push_back(value.value_or(0));
  }
  return values;
}

std::vector<std::string_view> Keys::words(std::string_view key) {
  const Node* node = find({key});
  if (node == nullptr) return {};
  if (!node->is(Node::Kind::array)) fail(key, fmt::format("'{}' is {}", key, describe(*node)), "a list of strings");
  std::vector<std::string_view> values;
  for (const Node& item : node->items) {
    if (!item.as_string()) fail(key, fmt::format("'{}' contains {}", key, describe(item)), "strings");
    values.push_back(item.as_string().value_or(std::string_view{}));
  }
  return values;
}

std::int64_t Keys::dimension(std::string_view name, std::int64_t fallback, bool assumed) {
  asked_.emplace_back(name);
  const auto set = dimensions_.find(name);
  if (set == dimensions_.end()) {
    if (assumed) note_default(name, fmt::format("{}", fallback));
    return fallback;
  }
  if (set->second < 1 || set->second > kMostDimension) {
    fail({}, fmt::format("the dimension '{}' is {}", name, set->second),
         fmt::format("an integer from 1 to {}", kMostDimension));
    return 1;
  }
  return set->second;
}

void Keys::within(std::string_view key, const std::function<void(Keys&)>& read) {
  const Node* node = find({key});
  if (node == nullptr || !node->is(Node::Kind::object)) {
    fail(key, node == nullptr ? fmt::format("no '{}'", key) : fmt::format("'{}' is {}", key, describe(*node)),
         "an object under that key");
    return;
  }
  Keys inner(*node, file_, fmt::format("{}/{}", path_, key), &object_);
  inner.dimensions_ = dimensions_;
  read(inner);
  if (!status_) status_ = inner.status_;
  defaults_.insert(defaults_.end(), inner.defaults_.begin(), inner.defaults_.end());
  asked_.insert(asked_.end(), inner.asked_.begin(), inner.asked_.end());
}

}  // namespace nameplate::model_config
