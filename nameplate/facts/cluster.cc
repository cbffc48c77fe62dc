#include "nameplate/facts/cluster.h"

namespace nameplate {

std::int64_t accelerator_count(const Cluster& cluster) {
  std::int64_t count = 0;
  for (const Pool& pool : cluster.pools) count += pool.count;
  return count;
}

}  // namespace nameplate
