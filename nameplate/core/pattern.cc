#include "nameplate/core/pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

namespace nameplate {
namespace {

// Groups, named or not, and the whole match: few enough to live on the stack of every match.
constexpr std::size_t kMostGroups = 32;

// RE2 knows (?P<name>…) only. "(?<=" and "(?<!" are look-behinds, which RE2 refuses with a message of its own.
std::string with_python_groups(std::string_view expression) {
  std::string result;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] == '\\') {
      result += expression.substr(i++, 2);
      continue;
    }
    std::string_view rest = expression.substr(i);
    bool group = rest.size() > 3 && rest.starts_with("(?<") && rest[3] != '=' && rest[3] != '!';
    result += group ? "(?P<" : std::string(1, expression[i]);
    if (group) i += 2;
  }
  return result;
}

}  // namespace

struct Pattern::State {
  explicit State(const std::string& expression) : re(expression, RE2::Quiet) {}
  RE2 re;
  std::vector<std::string> names;
  std::vector<std::size_t> indices;  // of the named groups among all groups
};

Result<Pattern> Pattern::compile(std::string_view expression) {
  auto state = std::make_unique<State>(with_python_groups(expression));
  if (!state->re.ok()) {
    return nameplate::error("the regular expression is wrong: " + state->re.error(),
                            "syntax: RE2, as in Python but without look-around and back-references");
  }
  if (state->re.NumberOfCapturingGroups() >= static_cast<int>(kMostGroups)) {
    return nameplate::error("the regular expression has more than " + std::to_string(kMostGroups - 1) + " groups");
  }
  for (const auto& [index, name] : state->re.CapturingGroupNames()) {
    if (std::find(state->names.begin(), state->names.end(), name) != state->names.end()) {
      return nameplate::error("the regular expression names two groups '" + name + "'");
    }
    state->names.push_back(name);
    state->indices.push_back(static_cast<std::size_t>(index));
  }
  return Pattern(std::move(state));
}

Pattern::Pattern(std::unique_ptr<State> state) : state_(std::move(state)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

const std::vector<std::string>& Pattern::group_names() const { return state_->names; }

bool Pattern::match(std::string_view text, std::vector<std::string_view>& values) const {
  std::array<re2::StringPiece, kMostGroups> groups;
  int count = state_->re.NumberOfCapturingGroups() + 1;
  re2::StringPiece input(text.data(), text.size());
  if (!state_->re.Match(input, 0, text.size(), RE2::UNANCHORED, groups.data(), count)) return false;
  values.clear();
  for (std::size_t index : state_->indices) values.emplace_back(groups[index].data(), groups[index].size());
  return true;
}

}  // namespace nameplate
