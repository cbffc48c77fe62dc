// Which device events of different ranks are one collective?
//
// Ranks meet in a channel: a communication group (by id and ranks), or for sends and receives a pair of ranks within
// one. Within a channel the n-th collective of one rank is the n-th of another, but captures begin and end apart. Where
// every collective has a recorded sequence number, the number decides. Else the ranks' sequences are laid beside each
// other from the end, shifted by up to kMostShift: of the shifts at which kinds and sizes agree the one at which the
// ends lie at the most even distance, for training repeats itself and only the true partner ends at the same moment
// every time; no shift unless another is twice as even.
//
// Several captures of one rank, as pieces of a long one, are one sequence. A match has all ranks of the channel that
// are present. What falls outside, disagrees in kind or size (all-to-all, gather and scatter may differ in size), or
// whose group would need more ranks than it has, is counted.
#pragma once

#include <cstdint>
#include <vector>

#include "nameplate/analysis/attribution/rank_summary.h"

namespace nameplate {

inline constexpr std::int64_t kMostShift = 64;

// One rank's part in a collective: ranks[rank].collectives, column `collective`.
struct MatchedMember {
  std::uint32_t rank = 0;
  std::uint32_t collective = 0;
  bool operator==(const MatchedMember&) const = default;
};

struct CollectiveMatches {
  // Match i has the members first[i] up to first[i + 1], by rank; a send before its receive.
  std::vector<std::uint32_t> first = {0};
  std::vector<MatchedMember> member;
  std::vector<std::uint32_t> channel;  // of each match; matches of a channel follow each other in order
  std::vector<bool> point_to_point;    // by match
  std::int64_t alone = 0;              // collectives of channels in which no other rank is present
  std::int64_t unmatched = 0;          // other collectives without a partner
  bool without_groups = false;         // no rank recorded groups: all present are taken for one

  std::size_t size() const { return channel.size(); }
};

CollectiveMatches match_collectives(const std::vector<RankSummary>& ranks);

}  // namespace nameplate
