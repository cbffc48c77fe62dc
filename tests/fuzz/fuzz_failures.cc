// Rates, durations by scale, claims, and the sections [failures] and [headroom] as somebody may write them.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nameplate/inputs/claim.h"
#include "nameplate/inputs/failure_rate.h"
#include "nameplate/inputs/failures.h"
#include "nameplate/inputs/headroom.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)nameplate::parse_failure_rate(text).ok();
  (void)nameplate::parse_scaled_duration(text).ok();
  (void)nameplate::parse_claim(text).ok();
  const auto root = nameplate::parse_toml(text, "run.toml");
  if (!root.ok()) return 0;
  if (const nameplate::Node* failures = root->find("failures")) {
    (void)nameplate::read_failures(*failures, "run.toml").ok();
  }
  if (const nameplate::Node* headroom = root->find("headroom")) {
    (void)nameplate::read_headroom(*headroom, "run.toml").ok();
  }
  return 0;
}
