// The state of a Slurm cluster at one moment: `sinfo -h -o "%n,%T"` (a node and its state a line) and `sdiag` (counts
// of jobs since midnight, lengths of the queue). They say how many nodes were down and how long the queue was; neither
// says when, except sdiag's own clock, so they make facts and no events.
// Source: Slurm 24.05, sinfo(1) node state codes, sdiag(1).
#include <algorithm>
#include <array>
#include <map>

#include "nameplate/core/text.h"
#include "nameplate/inputs/events_format.h"

namespace nameplate {
namespace {

constexpr std::array<std::string_view, 14> kStates = {"idle",     "alloc",      "allocated", "mix",   "mixed",
                                                      "comp",     "completing", "down",      "drain", "drained",
                                                      "draining", "drng",       "fail",      "maint"};

// "down*" (not responding), "idle~" (powered down), "alloc#" … is "down", "idle", "alloc".
std::string_view bare_state(std::string_view state) { return state.substr(0, state.find_first_of("*~#!%$@^-+")); }

bool is_node_line(std::string_view line) {
  const auto cells = split(trim(line), ',');
  if (cells.size() != 2 || cells[0].empty() || cells[0].find(' ') != std::string_view::npos) return false;
  for (const std::string_view state : kStates) {
    if (bare_state(cells[1]) == state) return true;
  }
  return false;
}

bool fits_sinfo(std::string_view head) {
  LineReader reader = LineReader::from_memory(head);
  const auto first = reader.next();
  return first && is_node_line(*first);
}

Status read_sinfo(const RecordInput& input, ClusterRecords& records) {
  std::map<std::string, std::int64_t> nodes;
  const auto take = [&](std::string_view line, std::int64_t) {
    if (trim(line).empty()) return;
    if (!is_node_line(line)) {
      return add_defect(records.defects, {"records.unreadable_row", {{"file", records.file}}}, Severity::data_loss);
    }
    ++records.entries;
    ++nodes[std::string(split(trim(line), ',')[1])];
  };
  Status failure = read_record_lines(input, records, take);
  for (const auto& [state, count] : nodes) {
    add_record_fact(records, "slurm.nodes." + state, std::to_string(count), record_evidence(records, 0, ""));
  }
  return failure;
}

bool fits_sdiag(std::string_view head) {
  return any_line(head, [](std::string_view line) { return line.starts_with("sdiag output at "); });
}

// "Last queue length: 57011" stands twice: the section that a line is in tells the scheduler's from the backfiller's.
Status read_sdiag(const RecordInput& input, ClusterRecords& records) {
  std::string section = "slurm.";
  const auto take = [&](std::string_view line, std::int64_t number) {
    const std::string_view text = trim(line);
    for (const std::string_view clock : {"sdiag output at ", "Data since"}) {
      if (text.starts_with(clock)) widen(records, parse_record_time(text.substr(clock.size())));
    }
    if (text.starts_with("Main schedule statistics")) section = "slurm.main.";
    if (text.starts_with("Backfilling stats")) section = "slurm.backfill.";
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || !parse_number(trim(text.substr(colon + 1)))) return;
    ++records.entries;
    std::string key = section + to_lower(text.substr(0, colon));
    std::replace(key.begin(), key.end(), ' ', '_');
    add_record_fact(records, key, std::string(trim(text.substr(colon + 1))), record_evidence(records, number, line));
  };
  return read_record_lines(input, records, take);
}

}  // namespace

const RecordFormat kSinfoFormat{"slurm-sinfo", fits_sinfo, read_sinfo};
const RecordFormat kSdiagFormat{"slurm-sdiag", fits_sdiag, read_sdiag};

}  // namespace nameplate
