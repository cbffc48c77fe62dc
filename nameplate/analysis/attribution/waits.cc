#include "nameplate/analysis/attribution/waits.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "nameplate/facts/fabric.h"

namespace nameplate {
namespace {

LateCause cause_of(LedgerRow row) {
  using enum LedgerRow;
  switch (row) {
    case kernel_matmul:
    case kernel_attention:
    case kernel_memory_bound:
    case kernel_other:
      return LateCause::kernels;
    case data_wait:
      return LateCause::loader;
    case host_bound:
    case sync:
    case memory_stall:
    case checkpoint:
      return LateCause::host;
    case comm_dp:
    case comm_tp:
    case comm_pp:
    case comm_cp:
    case comm_ep:
    case comm_other:
    case pipeline_bubble:
      return LateCause::other_ranks;
    default:
      return LateCause::unknown;
  }
}

using ByCause = std::array<double, kLateCauses>;

ByCause by_cause(const RowTimes& times) {
  ByCause sums{};
  for (std::size_t row = 0; row < kLedgerRows; ++row) {
    sums[static_cast<std::size_t>(cause_of(static_cast<LedgerRow>(row)))] += times[row];
  }
  return sums;
}

// The exposed time of single collectives of one rank: a piece's communication of one row is shared equally by the
// collectives of that row that run during it.
class Exposure {
 public:
  explicit Exposure(const RankSummary& rank) : rank_(rank), running_(rank.activity.end_ns.size()) {
    const RankCollectives& c = rank.collectives;
    for (std::size_t i = 0; i < c.row.size(); ++i) {
      for (std::size_t p = piece_at(c.begin_ns[i]); p < running_.size() && begin_of(p) < c.end_ns[i]; ++p) {
        ++running_[p][place(c.row[i])];
      }
    }
  }

  double inside(Stretch when, LedgerRow row) const {
    const RankActivity& a = rank_.activity;
    double exposed_ns = 0;
    for (std::size_t p = piece_at(when.begin_ns); p < running_.size() && begin_of(p) < when.end_ns; ++p) {
      const Stretch common{std::max(begin_of(p), when.begin_ns), std::min(a.end_ns[p], when.end_ns)};
      const double of_row_ns = a.inside(common)[static_cast<std::size_t>(row)];
      if (of_row_ns > 0) exposed_ns += of_row_ns / std::max<std::uint16_t>(running_[p][place(row)], 1);
    }
    return exposed_ns;
  }

 private:
  static constexpr std::size_t kCommunicationRows = 6;
  static std::size_t place(LedgerRow row) {
    return static_cast<std::size_t>(row) - static_cast<std::size_t>(LedgerRow::comm_dp);
  }
  std::size_t piece_at(std::int64_t time_ns) const {
    const std::vector<std::int64_t>& ends = rank_.activity.end_ns;
    return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), time_ns) - ends.begin());
  }
  std::int64_t begin_of(std::size_t piece) const {
    return piece == 0 ? rank_.activity.begin_ns : rank_.activity.end_ns[piece - 1];
  }

  const RankSummary& rank_;
  std::vector<std::array<std::uint16_t, kCommunicationRows>> running_;
};

class Waits {
 public:
  explicit Waits(const Meetings& meetings) : meetings_(meetings), out_(meetings.ranks().size()) {}

  std::vector<RankWaits> run() {
    std::vector<Exposure> exposures;
    for (const RankSummary& rank : meetings_.ranks()) exposures.emplace_back(rank);
    for (std::size_t match = 0; match < meetings_.size(); ++match) {
      for (const MatchedMember m : meetings_.members(match)) book(match, m, exposures[m.rank]);
      if (!meetings_.matches().point_to_point[match]) blame(match);
    }
    return std::move(out_);
  }

 private:
  void book(std::size_t match, MatchedMember m, const Exposure& exposure) {
    RankWaits& of_rank = out_[m.rank];
    if (!meetings_.matches().point_to_point[match]) ++of_rank.collectives;
    const Stretch steady = meetings_.rank(m).steady;
    const Stretch all = meetings_.waiting(match, m);
    const Stretch when{std::max(all.begin_ns, steady.begin_ns), std::min(all.end_ns, steady.end_ns)};
    if (when.length() <= 0) return;
    const LedgerRow row = meetings_.row(m);
    const bool fills = meetings_.waiting_row(m) == LedgerRow::pipeline_bubble;
    const double exposed_ns = exposure.inside(when, row);
    of_rank.left_ns[{row, meetings_.kind(m)}] += exposed_ns;
    (fills ? of_rank.bubble_ns : of_rank.straggler_ns)[static_cast<std::size_t>(row)] += exposed_ns;
    if (!fills) of_rank.waited_for_ns[meetings_.rank(meetings_.last(match)).rank] += exposed_ns;
  }

  void blame(std::size_t match) {
    double waited_ns = 0;
    for (const MatchedMember m : meetings_.members(match)) {
      waited_ns += static_cast<double>(meetings_.waiting(match, m).length());
    }
    if (waited_ns <= 0) return;
    RankWaits& of_last = out_[meetings_.last(match).rank];
    ++of_last.times_last;
    of_last.caused_ns += waited_ns;
    const ByCause excess = excess_of_last(match);
    double sum = 0;
    for (const double ns : excess) sum += ns;
    for (std::size_t i = 0; i < kLateCauses; ++i) {
      if (sum > 0) of_last.caused_by_ns[i] += waited_ns * excess[i] / sum;
    }
    if (sum <= 0) of_last.caused_by_ns[static_cast<std::size_t>(LateCause::unknown)] += waited_ns;
  }

  // What the last rank did since the channel's collective before, beyond the median of all.
  ByCause excess_of_last(std::size_t match) const {
    ByCause excess{};
    if (!meetings_.follows(match)) return excess;
    const auto before = meetings_.members(match - 1), now = meetings_.members(match);
    std::array<std::vector<double>, kLateCauses> all;
    ByCause own{};
    for (std::size_t i = 0; i < now.size(); ++i) {
      const ByCause did = by_cause(
          meetings_.rank(now[i]).activity.inside({meetings_.own(before[i]).end_ns, meetings_.own(now[i]).begin_ns}));
      for (std::size_t c = 0; c < kLateCauses; ++c) all[c].push_back(did[c]);
      if (now[i] == meetings_.last(match)) own = did;
    }
    for (std::size_t c = 0; c < kLateCauses; ++c) {
      std::nth_element(all[c].begin(), all[c].begin() + static_cast<std::ptrdiff_t>((all[c].size() - 1) / 2),
                       all[c].end());
      excess[c] = std::max(0.0, own[c] - all[c][(all[c].size() - 1) / 2]);
    }
    return excess;
  }

  const Meetings& meetings_;
  std::vector<RankWaits> out_;
};

}  // namespace

std::string_view name(LateCause cause) {
  constexpr std::string_view kNames[] = {"slow_kernels", "late_host", "data_loader", "other_ranks", "unknown"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::optional<LateCause> RankWaits::cause(double least_ns) const {
  if (caused_ns <= 0 || caused_ns < least_ns) return std::nullopt;
  const auto most = std::max_element(caused_by_ns.begin(), caused_by_ns.end());
  if (*most < caused_ns / 2) return LateCause::unknown;
  return static_cast<LateCause>(most - caused_by_ns.begin());
}

std::vector<RankWaits> find_waits(const Meetings& meetings) { return Waits(meetings).run(); }

Ledger book_waits(const Ledger& ledger, const RankWaits& waits) {
  LedgerBuilder builder(ledger.scope(), ledger.ranks_present(), ledger.ranks_total());
  double straggler_s = 0, bubble_s = 0;
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    if (row == LedgerRow::unattributed || !ledger.value(row)) continue;
    // The pieces that waits are taken from may round differently from the ledger.
    const double moved_s = std::min((waits.straggler_ns[i] + waits.bubble_ns[i]) / 1e9, *ledger.value(row));
    const double bubble_part = moved_s > 0 ? waits.bubble_ns[i] / (waits.straggler_ns[i] + waits.bubble_ns[i]) : 0;
    builder.book(row, *ledger.value(row) - moved_s, ledger.evidence(row));
    bubble_s += moved_s * bubble_part;
    straggler_s += moved_s * (1 - bubble_part);
  }
  if (waits.collectives > 0 || straggler_s > 0) { builder.book(LedgerRow::straggler_wait, straggler_s); }
  if (bubble_s > 0) builder.book(LedgerRow::pipeline_bubble, bubble_s);
  return builder.close(ledger.total(), ledger.evidence(LedgerRow::unattributed));
}

std::vector<RowEvidence> book_waits(std::vector<RowEvidence> evidence, const RankWaits& waits) {
  for (const auto& [from, ns] : waits.left_ns) {
    const auto [row, kind] = from;
    for (RowEvidence& e : evidence) {
      if (e.row == row && e.name == name(kind)) e.ns = std::max(0.0, e.ns - ns);
    }
  }
  for (const auto& [rank, ns] : waits.waited_for_ns) {
    evidence.push_back({LedgerRow::straggler_wait, fmt::format("for rank {}", rank), ns});
  }
  return evidence;
}

}  // namespace nameplate
