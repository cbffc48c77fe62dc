#include "nameplate/analysis/attribution/rank_summary.h"

#include <algorithm>

#include "nameplate/analysis/attribution/event_rows.h"
#include "nameplate/analysis/attribution/host_tree.h"
#include "nameplate/analysis/attribution/idle.h"

namespace nameplate {
namespace {

// The year 2042: sums and differences of four such times stay within 64 bits, whatever a file says.
constexpr std::int64_t kLatestNs = 2'300'000'000'000'000'000;

bool is_plausible(std::int64_t base_time_ns, std::int64_t own_ns) {
  return own_ns >= -kLatestNs && own_ns <= kLatestNs - base_time_ns;
}

// Steps and all device events.
Stretch capture(const RankTimeline& rank, Stretch steps) {
  Stretch all = steps;
  for (std::size_t i = 0; i < rank.device.begin_ns.size(); ++i) {
    all.begin_ns = std::min(all.begin_ns, rank.device.begin_ns[i]);
    all.end_ns = std::max(all.end_ns, rank.device.begin_ns[i] + rank.device.duration_ns[i]);
  }
  return all;
}

RankCollectives columns(const RankTimeline& rank, const std::vector<LedgerRow>& rows, std::int64_t base_time_ns) {
  const Collectives& in = rank.collectives;
  RankCollectives out;
  for (std::size_t c = 0; c < in.event.size(); ++c) {
    const auto i = static_cast<std::size_t>(in.event[c]);
    if (!is_plausible(base_time_ns, rank.device.begin_ns[i])) continue;
    out.group.push_back(in.group[c]);
    out.kind.push_back(in.kind[c]);
    out.row.push_back(rows[i]);
    out.bytes.push_back(in.bytes[c]);
    out.sequence.push_back(in.sequence[c]);
    out.peer.push_back(in.peer[c]);
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
  std::vector<std::int64_t> borders;
  for (const StepSpan& step : steps.steps) {
    borders.insert(borders.end(), {step.begin_ns, step.begin_ns + step.duration_ns});
  }
  const std::int64_t base = rank.base_time_ns >= 0 && rank.base_time_ns <= kLatestNs ? rank.base_time_ns : 0;
  RankSummary out{.rank = rank.rank,
                  .base_time_ns = base,
                  .steady = steps.steady,
                  .steps = {steps.steps.begin() + static_cast<std::ptrdiff_t>(steps.warm_up), steps.steps.end()},
                  .groups = timeline.groups,
                  .collectives = columns(rank, rows, base),
                  .activity = rank_activity(rank.device, rows, idle, borders, window)};
  std::erase_if(out.steps, [&](const StepSpan& step) { return !is_plausible(base, step.begin_ns); });
  for (std::size_t i = 0; i < out.groups.size(); ++i) out.groups[i].role = roles[i].role;
  for (const GroupUse& use : roles) out.role_sources.push_back(use.source);
  return out;
}

}  // namespace nameplate
