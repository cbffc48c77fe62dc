#include "nameplate/inputs/trace_kineto_text.h"

#include <algorithm>
#include <cstring>

namespace nameplate {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Follows quotes and brackets through text that arrives in pieces, up to the bracket that opens the events.
class EventsFinder {
 public:
  // Goes on in `text`, which starts as it did before; the place behind the bracket.
  std::optional<std::size_t> find(std::string_view text) {
    for (; at_ < text.size(); ++at_) {
      if (in_string_) {
        follow_string(text);
      } else if (step(text)) {
        return at_ + 1;
      }
    }
    return std::nullopt;
  }
  bool is_list() const { return depth_ == 0; }  // where the events were found: no object around them
  bool failed() const { return failed_; }       // no JSON object or list

 private:
  void follow_string(std::string_view text) {
    if (escaped_) {
      escaped_ = false;
    } else if (text[at_] == '\\') {
      escaped_ = true;
    } else if (text[at_] == '"') {
      in_string_ = false;
      if (depth_ == 1) is_events_ = text.substr(string_begin_, at_ - string_begin_) == "traceEvents";
    }
  }
  bool step(std::string_view text) {
    switch (text[at_]) {
      case '"':
        in_string_ = true;
        string_begin_ = at_ + 1;
        break;
      case '[':
        if (depth_ == 0 || (depth_ == 1 && is_events_)) return true;
        ++depth_;
        break;
      case '{':
        ++depth_;
        break;
      case ']':
      case '}':
        --depth_;
        break;
      case ',':
        is_events_ = is_events_ && depth_ != 1;
        break;
      default:
        failed_ = failed_ || (depth_ == 0 && !is_space(text[at_]) && at_ >= kMarkBytes);
    }
    return false;
  }

  static constexpr std::size_t kMarkBytes = 3;  // a byte order mark may lead
  std::size_t at_ = 0, string_begin_ = 0;
  int depth_ = 0;
  bool in_string_ = false, escaped_ = false, is_events_ = false, failed_ = false;
};

std::size_t before_spaces(std::string_view text, std::size_t end) {
  while (end > 0 && is_space(text[end - 1])) --end;
  return end;
}

// The place of the last comma that stands between "}" and "{"; 0 when there is none.
std::size_t last_comma_between_events(std::string_view text) {
  for (std::size_t open = text.rfind('{'); open != text.npos && open > 0; open = text.rfind('{', open - 1)) {
    const std::size_t comma = before_spaces(text, open);
    if (comma == 0 || text[comma - 1] != ',') continue;
    const std::size_t close = before_spaces(text, comma - 1);
    if (close > 0 && text[close - 1] == '}') return comma - 1;
  }
  return 0;
}

// Behind the string, list or object that begins at `begin`; npos when it does not end.
std::size_t end_of_value(std::string_view text, std::size_t begin) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
    if (depth <= 0 && !in_string) return std::min(at + 1, text.size());
  }
  return text.npos;
}

}  // namespace

bool KinetoText::find_events() {
  EventsFinder finder;
  while (head_.size() < kMostKinetoEventBytes) {
    if (!read_more(head_)) return false;
    if (const auto begin = finder.find(head_)) {
      carry_ = head_.substr(*begin);
      head_.resize(finder.is_list() ? 0 : *begin);
      return true;
    }
    if (finder.failed()) return false;
  }
  return false;
}

bool KinetoText::read_more(std::string& text) {
  if (!carry_.empty()) {
    text += carry_;
    carry_.clear();
    return true;
  }
  if (ended_) return false;
  const std::size_t before = text.size();
  text.resize(before + (std::size_t{256} << 10));
  const std::size_t count = stream_.read(text.data() + before, text.size() - before);
  text.resize(before + count);
  ended_ = count == 0;
  return count > 0;
}

bool KinetoText::read(KinetoBlock& block) {
  if (ended_ && carry_.empty()) return false;
  std::size_t capacity = std::max(block_bytes_, carry_.size() + 1);
  block.buffer.resize(std::max(block.buffer.size(), capacity + 1 + padding_));
  block.buffer[0] = '[';
  std::memcpy(block.buffer.data() + 1, carry_.data(), carry_.size());
  std::size_t filled = 1 + carry_.size();
  carry_.clear();
  while (true) {
    while (!ended_ && filled < capacity) {
      const std::size_t count = stream_.read(block.buffer.data() + filled, capacity - filled);
      ended_ = count == 0;
      filled += count;
    }
    if (ended_) break;
    const std::string_view text = std::string_view(block.buffer).substr(0, filled);
    if (const std::size_t cut = last_comma_between_events(text)) {
      carry_ = text.substr(cut + 1);
      block.last = false;
      close(block, cut);
      return true;
    }
    if (capacity >= kMostKinetoEventBytes) {
      event_too_long_ = ended_ = true;
      break;
    }
    capacity *= 2;
    block.buffer.resize(capacity + 1 + padding_);
  }
  block.last = true;
  close(block, filled);
  return true;
}

void KinetoText::close(KinetoBlock& block, std::size_t end) {
  block.buffer[end] = ']';
  block.size = end + 1;
}

std::optional<std::string_view> next_event(std::string_view text, std::size_t& position, std::int64_t& skipped) {
  bool in_word = false;
  while (position < text.size() && text[position] != ']') {
    const char c = text[position];
    if (c != '{' && c != '[' && c != '"') {  // a separator, or a number or word that is no event
      const bool between = is_space(c) || c == ',';
      skipped += !between && !in_word;
      in_word = !between;
      ++position;
      continue;
    }
    const std::size_t end = end_of_value(text, position);
    if (end == text.npos) return std::nullopt;
    const std::string_view value = text.substr(position, end - position);
    position = end;
    if (c == '{') return value;
    ++skipped;
    in_word = false;
  }
  return std::nullopt;
}

}  // namespace nameplate
