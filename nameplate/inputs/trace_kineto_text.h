// Where do the events of a Kineto file begin and end? Cuts the array "traceEvents" out of a stream in blocks that each
// hold whole events, so that blocks can be parsed apart and the whole text is never in memory.
//
// A block ends before the last "}, {" that fits. That can be wrong: the same characters may stand inside a string or a
// nested list. Such a block has an odd number of quotes or open brackets, so it does not parse as an array; whoever
// parses it then takes it event by event with `next_event`, which follows quotes and brackets, and carries what is left
// into the next block.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "nameplate/core/byte_stream.h"

namespace nameplate {

inline constexpr std::size_t kKinetoBlockBytes = 1 << 20;
inline constexpr std::size_t kMostKinetoEventBytes = 64 << 20;  // also of what stands before and behind the events

// "[" body "]", with room for a parser's padding behind it.
struct KinetoBlock {
  std::string buffer;
  std::size_t size = 0;
  bool last = false;  // the stream ends here: nothing was cut
  std::string_view text() const { return std::string_view(buffer).substr(0, size); }
  std::string_view body() const { return std::string_view(buffer).substr(1, size - 2); }
};

class KinetoText {
 public:
  KinetoText(ByteStream stream, std::size_t padding, std::size_t block_bytes = kKinetoBlockBytes)
      : stream_(std::move(stream)), padding_(padding), block_bytes_(block_bytes) {}

  // Reads up to the first event. False when the stream holds no array of events.
  bool find_events();
  // What stands before the array, with its opening bracket; empty for a bare list.
  const std::string& head() const { return head_; }
  // The next events; false behind the last block.
  bool read(KinetoBlock& block);
  // Further text, for what stands behind the array; false at the end.
  bool read_more(std::string& text);
  const std::optional<Error>& error() const { return stream_.error(); }
  bool event_too_long() const { return event_too_long_; }

 private:
  void close(KinetoBlock& block, std::size_t end);

  ByteStream stream_;
  std::size_t padding_;
  std::size_t block_bytes_;
  std::string head_;
  std::string carry_;  // read and not yet handed out
  bool ended_ = false;
  bool event_too_long_ = false;
};

// The first event at or behind `position` in the inside of an array: its text, and `position` behind it. Nothing when
// the array ends there ("]" at `position`) or the event does not end in `text`. Other values are skipped and counted.
std::optional<std::string_view> next_event(std::string_view text, std::size_t& position, std::int64_t& skipped);

}  // namespace nameplate
