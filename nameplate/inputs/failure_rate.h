// Rates of failure and durations by scale, as people write them.
//
// A rate says how many, per how much time of what: "3.79 per 1000 node-days", "9 % per device-year", "1 per 3.1 h of
// the job", "419 in 54 d on 2048 nodes" (counted, so its uncertainty is known). Without a time it means nothing and is
// an error that shows these forms; without the thing that fails the caller has to know it (key `per`). A duration by
// scale: "600 s", "454 s at 128, 545 s at 256", "-277 s + 103.2 s per doubling" (of the nodes).
#pragma once

#include <optional>
#include <string_view>

#include "nameplate/core/result.h"
#include "nameplate/facts/failures.h"

namespace nameplate {

// What a rate is per; domains are "rack", "tray", "pdu", "switch", "pod", "zone".
struct RateBase {
  RateUnit unit = RateUnit::node;
  DomainKind domain = DomainKind::node;  // of RateUnit::domain
};

struct ParsedRate {
  PerSecond rate;  // of one of them
  std::optional<RateBase> base;
  std::optional<double> events;
};

std::optional<RateBase> parse_rate_base(std::string_view word);
std::optional<DomainKind> parse_domain_kind(std::string_view word);
Result<ParsedRate> parse_failure_rate(std::string_view text);
Result<ScaledDuration> parse_scaled_duration(std::string_view text);

}  // namespace nameplate
