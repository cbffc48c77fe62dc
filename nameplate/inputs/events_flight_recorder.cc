// Dumps of PyTorch's NCCL flight recorder as JSON, one file a rank (rank0.json, nccl_trace_rank_0.json.gz, …): what
// each rank had put on its communicators when it wrote the file. The rank is in the file's name only.
//
// PyTorch writes pickles by default (TORCH_NCCL_DEBUG_INFO_TEMP_FILE). A pickle may run any code when it is opened, so
// it is refused with the line that converts it.
//
// pg_status counts by a number of the rank's own ("12"), entries name both that number and the group ("74"), pg_config
// lists the groups: the entries join the two. A rank has no entries for groups in which it has nothing queued; the
// groups in the order of their numbers meet the status in the order of its numbers if there are as many of each and no
// entry says otherwise (both grow as groups are made). Source: PyTorch 2.8,
// torch/csrc/distributed/c10d/FlightRecorder.hpp (dump_json, version 2.x).
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "nameplate/core/node.h"
#include "nameplate/core/text.h"
#include "nameplate/inputs/events_format.h"

namespace nameplate {
namespace {

bool fits(std::string_view head) {
  return trim(head).starts_with("{") && head.find("\"pg_config\"") != std::string_view::npos;
}

// The last run of digits in the name, before its endings: "rank12.json.gz", "_dump_12".
std::optional<std::int64_t> rank_of(std::string_view file) {
  std::string_view name = file.substr(file.rfind('/') + 1);
  name = name.substr(0, name.find('.', 1));
  const std::size_t last = name.find_last_of("0123456789");
  if (last == std::string_view::npos) return std::nullopt;
  const std::size_t before = name.find_last_not_of("0123456789", last);
  const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
  return parse_integer(name.substr(first, last - first + 1));
}

std::string text_of(const Node* node) { return node == nullptr ? "" : std::string(node->as_string().value_or("")); }
std::int64_t integer_of(const Node* node) { return node == nullptr ? 0 : node->as_integer().value_or(0); }

std::optional<std::int64_t> known(const Node* node) {
  const auto value = node == nullptr ? std::nullopt : node->as_integer();
  return value && *value >= 0 ? value : std::nullopt;
}

// "[0, 1, 2]", a string in PyTorch's own JSON, or a list.
std::vector<std::int64_t> ranks_of(const Node* node) {
  std::vector<std::int64_t> ranks;
  if (node == nullptr) return ranks;
  for (const Node& item : node->items) {
    if (const auto rank = item.as_integer()) ranks.push_back(*rank);
  }
  std::string_view text = node->string;
  if (text.size() >= 2 && text.front() == '[') text = text.substr(1, text.size() - 2);
  for (const std::string_view rank : split(text, ',')) {
    if (const auto value = parse_integer(trim(rank))) ranks.push_back(*value);
  }
  return ranks;
}

// [[4096, 5120], [16]] as "4096x5120, 16".
std::string sizes_of(const Node* node) {
  std::string text;
  if (node == nullptr) return text;
  for (const Node& shape : node->items) {
    if (!text.empty()) text += ", ";
    for (std::size_t i = 0; i < shape.items.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? "" : "x", integer_of(&shape.items[i]));
    }
  }
  return text;
}

// What a member names of the group: ["74", "EXPERT_MODEL_PARALLEL_GROUP"].
std::string group_of(const Node& entry) {
  const Node* group = entry.find("process_group");
  return group == nullptr || group->items.empty() ? "" : text_of(&group->items[0]);
}

RecordedCollective collective_of(const Node& entry) {
  RecordedCollective collective;
  collective.group = group_of(entry);
  collective.sequence = integer_of(entry.find("collective_seq_id"));
  collective.operation = text_of(entry.find("profiling_name"));
  if (collective.operation.starts_with("nccl:")) collective.operation.erase(0, 5);
  collective.input_sizes = sizes_of(entry.find("input_sizes"));
  const Node* dtypes = entry.find("input_dtypes");
  if (dtypes != nullptr && !dtypes->items.empty()) collective.dtype = text_of(&dtypes->items[0]);
  collective.state = text_of(entry.find("state"));
  collective.created_ns = integer_of(entry.find("time_created_ns"));
  return collective;
}

class Reader {
 public:
  Reader(const Node& root, ClusterRecords& records) : root_(root), records_(records) {}

  FlightRecord read(std::int64_t rank) {
    record_.rank = rank;
    record_.nccl_version = text_of(root_.find("nccl_version"));
    groups();
    entries();
    status();
    return std::move(record_);
  }

 private:
  void groups() {
    const Node* config = root_.find("pg_config");
    if (config == nullptr) return;
    for (const auto& [key, group] : config->members) {
      record_.groups.push_back({key, text_of(group.find("desc")), ranks_of(group.find("ranks")), {}, {}});
    }
    const auto number = [](const RecordedGroup& group) { return parse_integer(group.name).value_or(0); };
    std::stable_sort(record_.groups.begin(), record_.groups.end(),
                     [&](const RecordedGroup& a, const RecordedGroup& b) { return number(a) < number(b); });
  }

  void entries() {
    const Node* list = root_.find("entries");
    if (list == nullptr) return;
    for (const Node& entry : list->items) {
      ++records_.entries;
      own_numbers_[integer_of(entry.find("pg_id"))] = group_of(entry);
      const Node* p2p = entry.find("is_p2p");
      if (p2p != nullptr && p2p->as_boolean().value_or(false)) {
        ++record_.point_to_point;
        continue;
      }
      RecordedCollective collective = collective_of(entry);
      widen(records_, static_cast<double>(collective.created_ns) / 1e9);
      record_.collectives.push_back(std::move(collective));
    }
  }

  void status() {
    const Node* list = root_.find("pg_status");
    if (list == nullptr) return;
    std::map<std::int64_t, const Node*> by_number;
    for (const auto& [number, status] : list->members) by_number[parse_integer(number).value_or(-1)] = &status;
    const bool in_order = is_in_order(by_number);
    std::size_t position = 0;
    for (const auto& [number, status] : by_number) {
      RecordedGroup* group = in_order ? &record_.groups[position] : group_of_number(number);
      ++position;
      if (group == nullptr) continue;
      group->last_enqueued = known(status->find("last_enqueued_collective"));
      group->last_completed = known(status->find("last_completed_collective"));
    }
  }

  // Whether the i-th number of the rank's own is the i-th group, as far as the entries tell.
  bool is_in_order(const std::map<std::int64_t, const Node*>& by_number) const {
    if (by_number.size() != record_.groups.size()) return false;
    std::size_t position = 0;
    for (const auto& [number, status] : by_number) {
      const auto name = own_numbers_.find(number);
      if (name != own_numbers_.end() && name->second != record_.groups[position].name) return false;
      ++position;
    }
    return true;
  }

  RecordedGroup* group_of_number(std::int64_t number) {
    const auto name = own_numbers_.find(number);
    if (name == own_numbers_.end()) return nullptr;
    for (RecordedGroup& group : record_.groups) {
      if (group.name == name->second) return &group;
    }
    return nullptr;
  }

  const Node& root_;
  ClusterRecords& records_;
  FlightRecord record_;
  std::map<std::int64_t, std::string> own_numbers_;  // of the rank, to names of groups
};

Status read(const RecordInput& input, ClusterRecords& records) {
  NAMEPLATE_TRY(const std::string text, input.text());
  NAMEPLATE_TRY(const ParsedJson json, parse_json(text, records.file));
  const auto rank = rank_of(records.file);
  if (!rank) {
    return Error{"a flight-recorder dump whose name has no rank",
                 "a name that ends in the rank, as rank12.json",
                 {.file = records.file},
                 "rename it: the rank is nowhere inside"};
  }
  records.flight_record = Reader(json.root, records).read(*rank);
  return std::nullopt;
}

// Protocol 2 to 5 pickles begin with 0x80 and the protocol; a dump names its members.
bool fits_pickle(std::string_view head) {
  return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5 &&
         head.find("pg_config") != std::string_view::npos;
}

Status refuse_pickle(const RecordInput&, ClusterRecords& records) {
  return Error{
      "a flight-recorder dump as a Python pickle, which may run code when it is opened",
      "the same as JSON",
      {.file = records.file},
      "if you trust it: python3 -c \"import json, pickle, sys; json.dump(pickle.load(open(sys.argv[1], 'rb')), "
      "open(sys.argv[1] + '.json', 'w'))\" " +
          records.file};
}

}  // namespace

const RecordFormat kFlightRecorderFormat{"nccl-flight-recorder", fits, read};
const RecordFormat kFlightPickleFormat{"nccl-flight-recorder-pickle", fits_pickle, refuse_pickle};

}  // namespace nameplate
