// Motions that start in a singular configuration.
#include <algorithm>
#include <cmath>

#include "dalembert/flow/state/singular_start.hpp"
#include "dalembert/motion/singular_crossing.hpp"

namespace dalembert::motion {

namespace {

constexpr double first_way = 0.3;  // of the size of the coordinates, for a step
constexpr int most_ways = 8;       // each half of the one before
constexpr int most_shots = 30;
constexpr double hit = 0.1;  // of the tolerance

double size_of(std::span<const double> x) {
  double size = 0;
  for (const double value : x) size = std::max(size, std::abs(value));
  return size;
}

}  // namespace

bool SingularCrossing::starts_singular() {
  if (!enabled_) return false;
  const auto copy = [](std::span<const double> x) { return std::vector(x.begin(), x.end()); };
  const auto rank = singular_start_rank(
      core_.motion(), core_.evaluator(), core_.projector(),
      {core_.t(), copy(core_.q(core_.y())), copy(core_.v(core_.y())), copy(core_.mu(core_.y()))});
  start_rank_ = rank.value_or(0);
  return rank.has_value();
}

/// Whether the step back in the stepper passes over the start, at which it meets the state `met`.
bool SingularCrossing::laid_over(const Rk8& stepper, std::span<const double> met, double t) {
  Projector& projector = core_.projector();
  if (!core_.begin_from(stepper.t(), stepper.y())) return false;
  arrive();
  if (!projector.measure_heights(t, core_.q(met), core_.v(met))) return false;
  double least = nowhere;
  for (int i = 0; i < projector.position_rank(); ++i) {
    const double left = projector.height(i) / heights_[static_cast<std::size_t>(i)];
    if (left >= least) continue;
    least = left;
    row_ = i;
  }
  std::copy(stepper.y_new().begin(), stepper.y_new().end(), core_.y().begin());
  const bool passed = core_.bring_onto_constraints(stepper.t_new(), core_.y(), nullptr) &&
                      examine(stepper, stepper.t_new() - stepper.t()) == Verdict::passed;
  std::copy(stepper.y().begin(), stepper.y().end(), core_.y().begin());
  return passed;
}

bool SingularCrossing::lead_out(Rk8& stepper, Derivative derivative) {
  const double t = core_.t();
  const std::vector<double> start(core_.y().begin(), core_.y().end());
  std::vector<double> aside(size_), met(size_);
  double share = first_way;
  for (int i = 0; i < most_ways; ++i, share /= 2) {
    const double way = share * (1 + size_of(core_.q(start))) / size_of(core_.v(start));
    aside = start;
    for (std::size_t k = 0; k < n_; ++k) aside[k] += way * start[n_ + k];
    if (!core_.projector().nearest_positions(t + way, core_.q(aside), core_.v(aside)).converged ||
        !core_.projector().nearest_velocities(t + way, core_.q(aside), core_.v(aside)).converged)
      continue;
    for (int shot = 0; shot < most_shots; ++shot) {
      if (!core_.begin_from(t + way, aside)) return false;
      stepper.start(t + way, core_.y(), core_.dydt());
      core_.allow_rounding(std::min(core_.projector().smallest_singular_value(), share) / 4);
      const Tolerance tolerance = core_.tolerance();
      const double error = stepper.attempt(derivative, -way / middle, tolerance);
      if (!(error <= 1) || !stepper.prepare_dense(derivative)) break;
      stepper.interpolate(middle, met);
      double off = 0;
      for (std::size_t k = 0; k < size_; ++k) {
        off = std::max(off, std::abs(start[k] - met[k]) / tolerance.scale(k, start[k], met[k]));
        aside[k] += start[k] - met[k];
      }
      if (off <= hit) {
        if (laid_over(stepper, met, t)) return true;
        break;
      }
      if (!core_.bring_onto_constraints(t + way, aside, nullptr)) break;
    }
  }
  return false;
}

}  // namespace dalembert::motion
