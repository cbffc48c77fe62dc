#include "nameplate/analysis/attribution/meetings.h"

#include <algorithm>

namespace nameplate {

Meetings::Meetings(const std::vector<RankSummary>& ranks, const CollectiveMatches& matches, const Clocks& clocks)
    : ranks_(ranks), matches_(matches), clocks_(clocks) {
  for (std::size_t match = 0; match < size(); ++match) {
    const auto all = members(match);
    last_.push_back(*std::max_element(all.begin(), all.end(),
                                      [&](MatchedMember a, MatchedMember b) { return arrival(a) < arrival(b); }));
  }
}

std::span<const MatchedMember> Meetings::members(std::size_t match) const {
  return std::span(matches_.member).subspan(matches_.first[match], matches_.first[match + 1] - matches_.first[match]);
}

bool Meetings::follows(std::size_t match) const {
  if (match == 0 || matches_.channel[match] != matches_.channel[match - 1]) return false;
  const auto before = members(match - 1), now = members(match);
  return std::equal(before.begin(), before.end(), now.begin(), now.end(),
                    [](MatchedMember a, MatchedMember b) { return a.rank == b.rank; });
}

Stretch Meetings::own(MatchedMember m) const {
  return {rank(m).collectives.begin_ns[m.collective], rank(m).collectives.end_ns[m.collective]};
}

std::int64_t Meetings::residual_ns(MatchedMember m) const { return clocks_[m.rank] ? clocks_[m.rank]->residual_ns : 0; }

LedgerRow Meetings::waiting_row(MatchedMember m) const {
  const bool fills = kind(m) == CollectiveKind::receive && row(m) == LedgerRow::comm_pp;
  return fills ? LedgerRow::pipeline_bubble : LedgerRow::straggler_wait;
}

Stretch Meetings::waiting(std::size_t match, MatchedMember m) const {
  const Stretch inside = own(m);
  if (m == last_[match]) return {inside.begin_ns, inside.begin_ns};
  const std::int64_t all_there = own_time(rank(m), clocks_[m.rank], arrival(last_[match]));
  const bool left_before = all_there - inside.end_ns > residual_ns(m) + residual_ns(last_[match]);
  return {inside.begin_ns, left_before ? inside.begin_ns : std::clamp(all_there, inside.begin_ns, inside.end_ns)};
}

}  // namespace nameplate
