#include "nameplate/analysis/attribution/clocks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "nameplate/core/statistics.h"

namespace nameplate {
namespace {

constexpr int kRounds = 2;
constexpr std::size_t kFewestForDrift = 8;

struct Point {
  double time_ns;  // from the rank's origin
  double difference_ns;
};

struct Line {
  double offset_ns = 0;
  double drift = 0;
};

double slope(const std::vector<Point>& points) {
  if (points.size() < kFewestForDrift) return 0;
  const std::size_t half = points.size() / 2;
  std::vector<double> slopes;
  for (std::size_t i = 0; i + half < points.size(); ++i) {
    const double run = points[i + half].time_ns - points[i].time_ns;
    if (run > 0) slopes.push_back((points[i + half].difference_ns - points[i].difference_ns) / run);
  }
  if (slopes.empty()) return 0;
  const double middle = median(slopes);
  // A median's standard error is sqrt(pi / 2) that of a mean.
  const double error = 1.2533 * robust_sigma(slopes) / std::sqrt(static_cast<double>(slopes.size()));
  return std::abs(middle) > kSignificant * error ? middle : 0;
}

Line fit(std::vector<Point>& points) {
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return std::tie(a.time_ns, a.difference_ns) < std::tie(b.time_ns, b.difference_ns);
  });
  Line line{.drift = slope(points)};
  std::vector<double> left;
  for (const Point& p : points) left.push_back(p.difference_ns - line.drift * p.time_ns);
  line.offset_ns = median(left);
  return line;
}

class Aligner {
 public:
  Aligner(const std::vector<RankSummary>& ranks, const CollectiveMatches& matches)
      : ranks_(ranks), matches_(matches), clocks_(ranks.size()), of_rank_(ranks.size()) {
    for (std::uint32_t m = 0; m < matches.size(); ++m) {
      for (std::uint32_t i = matches.first[m]; i < matches.first[m + 1]; ++i) {
        of_rank_[matches.member[i].rank].push_back({m, matches.member[i].collective});
      }
    }
    for (auto& meetings : of_rank_) {
      const auto collective = [&](const Meeting& meeting) { return !matches.point_to_point[meeting.match]; };
      if (std::any_of(meetings.begin(), meetings.end(), collective)) std::erase_if(meetings, std::not_fn(collective));
    }
  }

  Clocks run() {
    find_links();
    for (std::uint32_t root = 0; root < ranks_.size(); ++root) {
      if (!clocks_[root] && !of_rank_[root].empty()) join_from(root);
    }
    for (int round = 0; round < kRounds; ++round) refine();
    for (const std::vector<std::uint32_t>& set : connected_) anchor(set);
    leave_what_agrees(consensus());
    find_residuals();
    return std::move(clocks_);
  }

 private:
  struct Meeting {
    std::uint32_t match;
    std::uint32_t collective;
  };
  struct Link {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;  // collectives of the lower rank and the higher
    bool point_to_point = true;
    std::pair<bool, std::size_t> weight() const { return {!point_to_point, ends.size()}; }
  };

  std::int64_t own_end(std::uint32_t rank, std::uint32_t collective) const {
    return ranks_[rank].collectives.end_ns[collective];
  }
  std::int64_t shared_end(MatchedMember m) const {
    return shared_time(ranks_[m.rank], clocks_[m.rank], own_end(m.rank, m.collective));
  }

  // Each match links its first member with the others.
  void find_links() {
    for (std::uint32_t m = 0; m < matches_.size(); ++m) {
      const MatchedMember hub = matches_.member[matches_.first[m]];
      for (std::uint32_t i = matches_.first[m] + 1; i < matches_.first[m + 1]; ++i) {
        const MatchedMember other = matches_.member[i];
        const bool in_order = hub.rank < other.rank;
        Link& link = links_[std::minmax(hub.rank, other.rank)];
        link.point_to_point = link.point_to_point && matches_.point_to_point[m];
        link.ends.emplace_back(in_order ? hub.collective : other.collective,
                               in_order ? other.collective : hub.collective);
      }
    }
    neighbours_.resize(ranks_.size());
    for (const auto& [pair, link] : links_) {
      neighbours_[pair.first].push_back(pair.second);
      neighbours_[pair.second].push_back(pair.first);
    }
  }

  const Link& link(std::uint32_t a, std::uint32_t b) const { return links_.at(std::minmax(a, b)); }

  // Prim's algorithm: the strongest link out of the set next.
  void join_from(std::uint32_t root) {
    using Edge = std::tuple<std::pair<bool, std::size_t>, std::uint32_t, std::uint32_t>;
    std::set<Edge, std::greater<>> open;
    std::vector<std::uint32_t> joined;
    const auto add = [&](std::uint32_t rank) {
      joined.push_back(rank);
      for (const std::uint32_t next : neighbours_[rank]) {
        if (!clocks_[next]) open.emplace(link(rank, next).weight(), rank, next);
      }
    };
    clocks_[root] = ClockAlignment{.origin_ns = middle_of(root)};
    add(root);
    while (!open.empty()) {
      const auto [weight, from, to] = *open.begin();
      open.erase(open.begin());
      if (clocks_[to]) continue;
      join(from, to);
      add(to);
    }
    std::sort(joined.begin(), joined.end());
    connected_.push_back(std::move(joined));
  }

  std::int64_t middle_of(std::uint32_t rank) const {
    std::int64_t first = INT64_MAX, last = INT64_MIN;
    for (const Meeting& m : of_rank_[rank]) {
      first = std::min(first, own_end(rank, m.collective));
      last = std::max(last, own_end(rank, m.collective));
    }
    return first + (last - first) / 2;
  }

  void join(std::uint32_t from, std::uint32_t to) {
    ClockAlignment clock{.origin_ns = middle_of(to)};
    std::optional<std::int64_t> zero;  // differences may be as large as the time since 1970
    std::vector<Point> points;
    for (const auto& [lower, higher] : link(from, to).ends) {
      const std::int64_t own = own_end(to, from < to ? higher : lower);
      const std::int64_t theirs = shared_time(ranks_[from], clocks_[from], own_end(from, from < to ? lower : higher));
      const std::int64_t difference = theirs - shared_time(ranks_[to], std::nullopt, own);
      if (!zero) zero = difference;
      points.push_back({static_cast<double>(own - clock.origin_ns), static_cast<double>(difference - *zero)});
    }
    const Line line = fit(points);
    clock.offset_ns = *zero + std::llround(line.offset_ns);
    clock.drift = line.drift;
    clocks_[to] = clock;
  }

  // By match: the median end of its members on the shared clock.
  std::vector<std::int64_t> consensus() const {
    std::vector<std::int64_t> middle(matches_.size());
    std::vector<std::int64_t> ends;
    for (std::uint32_t m = 0; m < matches_.size(); ++m) {
      ends.clear();
      for (std::uint32_t i = matches_.first[m]; i < matches_.first[m + 1]; ++i) {
        ends.push_back(shared_end(matches_.member[i]));
      }
      std::sort(ends.begin(), ends.end());
      const std::int64_t low = ends[(ends.size() - 1) / 2];
      middle[m] = low + (ends[ends.size() / 2] - low) / 2;
    }
    return middle;
  }

  std::vector<Point> distances(std::uint32_t rank, const std::vector<std::int64_t>& middle) const {
    std::vector<Point> points;
    for (const Meeting& m : of_rank_[rank]) {
      const std::int64_t own = own_end(rank, m.collective);
      points.push_back({static_cast<double>(own - clocks_[rank]->origin_ns),
                        static_cast<double>(middle[m.match] - shared_time(ranks_[rank], clocks_[rank], own))});
    }
    return points;
  }

  void refine() {
    const std::vector<std::int64_t> middle = consensus();
    Clocks refined = clocks_;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      if (!clocks_[rank]) continue;
      std::vector<Point> points = distances(rank, middle);
      const Line line = fit(points);
      refined[rank]->offset_ns += std::llround(line.offset_ns);
      refined[rank]->drift += line.drift;
    }
    clocks_ = std::move(refined);
  }

  // Makes the clock of the median rank the shared one.
  void anchor(const std::vector<std::uint32_t>& set) {
    // Of two in the middle, that of the rank which comes first.
    const auto middle = [&](auto of) {
      std::vector<decltype(of(*clocks_[0]))> values, sorted;
      for (const std::uint32_t rank : set) values.push_back(of(*clocks_[rank]));
      sorted = values;
      std::sort(sorted.begin(), sorted.end());
      const auto low = sorted[(sorted.size() - 1) / 2], high = sorted[sorted.size() / 2];
      return *std::find_if(values.begin(), values.end(), [&](auto v) { return v == low || v == high; });
    };
    const double drift = middle([](const ClockAlignment& c) { return c.drift; });
    const auto own_middle = [&](std::uint32_t rank) {
      return shared_time(ranks_[rank], clocks_[rank], clocks_[rank]->origin_ns);
    };
    const std::int64_t pivot = own_middle(set.front());
    for (const std::uint32_t rank : set) {
      clocks_[rank]->offset_ns -= std::llround(drift * static_cast<double>(own_middle(rank) - pivot));
      clocks_[rank]->drift -= drift;
    }
    const std::int64_t offset = middle([](const ClockAlignment& c) { return c.offset_ns; });
    for (const std::uint32_t rank : set) clocks_[rank]->offset_ns -= offset;
  }

  void leave_what_agrees(const std::vector<std::int64_t>& middle) {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      if (!clocks_[rank]) continue;
      ClockAlignment& clock = *clocks_[rank];
      std::vector<double> ends;
      double reach_ns = 0;
      for (const Point& p : distances(rank, middle)) {
        ends.push_back(p.difference_ns);
        reach_ns = std::max(reach_ns, std::abs(p.time_ns));
      }
      const double most = std::abs(static_cast<double>(clock.offset_ns)) + std::abs(clock.drift) * reach_ns;
      if (most <= robust_sigma(ends)) clock = {.origin_ns = clock.origin_ns};
    }
  }

  void find_residuals() {
    const std::vector<std::int64_t> middle = consensus();
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      if (!clocks_[rank]) continue;
      std::vector<double> left;
      for (const Point& p : distances(rank, middle)) left.push_back(std::abs(p.difference_ns));
      clocks_[rank]->residual_ns = std::llround(median(left));
    }
  }

  const std::vector<RankSummary>& ranks_;
  const CollectiveMatches& matches_;
  Clocks clocks_;
  std::vector<std::vector<Meeting>> of_rank_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Link> links_;
  std::vector<std::vector<std::uint32_t>> neighbours_;
  std::vector<std::vector<std::uint32_t>> connected_;
};

}  // namespace

Clocks align_clocks(const std::vector<RankSummary>& ranks, const CollectiveMatches& matches) {
  return Aligner(ranks, matches).run();
}

std::int64_t shared_time(const RankSummary& rank, const std::optional<ClockAlignment>& clock, std::int64_t own_ns) {
  const std::int64_t nominal = rank.base_time_ns + own_ns;
  if (!clock) return nominal;
  return nominal + clock->offset_ns + std::llround(clock->drift * static_cast<double>(own_ns - clock->origin_ns));
}

std::int64_t own_time(const RankSummary& rank, const std::optional<ClockAlignment>& clock, std::int64_t shared_ns) {
  const std::int64_t without_offset = shared_ns - rank.base_time_ns;
  if (!clock) return without_offset;
  const std::int64_t from_origin = without_offset - clock->offset_ns - clock->origin_ns;
  return clock->origin_ns + std::llround(static_cast<double>(from_origin) / (1 + clock->drift));
}

}  // namespace nameplate
