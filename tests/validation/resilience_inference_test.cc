// Whether credible intervals mean what they say: 1,000 runs whose truths are drawn from the stated prior, each written
// as a log and read back through the same path as a user's. Of the 95 % intervals 93 to 97 % must cover; the exact
// Poisson interval at least 93 % (it over-covers). The table of docs/models/resilience.md is what this prints.
#include <cmath>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "nameplate/analysis/resilience/estimate.h"
#include "nameplate/analysis/resilience/observed.h"
#include "nameplate/analysis/resilience/special_functions.h"
#include "nameplate/core/random.h"

namespace nameplate {
namespace {

constexpr RatePrior kRatePrior{2, Seconds::from_base(600)};
constexpr DurationPrior kDurationPrior{};
constexpr int kRuns = 1000;
constexpr std::int64_t kSteps = 1500;  // of a second each

double normal(RandomStream& random) {
  const double radius = std::sqrt(-2 * std::log1p(-random.next_uniform()));
  return radius * std::cos(2 * M_PI * random.next_uniform());
}

struct DurationTruth {
  double mean = 0, deviation = 0;  // of the logarithm
  double draw(RandomStream& random) const { return std::exp(mean + deviation * normal(random)); }
};

DurationTruth draw_duration(RandomStream& random) {
  const double variance = kDurationPrior.scale / gamma_quantile(kDurationPrior.shape, random.next_uniform());
  return {kDurationPrior.mean + std::sqrt(variance / kDurationPrior.weight) * normal(random), std::sqrt(variance)};
}

struct Truth {
  double rate = 0;  // per second
  DurationTruth detect, restart;
};

// The log of one run: a row a step, a line when a failure is noticed, another attempt from the last saved step.
RunLog write_log(const Truth& truth, RandomStream& random) {
  RunLog log;
  double now = 0, next = -std::log1p(-random.next_uniform()) / truth.rate;
  std::int32_t attempt = 0;
  std::int64_t index = 0;
  for (std::int64_t step = 0; step < kSteps;) {
    if (next < 1) {
      now += next;  // lost with the step
      next = -std::log1p(-random.next_uniform()) / truth.rate;
      now += truth.detect.draw(random);
      Event told;
      told.event_class = EventClass::failure;
      told.attempt = attempt;
      told.begin_s = now;
      log.events.push_back(told);
      now += truth.restart.draw(random);
      ++attempt;
      index = std::max<std::int64_t>(0, index - 5);
      continue;
    }
    next -= 1;
    now += 1;
    Step row;
    row.attempt = attempt;
    row.index = index++;
    row.duration_s = 1;
    row.end_s = now;
    log.steps.push_back(row);
    ++step;
  }
  return log;
}

struct Coverage {
  int rate = 0, exact = 0, detect = 0, restart = 0;
};

bool covers(const Interval& interval, double truth) { return interval.low <= truth && truth <= interval.high; }

void count(const Truth& truth, const ObservedRun& run, Coverage& coverage) {
  const auto failures = static_cast<std::int64_t>(run.failures.size());
  coverage.rate += covers(credible_interval(posterior(kRatePrior, failures, run.exposure), .95), truth.rate);
  coverage.exact += covers(poisson_interval(failures, .95), truth.rate * run.exposure.base());
  std::vector<double> detect, restart;
  for (const ObservedFailure& failure : run.failures) {
    if (failure.detect_s) detect.push_back(*failure.detect_s);
    if (failure.restart_s) restart.push_back(*failure.restart_s);
  }
  coverage.detect += covers(credible_interval(posterior(kDurationPrior, detect), .95), std::exp(truth.detect.mean));
  coverage.restart += covers(credible_interval(posterior(kDurationPrior, restart), .95), std::exp(truth.restart.mean));
}

TEST(ResilienceInference, IntervalsCoverWhatTheySay) {
  Coverage coverage;
  for (int run = 0; run < kRuns; ++run) {
    RandomStream random(2026, static_cast<std::uint64_t>(run));
    Truth truth;
    truth.rate = gamma_quantile(kRatePrior.shape, random.next_uniform()) / kRatePrior.exposure.base();
    truth.detect = draw_duration(random);
    truth.restart = draw_duration(random);
    const RunLog log = write_log(truth, random);
    const auto observed = observe(log, time_steps(log, {}));
    ASSERT_TRUE(observed) << run;
    count(truth, *observed, coverage);
  }
  std::printf("covered of %d: rate %d, exact Poisson %d, detection %d, restart %d\n", kRuns, coverage.rate,
              coverage.exact, coverage.detect, coverage.restart);
  for (const int covered : {coverage.rate, coverage.detect, coverage.restart}) {
    EXPECT_GE(covered, 930);
    EXPECT_LE(covered, 970);
  }
  EXPECT_GE(coverage.exact, 930);
}

}  // namespace
}  // namespace nameplate
