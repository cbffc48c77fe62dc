#include "nameplate/analysis/resilience/closed_form_levels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nameplate {
namespace {

constexpr std::int64_t kMostSegments = 4096;

// What a failure costs before the job computes again, on average over the paths.
struct Recovery {
  double total_rate = 0;          // L, per second
  double time = 0;                // V, seconds
  double redone = 0;              // D, seconds of work
  std::vector<double> came_from;  // q, by level
};

// Recovery that falls back to worse levels while it runs, solved from the outermost level inwards. An attempt of path c
// from level j is done with probability E = exp(-L (detect + restart)), else some path strikes and the worse of the two
// levels counts: V_cj = (1 - E_cj)(1/L + W_j), W_j = sum_c' p_c' V_c',max(j,j').
class RecoverySolver {
 public:
  RecoverySolver(const std::vector<RecoveryPath>& paths, std::size_t levels) : paths_(paths), levels_(levels) {
    for (const RecoveryPath& path : paths) result_.total_rate += path.rate.base();
    interrupted_time_.assign(levels, 0);
    interrupted_from_.assign(levels, std::vector<double>(levels, 0.0));
  }

  Recovery solve() {
    for (std::size_t level = levels_; level-- > 0;) solve_interrupted(level);
    result_.came_from.assign(levels_, 0);
    for (const RecoveryPath& path : paths_) {
      const double share = share_of(path), done = completes(path, path.level);
      result_.time += share * (1 - done) * (1 / result_.total_rate + interrupted_time_[path.level]);
      result_.redone += share * path.redone.base();
      result_.came_from[path.level] += share * done;
      for (std::size_t l = 0; l < levels_; ++l) {
        result_.came_from[l] += share * (1 - done) * interrupted_from_[path.level][l];
      }
    }
    return result_;
  }

 private:
  double share_of(const RecoveryPath& path) const { return path.rate.base() / result_.total_rate; }
  double completes(const RecoveryPath& path, std::size_t level) const {
    return std::exp(-result_.total_rate * (path.detect + path.restart[level]).base());
  }

  // W_j and where such a recovery ends: paths of levels up to j stay at j, the others are solved already.
  void solve_interrupted(std::size_t level) {
    double again = 0, time = 0;
    std::vector<double> from(levels_, 0.0);
    for (const RecoveryPath& path : paths_) {
      const std::size_t at = std::max(level, path.level);
      const double share = share_of(path), done = completes(path, at);
      from[at] += share * done;
      time += share * (1 - done) / result_.total_rate;
      if (at == level) {
        again += share * (1 - done);
        continue;
      }
      time += share * (1 - done) * interrupted_time_[at];
      for (std::size_t l = 0; l < levels_; ++l) from[l] += share * (1 - done) * interrupted_from_[at][l];
    }
    if (again >= 1) {  // no recovery ever ends
      interrupted_time_[level] = std::numeric_limits<double>::infinity();
      interrupted_from_[level][level] = 1;
      return;
    }
    interrupted_time_[level] = time / (1 - again);
    for (std::size_t l = 0; l < levels_; ++l) interrupted_from_[level][l] = from[l] / (1 - again);
  }

  const std::vector<RecoveryPath>& paths_;
  std::size_t levels_;
  Recovery result_;
  std::vector<double> interrupted_time_;               // W
  std::vector<std::vector<double>> interrupted_from_;  // by level: where a recovery that was interrupted there ends
};

Seconds saves_after(const LevelPlan& plan, std::int64_t segment) {
  Seconds saves;
  for (std::size_t l = 0; l < plan.every.size(); ++l) {
    if ((segment + 1) % plan.every[l] == 0) saves += plan.block[l];
  }
  return saves;
}

// The time of one outermost period in which each failure costs `per_failure` besides the work that is done again.
double period_time(const Recovery& recovery, const LevelPlan& plan, double per_failure) {
  const auto segments = static_cast<std::size_t>(plan.every.back());
  // S(x) = base + slope Y, Y = S(segments) / work.
  std::vector<double> base(segments + 1, 0.0), slope(segments + 1, 0.0);
  for (std::size_t x = 0; x < segments; ++x) {
    const Seconds length = plan.interval + saves_after(plan, static_cast<std::int64_t>(x));
    double back_base = 0, back_slope = 0;
    for (std::size_t l = 0; l < plan.every.size(); ++l) {
      const std::size_t back = x - x % static_cast<std::size_t>(plan.every[l]);
      back_base += recovery.came_from[l] * (base[x] - base[back]);
      back_slope += recovery.came_from[l] * (slope[x] - slope[back]);
    }
    const double failures = std::expm1(recovery.total_rate * length.base());
    base[x + 1] = base[x] + failures * (per_failure + back_base);
    slope[x + 1] = slope[x] + failures * (recovery.redone + back_slope);
  }
  const double work = plan.interval.base() * static_cast<double>(segments);
  if (!(slope.back() < work)) return std::numeric_limits<double>::infinity();
  return base.back() * work / (work - slope.back());
}

double work_share(const Recovery& recovery, const LevelPlan& plan) {
  const double work = plan.interval.base() * static_cast<double>(plan.every.back());
  return work / period_time(recovery, plan, 1 / recovery.total_rate + recovery.time);
}

// Largest value of a function with one peak over [low, high] of a logarithmic scale.
template <class Function>
double golden_section(double low, double high, const Function& value) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double a = std::log(low), b = std::log(high);
  double c = b - ratio * (b - a), d = a + ratio * (b - a);
  double at_c = value(std::exp(c)), at_d = value(std::exp(d));
  while (b - a > 1e-7) {
    if (at_c >= at_d) {
      b = d;
      d = c;
      at_d = at_c;
      c = b - ratio * (b - a);
      at_c = value(std::exp(c));
    } else {
      a = c;
      c = d;
      at_c = at_d;
      d = a + ratio * (b - a);
      at_d = value(std::exp(d));
    }
  }
  return std::exp((a + b) / 2);
}

Seconds best_interval(const Recovery& recovery, LevelPlan plan, Seconds least) {
  const double most = std::max(2 * least.base(), 10 / recovery.total_rate);
  return seconds(golden_section(least.base(), most, [&](double interval) {
    plan.interval = seconds(interval);
    return work_share(recovery, plan);
  }));
}

// `ratios`: saves of a level between two of the next.
LevelPlan plan_with(const Recovery& recovery, const std::vector<Seconds>& block,
                    const std::vector<std::int64_t>& ratios, Seconds least) {
  LevelPlan plan{{}, block, {1}};
  for (std::int64_t ratio : ratios) plan.every.push_back(plan.every.back() * ratio);
  plan.interval = best_interval(recovery, plan, least);
  return plan;
}

// Young's interval of each level by itself, as a multiple of the one before.
std::vector<std::int64_t> first_ratios(const Recovery& recovery, const std::vector<Seconds>& block) {
  std::vector<std::int64_t> ratios;
  double before = 0;
  for (std::size_t l = 0; l < block.size(); ++l) {
    double rate = recovery.total_rate * recovery.came_from[l];
    const double interval = std::sqrt(2 * std::max(block[l].base(), 1e-3) / std::max(rate, 1e-12));
    if (l > 0) ratios.push_back(static_cast<std::int64_t>(std::clamp(std::round(interval / before), 1.0, 64.0)));
    before = std::max(before, interval);
  }
  return ratios;
}

}  // namespace

TimeShares time_shares(const std::vector<RecoveryPath>& paths, const LevelPlan& plan) {
  const Recovery recovery = RecoverySolver(paths, plan.block.size()).solve();
  const auto segments = static_cast<double>(plan.every.back());
  Seconds saves;
  for (std::int64_t x = 0; x < plan.every.back(); ++x) saves += saves_after(plan, x);
  TimeShares shares;
  if (recovery.total_rate <= 0) {
    const Seconds period = plan.interval * segments + saves;
    return {.work = plan.interval * segments / period, .checkpoint = saves / period};
  }
  const double period = period_time(recovery, plan, 1 / recovery.total_rate + recovery.time);
  for (const RecoveryPath& path : paths) {
    shares.detect += path.rate.base() * -std::expm1(-recovery.total_rate * path.detect.base()) / recovery.total_rate;
  }
  if (std::isfinite(period)) {
    shares.work = plan.interval.base() * segments / period;
    shares.checkpoint = saves.base() / period;
    shares.restart = period_time(recovery, plan, recovery.time) / period - shares.detect;
  }
  shares.lost_work = 1 - shares.work - shares.checkpoint - shares.detect - shares.restart;
  return shares;
}

Seconds best_interval(const std::vector<RecoveryPath>& paths, const LevelPlan& plan, Seconds least) {
  return best_interval(RecoverySolver(paths, plan.block.size()).solve(), plan, least);
}

LevelPlan best_plan(const std::vector<RecoveryPath>& paths, const std::vector<Seconds>& block, Seconds least) {
  const Recovery recovery = RecoverySolver(paths, block.size()).solve();
  if (!std::isfinite(recovery.time)) return {least, block, std::vector<std::int64_t>(block.size(), 1)};
  std::vector<std::int64_t> ratios = first_ratios(recovery, block);
  LevelPlan best = plan_with(recovery, block, ratios, least);
  double share = work_share(recovery, best);
  for (bool better = true; better;) {
    better = false;
    for (std::size_t l = 0; l < ratios.size(); ++l) {
      for (const double factor : {0.5, 0.8, 0.95, 1.05, 1.25, 2.0}) {
        std::vector<std::int64_t> other = ratios;
        const double moved = static_cast<double>(ratios[l]) * factor;
        other[l] =
            std::max<std::int64_t>(1, static_cast<std::int64_t>(factor < 1 ? std::floor(moved) : std::ceil(moved)));
        std::int64_t segments = 1;
        for (std::int64_t ratio : other) segments *= ratio;
        if (segments > kMostSegments) continue;
        LevelPlan plan = plan_with(recovery, block, other, least);
        const double reached = work_share(recovery, plan);
        if (reached <= share + 1e-12) continue;
        share = reached;
        best = std::move(plan);
        ratios = other;
        better = true;
      }
    }
  }
  return best;
}

}  // namespace nameplate
