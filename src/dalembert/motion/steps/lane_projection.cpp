#include "dalembert/motion/steps/lane_projection.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "dalembert/flow/projection.hpp"

namespace dalembert::motion {

namespace {

constexpr double rounding_allowance = 64 * std::numeric_limits<double>::epsilon();

LaneKernel lane_kernel(codegen::Kernel kernel, bool present, std::span<const double> parameters) {
  return present ? LaneKernel(std::move(kernel), parameters) : LaneKernel();
}

}  // namespace

bool any(const LaneMasks& masks) {
  return std::any_of(masks.begin(), masks.end(), [](std::int64_t mask) { return mask != 0; });
}

LaneProjector::LaneProjector(codegen::Kernel positions, codegen::Kernel velocities, std::size_t n,
                             bool reduced, model::Project project, int lanes,
                             std::span<const double> parameters)
    : n_(n),
      W_(static_cast<std::size_t>(lanes)),
      reduced_(reduced),
      arithmetic_(lane_arithmetic(lanes)),
      best_(n_ * W_),
      best_rows_(n_),
      active_(W_),
      undo_(W_),
      current_(W_),
      residual_(W_),
      drift_(W_),
      converged_(W_) {
  const bool has_positions = positions.outputs() > 0;
  const bool has_velocities = velocities.outputs() > 0;
  positions_ = lane_kernel(std::move(positions), has_positions, parameters);
  velocities_ = lane_kernel(std::move(velocities), has_velocities, parameters);
  project_positions_ = positions_ && project == model::Project::both;
  project_velocities_ = velocities_ && !reduced_ && project != model::Project::none;
  for (std::size_t i = 0; i < n_; ++i) best_rows_[i] = best_.data() + i * W_;
}

void LaneProjector::bind(int lane, std::span<const double> parameters) {
  if (positions_) positions_.bind(lane, parameters);
  if (velocities_) velocities_.bind(lane, parameters);
}

void LaneProjector::load(LaneKernel& level, const double* t, const double* y) const {
  std::memcpy(level.in, t, W_ * sizeof(double));
  if (!reduced_) {
    std::memcpy(level.in + W_, y, 2 * n_ * W_ * sizeof(double));
  } else {
    // Positions alone are projected, which do not depend on velocities.
    std::memcpy(level.in + W_, y, n_ * W_ * sizeof(double));
    std::memset(level.in + (1 + n_) * W_, 0, n_ * W_ * sizeof(double));
  }
}

/// A residual that no longer falls is as good as none if the rounding of the positions makes as
/// much.
bool LaneProjector::settled(const double* y, std::size_t lane, double residual) const {
  double q_size = 0;
  for (std::size_t i = 0; i < n_; ++i) q_size = std::max(q_size, std::abs(y[i * W_ + lane]));
  return residual <= rounding_allowance * (1 + q_size);
}

/// Whether a rate is left only because positions are off their constraints and stay so.
bool LaneProjector::left_by_drift(const double* t, const double* y, std::size_t lane, double rate) {
  if (project_positions_ || !positions_) return false;
  load(positions_, t, y);
  positions_.run();
  return rate <= rate_left_by_drift * positions_.out[n_][lane];
}

/// x, which is part of y, += dx until the residual is small or no longer falls.
void LaneProjector::correct(LaneKernel& level, const double* t, const double* y, double* x,
                            const std::int64_t* mask) {
  const double* residual = level.out[n_];
  const double* doubt = level.out[n_ + 1];
  load(level, t, y);
  level.run();
  for (std::size_t l = 0; l < W_; ++l) {
    active_[l] = 0;
    undo_[l] = 0;
    if (mask[l] == 0 || !converged_[l]) continue;
    current_[l] = residual[l];
    drift_[l] = std::max(drift_[l], residual[l]);
    converged_[l] = residual[l] <= projection_tolerance;
    if (!(residual[l] <= projection_goal) && doubt[l] <= 1 && std::isfinite(residual[l]))
      active_[l] = -1;
  }
  for (int i = 0; i < most_corrections && any(active_); ++i) {
    arithmetic_.advance(n_, active_.data(), level.out.data(), x, best_.data());
    load(level, t, y);
    level.run();
    for (std::size_t l = 0; l < W_; ++l) {
      if (active_[l] == 0) continue;
      const double next = residual[l];
      const bool falls = next < current_[l];
      const bool stagnant = !(next <= current_[l] / 2);
      if (falls) {
        current_[l] = next;
      } else {
        undo_[l] = -1;
      }
      converged_[l] = current_[l] <= projection_tolerance;
      if (current_[l] > projection_goal && !stagnant && doubt[l] <= 1) continue;
      active_[l] = 0;
      if (!converged_[l] && stagnant)
        converged_[l] = settled(y, l, current_[l]) ||
                        (&level == &velocities_ && left_by_drift(t, y, l, current_[l]));
    }
    if (any(undo_)) {
      arithmetic_.replace(n_, undo_.data(), best_rows_.data(), x);
      std::fill(undo_.begin(), undo_.end(), 0);
    }
  }
  for (std::size_t l = 0; l < W_; ++l) {
    if (mask[l] != 0) residual_[l] = std::max(residual_[l], current_[l]);
  }
}

void LaneProjector::project(const double* t, double* y, const std::int64_t* mask) {
  std::fill(residual_.begin(), residual_.end(), 0.0);
  std::fill(drift_.begin(), drift_.end(), 0.0);
  std::fill(converged_.begin(), converged_.end(), true);
  if (project_positions_) correct(positions_, t, y, y, mask);
  if (project_velocities_) correct(velocities_, t, y, y + n_ * W_, mask);
}

double LaneProjector::measure(std::size_t lane, double t, std::span<const double> q,
                              std::span<const double> v) {
  double largest = 0;
  for (LaneKernel* level : {&positions_, &velocities_}) {
    if (!*level) continue;
    level->in[lane] = t;
    for (std::size_t i = 0; i < n_; ++i) {
      level->in[(1 + i) * W_ + lane] = q[i];
      level->in[(1 + n_ + i) * W_ + lane] = v[i];
    }
    level->run();
    largest = std::max(largest, level->out[n_][lane]);
  }
  return largest;
}

}  // namespace dalembert::motion
