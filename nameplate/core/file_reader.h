// Reads a file, whatever wraps it: plain, gzip, zstd, or standard input, in bounded memory.
//
// LineReader streams: it reads blocks with read(2), inflates with ISA-L or zstd as the first bytes say (never by file
// name), and hands out lines. A line longer than `kMaxLineBytes` is cut there, counted, and the rest skipped, so a
// gigabyte without a newline costs no memory. Lines end at "\n"; a trailing "\r" is removed; inside a line, what a
// progress bar overwrote is dropped: only the text after the last "\r" that has text behind it is kept.
// A truncated or corrupt compressed stream ends with `error()` set after the lines that could be read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "nameplate/core/result.h"

namespace nameplate {

inline constexpr std::size_t kMaxLineBytes = 1 << 20;

class LineReader {
 public:
  // `path` "-" is standard input. A folder or an unreadable file is an Error.
  static Result<LineReader> open(const std::string& path);
  // Lines of a text in memory (tests, fuzzing); `text` must outlive the reader. Compressed bytes are recognised, too.
  static LineReader from_memory(std::string_view text, std::string name = "<memory>");

  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  // The next line, valid until the next call; nothing at the end.
  std::optional<std::string_view> next();
  std::int64_t line_number() const;           // of the line last returned, 1-based
  std::int64_t bytes_read() const;            // decompressed bytes so far
  std::int64_t overlong_lines() const;        // lines cut at kMaxLineBytes
  std::string_view overwritten() const;       // what carriage returns hid in front of the line last returned
  bool last_line_incomplete() const;          // the stream ended without a newline
  const std::optional<Error>& error() const;  // a corrupt or truncated stream
  const std::string& name() const;

 private:
  struct State;
  explicit LineReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The whole (decompressed) content; an Error past `most_bytes`.
Result<std::string> read_file(const std::string& path, std::int64_t most_bytes = std::int64_t{1} << 30);
// The first `most_bytes` of decompressed content, for finding out what a file is. Errors only when nothing can be read.
Result<std::string> read_head(const std::string& path, std::size_t most_bytes);
bool is_directory(const std::string& path);
bool file_exists(const std::string& path);

}  // namespace nameplate
