// Writes JSON, and nothing else. A library of our own size exists for reading (core/node.h), but it cannot write an
// integer of 128 bits, and exact FLOP counts of a step need them; so the few lines of a writer are here.
//
// Keys come out in the order of the calls, doubles in shortest round-trip form, strings as well-formed UTF-8. A value
// that is not finite must not be written: JSON has no word for it, and what is unknown is absent.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/report/document.h"

namespace nameplate {

class JsonWriter {
 public:
  // A container's elements stand one a line, or all on one line; inside `one_line` everything stays on that line.
  enum class Layout { lines, one_line };

  void begin_object(Layout layout = Layout::lines) { begin('{', layout); }
  void end_object() { end('}'); }
  void begin_array(Layout layout = Layout::lines) { begin('[', layout); }
  void end_array() { end(']'); }
  void key(std::string_view name);
  void string(std::string_view text);
  void number(const Number& value);  // finite
  // Shorthands for one member of an object.
  void member(std::string_view name, std::string_view text);
  void member(std::string_view name, const Number& value);

  // The text so far; complete once every container is closed.
  std::string take() { return std::move(out_); }

 private:
  struct Level {
    Layout layout;
    bool empty = true;
  };
  void begin(char bracket, Layout layout);
  void end(char bracket);
  void separate();
  void new_line();
  void quote(std::string_view text);

  std::string out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace nameplate
