#include "nameplate/facts/fabric.h"

#include "nameplate/core/check.h"

namespace nameplate {

double bus_factor(CollectiveKind collective, std::int64_t ranks) {
  NAMEPLATE_CHECK(ranks > 0);
  const double others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  switch (collective) {
    case CollectiveKind::all_reduce:
      return 2 * others;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      return others;
    default:
      return 1;
  }
}

std::string_view name(CollectiveKind collective) {
  switch (collective) {
    case CollectiveKind::all_reduce:
      return "all_reduce";
    case CollectiveKind::all_gather:
      return "all_gather";
    case CollectiveKind::reduce_scatter:
      return "reduce_scatter";
    case CollectiveKind::all_to_all:
      return "all_to_all";
    case CollectiveKind::broadcast:
      return "broadcast";
    case CollectiveKind::reduce:
      return "reduce";
    case CollectiveKind::gather:
      return "gather";
    case CollectiveKind::scatter:
      return "scatter";
    case CollectiveKind::send:
      return "send";
    case CollectiveKind::receive:
      return "receive";
    case CollectiveKind::barrier:
      return "barrier";
    case CollectiveKind::other:
      return "other";
  }
  NAMEPLATE_CHECK(false);
}

}  // namespace nameplate
