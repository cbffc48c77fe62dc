// A user's regular expression with named groups (RE2: linear time, no catastrophic backtracking).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/core/result.h"

namespace nameplate {

class Pattern {
 public:
  // Python and Perl spelling both: (?P<name>…) and (?<name>…).
  static Result<Pattern> compile(std::string_view expression);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  const std::vector<std::string>& group_names() const;  // in the order of `match`'s values
  // Finds the expression anywhere in `text`; fills one view per named group (empty when it did not take part).
  bool match(std::string_view text, std::vector<std::string_view>& values) const;

 private:
  struct State;
  explicit Pattern(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace nameplate
