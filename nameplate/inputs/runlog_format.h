// One reader a log format. To add a format: write one file runlog_<name>.cc with a class derived from RunLogFormat, and
// add its maker to runlog_formats.h and to the list in runlog.cc.
//
// The driver (runlog.cc) hands every line, cleaned of ANSI colour, with the prefix that launchers put in front of it
// (rank, timestamp) parsed once. Until a format is recognised every format's `is_step_line` is asked; the first yes
// locks the format for the file, and the lines before it (a bounded head) are replayed to that format for the facts in
// them. A format says what a line means; the builder decides what is a repetition by another rank, a restart, or
// redone.
//
// The last line of a log may be cut anywhere. A format takes a value only with the character behind it that shows that
// it is whole ("|", "ms", "%", a blank), or looks at `LogLine::is_cut`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "nameplate/core/result.h"
#include "nameplate/facts/run.h"

namespace nameplate {

// A line, without colour; views are valid during the call only.
struct LogLine {
  std::string_view text;                 // after the prefix, without leading blanks
  std::string_view whole;                // with the prefix
  std::string_view overwritten;          // what carriage returns hid in front of it: earlier states of a progress bar
  std::optional<std::string_view> rank;  // "7" of "[default7]:", "3: ", "[rank3]:", "[Rank 3]"
  Maybe timestamp_s;                     // of a leading date and time
  std::int64_t number = 0;               // 1-based
  bool is_cut = false;                   // the file ends inside this line
};

// What one step line says. Units of the fields of Step (facts/run.h).
struct StepLine {
  std::int64_t index = 0;
  Maybe timestamp_s;  // when the line carries its own; else the prefix's is taken
  Maybe duration_s;
  Maybe tokens;
  Maybe samples;
  Maybe loss;
  Maybe claimed_tokens_per_s;
  Maybe claimed_tflops;
  Maybe claimed_mfu;
  std::int32_t unreadable = 0;  // values printed that are no finite number, the loss aside
};

class RunLogBuilder;  // runlog_builder.h

class RunLogFormat {
 public:
  virtual ~RunLogFormat() = default;
  virtual std::string_view id() const = 0;  // "megatron-lm"
  // True only for a line that this format's programs write about a training step. Cheap: asked for every line until one
  // format is found.
  virtual bool is_step_line(std::string_view text) const = 0;
  // True for a library whose lines stand below those of the program that uses it: taken only where the file (or its
  // head) has no step line of another format.
  virtual bool is_library() const { return false; }
  // Takes one line: adds a step, an event or facts to the builder, or ignores it.
  virtual void read(const LogLine& line, RunLogBuilder& builder) = 0;
  // The file has ended; for formats that collect lines before they can say anything. An error is shown where no step
  // was found.
  virtual Status end_file(RunLogBuilder&) { return std::nullopt; }
  // The convention and scope of what the log claims, as far as the lines read so far tell.
  virtual ClaimBasis claims() const = 0;
};

}  // namespace nameplate
