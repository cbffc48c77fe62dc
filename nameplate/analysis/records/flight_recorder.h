// Which collective a job hangs in, and which rank it waits for, from the flight recorders of its ranks.
//
// A communicator runs its collectives in order, and one ends only when all its ranks have joined. So, group by group:
// - A rank that has put fewer collectives on the group's queue than another has not arrived at the first it lacks; the
//   others wait for it there. Of several groups in which a rank is missing, the collective that the others queued first
//   is the one that the rank should have called next.
// - A rank that is missing because it waits itself, in a group where another rank is missing, is a victim: it is named
//   only where every missing rank is one (a cycle).
// - A rank with a collective pending that another rank of the group has seen end, where the end needs the data of all,
//   has stopped on its device: it is behind.
// - A rank without a dump, in a group where others wait, may have died.
// Sends and receives are left out: their numbers are of a pair of ranks. Known error: dumps are written at different
// moments (seconds); a rank that was merely late then looks missing if the job went on between two dumps.
// Source: the rules above follow from the order of NCCL communicators; PyTorch's tools/flight_recorder matches entries
// by (group, sequence) the same way.
#pragma once

#include <string>
#include <vector>

#include "nameplate/facts/records.h"

namespace nameplate {

enum class StuckKind : std::uint8_t { not_arrived, behind, no_record };
std::string_view name(StuckKind kind);

// Ranks that one collective waits for.
struct StuckCollective {
  StuckKind kind = StuckKind::not_arrived;
  std::string group;
  std::string description;  // of the group
  std::int64_t sequence = 0;
  std::string operation;
  std::string input_sizes;  // of the lowest rank that is waiting
  std::string dtype;
  std::vector<std::int64_t> ranks;    // that the collective waits for, ascending
  std::vector<std::int64_t> waiting;  // ranks that have it pending, ascending
  Maybe since_s;                      // when the first of them queued it, seconds since 1970 (UTC)
  bool operator==(const StuckCollective&) const = default;
};

// Ordered by kind, then by time. Empty when nothing is pending, or all pending collectives wait for each other's
// victims only (point-to-point).
std::vector<StuckCollective> find_stuck(const std::vector<FlightRecord>& records);

}  // namespace nameplate
