#include "nameplate/report/json_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "nameplate/core/check.h"
#include "nameplate/report/format.h"
#include "nameplate/report/utf8.h"

namespace nameplate {

void JsonWriter::begin(char bracket, Layout layout) {
  separate();
  const bool inside_line = !levels_.empty() && levels_.back().layout == Layout::one_line;
  out_ += bracket;
  levels_.push_back({inside_line ? Layout::one_line : layout});
}

void JsonWriter::end(char bracket) {
  NAMEPLATE_CHECK(!levels_.empty());
  const Level closed = levels_.back();
  levels_.pop_back();
  if (!closed.empty && closed.layout == Layout::lines) new_line();
  out_ += bracket;
}

void JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  out_ += ": ";
  after_key_ = true;
}

void JsonWriter::string(std::string_view text) {
  separate();
  quote(text);
}

void JsonWriter::number(const Number& value) {
  NAMEPLATE_CHECK(std::isfinite(as_double(value)));
  separate();
  out_ += plain(value);
}

void JsonWriter::member(std::string_view name, std::string_view text) {
  key(name);
  string(text);
}

void JsonWriter::member(std::string_view name, const Number& value) {
  key(name);
  number(value);
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ += level.layout == Layout::lines ? "," : ", ";
  level.empty = false;
  if (level.layout == Layout::lines) new_line();
}

void JsonWriter::new_line() {
  out_ += '\n';
  out_.append(2 * levels_.size(), ' ');
}

void JsonWriter::quote(std::string_view text) {
  out_ += '"';
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '"':
        out_ += "\\\"";
        break;
      case '\\':
        out_ += "\\\\";
        break;
      case '\n':
        out_ += "\\n";
        break;
      case '\r':
        out_ += "\\r";
        break;
      case '\t':
        out_ += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          out_ += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        } else {
          out_ += c;
        }
    }
  }
  out_ += '"';
}

}  // namespace nameplate
