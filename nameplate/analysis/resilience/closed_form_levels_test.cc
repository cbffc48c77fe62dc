#include "nameplate/analysis/resilience/closed_form_levels.h"

#include <array>
#include <cmath>
#include <tuple>

#include <gtest/gtest.h>

#include "nameplate/analysis/resilience/closed_form_checkpoint.h"
#include "nameplate/core/random.h"

namespace nameplate {
namespace {

RecoveryPath path(double mttf, std::size_t level, double detect, std::vector<double> restart, double redone = 0) {
  RecoveryPath p{PerSecond::from_base(1 / mttf), level, seconds(detect), seconds(redone), {}};
  for (double r : restart) p.restart.push_back(seconds(r));
  return p;
}

double sum(const TimeShares& s) { return s.work + s.checkpoint + s.detect + s.restart + s.lost_work; }

// One level is the renewal argument's closed form, also when two classes share the rate.
TEST(ClosedFormLevels, OneLevelIsTheExactForm) {
  for (const auto& [mttf, block, restart] : {std::array{3600.0, 60.0, 120.0}, {3600, 600, 600}, {11134.8, 5, 180}}) {
    const CheckpointRegime regime{seconds(mttf), seconds(block), seconds(restart)};
    const Seconds interval = optimal_interval(regime);
    const std::vector<RecoveryPath> paths = {path(mttf / .3, 0, restart / 4, {restart * 3 / 4}),
                                             path(mttf / .7, 0, restart / 2, {restart / 2})};
    const TimeShares shares = time_shares(paths, {interval, {seconds(block)}, {1}});
    EXPECT_NEAR(shares.work, efficiency(regime, interval), 1e-12);
    EXPECT_NEAR(sum(shares), 1, 1e-12);
    const LevelPlan best = best_plan(paths, {seconds(block)}, seconds(1));
    EXPECT_NEAR(best.interval / interval, 1, 1e-4);
  }
}

TEST(ClosedFormLevels, WithoutFailuresOnlySavesCost) {
  const TimeShares shares = time_shares({}, {seconds(90), {seconds(10), seconds(20)}, {1, 3}});
  EXPECT_NEAR(shares.work, 270.0 / 320, 1e-12);
  EXPECT_NEAR(shares.checkpoint, 50.0 / 320, 1e-12);
}

// Where failures cannot be outrun nothing is left.
TEST(ClosedFormLevels, NoProgress) {
  const TimeShares shares = time_shares({path(10, 0, 5, {20})}, {seconds(100000), {seconds(10)}, {1}});
  EXPECT_EQ(shares.work, 0);
  EXPECT_NEAR(sum(shares), 1, 1e-12);
  const LevelPlan plan = best_plan({path(1e-3, 0, 5, {20, 20})}, {seconds(10), seconds(20)}, seconds(1));
  EXPECT_EQ(time_shares({path(1e-3, 0, 5, {20, 20})}, plan).work, 0);
}

// A simulation of its own: segments, saves, failures, restarts from the worse of the levels, event by event.
struct Simulated {
  double work = 0, checkpoint = 0, detect = 0, restart = 0, total = 0;
};
class Simulation {
 public:
  Simulation(const std::vector<RecoveryPath>& paths, const LevelPlan& plan) : paths_(paths), plan_(plan) {
    for (const RecoveryPath& p : paths) rate_ += p.rate.base();
    draw();
  }
  Simulated run(std::int64_t periods) {
    const std::int64_t segments = plan_.every.back();
    for (std::int64_t period = 0; period < periods; ++period) {
      for (std::int64_t x = 0; x < segments;) {
        double saves = 0;
        for (std::size_t l = 0; l < plan_.every.size(); ++l) {
          if ((x + 1) % plan_.every[l] == 0) saves += plan_.block[l].base();
        }
        if (advance(plan_.interval.base() + saves)) {
          ++x;
          s_.work += plan_.interval.base();
          s_.checkpoint += saves;
          continue;
        }
        const std::size_t level = recover();
        const std::int64_t back = x - x % plan_.every[level];
        for (std::int64_t y = back; y < x; ++y) {  // what was saved on the way is done again
          s_.work -= plan_.interval.base();
          for (std::size_t l = 0; l < plan_.every.size(); ++l) {
            if ((y + 1) % plan_.every[l] == 0) s_.checkpoint -= plan_.block[l].base();
          }
        }
        x = back;
      }
    }
    return s_;
  }

 private:
  void draw() { next_ = -std::log1p(-random_.next_uniform()) / rate_; }
  bool advance(double time) {
    const double spent = std::min(time, next_);
    s_.total += spent;
    next_ -= spent;
    return next_ > 0;
  }
  const RecoveryPath& strike() {
    double u = random_.next_uniform() * rate_;
    draw();
    for (const RecoveryPath& p : paths_) {
      if ((u -= p.rate.base()) < 0) return p;
    }
    return paths_.back();
  }
  std::size_t recover() {
    const RecoveryPath* p = &strike();
    std::size_t level = p->level;
    for (;;) {
      const double before = s_.total;
      const bool noticed = advance(p->detect.base());
      s_.detect += s_.total - before;
      const double noticed_at = s_.total;
      const bool done = noticed && advance(p->restart[level].base());
      s_.restart += s_.total - noticed_at;
      if (done) return level;
      p = &strike();
      level = std::max(level, p->level);
    }
  }

  const std::vector<RecoveryPath>& paths_;
  const LevelPlan& plan_;
  RandomStream random_{7, 0};
  double rate_ = 0, next_ = 0;
  Simulated s_;
};

// Three levels and four paths at a failure every 9 minutes: within 0.2 points of 400,000 simulated failures, whose own
// 99 % interval is about 0.1.
TEST(ClosedFormLevels, ThreeLevelsAgreeWithSimulation) {
  const std::vector<RecoveryPath> paths = {path(900, 0, 5, {20, 60, 200}), path(2500, 1, 30, {40, 80, 240}),
                                           path(6000, 2, 60, {40, 80, 300}), path(5000, 0, 10, {10, 20, 90})};
  const LevelPlan plan{seconds(45), {seconds(1), seconds(4), seconds(20)}, {1, 4, 12}};
  const TimeShares exact = time_shares(paths, plan);
  const Simulated s = Simulation(paths, plan).run(150'000);
  EXPECT_NEAR(exact.work, s.work / s.total, .002);
  EXPECT_NEAR(exact.checkpoint, s.checkpoint / s.total, .002);
  EXPECT_NEAR(exact.detect, s.detect / s.total, .002);
  EXPECT_NEAR(exact.restart, s.restart / s.total, .002);
  EXPECT_NEAR(sum(exact), 1, 1e-12);
}

// At benign rates the lowest-order formula is near, and the best plan beats each of its grid points.
TEST(ClosedFormLevels, TwoLevelsNearTheLowestOrder) {
  const auto paths = [](double covered) {
    std::vector<RecoveryPath> list = {path(11134.8 / (1 - covered), 1, 0, {60, 600})};
    if (covered > 0) list.push_back(path(11134.8 / covered, 0, 0, {60, 600}));
    return list;
  };
  for (const auto& [covered, ettr, interval, every] : {std::tuple{.9, .9545, 120, 16}, {.99, .9738, 150, 40}}) {
    const LevelPlan grid{seconds(interval), {seconds(1), seconds(30)}, {1, every}};
    const double exact = time_shares(paths(covered), grid).work;
    EXPECT_NEAR(exact, ettr, .002);
    const LevelPlan best = best_plan(paths(covered), grid.block, seconds(1));
    const double reached = time_shares(paths(covered), best).work;
    EXPECT_GE(reached, exact);
    EXPECT_LT(reached, ettr + .003);
  }
}

// Work found wrong two hours later is done again: at one such failure in 100 h that is 2 % of the work.
TEST(ClosedFormLevels, SilentCorruptionIsRedone) {
  const LevelPlan plan{seconds(600), {seconds(5)}, {1}};
  const double without = time_shares({path(360000, 0, 0, {300})}, plan).work;
  const double with = time_shares({path(360000, 0, 0, {300}, 7200)}, plan).work;
  EXPECT_NEAR(without - with, .02, .001);
}

}  // namespace
}  // namespace nameplate
