#include "nameplate/analysis/resilience/claims.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "nameplate/analysis/resilience/closed_form_checkpoint.h"
#include "nameplate/analysis/resilience/closed_form_queue.h"
#include "nameplate/analysis/resilience/closed_form_spares.h"
#include "nameplate/analysis/resilience/packing.h"

namespace nameplate {
namespace {

constexpr double kRounding = 0.005;
constexpr std::int64_t kUsualUnits = 1000;  // where a claim names none
constexpr std::array kTextbook = {0.9, 0.95, 0.98, 0.99, 0.995, 0.999};

// Half a per cent, or a tenth of what the claim leaves to certainty: 99.9 % is not 99.99 %.
bool close(double a, double claimed) { return std::fabs(a - claimed) <= std::min(kRounding, 0.1 * (1 - claimed)); }

void add_whole_copies(const RedundancyClaim& claim, std::vector<RedundancyReading>& all) {
  using enum RedundancyModel;
  const double ratio = 1 + claim.redundancy;
  const double after = -std::expm1(ratio * std::log1p(-claim.before));
  all.push_back({whole_copies, 0, 0, claim.before, after, close(after, claim.after),
                 std::log1p(-claim.after) / std::log1p(-claim.before)});
  // d/dq (1 - (1 - q)^r - q) = 0 at 1 - q = r^(-1/(r - 1)).
  const double at = 1 - std::pow(ratio, -1 / (ratio - 1));
  const double most = -std::expm1(ratio * std::log1p(-at));
  all.push_back({whole_copies_gain, 0, 0, at, most, close(at, claim.before) && close(most, claim.after), most - at});
  const double before = -std::expm1(std::log1p(-claim.after) / ratio);
  all.push_back({whole_copies_before, 0, 0, before, claim.after, close(before, claim.before), std::nullopt});
}

void add_pooled(const RedundancyClaim& claim, std::vector<RedundancyReading>& all) {
  using enum RedundancyModel;
  const double one = pooled_reliability(claim.before, 1);
  all.push_back({one_pooled_spare, 0, 0, claim.before, one, close(one, claim.after), std::nullopt});
  const auto pooled = [&](std::int64_t needed) {
    const auto units = needed + std::llround(claim.redundancy * static_cast<double>(needed));
    const double up = std::pow(claim.before, 1 / static_cast<double>(needed));
    const double after = at_least(needed, units, up);
    return RedundancyReading{pooled_share, needed, units, claim.before, after, close(after, claim.after), up};
  };
  // The smallest pool that has a spare, one where it holds, and the one that was meant.
  const auto smallest = std::max<std::int64_t>(1, std::llround(1 / claim.redundancy));
  all.push_back(pooled(smallest));
  const std::int64_t meant = claim.units.value_or(kUsualUnits);
  for (std::int64_t needed = 1; needed < meant; ++needed) {
    if (needed == smallest || !pooled(needed).holds) continue;
    all.push_back(pooled(needed));
    break;
  }
  if (meant != smallest) all.push_back(pooled(meant));
}

void add_textbook(const RedundancyClaim& claim, std::vector<RedundancyReading>& all) {
  // The roundest reliability that fits: any other is the same single spare among more parts.
  for (const double up : kTextbook) {
    const auto parts = static_cast<std::int64_t>(std::llround(std::log(claim.before) / std::log(up)));
    if (parts < 2 || !close(std::pow(up, static_cast<double>(parts)), claim.before)) continue;
    for (const auto& [needed, units] : {std::pair(parts, parts + 1), std::pair(parts - 1, parts)}) {
      const double after = at_least(needed, units, up);
      // Rounded twice, the parts and the claim: a whole per cent.
      all.push_back(
          {RedundancyModel::textbook_parts, needed, units, std::pow(up, static_cast<double>(parts)), after,
           close(after, claim.after) || (claim.after < 0.9 && std::fabs(after - claim.after) <= 2 * kRounding), up});
    }
    return;
  }
}

void add_lower_availability(const RedundancyClaim& claim, std::vector<RedundancyReading>& all) {
  const std::int64_t needed = claim.units.value_or(kUsualUnits);
  const auto units = needed + std::llround(claim.redundancy * static_cast<double>(needed));
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (at_least(needed, units, middle) < claim.after ? low : high) = middle;
  }
  // Then nothing would be left without redundancy: the first half of the claim fails.
  const double bare = std::pow(high, static_cast<double>(needed));
  all.push_back(
      {RedundancyModel::lower_availability, needed, units, bare, claim.after, close(bare, claim.before), high});
}

// The border of what holds between two positive values, one of which holds.
double border(double holds, double fails, const std::function<bool(double)>& is_held) {
  for (int i = 0; i < 100; ++i) {
    const double middle = std::sqrt(holds * fails);
    (is_held(middle) ? holds : fails) = middle;
  }
  return holds;
}

// At an interval that is stated; progress falls with the costs and rises with the time between failures.
void limits_at(const CheckpointRegime& regime, const GoodputClaim& claim, GoodputAnswer& result) {
  constexpr double kShort = 1e-6, kLong = 1e12;  // seconds
  const auto longest = [&](Seconds CheckpointRegime::*cost) -> std::optional<Seconds> {
    const auto reaches = [&](double value) {
      CheckpointRegime at = regime;
      at.*cost = seconds(value);
      return efficiency(at, *claim.interval) >= claim.ettr;
    };
    if (!reaches(kShort)) return std::nullopt;
    return seconds(border(kShort, kLong, reaches));
  };
  result.longest_restart = longest(&CheckpointRegime::restart);
  result.longest_block = longest(&CheckpointRegime::block);
  result.least_mttf = seconds(border(kLong, kShort, [&](double value) {
    CheckpointRegime at = regime;
    at.mttf = seconds(value);
    return efficiency(at, *claim.interval) >= claim.ettr;
  }));
}

CheckpointRegime regime_of(const GoodputClaim& claim) {
  return {claim.mttf, claim.block.value_or(Seconds{}), claim.restart.value_or(Seconds{})};
}

}  // namespace

std::string_view name(RedundancyModel model) {
  switch (model) {
    case RedundancyModel::whole_copies:
      return "whole_copies";
    case RedundancyModel::whole_copies_gain:
      return "whole_copies_gain";
    case RedundancyModel::whole_copies_before:
      return "whole_copies_before";
    case RedundancyModel::one_pooled_spare:
      return "one_pooled_spare";
    case RedundancyModel::pooled_share:
      return "pooled_share";
    case RedundancyModel::textbook_parts:
      return "textbook_parts";
    case RedundancyModel::lower_availability:
      return "lower_availability";
  }
  return "";
}

bool has_claimed_spares(RedundancyModel model) {
  return model != RedundancyModel::one_pooled_spare && model != RedundancyModel::textbook_parts;
}

std::vector<RedundancyReading> readings(const RedundancyClaim& claim) {
  std::vector<RedundancyReading> all;
  add_whole_copies(claim, all);
  add_pooled(claim, all);
  add_textbook(claim, all);
  add_lower_availability(claim, all);
  return all;
}

ReliabilityAnswer answer(const ReliabilityClaim& claim) {
  ReliabilityAnswer result;
  result.bare = std::exp(static_cast<double>(claim.needed) * std::log(claim.up));
  result.whole_copies = whole_copy_reliability(claim.needed, claim.units, claim.up);
  result.pooled = at_least(claim.needed, claim.units, claim.up);
  result.units_for_99 = units_for(claim.needed, claim.up, 0.99);
  if (claim.mission) result.unit_rate = PerSecond::from_base(-std::log(claim.up) / claim.mission->base());
  return result;
}

GoodputAnswer answer(const GoodputClaim& claim) {
  const CheckpointRegime regime = regime_of(claim);
  GoodputAnswer result;
  const bool free = regime.block.base() <= 0;  // then the best interval is none at all
  result.interval = claim.interval.value_or(free ? Seconds{} : optimal_interval(regime));
  result.reached =
      result.interval.base() > 0 ? efficiency(regime, result.interval) : std::exp(-(regime.restart / regime.mttf));
  result.possible = result.reached >= claim.ettr;
  if (claim.interval) {
    limits_at(regime, claim, result);
    return result;
  }
  result.longest_restart = longest_restart(regime, claim.ettr);
  result.longest_block = longest_block(regime, claim.ettr);
  result.least_mttf = least_mttf(regime, claim.ettr);
  return result;
}

std::vector<FrontierPoint> frontier(const GoodputClaim& claim) {
  std::vector<double> blocks = {1, 5, 10, 20, 30, 60};
  if (claim.block && std::find(blocks.begin(), blocks.end(), claim.block->base()) == blocks.end()) {
    blocks.push_back(claim.block->base());
    std::sort(blocks.begin(), blocks.end());
  }
  std::vector<FrontierPoint> points;
  for (const double block : blocks) {
    points.push_back({seconds(block), longest_restart({claim.mttf, seconds(block), Seconds{}}, claim.ettr)});
  }
  return points;
}

RecoveryAnswer answer(const RecoveryClaim& claim) {
  RecoveryAnswer result;
  const double x = claim.throughput, k = claim.recovery;
  if (x > 1 && k > x) {
    const double overhead = (x - 1) / (1 - x / k);
    result.ettr_before = 1 / (1 + overhead);
    result.ettr_after = 1 / (1 + overhead / k);
  }
  constexpr double kOverhead = 1 / 0.9 - 1;
  result.gain_at_90 = (1 + kOverhead) / (1 + kOverhead / k);
  result.rest_at_90 = x / result.gain_at_90;
  return result;
}

PackingAnswer answer(const PackingClaim& claim) {
  PackingAnswer result;
  result.budget = outage_budget(claim.mfu_before, claim.mfu_after);
  result.break_even_period = break_even_period(claim.mfu_before, claim.mfu_after, claim.outage);
  if (!claim.between) return result;
  const PackingModel model{claim.mfu_before, *claim.between, claim.exponent};
  result.delivered_before = delivered_mfu(model, claim.mfu_before, claim.outage);
  result.delivered_after = delivered_mfu(model, claim.mfu_after, claim.outage);
  result.erasing_outage = erasing_outage(model, claim.mfu_after);
  return result;
}

}  // namespace nameplate
