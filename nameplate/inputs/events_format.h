// One reader a record format: two functions in a file events_<name>.cc, listed in events.cc. `fits` sees the first
// bytes of a file; `read` fills the records, whose file and kind are set, and returns an Error only where nothing can
// be made of the file.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "nameplate/core/file_reader.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/records.h"

namespace nameplate {

inline constexpr std::size_t kRecordHeadBytes = 1 << 20;

// A file or a text in memory, decompressed.
class RecordInput {
 public:
  static RecordInput file(const std::string& path) { return {path, {}, false}; }
  static RecordInput memory(std::string_view text, const std::string& name) { return {name, text, true}; }

  const std::string& name() const { return name_; }
  Result<LineReader> lines() const;
  Result<std::string> text() const;  // whole
  Result<std::string> head() const;

 private:
  RecordInput(std::string name, std::string_view memory, bool in_memory)
      : name_(std::move(name)), memory_(memory), in_memory_(in_memory) {}
  std::string name_;
  std::string_view memory_;
  bool in_memory_ = false;
};

struct RecordFormat {
  std::string_view id;
  bool (*fits)(std::string_view head) = nullptr;
  Status (*read)(const RecordInput& input, ClusterRecords& records) = nullptr;
};

extern const RecordFormat kFlightRecorderFormat;
extern const RecordFormat kFlightPickleFormat;
extern const RecordFormat kPrometheusFormat;
extern const RecordFormat kNcclTestsFormat;
extern const RecordFormat kAllReduceBenchFormat;
extern const RecordFormat kSacctFormat;
extern const RecordFormat kSdiagFormat;
extern const RecordFormat kSinfoFormat;
extern const RecordFormat kKernelLogFormat;
extern const RecordFormat kFabricManagerFormat;
extern const RecordFormat kNvlinkFormat;
extern const RecordFormat kInfinibandFormat;
extern const RecordFormat kNodePowerFormat;
extern const RecordFormat kDcgmFieldsFormat;
extern const RecordFormat kIncidentsFormat;
extern const RecordFormat kInterruptionsFormat;
extern const RecordFormat kQuantitiesFormat;
extern const RecordFormat kWorkerTimesFormat;
extern const RecordFormat kTraceTablesFormat;
extern const RecordFormat kConsoleFormat;

// Helpers that the formats share.

// Hands every line to `take`, without colour, with its 1-based number; counts cut lines and a broken stream as defects.
Status read_record_lines(const RecordInput& input, ClusterRecords& records,
                         const std::function<void(std::string_view line, std::int64_t number)>& take);

// The quoted line; `text` is cut at 200 characters.
Evidence record_evidence(const ClusterRecords& records, std::int64_t line, std::string_view text);
// Adds the event and widens [first_s, last_s] by its times.
void add_record_event(ClusterRecords& records, Event event);
void widen(ClusterRecords& records, Maybe time_s);
// First mention wins; past some thousands the rest is counted as a defect.
void add_record_fact(ClusterRecords& records, std::string_view key, std::string value, Evidence evidence);
// The lines of `head` (at most `most`) that satisfy `wanted`; for `fits`.
bool any_line(std::string_view head, bool (*wanted)(std::string_view line));

// "Sun Feb 23 16:24:18 2025", "Feb 25 2025 13:59:45" and what parse_leading_time takes, at the start of `text`; seconds
// since 1970 as printed.
Maybe parse_record_time(std::string_view text);
// The integer behind `before`; nothing when there is none.
std::optional<std::int64_t> integer_behind(std::string_view text, std::string_view before);

}  // namespace nameplate
