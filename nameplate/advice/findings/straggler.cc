// Ranks wait inside collectives for the last to arrive. Where one rank holds a good part of that, it is named with what
// made it late; curing it gives back its part at most, since the next latest is then waited for.
#include <string>

#include <fmt/format.h>

#include "nameplate/advice/findings/trace_findings.h"

namespace nameplate {
namespace {

// Of all waiting: below it no single rank stands out.
constexpr double kStandsOut = 0.25;

std::string id_of(const LateRank& rank) { return fmt::format("finding.straggler_{}", name(rank.cause)); }

}  // namespace

std::optional<Finding> find_straggler(const TraceFindingInput& input) {
  const double wait_s = input.ledger.value(LedgerRow::straggler_wait).value_or(0);
  if (wait_s < kLeastTraceShare * input.ledger.total() || wait_s <= 0) return std::nullopt;
  const double share = wait_s / input.ledger.total();
  if (input.late.empty() || input.late.front().part < kStandsOut) {
    return Finding{
        {"finding.stragglers_many", {{"share", share}}}, LedgerRow::straggler_wait, worth_in_trace(input, wait_s), {}};
  }
  const LateRank& late = input.late.front();
  std::vector<std::string> evidence;
  for (const LateRank& rank : input.late) {
    if (rank.part < kLeastTraceShare) break;
    evidence.push_back(
        fmt::format("rank {}: {:.1f} % of the waiting, {:.0f} % of that by {}; last in {} of {} collectives", rank.rank,
                    100 * rank.part, 100 * rank.cause_part, name(rank.cause), rank.times_last, rank.collectives));
  }
  return Finding{{id_of(late), {{"share", share}, {"rank", late.rank}, {"part", late.part}}},
                 LedgerRow::straggler_wait,
                 worth_in_trace(input, late.part * wait_s),
                 evidence};
}

}  // namespace nameplate
