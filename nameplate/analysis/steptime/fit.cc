#include "nameplate/analysis/steptime/fit.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "nameplate/analysis/steptime/times.h"

namespace nameplate {
namespace {

constexpr double kNoise = 0.06;
constexpr double kCauchyScale = 0.15;
constexpr double kDifference = 0.01;
constexpr int kMostIterations = 25;
constexpr double kConverged = 1e-4;  // of the cost, relative

class Fitter {
 public:
  Fitter(std::span<const MeasuredStep* const> runs, const StepCalibration& start) : runs_(runs), current_(start) {
    column_.assign(current_.values.size(), std::nullopt);
    for (std::size_t i = 0; i < current_.values.size(); ++i) {
      current_.values[i].value = current_.values[i].prior;
      if (current_.values[i].sigma <= 0) continue;
      column_[i] = free_.size();
      free_.push_back(i);
    }
    z_ = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(free_.size()));
  }

  StepCalibration fit() {
    double cost = cost_of(current_, z_);
    double damping = 1e-3;
    for (int i = 0; i < kMostIterations && damping < 1e6; ++i) {
      build();
      const double before = cost;
      while (damping < 1e6) {
        const Eigen::VectorXd z = z_ + step(damping);
        const StepCalibration candidate = with(z);
        const double next = cost_of(candidate, z);
        if (next < cost) {
          z_ = z;
          current_ = candidate;
          cost = next;
          damping = std::max(damping / 10, 1e-9);
          break;
        }
        damping *= 10;
      }
      if (before - cost < kConverged * before) break;
    }
    return std::move(current_);
  }

 private:
  static double residual(const MeasuredStep& run, const StepValues& values) {
    return std::log(step_seconds(*run.setup, run.work, values).total / run.measured);
  }

  double cost_of(const StepCalibration& calibration, const Eigen::VectorXd& z) const {
    double cost = 0;
    for (const MeasuredStep* run : runs_) {
      const double e = residual(*run, step_values(run->work, calibration)) / kCauchyScale;
      cost += run->weight * kCauchyScale * kCauchyScale * std::log1p(e * e);
    }
    cost /= kNoise * kNoise;
    for (std::size_t j = 0; j < free_.size(); ++j) {
      const double scaled = z[static_cast<Eigen::Index>(j)] / current_.values[free_[j]].sigma;
      cost += scaled * scaled;
    }
    return cost;
  }

  StepCalibration with(const Eigen::VectorXd& z) const {
    StepCalibration c = current_;
    for (std::size_t j = 0; j < free_.size(); ++j) {
      CalibratedValue& v = c.values[free_[j]];
      v.value = v.prior * std::exp(z[static_cast<Eigen::Index>(j)]);
    }
    return c;
  }

  // Normal equations at the current point.
  void build() {
    const auto n = static_cast<Eigen::Index>(free_.size());
    normal_ = Eigen::MatrixXd::Zero(n, n);
    gradient_ = Eigen::VectorXd::Zero(n);
    for (const MeasuredStep* run : runs_) add_run(*run);
    for (Eigen::Index j = 0; j < n; ++j) {
      const double sigma = current_.values[free_[static_cast<std::size_t>(j)]].sigma;
      normal_(j, j) += 1 / (sigma * sigma);
      gradient_[j] += z_[j] / (sigma * sigma);
    }
  }

  void add_run(const MeasuredStep& run) {
    StepValues values = step_values(run.work, current_);
    const double e = residual(run, values);
    const double scaled = e / kCauchyScale;
    const double weight = run.weight / (kNoise * kNoise * (1 + scaled * scaled));
    std::vector<std::pair<Eigen::Index, double>> derivatives;
    for (std::size_t i = 0; i < kStepValues; ++i) {
      if (!run.work.values[i] || !column_[*run.work.values[i]]) continue;
      const double kept = values[i];
      values[i] = kept * std::exp(kDifference);
      derivatives.emplace_back(static_cast<Eigen::Index>(*column_[*run.work.values[i]]),
                               (residual(run, values) - e) / kDifference);
      values[i] = kept;
    }
    for (const auto& [j, dj] : derivatives) {
      gradient_[j] += weight * dj * e;
      for (const auto& [k, dk] : derivatives) normal_(j, k) += weight * dj * dk;
    }
  }

  Eigen::VectorXd step(double damping) const {
    Eigen::MatrixXd damped = normal_;
    damped.diagonal() *= 1 + damping;
    return damped.ldlt().solve(-gradient_);
  }

  std::span<const MeasuredStep* const> runs_;
  StepCalibration current_;
  std::vector<std::optional<std::size_t>> column_;  // of each value, where it is fitted
  std::vector<std::size_t> free_;
  Eigen::VectorXd z_;
  Eigen::MatrixXd normal_;
  Eigen::VectorXd gradient_;
};

}  // namespace

Seconds predicted_step_time(const MeasuredStep& run, const StepCalibration& calibration) {
  return step_seconds(*run.setup, run.work, step_values(run.work, calibration)).total;
}

StepCalibration fit_calibration(std::span<const MeasuredStep* const> runs, const StepCalibration& calibration) {
  return Fitter(runs, calibration).fit();
}

}  // namespace nameplate
