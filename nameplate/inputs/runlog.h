// Reads the log file(s) of one run: finds the format by content, streams, returns facts plus counted defects.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nameplate/core/file_reader.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/run.h"

namespace nameplate {

// A column of a home-grown log or table: its name there and the unit of its values.
struct LogColumn {
  std::string name;  // "dt_ms"; a key of "key=value" or "key: value" pairs, a CSV header, or a JSON Lines member
  std::string unit;  // "ms", "s", "us"; empty: the base unit
};

// The manifest's [inputs] columns and regex: how to read a log that no built-in format fits. The fields a column or
// named group may fill: step, step_time, tokens, samples, loss, timestamp, tokens_per_s, tflops, mfu.
struct LogOptions {
  std::vector<std::pair<std::string, LogColumn>> columns;  // field -> column
  std::string regex;                                       // with named groups (step, step_time_ms, …); empty: none
  std::string format;                                      // force a built-in format by id; empty: by content
  bool is_custom() const { return !columns.empty() || !regex.empty(); }
};

// Called every few MiB with (bytes read, total or 0); for the progress bar.
using LogProgress = std::function<void(std::int64_t, std::int64_t)>;
// Called after every new row, for following a growing log on standard input; it sees the run as read so far.
using RowCallback = std::function<void(const RunLog&)>;

struct LogReading {
  LogOptions options;
  LogProgress progress;
  RowCallback on_row;
};

// `paths` in order of time ("-": standard input). An Error when a file cannot be read or no format is recognised (the
// error lists the formats known and how to map columns).
Result<RunLog> read_runlog(const std::vector<std::string>& paths, const LogReading& reading = {});
// The same from one open stream (tests, fuzzing).
Result<RunLog> read_runlog(LineReader reader, const LogReading& reading = {});
// Ids of the built-in formats, and the one that the first bytes of a file fit, if any.
std::vector<std::string> runlog_formats();
std::optional<std::string> detect_runlog_format(std::string_view head);

}  // namespace nameplate
