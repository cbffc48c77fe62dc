#include "nameplate/api/trace_one_job.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

namespace nameplate {
namespace {

// Clocks of hosts agree to seconds at worst; captures that close to each other may be of one time.
constexpr std::int64_t kClocksApartNs = 60'000'000'000;

// Captures that overlap in time, one after the other. Captures without a time since 1970 begin near 0.
std::vector<std::vector<const RankTimeline*>> by_time(const std::vector<RankTimeline>& ranks) {
  std::vector<const RankTimeline*> sorted;
  for (const RankTimeline& rank : ranks) sorted.push_back(&rank);
  const auto begin = [](const RankTimeline* r) { return r->base_time_ns + r->window_begin_ns; };
  std::stable_sort(sorted.begin(), sorted.end(), [&](auto* a, auto* b) { return begin(a) < begin(b); });
  std::vector<std::vector<const RankTimeline*>> together;
  std::int64_t end_ns = 0;
  for (const RankTimeline* rank : sorted) {
    if (together.empty() || begin(rank) > end_ns + kClocksApartNs) together.emplace_back();
    together.back().push_back(rank);
    end_ns = std::max(end_ns, rank->base_time_ns + rank->window_end_ns);
  }
  return together;
}

std::set<std::int64_t> known_ranks(const std::vector<const RankTimeline*>& captures) {
  std::set<std::int64_t> known;
  for (const RankTimeline* rank : captures) {
    if (rank->rank_source != RankSource::order) known.insert(rank->rank);
  }
  return known;
}

// The same ranks, recorded again.
bool repeats(const std::vector<const RankTimeline*>& later, const std::vector<const RankTimeline*>& first) {
  const std::set<std::int64_t> known = known_ranks(first);
  return std::all_of(later.begin(), later.end(), [&](const RankTimeline* rank) {
    return rank->rank_source != RankSource::order && known.contains(rank->rank);
  });
}

}  // namespace

OneJob one_job(const std::vector<RankTimeline>& ranks) {
  OneJob out;
  std::set<std::string> devices;
  for (const RankTimeline& rank : ranks) {
    if (!rank.device_name.empty()) devices.insert(rank.device_name);
  }
  if (devices.size() > 1) {
    out.notes.push_back({"trace.devices_differ", {{"devices", fmt::format("{}", fmt::join(devices, ", "))}}});
  }
  const auto together = by_time(ranks);
  const bool repeated = std::all_of(together.begin(), together.end(),
                                    [&](const auto& captures) { return repeats(captures, together.front()); });
  if (together.size() > 1 && !repeated) {
    out.can_be = false;
    out.notes.push_back({"trace.captures_apart", {{"times", static_cast<std::int64_t>(together.size())}}});
  }
  return out;
}

}  // namespace nameplate
