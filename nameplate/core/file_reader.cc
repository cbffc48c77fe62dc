#include "nameplate/core/file_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "nameplate/core/byte_stream.h"

namespace nameplate {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
// Room for the longest line and one more block behind it.
constexpr std::size_t kCapacity = kMaxLineBytes + kBlock;

// What a terminal would show of a line with carriage returns: the text behind the last one that has text behind it.
std::string_view after_carriage_returns(std::string_view line) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  std::size_t last = line.rfind('\r');
  return last == line.npos ? line : line.substr(last + 1);
}

Result<ByteStream> open_stream(const std::string& path) {
  NAMEPLATE_TRY(ByteSource source, ByteSource::open(path));
  return ByteStream(std::move(source), path);
}

}  // namespace

struct LineReader::State {
  explicit State(ByteStream bytes)
      : stream(std::move(bytes)), buffer(std::make_unique_for_overwrite<char[]>(kCapacity)) {}

  ByteStream stream;
  std::unique_ptr<char[]> buffer;
  std::size_t begin = 0;    // of the text that has not been handed out
  std::size_t scanned = 0;  // no newline in [begin, scanned)
  std::size_t end = 0;
  bool skipping = false;  // the rest of a line that was cut
  bool ended = false;
  bool last_line_incomplete = false;
  std::string_view overwritten;
  std::int64_t line_number = 0;
  std::int64_t bytes_read = 0;
  std::int64_t overlong_lines = 0;

  std::string_view pending() const { return {buffer.get() + begin, end - begin}; }
  bool fill();
  std::optional<std::string_view> take_line();
  std::optional<std::string_view> next();
  std::string_view finish(std::string_view line);
  bool drop_overwritten();
  std::string_view cut();
  std::optional<std::string_view> take_rest();
};

// Reads at least one byte more; false at the end. Only the unfinished line is ever moved.
bool LineReader::State::fill() {
  if (ended) return false;
  if (kCapacity - end < kBlock) {
    std::memmove(buffer.get(), buffer.get() + begin, end - begin);
    scanned -= begin;
    end -= begin;
    begin = 0;
  }
  std::size_t count = stream.read(buffer.get() + end, kBlock);
  end += count;
  bytes_read += static_cast<std::int64_t>(count);
  ended = count == 0;
  return !ended;
}

// The text up to the next newline in the buffer, which it leaves behind.
std::optional<std::string_view> LineReader::State::take_line() {
  const void* found = std::memchr(buffer.get() + scanned, '\n', end - scanned);
  if (found == nullptr) {
    scanned = end;
    return std::nullopt;
  }
  auto newline = static_cast<std::size_t>(static_cast<const char*>(found) - buffer.get());
  std::string_view line(buffer.get() + begin, newline - begin);
  begin = scanned = newline + 1;
  return line;
}

std::string_view LineReader::State::finish(std::string_view line) {
  ++line_number;
  overwritten = {};
  if (!line.empty() && std::memchr(line.data(), '\r', line.size()) != nullptr) {
    const std::string_view shown = after_carriage_returns(line);
    overwritten = {line.data(), static_cast<std::size_t>(shown.data() - line.data())};
    line = shown;
  }
  if (line.size() > kMaxLineBytes) {
    ++overlong_lines;
    line = line.substr(0, kMaxLineBytes);
  }
  return line;
}

// A progress bar that redraws itself for hours is one endless line of which only the last drawing counts.
bool LineReader::State::drop_overwritten() {
  std::string_view kept = after_carriage_returns(pending());
  auto first = static_cast<std::size_t>(kept.data() - buffer.get());
  if (first == begin) return false;
  begin = first;
  return true;
}

std::string_view LineReader::State::cut() {
  std::string_view line = pending();
  begin = scanned = end;
  skipping = true;
  ++line_number;
  ++overlong_lines;
  return line.substr(0, kMaxLineBytes);
}

std::optional<std::string_view> LineReader::State::take_rest() {
  last_line_incomplete = begin < end || skipping;
  if (begin == end) return std::nullopt;
  std::string_view line = pending();
  begin = scanned = end;
  if (std::exchange(skipping, false)) return std::nullopt;
  return finish(line);
}

std::optional<std::string_view> LineReader::State::next() {
  for (;;) {
    if (auto line = take_line()) {
      if (std::exchange(skipping, false)) continue;
      return finish(*line);
    }
    if (skipping) begin = end;
    if (end - begin > kMaxLineBytes && !drop_overwritten()) return cut();
    if (!ended && !fill()) return take_rest();
    if (ended) return std::nullopt;
  }
}

LineReader::LineReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

Result<LineReader> LineReader::open(const std::string& path) {
  NAMEPLATE_TRY(ByteStream stream, open_stream(path));
  return LineReader(std::make_unique<State>(std::move(stream)));
}

LineReader LineReader::from_memory(std::string_view text, std::string name) {
  return LineReader(std::make_unique<State>(ByteStream(ByteSource(text), std::move(name))));
}

std::optional<std::string_view> LineReader::next() { return state_->next(); }
std::int64_t LineReader::line_number() const { return state_->line_number; }
std::int64_t LineReader::bytes_read() const { return state_->bytes_read; }
std::string_view LineReader::overwritten() const { return state_->overwritten; }
std::int64_t LineReader::overlong_lines() const { return state_->overlong_lines; }
bool LineReader::last_line_incomplete() const { return state_->last_line_incomplete; }
const std::optional<Error>& LineReader::error() const { return state_->stream.error(); }
const std::string& LineReader::name() const { return state_->stream.name(); }

Result<std::string> read_file(const std::string& path, std::int64_t most_bytes) {
  NAMEPLATE_TRY(ByteStream stream, open_stream(path));
  return stream.read_all(most_bytes);
}

Result<std::string> read_head(const std::string& path, std::size_t most_bytes) {
  NAMEPLATE_TRY(ByteStream stream, open_stream(path));
  std::string head(stream.peek(most_bytes));
  if (head.empty() && stream.error()) return *stream.error();
  return head;
}

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool file_exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

}  // namespace nameplate
