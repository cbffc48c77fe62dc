// The manifest's [headroom]:
//   [[headroom.resource]] name, servers, burstiness, mean_wait, p99_wait (in service times), load, requests
//   [[headroom.buffer]]   name, peak, drain, burst, gap, overflow, size, mfu_per_gib
//   [[headroom.group]]    name, needed, units, availability, groups
//   [[headroom.part]]     name, servers, service, between_outages, outage, lost_share; load: of what bound nodes carry
#pragma once

#include <string>

#include "nameplate/core/node.h"
#include "nameplate/core/result.h"
#include "nameplate/facts/headroom.h"

namespace nameplate {

Result<Headroom> read_headroom(const Node& section, const std::string& file);

}  // namespace nameplate
