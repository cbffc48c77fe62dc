#include "nameplate/analysis/attribution/collective_match.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "nameplate/core/statistics.h"

namespace nameplate {
namespace {

constexpr double kMostDisagreement = 0.02;  // of the collectives laid beside each other
constexpr std::int64_t kFewest = 8;         // pairs that can tell one shift from another
constexpr std::size_t kMostSamples = 256;   // of distances between ends

// Group id, its ranks, and of a pair sender and receiver.
using ChannelKey = std::tuple<std::string, std::vector<std::int64_t>, std::int64_t, std::int64_t>;

// One rank's collectives of a channel, in order of time. Several summaries may be pieces of one rank's capture.
struct Lane {
  std::int64_t rank = 0;
  std::vector<MatchedMember> collectives;
};

struct Channel {
  std::int64_t size = 0;    // ranks that it can have; 0: not known
  std::vector<Lane> lanes;  // by rank; the sender's first
};

bool is_send(CollectiveKind k) { return k == CollectiveKind::send; }
bool is_point_to_point(CollectiveKind k) { return k == CollectiveKind::send || k == CollectiveKind::receive; }
bool same_size_everywhere(CollectiveKind k) {
  using enum CollectiveKind;
  return k != all_to_all && k != gather && k != scatter && k != other;
}

class Channels {
 public:
  explicit Channels(const std::vector<RankSummary>& ranks) : ranks_(ranks) {
    without_groups_ = std::all_of(ranks.begin(), ranks.end(), [](const RankSummary& r) {
      return std::all_of(r.collectives.group.begin(), r.collectives.group.end(), [](auto g) { return g < 0; });
    });
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) add_all(rank);
    for (auto& [key, channel] : channels_) put_in_order(std::get<2>(key), channel);
  }

  const std::map<ChannelKey, Channel>& all() const { return channels_; }
  bool without_groups() const { return without_groups_; }
  std::int64_t nowhere() const { return nowhere_; }  // collectives whose channel is not known

 private:
  void add_all(std::uint32_t rank) {
    const RankCollectives& of_rank = ranks_[rank].collectives;
    // Keys hold all ranks of a group: looked up once.
    std::map<std::tuple<std::int32_t, std::int64_t, std::int64_t>, Lane*> lanes;
    for (std::uint32_t c = 0; c < of_rank.kind.size(); ++c) {
      const std::int32_t g = of_rank.group[c];
      const auto pair = pair_of(rank, c);
      if ((g < 0 && !without_groups_) || !pair) {
        ++nowhere_;
        continue;
      }
      Lane*& lane = lanes[{g, pair->first, pair->second}];
      if (lane == nullptr) lane = &lane_of(rank, g, *pair);
      lane->collectives.push_back({rank, c});
    }
  }

  Lane& lane_of(std::uint32_t rank, std::int32_t g, std::pair<std::int64_t, std::int64_t> pair) {
    const Group group = g < 0 ? Group{} : ranks_[rank].groups[static_cast<std::size_t>(g)];
    Channel& channel = channels_[{group.id, group.ranks, pair.first, pair.second}];
    channel.size = pair.first >= 0 ? 2 : group.size;
    const auto same = [&](const Lane& lane) { return lane.rank == ranks_[rank].rank; };
    const auto known = std::find_if(channel.lanes.rbegin(), channel.lanes.rend(), same);
    if (known != channel.lanes.rend()) return *known;
    return channel.lanes.emplace_back(Lane{ranks_[rank].rank, {}});
  }

  // Lanes by rank, the sender's first; a lane's collectives by time, pieces of a capture after each other.
  void put_in_order(std::int64_t sender, Channel& channel) {
    std::stable_sort(channel.lanes.begin(), channel.lanes.end(), [&](const Lane& a, const Lane& b) {
      return std::pair(a.rank != sender, a.rank) < std::pair(b.rank != sender, b.rank);
    });
    const auto begin = [&](MatchedMember m) {
      return ranks_[m.rank].base_time_ns + ranks_[m.rank].collectives.begin_ns[m.collective];
    };
    for (Lane& lane : channel.lanes) {
      std::stable_sort(lane.collectives.begin(), lane.collectives.end(),
                       [&](MatchedMember a, MatchedMember b) { return begin(a) < begin(b); });
    }
  }

  // Sender and receiver, -1 and -1 for what is not between two; nothing where the other is not known.
  std::optional<std::pair<std::int64_t, std::int64_t>> pair_of(std::uint32_t rank, std::uint32_t c) const {
    const RankCollectives& of_rank = ranks_[rank].collectives;
    if (!is_point_to_point(of_rank.kind[c])) return std::pair<std::int64_t, std::int64_t>{-1, -1};
    const std::int64_t own = ranks_[rank].rank;
    std::int64_t peer = of_rank.peer[c];
    if (peer < 0) {
      const std::int32_t g = of_rank.group[c];
      if (g < 0 || ranks_[rank].groups[static_cast<std::size_t>(g)].ranks.size() != 2) return std::nullopt;
      const std::vector<std::int64_t>& both = ranks_[rank].groups[static_cast<std::size_t>(g)].ranks;
      peer = both[0] == own ? both[1] : both[0];
    }
    return is_send(of_rank.kind[c]) ? std::pair{own, peer} : std::pair{peer, own};
  }

  const std::vector<RankSummary>& ranks_;
  bool without_groups_ = false;
  std::int64_t nowhere_ = 0;
  std::map<ChannelKey, Channel> channels_;
};

class Matcher {
 public:
  explicit Matcher(const std::vector<RankSummary>& ranks) : ranks_(ranks) {}

  CollectiveMatches run() {
    const Channels channels(ranks_);
    out_.without_groups = channels.without_groups();
    out_.unmatched = channels.nowhere();
    std::uint32_t number = 0;
    for (const auto& [key, channel] : channels.all()) match(channel, std::get<2>(key) >= 0, number++);
    return std::move(out_);
  }

 private:
  const RankCollectives& of(MatchedMember m) const { return ranks_[m.rank].collectives; }

  void match(const Channel& channel, bool point_to_point, std::uint32_t number) {
    std::int64_t all = 0;
    for (const Lane& lane : channel.lanes) all += static_cast<std::int64_t>(lane.collectives.size());
    const auto present = static_cast<std::int64_t>(channel.lanes.size());
    if (present < 2) {
      out_.alone += all;
      return;
    }
    out_.unmatched += all;
    if (channel.size > 0 && present > channel.size) return;
    const auto placed = places(channel);
    for (const auto& [place, members] : placed) {
      if (members.size() < lanes_placed_ || !agree(members)) continue;
      out_.member.insert(out_.member.end(), members.begin(), members.end());
      out_.first.push_back(static_cast<std::uint32_t>(out_.member.size()));
      out_.channel.push_back(number);
      out_.point_to_point.push_back(point_to_point);
      out_.unmatched -= static_cast<std::int64_t>(members.size());
    }
  }

  // The members at each place of the longest lane, or of each sequence number.
  std::map<std::int64_t, std::vector<MatchedMember>> places(const Channel& channel) {
    std::map<std::int64_t, std::vector<MatchedMember>> at;
    const bool numbered =
        std::all_of(channel.lanes.begin(), channel.lanes.end(), [&](const Lane& l) { return is_numbered(l); });
    const Lane& longest =
        *std::max_element(channel.lanes.begin(), channel.lanes.end(),
                          [](const Lane& a, const Lane& b) { return a.collectives.size() < b.collectives.size(); });
    lanes_placed_ = 0;
    for (const Lane& lane : channel.lanes) {
      const std::optional<std::int64_t> shift = numbered || &lane == &longest ? 0 : best_shift(longest, lane);
      if (!shift) continue;
      ++lanes_placed_;
      const auto from_end = static_cast<std::int64_t>(longest.collectives.size() - lane.collectives.size());
      for (std::size_t i = 0; i < lane.collectives.size(); ++i) {
        const MatchedMember m = lane.collectives[i];
        const std::int64_t place =
            numbered ? of(m).sequence[m.collective] : static_cast<std::int64_t>(i) + from_end + *shift;
        at[place].push_back(m);
      }
    }
    lanes_placed_ = std::max<std::size_t>(lanes_placed_, 2);
    return at;
  }

  // Each collective has a number, and they rise.
  bool is_numbered(const Lane& lane) const {
    std::int64_t before = -1;
    for (const MatchedMember m : lane.collectives) {
      if (is_point_to_point(of(m).kind[m.collective]) || of(m).sequence[m.collective] <= before) return false;
      before = of(m).sequence[m.collective];
    }
    return true;
  }

  bool agree(MatchedMember a, MatchedMember b) const {
    const RankCollectives& x = of(a);
    const RankCollectives& y = of(b);
    const CollectiveKind kind = x.kind[a.collective];
    const CollectiveKind other = y.kind[b.collective];
    if (kind != other && !(is_point_to_point(kind) && is_point_to_point(other))) return false;
    if (!same_size_everywhere(kind) || x.bytes[a.collective] < 0 || y.bytes[b.collective] < 0) return true;
    return x.bytes[a.collective] == y.bytes[b.collective];
  }

  bool agree(const std::vector<MatchedMember>& members) const {
    return std::all_of(members.begin() + 1, members.end(), [&](MatchedMember m) { return agree(members.front(), m); });
  }

  // By how many places `lane` lies after `longest`, both laid out from the end; nothing where they never agree.
  std::optional<std::int64_t> best_shift(const Lane& longest, const Lane& lane) const {
    std::optional<std::int64_t> best;
    double best_spread = std::numeric_limits<double>::infinity();
    for (std::int64_t n = 0; n <= 2 * kMostShift; ++n) {
      const std::int64_t shift = n % 2 == 0 ? n / 2 : -(n + 1) / 2;
      const std::optional<double> found = spread(longest, lane, shift);
      const double worth_it = best == 0 ? best_spread / 2 : best_spread;
      if (!found || (best && *found >= worth_it)) continue;
      best = shift;
      best_spread = *found;
    }
    return best;
  }

  // How unevenly the ends of the pairs lie at this shift, in ns; nothing where too few pairs agree.
  std::optional<double> spread(const Lane& longest, const Lane& lane, std::int64_t shift) const {
    const auto longer = static_cast<std::int64_t>(longest.collectives.size());
    const auto own = static_cast<std::int64_t>(lane.collectives.size());
    const std::int64_t offset = longer - own + shift;  // place in `longest` of the lane's first
    const std::int64_t begin = std::max<std::int64_t>(0, -offset);
    const std::int64_t end = std::min(own, longer - offset);
    if (2 * (end - begin) < own || (shift != 0 && end - begin < kFewest)) return std::nullopt;
    const auto allowed = static_cast<std::int64_t>(kMostDisagreement * static_cast<double>(end - begin));
    std::int64_t disagreements = 0;
    std::vector<double> distances;
    const std::int64_t stride = 1 + (end - begin) / static_cast<std::int64_t>(kMostSamples);
    std::optional<std::int64_t> zero;
    for (std::int64_t i = begin; i < end; ++i) {
      const MatchedMember a = longest.collectives[static_cast<std::size_t>(i + offset)];
      const MatchedMember b = lane.collectives[static_cast<std::size_t>(i)];
      if (!agree(a, b) && ++disagreements > allowed) return std::nullopt;
      if ((i - begin) % stride != 0) continue;
      const std::int64_t distance = of(a).end_ns[a.collective] - of(b).end_ns[b.collective];
      if (!zero) zero = distance;
      distances.push_back(static_cast<double>(distance - *zero));
    }
    return robust_sigma(distances);
  }

  const std::vector<RankSummary>& ranks_;
  CollectiveMatches out_;
  std::size_t lanes_placed_ = 0;
};

}  // namespace

CollectiveMatches match_collectives(const std::vector<RankSummary>& ranks) { return Matcher(ranks).run(); }

}  // namespace nameplate
