#include "nameplate/report/sentences.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "nameplate/core/check.h"
#include "nameplate/core/embedded_data.h"
#include "nameplate/core/node.h"
#include "nameplate/report/format.h"

namespace nameplate {
namespace {

using Texts = std::unordered_map<std::string, std::string>;

struct Catalogue {
  Texts sentences;
  Texts labels;
};

Texts read_section(const Node& root, std::string_view section) {
  Texts texts;
  const Node* table = root.find(section);
  if (table == nullptr) return texts;
  for (const auto& [id, text] : table->members) texts.emplace(id, text.string);
  return texts;
}

// A language without a file has an empty catalogue. A file that does not parse is a mistake of ours, not of an input.
Catalogue read_catalogue(std::string_view language) {
  const std::string path = fmt::format("sentences/{}.toml", language);
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path != path) continue;
    const Result<Node> root = parse_toml(file.text, path);
    NAMEPLATE_CHECK(root.ok());
    return {read_section(*root, "sentences"), read_section(*root, "labels")};
  }
  return {};
}

// Each language is parsed once, when it is first asked for; a map keeps its elements in place.
const Catalogue& catalogue(std::string_view language) {
  static std::mutex mutex;
  static std::map<std::string, Catalogue, std::less<>> catalogues;
  const std::lock_guard lock(mutex);
  auto found = catalogues.find(language);
  if (found == catalogues.end()) found = catalogues.emplace(std::string(language), read_catalogue(language)).first;
  return found->second;
}

// A language that lacks an id shows the English text rather than nothing.
const std::string* find_text(Texts Catalogue::*section, std::string_view id, std::string_view language) {
  const std::string key(id);
  for (const std::string_view tried : {language, std::string_view("en")}) {
    const Texts& texts = catalogue(tried).*section;
    const auto found = texts.find(key);
    if (found != texts.end()) return &found->second;
  }
  return nullptr;
}

std::string format_number(double value, std::string_view format) {
  if (!std::isfinite(value)) return "unknown";
  if (format == "percent") return percent(value);
  if (format == "points") return significant(value * 100, 2) + " points";
  if (format == "s") return duration(value);
  if (format == "count" && std::abs(value) < 1e15) return count(static_cast<Int128>(std::round(value)));
  if (format == "rate_tflops") return human({}, value, "TFLOP/s");
  if (format == "bytes") return human({}, value, "B");
  if (format == "g") return significant(value, 3);
  return fmt::format("{:.6g}", value);
}

// "n rank|ranks": "1 rank", "8 ranks".
std::string counted(std::int64_t n, std::string_view words) {
  const std::size_t bar = words.find('|');
  return fmt::format("{} {}", count(n), n == 1 ? words.substr(0, bar) : words.substr(std::min(bar + 1, words.size())));
}

std::string format_argument(const Argument& argument, std::string_view format) {
  if (const std::string* text = std::get_if<std::string>(&argument)) return *text;
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&argument)) {
    if (format == "count") return count(*integer);
    if (format.starts_with("n ")) return counted(*integer, format.substr(2));
    return format.empty() ? fmt::format("{}", *integer) : format_number(static_cast<double>(*integer), format);
  }
  return format_number(std::get<double>(argument), format);
}

const Argument* find_argument(const Message& message, std::string_view name) {
  for (const auto& [key, value] : message.args) {
    if (key == name) return &value;
  }
  return nullptr;
}

// `placeholder` is what stands between the braces. One without an argument stays visible.
std::string fill(const Message& message, std::string_view placeholder) {
  const std::size_t colon = placeholder.find(':');
  const Argument* argument = find_argument(message, placeholder.substr(0, colon));
  if (argument == nullptr) return fmt::format("{{{}}}", placeholder);
  return format_argument(*argument, colon == std::string_view::npos ? "" : placeholder.substr(colon + 1));
}

std::string fill_template(const Message& message, std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) return out += text;
    out += text.substr(0, open);
    out += fill(message, text.substr(open + 1, close - open - 1));
    text.remove_prefix(close + 1);
  }
}

std::string without_template(const Message& message) {
  std::string out = message.id;
  for (const auto& [key, value] : message.args) out += fmt::format(" {}={}", key, format_argument(value, ""));
  return out;
}

}  // namespace

std::string sentence(const Message& message, std::string_view language) {
  const std::string* text = find_text(&Catalogue::sentences, message.id, language);
  return text == nullptr ? without_template(message) : fill_template(message, *text);
}

bool has_sentence(std::string_view id, std::string_view language) {
  return find_text(&Catalogue::sentences, id, language) != nullptr;
}

std::string label(std::string_view id, std::string_view language) {
  const std::string* text = find_text(&Catalogue::labels, id, language);
  return text == nullptr ? std::string(id) : *text;
}

}  // namespace nameplate
