#include "nameplate/inputs/nccl_lines.h"

#include "nameplate/core/text.h"
#include "nameplate/inputs/events_format.h"
#include "nameplate/inputs/runlog_prefix.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr std::string_view kInfo = " NCCL INFO ";
constexpr std::string_view kWarn = " NCCL WARN ";
constexpr std::string_view kVersion = "NCCL version ";
constexpr std::string_view kTimeout = "Watchdog caught collective operation timeout: ";

// "server2" of "server2:23920:24013 [7] NCCL INFO …", behind whatever a launcher put in front.
std::string_view host_of(std::string_view before_mark) {
  const std::size_t colon = before_mark.find(':');
  if (colon == kNone) return {};
  const std::size_t blank = before_mark.rfind(' ', colon);
  return before_mark.substr(blank == kNone ? 0 : blank + 1, blank == kNone ? colon : colon - blank - 1);
}

// What follows `before` up to one of `ends`.
std::string_view between(std::string_view text, std::string_view before, std::string_view ends) {
  const std::size_t at = text.find(before);
  if (at == kNone) return {};
  const std::string_view rest = text.substr(at + before.size());
  return rest.substr(0, rest.find_first_of(ends));
}

}  // namespace

bool is_nccl_line(std::string_view line) {
  return line.find(kInfo) != kNone || line.find(kWarn) != kNone || line.find(kTimeout) != kNone ||
         line.starts_with(kVersion);
}

bool NcclLines::take(std::string_view line, std::int64_t number) {
  if (!is_nccl_line(line)) return false;
  ++records_.entries;
  if (line.starts_with(kVersion)) {
    add_record_fact(records_, "nccl.version", std::string(trim(line.substr(kVersion.size()))),
                    record_evidence(records_, number, line));
  }
  if (const std::size_t at = line.find(kInfo); at != kNone) {
    hosts_.emplace(host_of(line.substr(0, at)));
    info(line, line.substr(at + kInfo.size()), number);
  }
  if (line.find(kWarn) != kNone) warning(line, number);
  if (line.find(kTimeout) != kNone) timeout(line, number);
  return true;
}

void NcclLines::info(std::string_view line, std::string_view text, std::int64_t number) {
  const Evidence evidence = record_evidence(records_, number, line);
  if (text.starts_with("Using network ")) {
    add_record_fact(records_, "nccl.network", std::string(trim(text.substr(14))), evidence);
  }
  if (const std::size_t at = text.find(" coll channels"); at != kNone) {
    if (const auto channels = parse_integer(trim(text.substr(0, at)))) {
      add_record_fact(records_, "nccl.channels", std::to_string(*channels), evidence);
    }
  }
  if (text.find("Init COMPLETE") == kNone) return;
  const auto rank = integer_behind(text, " rank ");
  const auto ranks = integer_behind(text, " nranks ");
  if (rank) ranks_.insert(*rank);
  if (ranks && *ranks > largest_) {
    largest_ = *ranks;
    largest_evidence_ = evidence;
  }
}

void NcclLines::warning(std::string_view line, std::int64_t number) {
  const LinePrefix prefix = parse_line_prefix(line);
  Event event;
  event.event_class = EventClass::other;
  event.scope = EventScope::rank;
  const std::string_view device = between(line, " [", "]");
  event.subject = std::string(host_of(line.substr(0, line.find(kWarn)))) + " device " + std::string(device);
  event.begin_s = prefix.timestamp_s;
  event.evidence = record_evidence(records_, number, line);
  add_record_event(records_, std::move(event));
}

void NcclLines::timeout(std::string_view line, std::int64_t number) {
  const LinePrefix prefix = parse_line_prefix(line);
  Event event;
  event.event_class = EventClass::collective_stuck;
  event.scope = EventScope::rank;
  auto rank = integer_behind(line, "[Rank ");
  if (!rank) rank = integer_behind(line, " Rank ");
  if (rank) event.subject = "rank " + std::to_string(*rank);
  event.end_s = prefix.timestamp_s;
  if (const auto ran = integer_behind(line, " ran for ")) {
    event.duration_s = static_cast<double>(*ran) / 1e3;
    if (event.end_s) event.begin_s = *event.end_s - *event.duration_s;
  }
  event.evidence = record_evidence(records_, number, line);
  add_record_event(records_, std::move(event));
}

void NcclLines::finish() {
  if (largest_ > 0) add_record_fact(records_, "nccl.ranks", std::to_string(largest_), largest_evidence_);
  if (!ranks_.empty())
    add_record_fact(records_, "nccl.ranks_seen", std::to_string(ranks_.size()), {records_.file, 0, {}});
  if (!hosts_.empty()) add_record_fact(records_, "nccl.hosts", std::to_string(hosts_.size()), {records_.file, 0, {}});
}

}  // namespace nameplate
