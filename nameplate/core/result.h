// Result<T>: a value, or an Error that says what was found, what was expected, where, and what to try.
//
// Anything an input can cause is returned this way; exceptions stay inside the libraries that throw them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "nameplate/core/check.h"

namespace nameplate {

// Where an error is: a file and, as far as known, line and column (1-based), byte, or a path inside a JSON document.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  std::string path;         // "model.layers" or "/num_hidden_layers"
  std::string source_line;  // the offending line itself, for the caret

  bool operator==(const Place&) const = default;
};

struct Error {
  std::string found;     // "unknown key 'layer'": lower case, no full stop
  std::string expected;  // "a positive integer"; may be empty
  Place place;
  std::string hint;  // "did you mean 'layers'?"; may be empty

  bool operator==(const Error&) const = default;
};

inline Error error(std::string found, std::string hint = {}) {
  return Error{std::move(found), {}, {}, std::move(hint)};
}

// "path:line:column: found, expected …", then the line with a caret where there is one, then the hint.
std::string render(const Error& error);

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & {
    NAMEPLATE_CHECK(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    NAMEPLATE_CHECK(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    NAMEPLATE_CHECK(ok());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const {
    NAMEPLATE_CHECK(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

// A step that yields nothing but may fail.
using Status = std::optional<Error>;

#define NAMEPLATE_CONCAT_(a, b) a##b
#define NAMEPLATE_CONCAT(a, b) NAMEPLATE_CONCAT_(a, b)
// NAMEPLATE_TRY(auto config, read_config(path)): binds the value or returns the error to the caller.
#define NAMEPLATE_TRY(declaration, expression)                                                     \
  auto NAMEPLATE_CONCAT(try_, __LINE__) = (expression);                                            \
  if (!NAMEPLATE_CONCAT(try_, __LINE__).ok()) { return NAMEPLATE_CONCAT(try_, __LINE__).error(); } \
  declaration = std::move(NAMEPLATE_CONCAT(try_, __LINE__)).value()

}  // namespace nameplate
