#include "nameplate/analysis/mfu/claims.h"

#include <algorithm>
#include <cmath>

namespace nameplate {
namespace {

constexpr double kFits = 0.01;

// Medians over the steady rows (all usable rows when none is steady) that print the figure. The product is the median
// of the rows' own products, which a convention keeps constant while the steps vary.
struct Printed {
  double claimed = 0;
  double seconds_per_token = 0;  // accelerator-seconds
  double per_token = 0;          // claimed x seconds_per_token
};

std::optional<Printed> printed(const RunLog& log, const Measurement& m, Maybe Step::*figure) {
  std::vector<double> claimed, seconds, products;
  for (const bool any : {false, true}) {
    for (const TimedStep& row : m.times.rows) {
      const Maybe value = log.steps[row.row].*figure;
      const bool usable = row.step_class != StepClass::invalid && row.step_class != StepClass::other_run;
      const bool taken = any ? usable : row.step_class == StepClass::steady;
      if (!taken || !value || *value <= 0 || !row.seconds_per_token) continue;
      claimed.push_back(*value);
      seconds.push_back(*row.seconds_per_token);
      products.push_back(*value * *row.seconds_per_token);
    }
    if (!claimed.empty()) return Printed{median(claimed), median(seconds), median(products)};
  }
  return std::nullopt;
}

// The convention whose FLOPs per token come nearest to `per_token`, if within kFits. Many conventions lie within a
// tenth of a percent of each other: the plain ones are named before those of a single program.
std::optional<std::string> nearest_convention(const RunFacts& facts, double per_token) {
  constexpr double kSame = 0.002;
  for (std::string_view plain : {kDefaultConvention, std::string_view("full")}) {
    const auto flops = flops_per_token(facts, plain);
    if (flops && std::fabs(*flops / per_token - 1) < kSame) return std::string(plain);
  }
  std::optional<std::string> best;
  double best_error = kFits;
  for (const Convention& convention : conventions()) {
    const auto flops = flops_per_token(facts, convention.id);
    const double error = flops ? std::fabs(*flops / per_token - 1) : 1;
    if (error < best_error) {
      best = std::string(convention.id);
      best_error = error;
    }
  }
  return best;
}

// A wrong number of accelerators scales every figure alike, usually by a small whole factor: a node taken for a device,
// or the reverse. FLOPs per token scale with the number, since the steps are the whole job's.
void find_fitting_accelerators(const RunLog& log, const RunFacts& facts, double claimed_per_token, ClaimCheck& check) {
  constexpr double kClose = 0.005;
  constexpr double kMostFactor = 32;
  if (!facts.accelerators) return;
  for (std::string_view id : {std::string_view(log.claims.convention), std::string_view("full"), kDefaultConvention}) {
    const auto flops = flops_per_token(facts, id);
    if (!flops) continue;
    const double ratio = *flops / claimed_per_token;  // true number over the stated one
    const double factor = std::round(std::max(ratio, 1 / ratio));
    if (factor < 2 || factor > kMostFactor || std::fabs(std::max(ratio, 1 / ratio) / factor - 1) > kClose) continue;
    const auto count = static_cast<std::int64_t>(std::llround(static_cast<double>(*facts.accelerators) * ratio));
    if (count < 1) continue;
    check.fitting_accelerators = count;
    check.convention = std::string(id);
    return;
  }
}

// Fills convention and recomputed from claimed FLOPs per token: the format's convention if it fits, else the best fit.
void name_convention(const RunLog& log, const RunFacts& facts, double claimed_per_token, ClaimCheck& check) {
  check.convention = log.claims.convention;
  auto flops = flops_per_token(facts, check.convention);
  if (!flops || std::fabs(*flops / claimed_per_token - 1) > kFits) {
    if (const auto nearest = nearest_convention(facts, claimed_per_token)) {
      check.convention_inferred = true;
      check.convention = *nearest;
      flops = flops_per_token(facts, check.convention);
    }
  }
  if (!flops) return;
  check.recomputed = check.claimed * *flops / claimed_per_token;
  check.error_ratio = check.recomputed / check.claimed - 1;
  if (std::fabs(check.error_ratio) > kFits) { find_fitting_accelerators(log, facts, claimed_per_token, check); }
}

std::optional<ClaimCheck> check_tflops(const RunLog& log, const RunFacts& facts, const Measurement& m) {
  const auto p = printed(log, m, &Step::claimed_tflops);
  if (!p) return std::nullopt;
  ClaimCheck check{.figure = "tflops", .claimed = p->claimed};
  name_convention(log, facts, p->per_token * 1e12, check);
  if (const auto flops = flops_per_token(facts, kDefaultConvention)) check.ours = *flops / p->seconds_per_token / 1e12;
  return check;
}

std::optional<ClaimCheck> check_mfu(const RunLog& log, const RunFacts& facts, const Measurement& m) {
  const auto p = printed(log, m, &Step::claimed_mfu);
  if (!p) return std::nullopt;
  ClaimCheck check{.figure = "mfu", .claimed = p->claimed};
  const auto peak = log.claims.peak_tflops ? log.claims.peak_tflops
                    : facts.peak           ? std::optional(facts.peak->base() / 1e12)
                                           : std::nullopt;
  if (!peak) return check;
  check.peak_tflops = *peak;
  name_convention(log, facts, p->per_token * *peak * 1e12, check);
  const auto flops = flops_per_token(facts, kDefaultConvention);
  if (flops && facts.peak) check.ours = *flops / p->seconds_per_token / facts.peak->base();
  return check;
}

// Tokens per second are recomputed only where the step time is printed beside them and the work of a step is known.
std::optional<ClaimCheck> check_tokens(const RunLog& log, const RunFacts& facts, const Measurement& m) {
  const auto p = printed(log, m, &Step::claimed_tokens_per_s);
  const bool printed_time = m.times.source == DurationSource::printed || m.times.source == DurationSource::printed_mean;
  const bool known_work = facts.accelerators && !m.times.rows.empty() && m.times.rows.back().tokens;
  if (!p || !printed_time || !known_work || log.claims.tokens_per_s_scope == RateScope::unknown) return std::nullopt;
  ClaimCheck check{.figure = "tokens_per_s", .claimed = p->claimed, .recomputed = 1 / p->seconds_per_token};
  if (log.claims.tokens_per_s_scope == RateScope::job) check.recomputed *= static_cast<double>(*facts.accelerators);
  check.error_ratio = check.recomputed / check.claimed - 1;
  return check;
}

}  // namespace

std::vector<ClaimCheck> check_claims(const RunLog& log, const RunFacts& facts, const Measurement& m) {
  std::vector<ClaimCheck> checks;
  for (const auto& check : {check_tflops(log, facts, m), check_mfu(log, facts, m), check_tokens(log, facts, m)}) {
    if (check) checks.push_back(*check);
  }
  return checks;
}

}  // namespace nameplate
