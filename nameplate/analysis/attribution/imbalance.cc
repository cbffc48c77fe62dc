#include "nameplate/analysis/attribution/imbalance.h"

#include <algorithm>
#include <array>
#include <map>

namespace nameplate {
namespace {

double kernels_ns(const RankActivity& activity, Stretch when) {
  if (when.length() <= 0) return 0;
  const RowTimes times = activity.inside(when);
  double sum = 0;
  for (const LedgerRow row : {LedgerRow::kernel_matmul, LedgerRow::kernel_attention, LedgerRow::kernel_memory_bound,
                              LedgerRow::kernel_other}) {
    sum += times[static_cast<std::size_t>(row)];
  }
  return sum;
}

class Uses {
 public:
  explicit Uses(const Meetings& meetings) : meetings_(meetings) {}

  std::vector<ChannelUse> run() {
    for (std::size_t match = 0; match < meetings_.size(); ++match) {
      if (match == 0 || meetings_.matches().channel[match] != meetings_.matches().channel[match - 1])
        begin_channel(match);
      add_times(match);
      add_gap(match);
    }
    finish_channel();
    return std::move(out_);
  }

 private:
  // Between two exchanges, summed over gaps of one parity.
  struct Gaps {
    double slowest_ns = 0;
    double mean_ns = 0;
    double idle_ns = 0;
    double spread() const { return mean_ns > 0 ? slowest_ns / mean_ns : 0; }
  };

  void begin_channel(std::size_t match) {
    finish_channel();
    ChannelUse use;
    const MatchedMember any = meetings_.members(match)[0];
    const std::int32_t group = meetings_.rank(any).collectives.group[any.collective];
    if (group >= 0) use.group = meetings_.rank(any).groups[static_cast<std::size_t>(group)];
    experts_ = group >= 0 && use.group.role == GroupRole::ep &&
               meetings_.rank(any).role_sources[static_cast<std::size_t>(group)] != RoleSource::pattern;
    use.point_to_point = meetings_.matches().point_to_point[match];
    for (const MatchedMember m : meetings_.members(match)) use.members.push_back(meetings_.rank(m).rank);
    out_.push_back(std::move(use));
    gaps_ = {};
    gap_ = 0;
    exchanged_.reset();
  }

  void finish_channel() {
    if (!experts_) return;
    const Gaps& experts = gaps_[gaps_[1].spread() > gaps_[0].spread() ? 1 : 0];
    if (experts.mean_ns <= 0) return;
    out_.back().slowest_over_mean = experts.spread();
    out_.back().expert_idle_ns = experts.idle_ns;
  }

  void add_times(std::size_t match) {
    for (const MatchedMember m : meetings_.members(match)) {
      const std::int64_t waited_ns = meetings_.waiting(match, m).length();
      out_.back().wait_ns += static_cast<double>(waited_ns);
      out_.back().transfer_ns += static_cast<double>(meetings_.own(m).length() - waited_ns);
    }
    ++out_.back().collectives;
  }

  // The gap between this exchange and the one before.
  void add_gap(std::size_t match) {
    if (meetings_.kind(meetings_.members(match)[0]) != CollectiveKind::all_to_all) return;
    if (exchanged_) {
      Gaps& gaps = gaps_[gap_++ % 2];
      if (same_captures(*exchanged_, match)) add_gap(*exchanged_, match, gaps);
    }
    exchanged_ = match;
  }

  void add_gap(std::size_t from, std::size_t to, Gaps& gaps) {
    const auto before = meetings_.members(from), now = meetings_.members(to);
    std::vector<double> took;
    double sum = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const Stretch gap{meetings_.own(before[i]).end_ns, meetings_.own(now[i]).begin_ns};
      took.push_back(kernels_ns(meetings_.rank(now[i]).activity, gap));
      sum += took.back();
    }
    const double slowest = *std::max_element(took.begin(), took.end());
    gaps.slowest_ns += slowest;
    gaps.mean_ns += sum / static_cast<double>(took.size());
    gaps.idle_ns += slowest * static_cast<double>(took.size()) - sum;
  }

  bool same_captures(std::size_t a, std::size_t b) const {
    const auto x = meetings_.members(a), y = meetings_.members(b);
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](MatchedMember m, MatchedMember n) { return m.rank == n.rank; });
  }

  const Meetings& meetings_;
  std::vector<ChannelUse> out_;
  bool experts_ = false;  // the channel is known to be of experts, not by its pattern alone
  std::array<Gaps, 2> gaps_{};
  std::size_t gap_ = 0;
  std::optional<std::size_t> exchanged_;
};

// The rank's place in the largest of its pipeline groups.
std::optional<std::int64_t> stage_of(const RankSummary& rank) {
  const Group* line = nullptr;
  for (const Group& group : rank.groups) {
    const bool has_it = std::find(group.ranks.begin(), group.ranks.end(), rank.rank) != group.ranks.end();
    if (group.role != GroupRole::pp || !has_it || group.ranks.size() < 2) continue;
    if (line == nullptr || group.ranks.size() > line->ranks.size()) line = &group;
  }
  if (line == nullptr) return std::nullopt;
  return std::find(line->ranks.begin(), line->ranks.end(), rank.rank) - line->ranks.begin();
}

}  // namespace

std::vector<ChannelUse> channel_uses(const Meetings& meetings) { return Uses(meetings).run(); }

std::vector<StageLoad> stage_loads(const std::vector<RankSummary>& ranks) {
  std::map<std::int64_t, StageLoad> by_stage;
  for (const RankSummary& rank : ranks) {
    const auto stage = stage_of(rank);
    if (!stage) continue;
    StageLoad& load = by_stage[*stage];
    load.stage = *stage;
    ++load.ranks;
    const auto steps = static_cast<double>(std::max<std::size_t>(rank.steps.size(), 1));
    load.kernels_ns += kernels_ns(rank.activity, rank.steady) / steps;
  }
  std::vector<StageLoad> loads;
  double sum = 0;
  for (auto& [stage, load] : by_stage) {
    load.kernels_ns /= static_cast<double>(load.ranks);
    sum += load.kernels_ns;
    loads.push_back(load);
  }
  for (StageLoad& load : loads) {
    if (sum > 0) load.over_mean_ratio = load.kernels_ns * static_cast<double>(loads.size()) / sum;
  }
  return loads;
}

}  // namespace nameplate
