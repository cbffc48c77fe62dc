// The driver: streams the files, cleans every line once, finds the format by content, and hands lines to it.
//
// Before a format is known the lines are kept, up to kHeadBytes; the first step line decides, and the lines before it
// are replayed, since a log prints its facts (world size, model arguments) first. A library's lines (DeepSpeed's)
// decide only when the head is full or the file has ended. Memory is bounded by the head, the longest line and the rows
// found.
#include "nameplate/inputs/runlog.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include "nameplate/core/file_reader.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/launcher_lines.h"
#include "nameplate/inputs/runlog_builder.h"
#include "nameplate/inputs/runlog_formats.h"
#include "nameplate/inputs/runlog_prefix.h"
#include "nameplate/inputs/runlog_tensorboard.h"
#include "nameplate/inputs/tensorboard_events.h"

namespace nameplate {
namespace {

constexpr std::size_t kHeadBytes = 4 << 20;
constexpr std::int64_t kProgressBytes = 4 << 20;

using Maker = std::unique_ptr<RunLogFormat> (*)();
constexpr std::array kMakers = {
    Maker{make_megatron_format},       Maker{make_torchtitan_format}, Maker{make_nanogpt_format},
    Maker{make_nemo_format},           Maker{make_composer_format},   Maker{make_hf_trainer_format},
    Maker{make_hf_state_format},       Maker{make_nanotron_format},   Maker{make_litgpt_format},
    Maker{make_maxtext_format},        Maker{make_colossalai_format}, Maker{make_nanochat_format},
    Maker{make_modded_nanogpt_format}, Maker{make_olmo_format},       Maker{make_dlrover_format},
    Maker{make_mlperf_format},         Maker{make_wandb_format},      Maker{make_deepspeed_format}};

std::vector<std::unique_ptr<RunLogFormat>> make_formats() {
  std::vector<std::unique_ptr<RunLogFormat>> formats;
  for (Maker make : kMakers) formats.push_back(make());
  return formats;
}

// Lines that came before a format was known.
class Head {
 public:
  // False when it is full.
  bool add(std::string_view line) {
    if (text_.size() + line.size() + ends_.size() * sizeof(std::size_t) > kHeadBytes) return false;
    text_.append(line);
    ends_.push_back(text_.size());
    return true;
  }
  std::size_t lines() const { return ends_.size(); }
  std::string_view line(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(text_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string text_;
  std::vector<std::size_t> ends_;
};

// Size of a plain file, for the progress bar; 0 when it is compressed or no file, since then the end is not known.
std::int64_t plain_size(const std::string& path) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(path, failure);
  char magic[4] = {};
  if (failure || !std::ifstream(path, std::ios::binary).read(magic, 4)) return 0;
  const bool is_compressed = std::memcmp(magic, "\x1f\x8b", 2) == 0 || std::memcmp(magic, "\x28\xb5\x2f\xfd", 4) == 0;
  return is_compressed ? 0 : static_cast<std::int64_t>(size);
}

bool starts_as_event_file(const std::string& path) {
  if (path == "-") return false;
  const Result<std::string> head = read_head(path, 64);
  return head.ok() && is_event_file(*head);
}

class Driver {
 public:
  explicit Driver(const LogReading& reading) : reading_(reading) {}

  Status read_file(LineReader& reader, std::int64_t total_bytes);
  Status read_events(const std::string& path);
  Result<RunLog> finish();

 private:
  Status begin_file(const LineReader& reader);
  void take(std::string_view raw, const LineReader& reader);
  void detect(const LogLine& line, std::string_view raw);
  void lock(std::unique_ptr<RunLogFormat> format);
  void lock_and_replay(std::unique_ptr<RunLogFormat> format, bool last_is_cut = false);
  void hand(const LogLine& line);
  void keep_claims();
  void end_file(const LineReader& reader);
  void take_failure(Error failure, const std::string& file);
  LogLine clean(std::string_view raw, std::int64_t number);

  const LogReading& reading_;
  RunLogBuilder builder_;
  std::vector<std::unique_ptr<RunLogFormat>> candidates_;  // empty once a format is found
  std::unique_ptr<RunLogFormat> format_;
  LauncherLines launcher_;
  std::unique_ptr<RunLogFormat> library_;  // a library's format that fits, while a program's may come
  Head head_;
  std::int64_t head_cut_ = 0;  // lines that did not fit in the head
  std::string ansi_;           // holds a line without its colours
  std::string run_format_;     // of the first file
  std::int64_t lines_total_ = 0;
  bool is_other_format_ = false;  // this file's format is not the run's: left out
  std::optional<Error> stream_error_;
};

LogLine Driver::clean(std::string_view raw, std::int64_t number) {
  const bool has_escape = std::memchr(raw.data(), '\x1b', raw.size()) != nullptr;
  const std::string_view text = has_escape ? strip_ansi(raw, ansi_) : raw;
  const LinePrefix prefix = parse_line_prefix(text);
  return {.text = prefix.text, .whole = text, .rank = prefix.rank, .timestamp_s = prefix.timestamp_s, .number = number};
}

// The formats that this file may have: the custom one, the forced one, or all.
Status Driver::begin_file(const LineReader& reader) {
  builder_.begin_file(reader.name());
  format_.reset();
  library_.reset();
  head_ = Head();
  head_cut_ = 0;
  is_other_format_ = false;
  if (reading_.options.is_custom()) {
    NAMEPLATE_TRY(std::unique_ptr<RunLogFormat> custom, make_custom_format(reading_.options));
    lock(std::move(custom));
    return std::nullopt;
  }
  candidates_ = make_formats();
  const std::string& forced = reading_.options.format;
  if (forced.empty()) return std::nullopt;
  const auto found =
      std::find_if(candidates_.begin(), candidates_.end(), [&](const auto& f) { return f->id() == forced; });
  if (found == candidates_.end()) {
    const std::vector<std::string> known = runlog_formats();
    return error("unknown log format '" + forced + "'", did_you_mean(forced, known));
  }
  lock(std::move(*found));
  return std::nullopt;
}

void Driver::lock(std::unique_ptr<RunLogFormat> format) {
  candidates_.clear();
  if (run_format_.empty()) run_format_ = format->id();
  is_other_format_ = run_format_ != format->id();
  if (is_other_format_) {
    builder_.add_defect({"log.other_format", {{"format", std::string(format->id())}, {"run_format", run_format_}}},
                        Severity::data_loss);
  }
  format_ = std::move(format);
  builder_.set_format(run_format_);
}

void Driver::hand(const LogLine& line) {
  builder_.begin_line(line);
  const std::size_t rows = builder_.log().steps.size();
  const std::size_t events = builder_.log().events.size();
  format_->read(line, builder_);
  // What a launcher prints around a run is the same whatever framework writes the steps.
  if (builder_.log().steps.size() == rows && builder_.log().events.size() == events &&
      !format_->is_step_line(line.text)) {
    if (auto event = launcher_.read(line.text, line.timestamp_s)) builder_.add_event(std::move(*event));
  }
  if (reading_.on_row && builder_.log().steps.size() != rows) {
    keep_claims();
    reading_.on_row(builder_.log());
  }
}

// A later file that claims nothing leaves what the earlier ones claimed.
void Driver::keep_claims() {
  const ClaimBasis claims = format_->claims();
  if (!claims.convention.empty() || builder_.log().claims.convention.empty()) builder_.set_claims(claims);
}

void Driver::detect(const LogLine& line, std::string_view raw) {
  const auto found = std::find_if(candidates_.begin(), candidates_.end(),
                                  [&](const auto& format) { return format->is_step_line(line.text); });
  if (found != candidates_.end() && (*found)->is_library()) {
    library_ = std::move(*found);
    candidates_.erase(found);
  } else if (found != candidates_.end()) {
    return lock_and_replay(std::move(*found));
  }
  if (head_cut_ == 0 && head_.add(raw)) return;
  if (library_) return lock_and_replay(std::move(library_));
  ++head_cut_;
}

void Driver::lock_and_replay(std::unique_ptr<RunLogFormat> format, bool last_is_cut) {
  lock(std::move(format));
  for (std::size_t i = 0; i < head_.lines() && !is_other_format_; ++i) {
    LogLine line = clean(head_.line(i), static_cast<std::int64_t>(i) + 1);
    line.is_cut = last_is_cut && i + 1 == head_.lines();
    hand(line);
  }
  if (head_cut_ > 0) builder_.add_defect({"log.head_cut", {}}, Severity::info, head_cut_);
  head_ = Head();
}

void Driver::take(std::string_view raw, const LineReader& reader) {
  LogLine line = clean(raw, reader.line_number());
  if (!format_) {
    detect(line, raw);
    if (!format_) return;
    line = clean(raw, line.number);  // the replay used the buffer that `line` points into
  }
  line.overwritten = reader.overwritten();
  line.is_cut = reader.last_line_incomplete();
  if (!is_other_format_) hand(line);
}

Status Driver::read_file(LineReader& reader, std::int64_t total_bytes) {
  if (Status failure = begin_file(reader)) return failure;
  std::int64_t next_report = kProgressBytes;
  while (auto raw = reader.next()) {
    take(*raw, reader);
    if (is_other_format_) break;
    if (reading_.progress && reader.bytes_read() >= next_report) {
      reading_.progress(reader.bytes_read(), total_bytes);
      next_report = reader.bytes_read() + kProgressBytes;
    }
  }
  end_file(reader);
  return std::nullopt;
}

// A TensorBoard event file, which has no lines.
Status Driver::read_events(const std::string& path) {
  NAMEPLATE_TRY(const std::string bytes, nameplate::read_file(path));
  builder_.begin_file(path);
  if (run_format_.empty()) run_format_ = kTensorBoardFormat;
  if (run_format_ != kTensorBoardFormat) {
    builder_.add_defect(
        {"log.other_format", {{"format", std::string(kTensorBoardFormat)}, {"run_format", run_format_}}},
        Severity::data_loss);
    return std::nullopt;
  }
  builder_.set_format(run_format_);
  const std::size_t rows = builder_.log().steps.size();
  if (Status failure = read_tensorboard(bytes, reading_.options, builder_)) return failure;
  if (reading_.on_row && builder_.log().steps.size() != rows) reading_.on_row(builder_.log());
  return std::nullopt;
}

// What a format made of a whole file does not hold together: the run may still have other files.
void Driver::take_failure(Error failure, const std::string& file) {
  failure.place.file = file;
  builder_.add_defect({"log.unreadable_document", {{"file", file}, {"reason", failure.found}}}, Severity::data_loss);
  if (!stream_error_) stream_error_ = std::move(failure);
}

void Driver::end_file(const LineReader& reader) {
  lines_total_ += reader.line_number();
  if (reader.error() && !stream_error_) stream_error_ = reader.error();
  if (!format_ && library_) lock_and_replay(std::move(library_), reader.last_line_incomplete());
  if (is_other_format_) return;
  if (format_) {
    if (Status failure = format_->end_file(builder_)) take_failure(*failure, reader.name());
    keep_claims();
  }
  const std::string& file = reader.name();
  if (reader.error()) {
    builder_.add_defect({"log.stream_broken", {{"file", file}, {"reason", reader.error()->found}}},
                        Severity::data_loss);
  }
  if (reader.overlong_lines() > 0) {
    builder_.add_defect({"log.overlong_line", {{"file", file}}}, Severity::data_loss, reader.overlong_lines());
  }
  if (reader.last_line_incomplete()) builder_.add_defect({"log.truncated_line", {{"file", file}}}, Severity::info);
  if (!format_) builder_.add_defect({"log.no_format", {{"file", file}}}, Severity::info);
}

Result<RunLog> Driver::finish() {
  RunLog log = builder_.finish();
  log.lines_total = lines_total_;
  if (!log.steps.empty()) return log;
  if (stream_error_) return *stream_error_;
  Error failure = error("no training steps found");
  failure.place.file = log.files.empty() ? "" : log.files.front();
  if (reading_.options.is_custom()) {
    failure.hint = "no line has the step and another of the columns named; check their names against a line of the log";
    return failure;
  }
  failure.expected = "a log of one of the formats";
  for (const std::string& id : runlog_formats()) failure.expected += " " + id;
  failure.expected += ", or TensorBoard event files";
  failure.hint =
      "for another format name its columns: [inputs] columns = {step = \"iter\", step_time = \"dt_ms:ms\"}, or a regex";
  return failure;
}

}  // namespace

std::vector<std::string> runlog_formats() {
  std::vector<std::string> ids;
  for (const auto& format : make_formats()) ids.emplace_back(format->id());
  return ids;
}

std::optional<std::string> detect_runlog_format(std::string_view head) {
  if (is_event_file(head)) return std::string(kTensorBoardFormat);
  LineReader reader = LineReader::from_memory(head);
  const auto formats = make_formats();
  std::string buffer;
  std::optional<std::string> library;
  while (auto raw = reader.next()) {
    const std::string_view text = parse_line_prefix(strip_ansi(*raw, buffer)).text;
    for (const auto& format : formats) {
      if ((library && format->is_library()) || !format->is_step_line(text)) continue;
      if (!format->is_library()) return std::string(format->id());
      library = format->id();
    }
  }
  return library;
}

Result<RunLog> read_runlog(LineReader reader, const LogReading& reading) {
  Driver driver(reading);
  if (Status failure = driver.read_file(reader, 0)) return *failure;
  return driver.finish();
}

Result<RunLog> read_runlog(const std::vector<std::string>& paths, const LogReading& reading) {
  Driver driver(reading);
  for (const std::string& path : paths) {
    if (starts_as_event_file(path)) {
      if (Status failure = driver.read_events(path)) return *failure;
      continue;
    }
    NAMEPLATE_TRY(LineReader reader, LineReader::open(path));
    if (Status failure = driver.read_file(reader, path == "-" ? 0 : plain_size(path))) return *failure;
  }
  return driver.finish();
}

}  // namespace nameplate
