#include "nameplate/analysis/attribution/rank_summary.h"

#include <algorithm>

#include "nameplate/analysis/attribution/event_rows.h"
#include "nameplate/analysis/attribution/host_tree.h"
#include "nameplate/analysis/attribution/idle.h"

namespace nameplate {
namespace {

// The year 2096: sums of times up to here stay within 64 bits.
constexpr std::int64_t kLatestBaseNs = 4'000'000'000'000'000'000;

// Steps and all device events.
Stretch capture(const RankTimeline& rank, Stretch steps) {
  Stretch all = steps;
  for (std::size_t i = 0; i < rank.device.begin_ns.size(); ++i) {
    all.begin_ns = std::min(all.begin_ns, rank.device.begin_ns[i]);
    all.end_ns = std::max(all.end_ns, rank.device.begin_ns[i] + rank.device.duration_ns[i]);
  }
  return all;
}

RankCollectives columns(const RankTimeline& rank, const std::vector<LedgerRow>& rows) {
  const Collectives& in = rank.collectives;
  RankCollectives out{.group = in.group,
                      .kind = in.kind,
                      .row = {},
                      .bytes = in.bytes,
                      .sequence = in.sequence,
                      .peer = in.peer,
                      .begin_ns = {},
                      .end_ns = {}};
  for (const std::int32_t event : in.event) {
    const auto i = static_cast<std::size_t>(event);
    out.row.push_back(rows[i]);
    out.begin_ns.push_back(rank.device.begin_ns[i]);
    out.end_ns.push_back(rank.device.begin_ns[i] + rank.device.duration_ns[i]);
  }
  return out;
}

}  // namespace

RankSummary summarise(const Timeline& timeline, const RankTimeline& rank, const std::vector<GroupUse>& roles,
                      const Steps& steps) {
  const std::vector<std::int32_t> enclosing = enclosing_spans(rank.host);
  const std::vector<LedgerRow> rows = event_rows(timeline, rank, roles, enclosing);
  const Stretch window = capture(rank, steps.whole);
  Stretches busy;
  for (std::size_t i = 0; i < rank.device.begin_ns.size(); ++i) {
    busy.push_back({rank.device.begin_ns[i], rank.device.begin_ns[i] + rank.device.duration_ns[i]});
  }
  std::vector<Claimed> idle;
  for (const IdleClaim& claim : claim_idle(timeline, rank, subtract({window}, unite(std::move(busy))), enclosing)) {
    idle.push_back({claim.when, claim.row});
  }
  const bool plausible = rank.base_time_ns >= 0 && rank.base_time_ns <= kLatestBaseNs;
  RankSummary out{.rank = rank.rank,
                  .base_time_ns = plausible ? rank.base_time_ns : 0,
                  .steady = steps.steady,
                  .steps = {steps.steps.begin() + static_cast<std::ptrdiff_t>(steps.warm_up), steps.steps.end()},
                  .groups = timeline.groups,
                  .collectives = columns(rank, rows),
                  .activity = rank_activity(rank.device, rows, idle, window)};
  for (std::size_t i = 0; i < out.groups.size(); ++i) out.groups[i].role = roles[i].role;
  return out;
}

}  // namespace nameplate
