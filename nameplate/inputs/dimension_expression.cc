#include "nameplate/inputs/dimension_expression.h"

#include <cctype>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "nameplate/core/exact.h"
#include "nameplate/core/text.h"

namespace nameplate {
namespace {

constexpr int kMostDepth = 32;

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Recursive descent; the first thing wrong is kept and 1 read from then on.
class Evaluator {
 public:
  Evaluator(std::string_view text, const DimensionTable& dimensions, std::int64_t most)
      : rest_(text), dimensions_(dimensions), most_(most) {}

  Result<std::int64_t> run() {
    const Int128 value = sum();
    if (!trim(rest_).empty()) fail(fmt::format("'{}' after the expression", trim(rest_)));
    if (value < 0 || value > most_) fail(fmt::format("a value of {}", to_decimal(value)));
    if (error_) return *error_;
    return static_cast<std::int64_t>(value);
  }

 private:
  Int128 sum() {
    Int128 value = product();
    while (!error_) {
      if (take('+')) {
        value = bounded(value + product());
      } else if (take('-')) {
        value = bounded(value - product());
      } else {
        break;
      }
    }
    return value;
  }

  Int128 product() {
    Int128 value = operand();
    while (!error_) {
      if (take('*')) {
        value = bounded(value * operand());
      } else if (take('/')) {
        value = divide(value, operand());
      } else {
        break;
      }
    }
    return value;
  }

  Int128 operand() {
    if (take('(')) {
      if (++depth_ > kMostDepth) return fail("parentheses deeper than 32");
      const Int128 value = sum();
      --depth_;
      return take(')') ? value : fail("no ')' where one is due");
    }
    rest_ = trim(rest_);
    std::size_t length = 0;
    while (length < rest_.size() && is_name(rest_[length])) ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (word.empty()) return fail("no number or name where one is due");
    return std::isdigit(static_cast<unsigned char>(word[0])) != 0 ? number(word) : named(word);
  }

  Int128 number(std::string_view word) {
    const std::optional<std::int64_t> value = parse_integer(word);
    return value ? bounded(*value) : fail(fmt::format("'{:.40}' is no whole number", word));
  }

  Int128 named(std::string_view word) {
    const auto found = dimensions_.find(word);
    if (found != dimensions_.end()) return found->second;
    fail(fmt::format("'{:.40}' is no dimension", word));
    std::vector<std::string> names;
    for (const auto& [name, value] : dimensions_) names.push_back(name);
    error_->hint = did_you_mean(word, names);
    return 1;
  }

  Int128 divide(Int128 value, Int128 by) {
    if (by == 0) return fail("a division by zero");
    if (value % by != 0) return fail(fmt::format("{} / {} has a remainder", to_decimal(value), to_decimal(by)));
    return value / by;
  }

  Int128 bounded(Int128 value) {
    return value < -Int128{most_} || value > most_ ? fail(fmt::format("a value of {}", to_decimal(value))) : value;
  }

  bool take(char c) {
    rest_ = trim(rest_);
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Int128 fail(std::string found) {
    if (!error_) {
      error_ = error(std::move(found));
      error_->expected = fmt::format("whole numbers and dimensions with + - * / ( ), and a value from 0 to {:g}",
                                     static_cast<double>(most_));
    }
    rest_ = {};
    return 1;
  }

  std::string_view rest_;
  const DimensionTable& dimensions_;
  std::int64_t most_;
  int depth_ = 0;
  Status error_;
};

}  // namespace

Result<std::int64_t> evaluate_dimension(std::string_view expression, const DimensionTable& dimensions,
                                        std::int64_t most) {
  return Evaluator(expression, dimensions, most).run();
}

}  // namespace nameplate
