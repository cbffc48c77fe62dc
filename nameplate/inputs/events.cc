#include "nameplate/inputs/events.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "nameplate/core/text.h"
#include "nameplate/inputs/events_format.h"
#include "nameplate/inputs/runlog_prefix.h"

namespace nameplate {
namespace {

// In the order in which they are asked: formats with unmistakable marks first, console output last.
constexpr std::array kFormats = {
    &kFlightPickleFormat,  &kFlightRecorderFormat, &kPrometheusFormat,  &kNcclTestsFormat,   &kAllReduceBenchFormat,
    &kSacctFormat,         &kSdiagFormat,          &kSinfoFormat,       &kKernelLogFormat,   &kFabricManagerFormat,
    &kNvlinkFormat,        &kInfinibandFormat,     &kNodePowerFormat,   &kDcgmFieldsFormat,  &kIncidentsFormat,
    &kInterruptionsFormat, &kQuantitiesFormat,     &kWorkerTimesFormat, &kTraceTablesFormat, &kConsoleFormat};

const RecordFormat* find_format(std::string_view head) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(), [&](const auto* f) { return f->fits(head); });
  return found == kFormats.end() ? nullptr : *found;
}

Result<ClusterRecords> read(const RecordInput& input) {
  NAMEPLATE_TRY(const std::string head, input.head());
  const RecordFormat* format = find_format(head);
  if (format == nullptr) {
    Error failure{"no record of a known format", "one of", {.file = input.name()}, {}};
    for (const std::string& id : record_formats()) failure.expected += " " + id;
    return failure;
  }
  ClusterRecords records;
  records.file = input.name();
  records.kind = format->id;
  if (Status failure = format->read(input, records)) return *failure;
  return records;
}

// "Feb 23" or "Feb 23 16:24:18 2025" as numbers.
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<int> month_of(std::string_view word) {
  const auto found = std::find(kMonths.begin(), kMonths.end(), word);
  if (found == kMonths.end()) return std::nullopt;
  return static_cast<int>(found - kMonths.begin()) + 1;
}

// The blank-separated words at the start of `text`, at most five.
std::vector<std::string_view> leading_words(std::string_view text) {
  std::vector<std::string_view> words;
  while (words.size() < 5) {
    text = text.substr(std::min(text.size(), text.find_first_not_of(' ')));
    if (text.empty()) break;
    const std::size_t end = std::min(text.size(), text.find_first_of(" ]"));
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
    if (!text.empty() && text[0] == ']') break;
  }
  return words;
}

Maybe as_time(std::string_view year, int month, std::string_view day, std::string_view clock) {
  const auto y = parse_integer(year);
  const auto d = parse_integer(day);
  if (!y || !d || *y < 1970 || *y > 9999 || *d < 1 || *d > 31) return {};
  const auto time = parse_leading_time(fmt::format("{:04}-{:02}-{:02} {}", *y, month, *d, clock));
  return time ? Maybe(time->seconds) : Maybe();
}

}  // namespace

Result<LineReader> RecordInput::lines() const {
  if (in_memory_) return LineReader::from_memory(memory_, name_);
  return LineReader::open(name_);
}

Result<std::string> RecordInput::text() const {
  constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
  if (in_memory_) return std::string(memory_);
  return read_file(name_, kMostBytes);
}

Result<std::string> RecordInput::head() const {
  if (in_memory_) return std::string(memory_.substr(0, kRecordHeadBytes));
  return read_head(name_, kRecordHeadBytes);
}

Status read_record_lines(const RecordInput& input, ClusterRecords& records,
                         const std::function<void(std::string_view line, std::int64_t number)>& take) {
  NAMEPLATE_TRY(LineReader reader, input.lines());
  std::string buffer;
  while (const auto line = reader.next()) take(strip_ansi(*line, buffer), reader.line_number());
  const std::string& file = records.file;
  if (reader.error()) {
    add_defect(records.defects, {"log.stream_broken", {{"file", file}, {"reason", reader.error()->found}}},
               Severity::data_loss);
  }
  if (reader.overlong_lines() > 0) {
    add_defect(records.defects, {"log.overlong_line", {{"file", file}}}, Severity::data_loss, reader.overlong_lines());
  }
  return std::nullopt;
}

Evidence record_evidence(const ClusterRecords& records, std::int64_t line, std::string_view text) {
  constexpr std::size_t kMostQuoted = 200;
  return {records.file, line, std::string(trim(text).substr(0, kMostQuoted))};
}

void widen(ClusterRecords& records, Maybe time_s) {
  if (!time_s) return;
  if (!records.first_s || *time_s < *records.first_s) records.first_s = time_s;
  if (!records.last_s || *time_s > *records.last_s) records.last_s = time_s;
}

void add_record_event(ClusterRecords& records, Event event) {
  widen(records, event.begin_s);
  widen(records, event.end_s);
  records.events.push_back(std::move(event));
}

void add_record_fact(ClusterRecords& records, std::string_view key, std::string value, Evidence evidence) {
  constexpr std::size_t kMostFacts = 4096;
  if (records.facts.size() >= kMostFacts) {
    return add_defect(records.defects, {"records.too_many_facts", {{"file", records.file}}}, Severity::data_loss);
  }
  for (const LogFact& known : records.facts) {
    if (known.key == key) return;
  }
  records.facts.push_back({std::string(key), std::move(value), std::move(evidence)});
}

bool any_line(std::string_view head, bool (*wanted)(std::string_view line)) {
  LineReader reader = LineReader::from_memory(head);
  std::string buffer;
  while (const auto line = reader.next()) {
    if (wanted(strip_ansi(*line, buffer))) return true;
  }
  return false;
}

Maybe parse_record_time(std::string_view text) {
  text = trim(text);
  if (const auto time = parse_leading_time(text)) return time->seconds;
  const std::vector<std::string_view> words = leading_words(text);
  if (words.size() >= 5) {
    if (const auto month = month_of(words[1])) return as_time(words[4], *month, words[2], words[3]);
  }
  if (words.size() >= 4) {
    if (const auto month = month_of(words[0])) return as_time(words[2], *month, words[1], words[3]);
  }
  return {};
}

std::optional<std::int64_t> integer_behind(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + before.size());
  return parse_integer(rest.substr(0, rest.find_first_not_of("0123456789")));
}

std::vector<std::string> record_formats() {
  std::vector<std::string> ids;
  for (const RecordFormat* format : kFormats) ids.emplace_back(format->id);
  return ids;
}

std::optional<std::string> detect_record_format(std::string_view head) {
  const RecordFormat* format = find_format(head);
  return format == nullptr ? std::nullopt : std::optional(std::string(format->id));
}

Result<ClusterRecords> read_cluster_records(const std::string& path) { return read(RecordInput::file(path)); }

Result<ClusterRecords> read_cluster_records(std::string_view text, const std::string& name) {
  return read(RecordInput::memory(text, name));
}

}  // namespace nameplate
