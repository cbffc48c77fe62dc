// Reads one table of a TOML file key by key and says, located, what is wrong with it.
//
// The first error is kept and every later read yields an absent or default value, so that a reader lists its keys once,
// in a row, and asks for the error at the end. The keys asked for are the keys known: any other is an error with a "did
// you mean". Numbers are bounded where they come in, so that no product of two of them overflows later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nameplate/core/node.h"
#include "nameplate/core/result.h"

namespace nameplate {

class TableReader {
 public:
  // `path` names the table in errors: "model", "accelerator 'H100 SXM'". `table` must outlive the reader.
  TableReader(const Node& table, std::string file, std::string path);

  bool has(std::string_view key);
  // Absent or wrong (then the error is kept): nothing.
  std::optional<std::string> text(std::string_view key);
  std::optional<std::int64_t> count(std::string_view key, std::int64_t least = 1);  // up to kMostCount
  std::optional<double> positive(std::string_view key);
  std::optional<double> ratio(std::string_view key);  // 0..1, or a text in percent: "45 %"
  const Node* any(std::string_view key);              // whatever its kind
  bool flag(std::string_view key, bool otherwise);
  std::vector<std::string> texts(std::string_view key);
  std::vector<std::int64_t> counts(std::string_view key, std::int64_t least = 0);
  const Node* table(std::string_view key);
  const std::vector<Node>& array(std::string_view key);  // empty when absent

  // As above; an absent key is an error.
  std::string required_text(std::string_view key);
  std::int64_t required_count(std::string_view key);

  // A text with a unit, read by `parse`, a function of core/units.h.
  template <class Value>
  std::optional<Value> quantity(std::string_view key, Result<Value> (*parse)(std::string_view)) {
    std::optional<std::string> given = text(key);
    if (!given) return std::nullopt;
    Result<Value> value = parse(*given);
    if (value.ok()) return *value;
    fail(key, value.error().found, value.error().expected, value.error().hint);
    return std::nullopt;
  }

  // Declares keys that somebody else reads.
  void allow(std::string_view key) { known_.emplace_back(key); }
  // Keeps an error at `key` (the table itself when it has no such key).
  void fail(std::string_view key, std::string found, std::string expected = {}, std::string hint = {});
  // The first error: of what was read, else an unknown key.
  Status finish();

  static constexpr std::int64_t kMostCount = 1'000'000'000;

 private:
  const Node* find(std::string_view key, Node::Kind kind);
  void check_unknown();

  const Node& table_;
  std::string file_;
  std::string path_;
  std::vector<std::string> known_;
  Status error_;
};

// A list of tables at `key`, each read by `read`.
template <class Item>
Status read_each(TableReader& section, std::string_view key, const std::string& file,
                 Result<Item> (*read)(const Node&, const std::string&), std::vector<Item>& into) {
  for (const Node& node : section.array(key)) {
    Result<Item> item = read(node, file);
    if (!item.ok()) return item.error();
    into.push_back(std::move(*item));
  }
  return std::nullopt;
}

}  // namespace nameplate
