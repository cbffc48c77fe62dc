#include "nameplate/facts/failures.h"

#include <algorithm>
#include <cmath>

namespace nameplate {

std::string_view name(RateUnit unit) {
  switch (unit) {
    case RateUnit::device:
      return "device";
    case RateUnit::node:
      return "node";
    case RateUnit::domain:
      return "domain";
    case RateUnit::job:
      return "job";
  }
  return "";
}

std::string_view name(FailureCause cause) {
  switch (cause) {
    case FailureCause::hardware:
      return "hardware";
    case FailureCause::network:
      return "network";
    case FailureCause::software:
      return "software";
    case FailureCause::silent_corruption:
      return "silent_corruption";
    case FailureCause::planned:
      return "planned";
    case FailureCause::unknown:
      return "unknown";
  }
  return "";
}

std::string_view name(SpareKind kind) {
  switch (kind) {
    case SpareKind::hot:
      return "hot";
    case SpareKind::warm:
      return "warm";
    case SpareKind::cold:
      return "cold";
    case SpareKind::borrowed:
      return "borrowed";
  }
  return "";
}

Seconds at_scale(const ScaledDuration& duration, std::int64_t nodes) {
  const double doublings = std::log2(static_cast<double>(std::max<std::int64_t>(nodes, 1)));
  if (duration.points.empty()) return std::max(Seconds{}, duration.at_one_node + duration.per_doubling * doublings);
  if (duration.points.size() == 1) return duration.points.front().duration;
  // The last pair whose beginning is not beyond `nodes`, else the first pair.
  std::size_t i = 1;
  while (i + 1 < duration.points.size() && duration.points[i].nodes < nodes) ++i;
  const ScalePoint& left = duration.points[i - 1];
  const ScalePoint& right = duration.points[i];
  const double from = std::log2(static_cast<double>(left.nodes));
  const double share = (doublings - from) / (std::log2(static_cast<double>(right.nodes)) - from);
  return std::max(Seconds{}, left.duration + (right.duration - left.duration) * share);
}

std::int64_t spare_nodes(const FailureModel& model) {
  std::int64_t nodes = 0;
  for (const SparePool& pool : model.spares) nodes += pool.nodes;
  return nodes;
}

}  // namespace nameplate
