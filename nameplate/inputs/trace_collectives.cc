#include "nameplate/inputs/trace_collectives.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "nameplate/facts/precision.h"
#include "nameplate/inputs/collective_repetition.h"
#include "nameplate/inputs/kernel_classes.h"
#include "nameplate/inputs/trace_kineto_values.h"

namespace nameplate {
namespace {

// A collective's records nest at most a few deep (record_param_comms, nccl:…, c10d::…), but the calls that make up one
// (ncclSend and ncclRecv for each rank) stand between them and the launch.
constexpr int kMostLookedAt = 64;

struct Record {
  std::int32_t collective = -1;  // into events.collectives
  std::int32_t operands = -1;    // of the annotation, for its size
  std::optional<CollectiveKind> kind;
};

bool names_a_collective(std::string_view name) {
  for (const std::string_view prefix : {"nccl", "rccl", "gloo:", "mpi:", "ucc:", "xccl:", "hccl:", "c10d::",
                                        "record_param_comms", "_c10d_functional::"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

class Annotations {
 public:
  Annotations(const CollectiveEvidence& evidence, const RankTrace& trace) : evidence_(evidence), trace_(trace) {
    std::vector<bool> names(trace.names.size());
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = names_a_collective(trace.names[i]);
    const HostSpans& host = trace.timeline.host;
    for (std::size_t i = 0; i < host.begin_ns.size(); ++i) {
      if (!names[static_cast<std::size_t>(host.name_id[i])] && evidence.recorded_on_host[i] < 0) continue;
      by_thread_[host.thread[i]].push_back(static_cast<std::int32_t>(i));
    }
  }

  // What the records around host span `launch` say.
  Record around(std::int32_t launch) const {
    Record record;
    const HostSpans& host = trace_.timeline.host;
    const auto thread = by_thread_.find(host.thread[static_cast<std::size_t>(launch)]);
    if (thread == by_thread_.end()) return record;
    const std::int64_t time = host.begin_ns[static_cast<std::size_t>(launch)];
    auto span = std::upper_bound(thread->second.begin(), thread->second.end(), launch);
    for (int looked = 0; span != thread->second.begin() && looked < kMostLookedAt; ++looked) {
      const auto i = static_cast<std::size_t>(*--span);
      if (host.begin_ns[i] + host.duration_ns[i] >= time) use(i, record);
    }
    return record;
  }

 private:
  void use(std::size_t span, Record& record) const {
    const HostSpans& host = trace_.timeline.host;
    if (record.collective < 0) record.collective = evidence_.recorded_on_host[span];
    if (record.operands < 0) record.operands = host.operands[span];
    if (!record.kind) record.kind = parse_collective(trace_.names[static_cast<std::size_t>(host.name_id[span])]);
  }

  const CollectiveEvidence& evidence_;
  const RankTrace& trace_;
  std::map<std::int32_t, std::vector<std::int32_t>> by_thread_;
};

class Groups {
 public:
  explicit Groups(std::vector<Group>& groups) : groups_(groups) {
    for (std::size_t i = 0; i < groups.size(); ++i) by_id_.emplace(groups[i].id, static_cast<std::int32_t>(i));
  }

  std::int32_t find(const TraceCollective& c, const NameTable& labels) {
    if (c.group < 0 && c.ranks < 0) return -1;
    const auto [place, is_new] = known_.try_emplace({c.group, c.ranks, c.group_size}, -1);
    if (is_new) place->second = find_new(c, labels);
    return place->second;
  }

 private:
  std::int32_t find_new(const TraceCollective& c, const NameTable& labels) {
    Group group;
    if (c.group >= 0) group.id = unescape(labels[c.group]);
    if (c.description >= 0) group.description = unescape(labels[c.description]);
    if (c.ranks >= 0) group.ranks = parse_ranks(labels[c.ranks]);
    group.size = group.ranks.empty() ? c.group_size : static_cast<std::int64_t>(group.ranks.size());
    const auto known = by_id_.find(group.id);
    if (known != by_id_.end()) {
      const Group& other = groups_[static_cast<std::size_t>(known->second)];
      if (group.ranks.empty() || group.ranks == other.ranks) return known->second;
    }
    groups_.push_back(std::move(group));
    return static_cast<std::int32_t>(groups_.size()) - 1;
  }

  std::vector<Group>& groups_;
  std::map<std::string, std::int32_t> by_id_;
  std::map<std::tuple<std::int32_t, std::int32_t, std::int64_t>, std::int32_t> known_;
};

std::optional<std::int64_t> bytes_of(const Operands& operands) {
  if (operands.dims.empty() || operands.types.empty() || operands.dims[0].empty()) return std::nullopt;
  const auto size = element_bytes(operands.types[0]);
  if (!size) return std::nullopt;
  std::int64_t bytes = *size;
  for (const std::int64_t dim : operands.dims[0]) {
    if (dim < 0 || __builtin_mul_overflow(bytes, dim, &bytes)) return std::nullopt;
  }
  return bytes;
}

std::int64_t bytes_of(const TraceCollective& c, const NameTable& labels) {
  if (c.in_elements < 0 || c.dtype < 0) return -1;
  const auto size = element_bytes(labels[c.dtype]);
  std::int64_t bytes = 0;
  return size && !__builtin_mul_overflow(*size, c.in_elements, &bytes) ? bytes : -1;
}

void add(std::int32_t event, const Record& record, const CollectiveEvidence& evidence, Groups& groups,
         RankTrace& trace) {
  Collectives& out = trace.timeline.collectives;
  const NameTable& labels = evidence.events.labels;
  const TraceCollective c = record.collective < 0
                                ? TraceCollective{}
                                : evidence.events.collectives[static_cast<std::size_t>(record.collective)];
  const auto name = static_cast<std::size_t>(trace.timeline.device.name_id[static_cast<std::size_t>(event)]);
  std::optional<CollectiveKind> kind = evidence.kinds[name];
  if (!kind && c.collective >= 0) kind = parse_collective(labels[c.collective]);
  if (!kind) kind = record.kind;
  std::int64_t bytes = bytes_of(c, labels);
  if (bytes < 0 && record.operands >= 0) {
    bytes = bytes_of(trace.operands[static_cast<std::size_t>(record.operands)]).value_or(-1);
  }
  out.event.push_back(event);
  out.group.push_back(groups.find(c, labels));
  out.kind.push_back(kind.value_or(CollectiveKind::other));
  out.bytes.push_back(bytes);
  out.dtype.push_back(c.dtype < 0 ? std::nullopt : parse_precision(labels[c.dtype]));
  out.sequence.push_back(c.sequence);
  out.peer.push_back(c.peer);
}

}  // namespace

void add_collectives(const CollectiveEvidence& evidence, RankTrace& trace) {
  const Annotations annotations(evidence, trace);
  Groups groups(trace.groups);
  const DeviceEvents& device = trace.timeline.device;
  for (std::size_t i = 0; i < device.begin_ns.size(); ++i) {
    if (device.event_class[i] != DeviceEventClass::collective) continue;
    Record record;
    if (device.launch[i] >= 0) record = annotations.around(device.launch[i]);
    if (evidence.recorded[i] >= 0) record.collective = evidence.recorded[i];
    add(static_cast<std::int32_t>(i), record, evidence, groups, trace);
  }
  const std::int64_t completed = complete_by_repetition(device, trace.timeline.collectives);
  if (completed > 0) add_defect(trace.defects, {"trace.collectives_by_repetition", {}}, Severity::info, completed);
}

}  // namespace nameplate
