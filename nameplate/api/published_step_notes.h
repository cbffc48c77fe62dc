// What the free text of a row says about its network, slices and recomputation, by words of a closed list. Internal to
// api/.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "nameplate/core/quantity.h"
#include "nameplate/facts/memory.h"
#include "nameplate/facts/step_framework.h"

namespace nameplate {

// The number right behind `word`, or right before it, if `text` has both.
std::optional<double> number_behind(std::string_view text, std::string_view word);
std::optional<double> number_before(std::string_view text, std::string_view word);
// A count of one or more.
std::optional<std::int64_t> as_count(std::optional<double> value);

// Per accelerator and direction: "1600 Gb/s per node", "400 Gb/s RDMA per GPU", "NDR 400G/GPU", "8x400G IB", "8x HDR
// 200G IB per node".
std::optional<BytesPerSecond> stated_network(std::string_view notes, double per_node);
// Chips of one slice: "v5e-256", or "v4-128 (64 chips)", whose number counts cores.
std::optional<std::int64_t> slice_chips(std::string_view notes);
// What the backward pass repeats when these modules are recomputed, all together.
RecomputeShares recompute_shares(const std::vector<RecomputeModule>& modules);
// What the backward pass repeats, where notes say more than none, selective or full.
std::optional<RecomputeShares> stated_recompute(std::string_view notes);

}  // namespace nameplate
