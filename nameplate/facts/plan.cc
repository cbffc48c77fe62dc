#include "nameplate/facts/plan.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "nameplate/core/exact.h"

namespace nameplate {
namespace {

Error broken(std::string_view key, std::string found, std::string expected, std::string hint = {}) {
  return Error{std::move(found), std::move(expected), Place{{}, 0, 0, fmt::format("plan.{}", key), {}},
               std::move(hint)};
}

Status check_positive(const Plan& plan) {
  const std::pair<std::string_view, std::int64_t> degrees[] = {{"tp", plan.tp},
                                                               {"etp", plan.etp},
                                                               {"pp", plan.pp},
                                                               {"virtual_pp", plan.virtual_pp},
                                                               {"cp", plan.cp},
                                                               {"ep", plan.ep},
                                                               {"dp", plan.dp},
                                                               {"dp_shard", plan.dp_shard},
                                                               {"micro_batch", plan.micro_batch},
                                                               {"accumulation", plan.accumulation}};
  for (const auto& [key, degree] : degrees) {
    if (degree < 1) return broken(key, fmt::format("{} = {}", key, degree), "an integer of 1 or more");
  }
  return std::nullopt;
}

// The product of factors, each a positive 64-bit integer; 0 when it exceeds 64 bits.
std::int64_t product(std::initializer_list<std::int64_t> factors) {
  std::int64_t result = 1;
  for (std::int64_t factor : factors) {
    if (__builtin_mul_overflow(result, factor, &result)) return 0;
  }
  return result;
}

Status check_experts(const Plan& plan) {
  // Without expert tensor parallelism (etp = tp) the tp group stays together inside an expert and ep spans dp * cp;
  // with it, experts also spread over tp.
  std::int64_t available = product({plan.dp, plan.cp, plan.tp});
  std::int64_t needed = product({plan.ep, plan.etp});
  if (needed != 0 && available != 0 && available % needed == 0) return std::nullopt;
  return broken("ep", fmt::format("ep = {} with etp = {}", plan.ep, plan.etp),
                fmt::format("ep * etp to divide dp * cp * tp = {} * {} * {}", plan.dp, plan.cp, plan.tp));
}

}  // namespace

Status check(const Plan& plan, std::int64_t accelerators) {
  if (Status problem = check_positive(plan)) return problem;
  std::int64_t devices = product({plan.tp, plan.pp, plan.cp, plan.dp});
  if (devices != accelerators) {
    return broken("dp",
                  fmt::format("tp * pp * cp * dp = {} * {} * {} * {}{}", plan.tp, plan.pp, plan.cp, plan.dp,
                              devices > 0 ? fmt::format(" = {}", devices) : ""),
                  fmt::format("the number of accelerators, {}", accelerators));
  }
  if (Status problem = check_experts(plan)) return problem;
  if (plan.dp % plan.dp_shard != 0) {
    return broken("dp_shard", fmt::format("dp_shard = {}", plan.dp_shard),
                  fmt::format("a divisor of dp = {}", plan.dp));
  }
  if (plan.virtual_pp > 1 && plan.pp == 1) {
    return broken("virtual_pp", fmt::format("virtual_pp = {} with pp = 1", plan.virtual_pp), "pp of 2 or more",
                  "virtual stages interleave the stages of a pipeline");
  }
  if (plan.zero < 0 || plan.zero > 3) {
    return broken("zero", fmt::format("zero = {}", plan.zero), "a ZeRO stage from 0 to 3");
  }
  if (!plan.stage_layers.empty() && std::cmp_not_equal(plan.stage_layers.size(), plan.pp)) {
    return broken("stage_layers", fmt::format("{} stages", plan.stage_layers.size()), fmt::format("pp = {}", plan.pp));
  }
  return std::nullopt;
}

}  // namespace nameplate
