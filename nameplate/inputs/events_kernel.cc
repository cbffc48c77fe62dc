// The kernel's log (dmesg, journalctl -k, syslog): what NVIDIA's driver says of its devices.
//
//   [Sun Feb 23 16:24:18 2025] NVRM: Xid (PCI:0000:9b:00): 119, pid=2024380, name=nvidia-smi, Timeout after 6s …
//   [ 1843.308145] NVRM: The NVIDIA GPU 0000:b3:00.0 … NVRM: fallen off the bus and is not responding to commands.
//
// A device that is lost is not always given an Xid: the driver's own sentence counts, too. Without -T dmesg prints
// seconds since boot, which no other clock shares: such lines have no time. Syslog's "Feb 23 16:24:18" has no year: the
// same. The driver may print one fault several times: each line is a report, and reports of one number and device with
// no minute between them are one event.
// Source: NVIDIA, XID Errors, "How to read" (format of the line); data/xid.toml for the numbers.
#include <map>

#include "nameplate/core/text.h"
#include "nameplate/inputs/events_format.h"

namespace nameplate {
namespace {

constexpr auto kNone = std::string_view::npos;
constexpr std::string_view kXid = "NVRM: Xid (";
constexpr std::string_view kLost = "fallen off the bus";
constexpr std::string_view kLostDevice = "NVRM: The NVIDIA GPU ";
constexpr double kOneFault_s = 60;
constexpr std::int64_t kAnyNumber = -1;

bool is_driver_line(std::string_view line) { return line.find("NVRM: ") != kNone; }

bool fits(std::string_view head) { return any_line(head, is_driver_line); }

// The time in front of a kernel's line, where it is an absolute one.
Maybe line_time(std::string_view line) {
  if (line.starts_with("[")) return parse_record_time(line.substr(1));
  return parse_record_time(line);
}

// What follows "name=" up to the next comma.
std::string process_of(std::string_view text) {
  const std::size_t at = text.find("name=");
  if (at == kNone) return {};
  const std::string_view rest = text.substr(at + 5);
  return std::string(rest.substr(0, rest.find(',')));
}

class Reader {
 public:
  explicit Reader(ClusterRecords& records) : records_(records) {}

  void take(std::string_view line, std::int64_t number) {
    const Maybe time = line_time(line);
    if (time) time_ = time;
    if (const std::size_t at = line.find(kLostDevice); at != kNone) {
      const std::string_view rest = line.substr(at + kLostDevice.size());
      lost_device_ = "PCI:" + std::string(rest.substr(0, rest.find_first_of(" .\n")));
    }
    const std::size_t at = line.find(kXid);
    if (at != kNone) return xid(line, at + kXid.size(), number);
    if (line.find(kLost) != kNone) add({{}, lost_device_, {}, time ? time : time_, evidence(number, line)});
  }

 private:
  Evidence evidence(std::int64_t number, std::string_view line) const {
    return record_evidence(records_, number, line);
  }

  // "PCI:0000:9b:00): 119, pid=2024380, name=nvidia-smi, …"
  void xid(std::string_view line, std::size_t at, std::int64_t number) {
    const std::string_view text = line.substr(at);
    const std::size_t close = text.find("): ");
    const auto code = close == kNone ? std::nullopt : integer_behind(text, "): ");
    if (!code) {
      return add_defect(records_.defects, {"records.unreadable_row", {{"file", records_.file}}}, Severity::data_loss);
    }
    add({code, std::string(text.substr(0, close)), process_of(text), line_time(line), evidence(number, line)});
  }

  void add(XidReport report) {
    ++records_.entries;
    widen(records_, report.time_s);
    if (!repeats(report)) add_record_event(records_, event_of(report));
    records_.xids.push_back(std::move(report));
  }

  // Whether the last report of this device and number is less than a minute old (or neither has a time). A lost device
  // without a number repeats any report about it.
  bool repeats(const XidReport& report) {
    const std::pair<std::string, std::int64_t> key{report.device, report.number.value_or(kAnyNumber)};
    const auto before = last_.find(key);
    const bool repeated = before != last_.end() && is_same_fault(before->second, report.time_s);
    last_[key] = report.time_s;
    last_[{report.device, kAnyNumber}] = report.time_s;
    return repeated;
  }

  static bool is_same_fault(Maybe before, Maybe now) {
    if (!before || !now) return before == now;
    return *now - *before < kOneFault_s;
  }

  static Event event_of(const XidReport& report) {
    Event event;
    event.event_class = EventClass::device_error;
    event.scope = EventScope::device;
    event.subject = report.device;
    event.begin_s = report.time_s;
    event.evidence = report.evidence;
    return event;
  }

  ClusterRecords& records_;
  std::string lost_device_;
  std::map<std::pair<std::string, std::int64_t>, Maybe> last_;  // device and number -> time of the last report
  Maybe time_;                                                  // of the line before: continuation lines have none
};

Status read(const RecordInput& input, ClusterRecords& records) {
  Reader reader(records);
  return read_record_lines(input, records, [&](std::string_view line, std::int64_t n) { reader.take(line, n); });
}

}  // namespace

const RecordFormat kKernelLogFormat{"kernel-log", fits, read};

}  // namespace nameplate
