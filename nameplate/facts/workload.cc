#include "nameplate/facts/workload.h"

#include "nameplate/core/check.h"

namespace nameplate {

std::string_view name(Recompute recompute) {
  switch (recompute) {
    case Recompute::none:
      return "none";
    case Recompute::selective:
      return "selective";
    case Recompute::full:
      return "full";
  }
  NAMEPLATE_CHECK(false);
}

Workload uniform_workload(std::int64_t sequences, std::int64_t length) {
  Workload workload;
  workload.batch = {{length, sequences}};
  return workload;
}

Int128 units(const Workload& workload) {
  Int128 sum = 0;
  for (const LengthCount& part : workload.batch) sum += Int128{part.length} * part.count;
  return sum;
}

Int128 units_squared(const Workload& workload) {
  Int128 sum = 0;
  for (const LengthCount& part : workload.batch) sum += Int128{part.length} * part.length * part.count;
  return sum;
}

std::int64_t sequences(const Workload& workload) {
  std::int64_t sum = 0;
  for (const LengthCount& part : workload.batch) sum += part.count;
  return sum;
}

}  // namespace nameplate
