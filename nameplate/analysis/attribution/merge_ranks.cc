#include "nameplate/analysis/attribution/merge_ranks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "nameplate/analysis/attribution/kernel_work.h"
#include "nameplate/core/check.h"

namespace nameplate {
namespace {

std::optional<double> ratio(double part, double whole) {
  return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

template <class Map>
auto by_time(const Map& totals) {
  std::vector<typename Map::mapped_type> sorted;
  for (const auto& [key, total] : totals) sorted.push_back(total);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
  return sorted;
}

}  // namespace

Ledger merge_ledgers(const std::vector<RankAttribution>& ranks, std::int64_t ranks_total) {
  NAMEPLATE_CHECK(!ranks.empty());
  const auto present = static_cast<std::int64_t>(ranks.size());
  LedgerBuilder builder(LedgerScope::step, present, std::max(present, ranks_total));
  double total = 0;
  std::vector<RowEvidence> evidence;
  for (const RankAttribution& rank : ranks) {
    total += rank.ledger.total();
    evidence.insert(evidence.end(), rank.evidence.begin(), rank.evidence.end());
  }
  for (std::size_t i = 0; i < kLedgerRows; ++i) {
    const auto row = static_cast<LedgerRow>(i);
    if (row == LedgerRow::unattributed) continue;
    std::optional<double> sum;
    const RankAttribution* most = nullptr;
    for (const RankAttribution& rank : ranks) {
      const auto value = rank.ledger.value(row);
      if (!value) continue;
      sum = sum.value_or(0) + *value;
      if (most == nullptr || *value > *most->ledger.value(row)) most = &rank;
    }
    if (!sum) continue;
    const std::string text = evidence_text(evidence, row);
    builder.book(row, *sum, text.empty() ? most->ledger.evidence(row) : text);
  }
  return builder.close(total);
}

std::vector<KernelTotal> merge_kernels(const std::vector<RankAttribution>& ranks) {
  std::map<std::int32_t, KernelTotal> by_name;
  for (const RankAttribution& rank : ranks) {
    for (const KernelTotal& k : rank.kernels) {
      KernelTotal& sum = by_name.try_emplace(k.name_id, KernelTotal{k.name_id, k.event_class}).first->second;
      sum.count += k.count;
      sum.time_ns += k.time_ns;
      sum.exclusive_ns += k.exclusive_ns;
      sum.unknown_ns += k.unknown_ns;
      sum.flops += k.flops;
      sum.recompute_ns += k.recompute_ns;
    }
  }
  return by_time(by_name);
}

std::vector<CollectiveTotal> merge_collectives(const std::vector<RankAttribution>& ranks) {
  std::map<std::tuple<CollectiveKind, std::int32_t, std::int64_t>, CollectiveTotal> by_key;
  for (const RankAttribution& rank : ranks) {
    for (const CollectiveTotal& c : rank.collectives) {
      CollectiveTotal& sum =
          by_key.try_emplace({c.kind, c.group, c.bytes}, CollectiveTotal{c.kind, c.group, c.role, c.bytes})
              .first->second;
      sum.count += c.count;
      sum.time_ns += c.time_ns;
      sum.exposed_ns += c.exposed_ns;
      if (c.least_ns > 0 && (sum.least_ns == 0 || c.least_ns < sum.least_ns)) sum.least_ns = c.least_ns;
    }
  }
  return by_time(by_key);
}

std::vector<OperatorTotal> merge_operators(const std::vector<RankAttribution>& ranks) {
  std::map<std::pair<std::string, std::string>, OperatorTotal> by_shape;
  for (const RankAttribution& rank : ranks) {
    for (const OperatorTotal& o : rank.operators) {
      OperatorTotal& sum = by_shape[{o.name, o.shapes}];
      sum.name = o.name;
      sum.shapes = o.shapes;
      if (sum.site.empty()) sum.site = o.site;
      sum.calls += o.calls;
      sum.device_ns += o.device_ns;
      sum.unknown_ns += o.unknown_ns;
      sum.flops += o.flops;
      sum.at_peak_ns += o.at_peak_ns;
      if (o.bytes) sum.bytes = sum.bytes.value_or(0) + *o.bytes;
    }
  }
  std::vector<OperatorTotal> sorted;
  for (auto& [key, total] : by_shape) sorted.push_back(std::move(total));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const OperatorTotal& a, const OperatorTotal& b) { return a.device_ns > b.device_ns; });
  return sorted;
}

std::vector<UncountedTotal> merge_uncounted(const std::vector<RankAttribution>& ranks) {
  std::map<std::pair<std::string, UncountedReason>, UncountedTotal> by_name;
  for (const RankAttribution& rank : ranks) {
    for (const UncountedTotal& u : rank.uncounted) {
      UncountedTotal& sum = by_name.try_emplace({u.name, u.reason}, UncountedTotal{u.name, u.reason}).first->second;
      sum.kernels += u.kernels;
      sum.ns += u.ns;
    }
  }
  std::vector<UncountedTotal> sorted;
  for (auto& [key, total] : by_name) sorted.push_back(std::move(total));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const UncountedTotal& a, const UncountedTotal& b) { return a.ns > b.ns; });
  return sorted;
}

std::vector<PhaseTotal> merge_phases(const std::vector<RankAttribution>& ranks) {
  std::vector<PhaseTotal> sums;
  for (const RankAttribution& rank : ranks) {
    if (sums.size() < rank.phases.size()) sums.resize(rank.phases.size());
    for (std::size_t i = 0; i < rank.phases.size(); ++i) {
      sums[i].kernel_ns += rank.phases[i].kernel_ns;
      sums[i].unknown_ns += rank.phases[i].unknown_ns;
      sums[i].flops += rank.phases[i].flops;
    }
  }
  return sums;
}

bool every_rank_has_steps(const std::vector<RankAttribution>& ranks) {
  return std::all_of(ranks.begin(), ranks.end(), [](const RankAttribution& r) { return !r.steps.steps.empty(); });
}

TraceShares trace_shares(const std::vector<RankAttribution>& ranks, const Ledger& ledger) {
  double kernel_ns = 0, unmodelled_ns = 0, unclassified_ns = 0, device_ns = 0, recompute_ns = 0, compute_ns = 0;
  double kernels = 0, short_kernels = 0, depth = 0, depths = 0, mfu = 0, window_ns = 0, shapes_ns = 0;
  bool every_mfu = !ranks.empty(), every_peak = !ranks.empty();
  for (const RankAttribution& r : ranks) {
    kernel_ns += r.kernel_ns;
    unmodelled_ns += r.unmodelled_ns;
    unclassified_ns += r.unclassified_ns;
    device_ns += static_cast<double>(r.device_ns);
    recompute_ns += static_cast<double>(r.recompute_ns);
    for (const KernelTotal& k : r.kernels) compute_ns += is_compute(k.event_class) ? static_cast<double>(k.time_ns) : 0;
    kernels += static_cast<double>(r.launches.kernels);
    short_kernels += static_cast<double>(r.launches.short_kernels);
    depth += r.launches.queue_depth.value_or(0);
    depths += r.launches.queue_depth ? 1 : 0;
    const auto own_ns = static_cast<double>(r.steps.steady.length());
    every_mfu = every_mfu && r.mfu;
    mfu += r.mfu.value_or(0) * own_ns;
    every_peak = every_peak && r.peak;
    if (r.peak) shapes_ns += r.shape_flops / *r.peak / seconds(1e-9);
    window_ns += own_ns;
  }
  const double useful =
      ledger.value(LedgerRow::model_compute).value_or(0) + ledger.value(LedgerRow::recompute).value_or(0);
  TraceShares shares;
  shares.unmodelled = ratio(unmodelled_ns, kernel_ns);
  shares.unclassified = ratio(unclassified_ns, device_ns);
  shares.unattributed = ratio(std::abs(ledger.value(LedgerRow::unattributed).value_or(0)), ledger.total() - useful);
  shares.short_kernels = ratio(short_kernels, kernels);
  shares.recompute = ratio(recompute_ns, compute_ns);
  shares.queue_depth = ratio(depth, depths);
  if (every_mfu) shares.mfu = ratio(mfu, window_ns);
  if (shares.mfu.value_or(0) > 1) shares.impossible = std::exchange(shares.mfu, std::nullopt);
  if (every_peak && shapes_ns > 0 && shapes_ns <= window_ns) shares.least_mfu = ratio(shapes_ns, window_ns);
  return shares;
}

}  // namespace nameplate
