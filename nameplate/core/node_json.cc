// parse_json: nlohmann's SAX events, which do not recurse, onto a stack of open nodes.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "nameplate/core/node.h"
#include "nameplate/core/node_text.h"

namespace nameplate {
namespace {

using Json = nlohmann::json;

// The literals that Python writes and JSON does not know, replaced by null of the same meaning.
struct FiniteText {
  std::string text;                        // empty: nothing was replaced
  std::vector<std::size_t> longer_behind;  // offsets in `text` behind which it is one byte longer than the original
  std::int64_t replaced = 0;

  std::size_t original_offset(std::size_t offset) const {
    auto before = std::lower_bound(longer_behind.begin(), longer_behind.end(), offset) - longer_behind.begin();
    return offset - static_cast<std::size_t>(before);
  }
};

std::size_t end_of_string(std::string_view text, std::size_t quote) {
  std::size_t i = quote + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

std::string_view literal_at(std::string_view text, std::size_t i) {
  for (std::string_view literal : {"NaN", "Infinity", "-Infinity"}) {
    if (text.substr(i, literal.size()) == literal) return literal;
  }
  return {};
}

FiniteText replace_non_finite(std::string_view text) {
  FiniteText result;
  if (text.find("NaN") == text.npos && text.find("Infinity") == text.npos) return result;
  std::size_t copied = 0;
  for (std::size_t i = text.find_first_of("\"NI-"); i != text.npos; i = text.find_first_of("\"NI-", i)) {
    if (text[i] == '"') {
      i = end_of_string(text, i);
      continue;
    }
    std::string_view literal = literal_at(text, i);
    if (literal.empty()) {
      ++i;
      continue;
    }
    result.text.append(text.substr(copied, i - copied)).append("null");
    if (literal.size() > 4) result.text.append(literal.size() - 4, ' ');
    if (literal.size() < 4) result.longer_behind.push_back(result.text.size() - 1);
    ++result.replaced;
    copied = i += literal.size();
  }
  if (result.replaced > 0) result.text.append(text.substr(copied));
  return result;
}

class TreeBuilder : public Json::json_sax_t {
 public:
  Node root;
  std::size_t error_offset = 0;  // of the byte at which parsing stopped
  std::string error_text;

  bool null() override { return place() != nullptr; }
  bool boolean(bool value) override {
    Node* node = place();
    node->kind = Node::Kind::boolean;
    node->boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    Node* node = place();
    node->kind = Node::Kind::integer;
    node->integer = value;
    node->number = static_cast<double>(value);
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= INT64_MAX) return number_integer(static_cast<std::int64_t>(value));
    return number_float(static_cast<double>(value), {});
  }
  bool number_float(number_float_t value, const string_t&) override {
    Node* node = place();
    node->kind = Node::Kind::number;
    node->number = value;
    return true;
  }
  bool string(string_t& value) override {
    Node* node = place();
    node->kind = Node::Kind::string;
    node->string = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return false; }  // not in JSON text
  bool start_object(std::size_t) override { return open(Node::Kind::object); }
  bool start_array(std::size_t) override { return open(Node::Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    open_.back()->members.emplace_back(std::move(value), Node());
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& problem) override {
    error_offset = position > 0 ? position - 1 : 0;
    error_text = problem.what();
    return false;
  }

 private:
  // Where the next value goes. Pointers on the stack stay valid: only the innermost node grows.
  Node* place() {
    if (open_.empty()) return &root;
    Node* parent = open_.back();
    if (parent->kind == Node::Kind::object) return &parent->members.back().second;
    return &parent->items.emplace_back();
  }
  bool open(Node::Kind kind) {
    if (open_.size() >= static_cast<std::size_t>(kMaxNesting)) return false;
    Node* node = place();
    node->kind = kind;
    open_.push_back(node);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<Node*> open_;
};

// "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error while parsing value - invalid
// literal; last read: 'nul'" to "invalid literal; last read: 'nul'".
std::string plain_message(std::string_view what) {
  for (std::string_view before : {" - ", ": ", "] "}) {
    std::size_t found = what.find(before);
    if (found != what.npos) return ascii_excerpt(what.substr(found + before.size()));
  }
  return ascii_excerpt(what);
}

}  // namespace

Result<ParsedJson> parse_json(std::string_view text, const std::string& file) {
  text = without_byte_order_mark(text);
  if (is_blank(text)) return Error{"the file is empty", "a JSON document", Place{file, 0, 0, {}, {}}, {}};
  FiniteText finite = replace_non_finite(text);
  std::string_view parsed = finite.replaced > 0 ? std::string_view(finite.text) : text;
  TreeBuilder builder;
  if (Json::sax_parse(parsed.begin(), parsed.end(), &builder))
    return ParsedJson{std::move(builder.root), finite.replaced};
  if (builder.error_text.empty()) {
    return Error{
        "JSON nested deeper than " + std::to_string(kMaxNesting) + " levels", {}, Place{file, 0, 0, {}, {}}, {}};
  }
  std::size_t offset = finite.original_offset(builder.error_offset);
  return Error{"invalid JSON: " + plain_message(builder.error_text), {}, place_of(text, offset, file), {}};
}

}  // namespace nameplate
