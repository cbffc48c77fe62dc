// Whether a claim can be true, and under which model: arithmetic, no data.
//
// A pair of reliabilities is compared with each model in which redundancy is commonly meant; it holds where the model
// gives both stated figures to half a per cent, as such figures are rounded, or to a tenth of what they leave to
// certainty.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "nameplate/facts/claim.h"

namespace nameplate {

enum class RedundancyModel {
  whole_copies,         // 1 - (1 - q)^(1 + r), q the reliability without redundancy
  whole_copies_gain,    // the most that this formula can add at such a ratio
  whole_copies_before,  // where it would have to begin to end there
  one_pooled_spare,     // q (1 - ln q): one spare for any of many units
  pooled_share,         // r x N spares for N units, each up with q^(1/N)
  textbook_parts,       // units of a round reliability in series, and one spare
  lower_availability,   // all N (1 + r) units needed in part: how often each is up
};
std::string_view name(RedundancyModel model);

// One reading of the claim.
struct RedundancyReading {
  RedundancyModel model = RedundancyModel::whole_copies;
  std::int64_t needed = 0;  // of `units`; 0 where the model has no number of units
  std::int64_t units = 0;
  double before = 0;
  double after = 0;
  bool holds = false;
  std::optional<double> parameter;  // units per needed unit for `after`; a unit's own reliability; see the model
};
// Whether a model takes the spares that the claim names; the others hold, if they do, with spares of their own number.
bool has_claimed_spares(RedundancyModel model);
std::vector<RedundancyReading> readings(const RedundancyClaim& claim);

// The formula of whole copies as it stands, beside what pooled spares give with the same figures.
struct ReliabilityAnswer {
  double bare = 0;          // R^N
  double whole_copies = 0;  // 1 - (1 - R^N)^(M/N)
  double pooled = 0;        // P(at least N of M)
  std::int64_t units_for_99 = 0;
  std::optional<PerSecond> unit_rate;  // failures of a unit, with a mission
};
ReliabilityAnswer answer(const ReliabilityClaim& claim);

// What the best interval reaches with the stated costs, those not stated at zero, and what the claim leaves room for.
struct GoodputAnswer {
  double reached = 0;
  bool possible = false;
  Seconds interval;                        // best, or as stated
  std::optional<Seconds> longest_restart;  // at the stated block
  std::optional<Seconds> longest_block;    // at the stated restart
  Seconds least_mttf;                      // at both
};
GoodputAnswer answer(const GoodputClaim& claim);
struct FrontierPoint {
  Seconds block;
  std::optional<Seconds> longest_restart;  // nothing: impossible
};
// By blocking time, at the claim's mean time to failure and ETTR.
std::vector<FrontierPoint> frontier(const GoodputClaim& claim);

// Time in recovery over time at work that recovery alone would have to have cost: (1 + h) / (1 + h / k) = throughput.
struct RecoveryAnswer {
  std::optional<double> ettr_before;  // nothing: recovery alone never gives it
  std::optional<double> ettr_after;
  double gain_at_90 = 1;  // what recovery alone gives a job that makes progress 90 % of the time
  double rest_at_90 = 1;  // and what else has to give
};
RecoveryAnswer answer(const RecoveryClaim& claim);

struct PackingAnswer {
  double budget = 0;          // share of the time that outages may take before the gain is gone
  Seconds break_even_period;  // between such outages
  // Where the time between outages is stated:
  std::optional<double> delivered_before;  // MFU over computing and outages
  std::optional<double> delivered_after;
  std::optional<Seconds> erasing_outage;  // the length that makes them equal; nothing: none does
};
PackingAnswer answer(const PackingClaim& claim);

}  // namespace nameplate
