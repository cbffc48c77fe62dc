// What does a Kineto file say beside its events? The members of its outer object: devices, rank, groups, time base.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nameplate/facts/timeline.h"

namespace nameplate {

struct KinetoHeader {
  std::vector<std::string> device_names;  // by device id; may hold empty names
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> ranks_total;
  std::int64_t base_time_ns = 0;
  std::vector<Group> groups;
};

// Adds the members that stand in `text`, an object whose rest may be missing or damaged.
void read_kineto_header(std::string_view text, KinetoHeader& header);

}  // namespace nameplate
