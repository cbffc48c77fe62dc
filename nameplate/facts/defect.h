// Messages by id. Facts and results name what they have to say by an id and arguments; the sentence is rendered last,
// from one catalogue per language (data/sentences/en.toml), so no analysis contains prose.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nameplate {

using Argument = std::variant<std::string, double, std::int64_t>;

struct Message {
  std::string id;                                      // "log.truncated_line"
  std::vector<std::pair<std::string, Argument>> args;  // in the order of the sentence
  bool operator==(const Message&) const = default;
};

enum class Severity { info, data_loss, error };
std::string_view name(Severity severity);  // "data_loss"

// Something wrong or lost in an input, counted. Readers return facts plus defects and never drop data silently.
struct Defect {
  Message message;
  Severity severity = Severity::info;
  std::int64_t count = 1;
  bool operator==(const Defect&) const = default;
};

using Defects = std::vector<Defect>;

// Adds to the count of an equal message, or appends.
void add_defect(Defects& defects, Message message, Severity severity, std::int64_t count = 1);

// What was taken for granted and can change a number.
using Assumption = Message;

}  // namespace nameplate
