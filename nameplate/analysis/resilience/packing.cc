#include "nameplate/analysis/resilience/packing.h"

#include <algorithm>
#include <cmath>

namespace nameplate {

Seconds time_between_outages(const PackingModel& model, double mfu) {
  return model.between * std::pow(model.mfu / mfu, model.exponent);
}

double delivered_mfu(const PackingModel& model, double mfu, Seconds outage) {
  const Seconds between = time_between_outages(model, mfu);
  return mfu * (between / (between + outage));
}

std::optional<Seconds> erasing_outage(const PackingModel& model, double mfu) {
  // m t / (t + D) = m0 t0 / (t0 + D), solved for D.
  const Seconds between = time_between_outages(model, mfu);
  const Seconds loses = model.between * model.mfu - between * mfu;
  if (mfu <= model.mfu || loses <= Seconds{}) return std::nullopt;
  return model.between * ((mfu - model.mfu) * (between / loses));
}

double best_mfu(const PackingModel& model, Seconds outage, double highest) {
  // d/dm of m / (1 + (D / t0) (m / m0)^k) is zero where (k - 1) (D / t0) (m / m0)^k = 1.
  if (model.exponent <= 1 || outage <= Seconds{}) return highest;
  const double ratio = model.between / outage / (model.exponent - 1);
  return std::min(highest, model.mfu * std::pow(ratio, 1 / model.exponent));
}

}  // namespace nameplate
