#include "nameplate/analysis/attribution/critical_path.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace nameplate {
namespace {

constexpr std::int64_t kLeastTransferNs = 10;

class Walker {
 public:
  Walker(const Meetings& meetings, const Clocks& clocks)
      : ranks_(meetings.ranks()), clocks_(clocks), blocked_(ranks_.size()) {
    out_.on_rank_ns.resize(ranks_.size());
    for (std::size_t match = 0; match < meetings.size(); ++match) find_blocked(meetings, match);
    for (auto& of_rank : blocked_) {
      std::sort(of_rank.begin(), of_rank.end(), [](const Blocked& a, const Blocked& b) { return a.end_ns < b.end_ns; });
    }
  }

  CriticalPath run() {
    for (const auto& [index, ends] : common_steps()) {
      const auto later = [](const auto& a, const auto& b) { return a.second.shared_ns < b.second.shared_ns; };
      const End& last = std::max_element(ends.begin(), ends.end(), later)->second;
      walk(index, last.rank, last.own_ns);
      ++out_.steps;
    }
    for (const RowTimes& rows : out_.on_rank_ns) {
      for (const double ns : rows) out_.length_ns += ns;
    }
    return std::move(out_);
  }

 private:
  struct End {
    std::uint32_t rank = 0;
    std::int64_t own_ns = 0;
    std::int64_t shared_ns = 0;
  };
  // A collective that a rank left late. Times are the rank's own.
  struct Blocked {
    std::int64_t end_ns;
    std::int64_t all_there_ns;
    LedgerRow row;
    MatchedMember last;
  };

  void find_blocked(const Meetings& meetings, std::size_t match) {
    const MatchedMember last = meetings.last(match);
    for (const MatchedMember m : meetings.members(match)) {
      const Stretch waited = meetings.waiting(match, m);
      const Stretch own = meetings.own(m);
      if (waited.length() <= meetings.residual_ns(m) + meetings.residual_ns(last)) continue;
      // Conversions between clocks round, and the walk must go back in time with each rank it passes to.
      if (own.end_ns - waited.end_ns < kLeastTransferNs) continue;
      const LedgerRow row = meetings.row(m);
      if (ranks_[m.rank].activity.inside(own)[static_cast<std::size_t>(row)] <= 0) continue;
      blocked_[m.rank].push_back({own.end_ns, waited.end_ns, row, last});
    }
  }

  // Their ends by index and number of the rank: those that every rank has.
  std::map<std::int64_t, std::map<std::int64_t, End>> common_steps() const {
    std::map<std::int64_t, std::map<std::int64_t, End>> steps;
    std::set<std::int64_t> numbers;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      numbers.insert(ranks_[r].rank);
      for (const StepSpan& step : ranks_[r].steps) {
        const std::int64_t end = step.begin_ns + step.duration_ns;
        steps[step.index][ranks_[r].rank] = {r, end, shared_time(ranks_[r], clocks_[r], end)};
      }
    }
    std::erase_if(steps, [&](const auto& step) { return step.second.size() != numbers.size(); });
    return steps;
  }

  // Nothing where another capture of the rank has the step.
  std::optional<std::int64_t> begin_of(std::int64_t index, std::uint32_t rank) const {
    for (const StepSpan& step : ranks_[rank].steps) {
      if (step.index == index) return step.begin_ns;
    }
    return std::nullopt;
  }

  void walk(std::int64_t index, std::uint32_t rank, std::int64_t until_ns) {
    while (true) {
      const std::optional<std::int64_t> begin = begin_of(index, rank);
      if (!begin) return;
      const std::vector<Blocked>& of_rank = blocked_[rank];
      auto after = std::upper_bound(of_rank.begin(), of_rank.end(), until_ns,
                                    [](std::int64_t t, const Blocked& b) { return t < b.end_ns; });
      const bool from_begin = after == of_rank.begin() || std::prev(after)->end_ns <= *begin;
      add(rank, {from_begin ? *begin : std::prev(after)->end_ns, until_ns});
      if (from_begin) return;
      const Blocked& left = *std::prev(after);
      out_.on_rank_ns[rank][static_cast<std::size_t>(left.row)] += static_cast<double>(left.end_ns - left.all_there_ns);
      rank = left.last.rank;
      until_ns = ranks_[rank].collectives.begin_ns[left.last.collective];
    }
  }

  void add(std::uint32_t rank, Stretch when) {
    if (when.length() <= 0) return;
    const RowTimes times = ranks_[rank].activity.inside(when);
    for (std::size_t row = 0; row < kLedgerRows; ++row) out_.on_rank_ns[rank][row] += times[row];
  }

  const std::vector<RankSummary>& ranks_;
  const Clocks& clocks_;
  std::vector<std::vector<Blocked>> blocked_;  // by rank, by end
  CriticalPath out_;
};

}  // namespace

CriticalPath find_critical_path(const Meetings& meetings, const Clocks& clocks) {
  return Walker(meetings, clocks).run();
}

}  // namespace nameplate
