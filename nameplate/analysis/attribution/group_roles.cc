#include "nameplate/analysis/attribution/group_roles.h"

#include <algorithm>
#include <array>
#include <string>

#include "nameplate/core/check.h"
#include "nameplate/core/text.h"

namespace nameplate {
namespace {

struct Word {
  std::string_view word;  // lower case, between separators
  GroupRole role;
};

// In the order in which they decide: an "expert data parallel" group carries gradients.
constexpr Word kWords[] = {
    {"dp", GroupRole::dp},        {"ddp", GroupRole::dp},      {"fsdp", GroupRole::dp},    {"data", GroupRole::dp},
    {"replicate", GroupRole::dp}, {"edp", GroupRole::dp},      {"tp", GroupRole::tp},      {"tensor", GroupRole::tp},
    {"pp", GroupRole::pp},        {"pipeline", GroupRole::pp}, {"pipe", GroupRole::pp},    {"cp", GroupRole::cp},
    {"context", GroupRole::cp},   {"sequence", GroupRole::cp}, {"ulysses", GroupRole::cp}, {"ep", GroupRole::ep},
    {"expert", GroupRole::ep},    {"moe", GroupRole::ep},      {"model", GroupRole::tp},   {"shard", GroupRole::dp}};

GroupRole by_description(std::string_view description) {
  std::string words = to_lower(description);
  std::replace_if(
      words.begin(), words.end(), [](char c) { return (c < 'a' || c > 'z') && c != ' '; }, ' ');
  words = " " + words + " ";
  for (const Word& w : kWords) {
    if (words.find(" " + std::string(w.word) + " ") != words.npos) return w.role;
  }
  return GroupRole::other;
}

struct Counts {
  std::array<std::int64_t, static_cast<std::size_t>(CollectiveKind::other) + 1> of{};
  std::int64_t all = 0;
  std::int64_t operator[](CollectiveKind kind) const { return of[static_cast<std::size_t>(kind)]; }
  std::int64_t point_to_point() const { return (*this)[CollectiveKind::send] + (*this)[CollectiveKind::receive]; }
  std::int64_t reduces_or_gathers() const {
    return (*this)[CollectiveKind::all_reduce] + (*this)[CollectiveKind::all_gather] +
           (*this)[CollectiveKind::reduce_scatter];
  }
};

std::vector<Counts> count_kinds(const Timeline& timeline) {
  std::vector<Counts> counts(timeline.groups.size());
  for (const RankTimeline& rank : timeline.ranks) {
    for (std::size_t i = 0; i < rank.collectives.group.size(); ++i) {
      if (rank.collectives.group[i] < 0) continue;
      Counts& of_group = counts[static_cast<std::size_t>(rank.collectives.group[i])];
      ++of_group.of[static_cast<std::size_t>(rank.collectives.kind[i])];
      ++of_group.all;
    }
  }
  return counts;
}

GroupRole by_pattern(const Timeline& timeline, const std::vector<Counts>& counts, std::size_t group) {
  const Counts& own = counts[group];
  if (own.all == 0) return GroupRole::other;
  if (own.point_to_point() == own.all) return GroupRole::pp;
  if (own[CollectiveKind::all_to_all] * 2 > own.all) return GroupRole::ep;
  const bool whole_job = timeline.ranks_total > 1 && timeline.groups[group].size == timeline.ranks_total;
  const auto rivals =
      std::count_if(counts.begin(), counts.end(), [](const Counts& c) { return c.reduces_or_gathers() > 0; });
  return whole_job && own.reduces_or_gathers() > 0 && rivals == 1 ? GroupRole::dp : GroupRole::other;
}

}  // namespace

std::string_view name(RoleSource source) {
  constexpr std::string_view kNames[] = {"recorded", "description", "pattern", "none"};
  return kNames[static_cast<std::size_t>(source)];
}

std::string_view name(GroupRole role) {
  constexpr std::string_view kNames[] = {"dp", "tp", "pp", "cp", "ep", "other"};
  return kNames[static_cast<std::size_t>(role)];
}

LedgerRow communication_row(GroupRole role) {
  switch (role) {
    case GroupRole::dp:
      return LedgerRow::comm_dp;
    case GroupRole::tp:
      return LedgerRow::comm_tp;
    case GroupRole::pp:
      return LedgerRow::comm_pp;
    case GroupRole::cp:
      return LedgerRow::comm_cp;
    case GroupRole::ep:
      return LedgerRow::comm_ep;
    case GroupRole::other:
      return LedgerRow::comm_other;
  }
  NAMEPLATE_CHECK(false);
}

std::vector<GroupUse> group_roles(const Timeline& timeline) {
  const std::vector<Counts> counts = count_kinds(timeline);
  std::vector<GroupUse> uses;
  for (std::size_t i = 0; i < timeline.groups.size(); ++i) {
    const Group& group = timeline.groups[i];
    const auto decide = [&]() -> GroupUse {
      if (group.role != GroupRole::other) return {group.role, RoleSource::recorded};
      if (const auto role = by_description(group.description); role != GroupRole::other)
        return {role, RoleSource::description};
      if (const auto role = by_pattern(timeline, counts, i); role != GroupRole::other)
        return {role, RoleSource::pattern};
      return {};
    };
    uses.push_back(decide());
  }
  return uses;
}

GroupRole role_of(const std::vector<GroupUse>& uses, const Collectives& collectives, std::size_t collective) {
  if (collectives.group[collective] >= 0) return uses[static_cast<std::size_t>(collectives.group[collective])].role;
  const CollectiveKind kind = collectives.kind[collective];
  return kind == CollectiveKind::send || kind == CollectiveKind::receive ? GroupRole::pp : GroupRole::other;
}

}  // namespace nameplate
