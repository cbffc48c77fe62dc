#include "nameplate/inputs/trace_merge.h"

#include <algorithm>

namespace nameplate {
namespace {

void renumber(std::vector<std::int32_t>& column, const std::vector<std::int32_t>& ids) {
  for (std::int32_t& id : column) id = id < 0 ? -1 : ids[static_cast<std::size_t>(id)];
}

}  // namespace

void number_ranks(std::vector<RankNumber>& ranks, Defects& defects) {
  std::map<std::int64_t, std::int64_t> bearers;
  for (const RankNumber& one : ranks) {
    if (one.source != RankSource::order) ++bearers[one.rank];
  }
  std::int64_t next = 0, unnumbered = 0;
  for (RankNumber& one : ranks) {
    if (one.source != RankSource::order) continue;
    while (bearers.contains(next)) ++next;
    one.rank = next++;
    ++unnumbered;
  }
  if (unnumbered > 0 && ranks.size() > 1) add_defect(defects, {"trace.rank_by_order", {}}, Severity::info, unnumbered);
  for (const auto& [rank, count] : bearers) {
    if (count > 1) add_defect(defects, {"trace.rank_twice", {{"rank", rank}}}, Severity::info, count);
  }
}

TimelineMerger::Numbers TimelineMerger::add(RankTrace&& trace) {
  Numbers numbers;
  for (const std::string& name : trace.names) numbers.names.push_back(names_.id(name));
  numbers.groups = numbers_of(trace.groups);
  RankTimeline& rank = trace.timeline;
  renumber(rank.device.name_id, numbers.names);
  renumber(rank.host.name_id, numbers.names);
  renumber(rank.host.operands, numbers_of(trace.operands));
  renumber(rank.collectives.group, numbers.groups);
  for (Defect& defect : trace.defects) {
    add_defect(timeline_.defects, std::move(defect.message), defect.severity, defect.count);
  }
  timeline_.ranks_total = std::max(timeline_.ranks_total, trace.ranks_total.value_or(0));
  timeline_.ranks.push_back(std::move(rank));
  return numbers;
}

Timeline TimelineMerger::finish() {
  std::stable_sort(timeline_.ranks.begin(), timeline_.ranks.end(),
                   [](const RankTimeline& a, const RankTimeline& b) { return a.rank < b.rank; });
  timeline_.ranks_total = std::max(timeline_.ranks_total, static_cast<std::int64_t>(timeline_.ranks.size()));
  for (std::int32_t i = 0; i < names_.size(); ++i) timeline_.names.emplace_back(names_[i]);
  return std::move(timeline_);
}

std::vector<std::int32_t> TimelineMerger::numbers_of(std::vector<Operands>& operands) {
  std::vector<std::int32_t> numbers;
  for (Operands& one : operands) {
    const auto [place, is_new] = operands_.try_emplace({one.dims, one.types, one.values}, timeline_.operands.size());
    if (is_new) timeline_.operands.push_back(std::move(one));
    numbers.push_back(static_cast<std::int32_t>(place->second));
  }
  return numbers;
}

std::vector<std::int32_t> TimelineMerger::numbers_of(std::vector<Group>& groups) {
  std::vector<std::int32_t> numbers;
  for (Group& one : groups) {
    const auto [place, is_new] = groups_.try_emplace({one.id, one.ranks}, timeline_.groups.size());
    if (is_new) timeline_.groups.push_back(std::move(one));
    numbers.push_back(static_cast<std::int32_t>(place->second));
  }
  return numbers;
}

}  // namespace nameplate
