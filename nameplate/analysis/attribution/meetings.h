// Who comes last to each matched collective, and how long do the others wait for it?
//
// Of a rank's own time in a collective the part before the last arrival is waiting. A rank that leaves before the last
// arrives did not wait for it (the root of a broadcast, a send that fits in a buffer): nothing of it is waiting.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nameplate/analysis/attribution/clocks.h"
#include "nameplate/analysis/attribution/collective_match.h"

namespace nameplate {

class Meetings {
 public:
  Meetings(const std::vector<RankSummary>& ranks, const CollectiveMatches& matches, const Clocks& clocks);

  const std::vector<RankSummary>& ranks() const { return ranks_; }
  const CollectiveMatches& matches() const { return matches_; }
  std::size_t size() const { return matches_.size(); }
  std::span<const MatchedMember> members(std::size_t match) const;
  MatchedMember last(std::size_t match) const { return last_[match]; }
  // Whether this match follows the one before it in its channel, each member in the same capture.
  bool follows(std::size_t match) const;

  const RankSummary& rank(MatchedMember m) const { return ranks_[m.rank]; }
  CollectiveKind kind(MatchedMember m) const { return rank(m).collectives.kind[m.collective]; }
  LedgerRow row(MatchedMember m) const { return rank(m).collectives.row[m.collective]; }
  Stretch own(MatchedMember m) const;  // the rank's own time in it
  // Its part before the last arrival, as precise as the clocks are; of the last itself none.
  Stretch waiting(std::size_t match, MatchedMember m) const;
  // Where a member's waiting belongs: a receive that waits for its stage's sender has no micro-batch to work on.
  LedgerRow waiting_row(MatchedMember m) const;
  std::int64_t residual_ns(MatchedMember m) const;

 private:
  std::int64_t arrival(MatchedMember m) const { return shared_time(rank(m), clocks_[m.rank], own(m).begin_ns); }

  const std::vector<RankSummary>& ranks_;
  const CollectiveMatches& matches_;
  const Clocks& clocks_;
  std::vector<MatchedMember> last_;
};

}  // namespace nameplate
