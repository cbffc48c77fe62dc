#include "nameplate/inputs/trace_kineto.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nameplate/core/executor.h"
#include "nameplate/inputs/trace_cut.h"
#include "nameplate/inputs/trace_kineto_events.h"
#include "nameplate/inputs/trace_kineto_header.h"
#include "nameplate/inputs/trace_kineto_text.h"
#include "nameplate/inputs/trace_kineto_values.h"
#include "nameplate/inputs/trace_timeline.h"

namespace nameplate {
namespace {

constexpr std::size_t kBlocksPerThread = 4;

// Length of the UTF-8 sequence that begins `text`; 0 when none does.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) >= 0x80 && (byte(0) < 0xc2 || byte(0) > 0xf4)) return 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (length > 2) {  // overlong forms, surrogates, beyond U+10FFFF
    const unsigned pair = byte(0) * 256u + byte(1);
    const bool bad = (length == 3 && (pair < 0xe0a0 || (pair >= 0xeda0 && pair <= 0xedbf))) ||
                     (length == 4 && (pair < 0xf090 || pair >= 0xf490));
    if (bad) return 0;
  }
  return length;
}

// Replaces what JSON does not allow inside a text: control characters, bytes that are no UTF-8.
std::int64_t repair(std::string& text) {
  std::int64_t repaired = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(std::string_view(text).substr(i));
    const bool control = static_cast<unsigned char>(text[i]) < ' ';
    if (length == 0 || control) {
      repaired += !(control && (text[i] == '\n' || text[i] == '\t' || text[i] == '\r'));
      text[i] = length == 0 ? '?' : ' ';
    }
    i += std::max<std::size_t>(length, 1);
  }
  return repaired;
}

// Joins blocks in file order.
class Assembler {
 public:
  explicit Assembler(KinetoParser& parser) : parser_(parser) {}

  void take(const KinetoBlock& block, std::optional<std::size_t> end, TraceEvents&& parsed) {
    if (ended_) {
      tail_ += ",";
      tail_ += block.body();
      return;
    }
    if (!end || !carry_.empty()) return take_singly(block.body());
    events_.append(std::move(parsed));
    if (*end < block.size) end_with(block.text().substr(*end, block.size - 1 - *end));
  }

  bool ended() const { return ended_; }
  bool cut_off() const { return !ended_; }
  bool overflows() const { return carry_.size() > kMostKinetoEventBytes || tail_.size() > kMostKinetoEventBytes; }
  std::string& tail() { return tail_; }
  TraceEvents& events() { return events_; }

 private:
  void end_with(std::string_view rest) {
    ended_ = true;
    tail_ = rest;
  }

  // Event by event, where a block does not parse as a whole.
  void take_singly(std::string_view body) {
    std::string joined;
    if (!carry_.empty()) {
      joined = std::move(carry_);
      joined.append(1, ',').append(body);
      carry_.clear();
      body = joined;
    }
    std::size_t position = 0;
    std::int64_t skipped = 0;
    while (const auto event = next_event(body, position, skipped)) take_one(*event);
    events_.count(EventDefect::unreadable, skipped);
    if (position < body.size() && body[position] == ']') return end_with(body.substr(position + 1));
    carry_ = body.substr(position);
  }

  bool parse_one(std::string& padded) {
    TraceEvents one;
    const std::size_t size = padded.size();
    padded.resize(size + KinetoParser::kPadding);
    const bool good = parser_.parse(std::string_view(padded).substr(0, size), one).has_value();
    padded.resize(size);
    if (good) events_.append(std::move(one));
    return good;
  }

  void take_one(std::string_view event) {
    std::string text = "[" + std::string(event) + "]";
    if (parse_one(text)) return;
    const std::int64_t repaired = repair(text);
    if (!parse_one(text)) return events_.count(EventDefect::unreadable);
    events_.count(EventDefect::repaired_character, std::max<std::int64_t>(repaired, 1));
  }

  KinetoParser& parser_;
  TraceEvents events_;
  std::string carry_;  // the beginning of an event that goes on in the next block
  std::string tail_;   // what stands behind the array
  bool ended_ = false;
};

struct Slot {
  KinetoBlock block;
  TraceEvents events;
  std::optional<std::size_t> end;
  KinetoParser parser;
};

// A number of blocks that are parsed at once.
struct Round {
  std::vector<Slot> slots;
  std::size_t filled = 0;

  void read(KinetoText& text) {
    for (filled = 0; filled < slots.size() && text.read(slots[filled].block);) ++filled;
  }
  void parse(std::size_t i) {
    slots[i].events = {};
    slots[i].end = slots[i].parser.parse(slots[i].block.text(), slots[i].events);
  }
};

void read_events(KinetoText& text, unsigned threads, Assembler& assembler) {
  Round now, next;
  now.slots.resize(std::max(1u, threads) * kBlocksPerThread);
  next.slots.resize(now.slots.size());
  now.read(text);
  while (now.filled > 0 && !assembler.ended() && !assembler.overflows()) {
    parallel_for(now.filled + 1, threads, [&](std::size_t i) {
      if (i == 0)
        next.read(text);
      else
        now.parse(i - 1);
    });
    for (std::size_t i = 0; i < now.filled; ++i) {
      assembler.take(now.slots[i].block, now.slots[i].end, std::move(now.slots[i].events));
    }
    std::swap(now, next);
  }
  // What was read ahead when the array ended belongs to the tail.
  for (std::size_t i = 0; i < now.filled && assembler.ended(); ++i) assembler.take(now.slots[i].block, {}, {});
}

TraceTexts decode(const TraceEvents& events) {
  TraceTexts texts;
  for (std::int32_t i = 0; i < events.names.size(); ++i) texts.names.push_back(unescape(events.names[i]));
  for (std::int32_t i = 0; i < events.operands.size(); ++i) {
    texts.operands.push_back(parse_operands(events.operands[i]));
  }
  return texts;
}

TraceHeader read_header(KinetoText& text, Assembler& assembler) {
  TraceHeader header;
  const std::string head = text.head();
  if (head.empty()) return header;
  read_kineto_header(head + "]}", header);
  std::string& tail = assembler.tail();
  while (assembler.ended() && tail.size() < kMostKinetoEventBytes && text.read_more(tail)) {}
  read_kineto_header("{\"\":[]" + tail, header);
  return header;
}

}  // namespace

Result<std::vector<RankTrace>> read_kineto(ByteStream stream, const KernelClasses& classes,
                                           const KinetoReading& reading) {
  const std::string file = stream.name();
  KinetoText text(std::move(stream), KinetoParser::kPadding, reading.block_bytes);
  if (!text.find_events()) {
    if (text.error()) return *text.error();
    return Error{"no list of events", "\"traceEvents\", or a list of events", {.file = file}, {}};
  }
  KinetoParser parser;
  Assembler assembler(parser);
  read_events(text, reading.threads, assembler);
  TraceHeader header = read_header(text, assembler);
  assembler.events().pair_marks();
  Defects defects = assembler.events().defects(file);
  if (header.own_timeline) add_defect(defects, {"trace.own_timeline", {{"file", file}}}, Severity::info);
  if (text.error()) add_defect(defects, {"trace.damaged_stream", {{"file", file}}}, Severity::data_loss);
  const bool cut = assembler.cut_off() || text.event_too_long() || assembler.overflows();
  const bool ends_early = cut || text.error();
  if (cut) { add_defect(defects, {"trace.truncated", {{"file", file}}}, Severity::data_loss); }
  TraceEvents& events = assembler.events();
  if (events.device.size() + events.host.size() == 0) {
    return Error{"not one event with a time", "events with \"ph\": \"X\", \"ts\" and \"dur\"", {.file = file}, {}};
  }
  if (ends_early) keep_recorded_part(events, file, defects);
  TraceTexts texts = decode(events);
  std::vector<RankTrace> traces = timelines_of({std::move(events), std::move(texts), std::move(header), file}, classes);
  Defects& of_first = traces.front().defects;
  of_first.insert(of_first.begin(), defects.begin(), defects.end());
  return traces;
}

}  // namespace nameplate
