// Slurm's accounting: what `sacct` prints, with "|" between fields (--parsable, --parsable2) or in columns of fixed
// width under a line of dashes.
//
// Each row about an allocation is one run of a job (`sacct --duplicates` prints one per requeue): waiting from Eligible
// (else Submit) to Start is a `queue` event; Start is `start`, or `restart` where an earlier row has the same job or
// Restarts is above 0; End is `failure` or `finished` by State. Rows about steps ("19.batch") are counted and make no
// events: they repeat their allocation's end. Times are local to the cluster unless SLURM_TIME_FORMAT says otherwise.
// Source: Slurm 24.05, sacct(1), job accounting fields and job state codes.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "nameplate/core/text.h"
#include "nameplate/inputs/events_format.h"

namespace nameplate {
namespace {

constexpr std::array<std::string_view, 8> kFailures = {"FAILED",  "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL",
                                                       "TIMEOUT", "PREEMPTED", "REQUEUED",      "DEADLINE"};

bool is_header(std::string_view line) {
  const std::string_view text = trim(line);
  if (!text.starts_with("JobID")) return false;
  return text.find("State") != std::string_view::npos;
}

bool fits(std::string_view head) { return any_line(head, is_header); }

struct Span {
  std::size_t begin;
  std::size_t end;
};

// The columns that "------------ ----------" underlines.
std::vector<Span> underlined(std::string_view line) {
  std::vector<Span> spans;
  for (std::size_t at = line.find('-'); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.size(), line.find_first_not_of('-', at));
    spans.push_back({at, end});
    at = line.find('-', end);
  }
  return spans;
}

using Fields = std::map<std::string, std::string, std::less<>>;

class Reader {
 public:
  explicit Reader(ClusterRecords& records) : records_(records) {}

  void take(std::string_view line, std::int64_t number) {
    if (is_header(line)) return header(line);
    if (names_.empty() || trim(line).empty()) return;
    if (!separated_ && spans_.empty()) {
      spans_ = underlined(line);
      if (!spans_.empty() && line.find_first_not_of("- ") == std::string_view::npos) return name_columns();
      spans_.clear();
    }
    row(line, number);
  }

 private:
  void header(std::string_view line) {
    header_ = line;
    separated_ = line.find('|') != std::string_view::npos;
    spans_.clear();
    names_ = cells(line);
  }

  void name_columns() { names_ = cells(header_); }

  std::vector<std::string> cells(std::string_view line) const {
    std::vector<std::string> found;
    if (separated_) {
      for (const std::string_view cell : split(line, '|')) found.emplace_back(trim(cell));
    } else if (spans_.empty()) {
      found.emplace_back(trim(line));
    }
    for (const Span& span : spans_) {
      if (span.begin >= line.size())
        found.emplace_back();
      else
        found.emplace_back(trim(line.substr(span.begin, span.end - span.begin)));
    }
    return found;
  }

  void row(std::string_view line, std::int64_t number) {
    const std::vector<std::string> values = cells(line);
    if (values.size() != names_.size() || values.size() < 2) {
      return add_defect(records_.defects, {"records.unreadable_row", {{"file", records_.file}}}, Severity::data_loss);
    }
    Fields fields;
    for (std::size_t i = 0; i < names_.size(); ++i) fields.emplace(names_[i], values[i]);
    ++records_.entries;
    const std::string& id = fields["JobID"];
    if (id.find('.') != std::string::npos) return;
    allocation(id, fields, record_evidence(records_, number, line));
  }

  void allocation(const std::string& id, Fields& fields, const Evidence& evidence) {
    const Maybe eligible = parse_record_time(fields["Eligible"]);
    const Maybe submitted = parse_record_time(fields["Submit"]);
    const Maybe started = parse_record_time(fields["Start"]);
    const Maybe ended = parse_record_time(fields["End"]);
    const Maybe ready = eligible ? eligible : submitted;
    if (ready && started && *started >= *ready) add(EventClass::queue, id, ready, started, evidence);
    const bool again = !jobs_.insert(id).second || parse_integer(fields["Restarts"]).value_or(0) > 0;
    if (started) add(again ? EventClass::restart : EventClass::start, id, started, {}, evidence);
    const std::string& state = fields["State"];
    const std::string word = state.substr(0, state.find_first_of(" +"));  // "CANCELLED by 1000", "CANCELLED+"
    for (const std::string_view failure : kFailures) {
      if (word == failure) return add(EventClass::failure, id, ended, {}, evidence);
    }
    if (ended && (word == "COMPLETED" || word == "CANCELLED")) add(EventClass::finished, id, ended, {}, evidence);
  }

  void add(EventClass event_class, const std::string& id, Maybe begin_s, Maybe end_s, const Evidence& evidence) {
    Event event;
    event.event_class = event_class;
    event.subject = "job " + id;
    event.begin_s = begin_s;
    event.end_s = end_s;
    if (event_class == EventClass::queue) event.row = LedgerRow::queue;
    event.evidence = evidence;
    add_record_event(records_, std::move(event));
  }

  ClusterRecords& records_;
  std::string header_;
  std::vector<std::string> names_;
  std::vector<Span> spans_;
  bool separated_ = false;
  std::set<std::string> jobs_;
};

Status read(const RecordInput& input, ClusterRecords& records) {
  Reader reader(records);
  return read_record_lines(input, records, [&](std::string_view line, std::int64_t n) { reader.take(line, n); });
}

}  // namespace

const RecordFormat kSacctFormat{"slurm-sacct", fits, read};

}  // namespace nameplate
