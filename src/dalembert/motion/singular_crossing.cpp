#include "dalembert/motion/singular_crossing.hpp"

#include <algorithm>
#include <cmath>

namespace dalembert::motion {

namespace {

constexpr double reach = 1.6;             // steps
constexpr double suspicious = 4;          // steps within which a linear estimate is looked into
constexpr double vanishing_ahead = 0.25;  // of a height, as far as a Taylor polynomial can tell
constexpr double vanishing = 1e-3;        // of a height, on the interpolant
constexpr double close = 0.02;            // of a height, at the end of a step
constexpr double margin = 0.06;           // of the gap's ends, as a part of the step
constexpr double varying = 0.7;           // of the clearance: least by most
constexpr int settled = 20;               // steps after which it is believed not to
constexpr double weak = 0.3;              // of the clearance, below which it is sure to
constexpr double bending = 0.2;  // of a squared height in a step, below which it has no dip
constexpr double least_clearance = 2e-6;  // of the most there was
constexpr double uncertain = 0.03;  // of a leap, around the place, where nothing is solved for
constexpr int most_distance_corrections = 3;

/// When a quantity that goes from `before` to `now` in the time dt reaches zero, from now.
double time_to_zero(double before, double now, double dt) {
  return now < before ? now * dt / (before - now) : SingularCrossing::nowhere;
}

}  // namespace

SingularCrossing::SingularCrossing(SimulationCore& core)
    : core_(core),
      enabled_(core.options().project == model::Project::both && core.projector().tells_heights() &&
               is_mechanical(core.motion().method())),
      n_(core.motion().coordinates()),
      size_(core.size()) {
  if (!enabled_) return;
  row_norms_.resize(core.motion().constraints());
  heights_.resize(std::min(n_, row_norms_.size()));
  squares_ = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(heights_.size()), 5);
  acceleration_.resize(n_);
  jerk_.resize(n_);
  q_.resize(n_);
  v_.resize(n_);
  const auto rows = static_cast<Eigen::Index>(size_ + 2 * n_);
  node_values_.resize(rows, static_cast<Eigen::Index>(node_count));
  values_.resize(rows);
}

void SingularCrossing::arrive() {
  if (!enabled_) return;
  const Projector& projector = core_.projector();
  const double dt = core_.t() - t_;
  t_ = core_.t();
  for (std::size_t i = 0; i < n_; ++i) {
    const double a = core_.dydt()[n_ + i];
    jerk_[i] = dt > 0 && arrivals_ > 0 ? (a - acceleration_[i]) / dt : 0;
    acceleration_[i] = a;
  }
  least_height_ = nowhere;
  for (int i = 0; i < projector.position_rank(); ++i) {
    const double height = projector.height(i);
    heights_[static_cast<std::size_t>(i)] = height;
    least_height_ = std::min(least_height_, height);
    most_height_ = std::max(most_height_, height);
  }
  double weakest = 1;
  for (std::size_t j = 0; j < row_norms_.size(); ++j) {
    if (core_.motion().equations().constraints[j].level != model::Level::position) continue;
    row_norms_[j] = std::max(row_norms_[j], projector.row_norm(j));
    if (row_norms_[j] > 0) weakest = std::min(weakest, projector.row_norm(j) / row_norms_[j]);
  }
  const double sigma = projector.smallest_singular_value();
  expected_ = arrivals_ > 0 ? std::min(time_to_zero(sigma_, sigma, dt),
                                       time_to_zero(weakest_row_, weakest, dt))
                            : 0;
  sigma_ = sigma;
  weakest_row_ = weakest;
  most_clearance_ = std::max(most_clearance_, clearance());
  least_clearance_ = std::min(least_clearance_, clearance());
  ++arrivals_;
  distance_known_ = false;
  probed_ = false;
  corrections_ = 0;
}

void SingularCrossing::remember_start() {
  start_norms_ = row_norms_;
  start_clearance_ = most_clearance_;
  start_height_ = most_height_;
}

void SingularCrossing::restart() {
  row_norms_ = start_norms_;
  most_clearance_ = start_clearance_;
  most_height_ = start_height_;
  least_clearance_ = nowhere;
  arrivals_ = 0;
}

/// The place of the minimum of g^2 along a path, g the height of row_, by parabolas through three
/// points around `center` that draw closer. Leaves the heights there with the projector; -1 if they
/// cannot be had.
template <class Path>
double SingularCrossing::find_least(const Path& path, double center, double width, int rounds) {
  const auto squared = [&](double s) {
    if (!path(s)) return nowhere;
    const double g = core_.projector().height(row_);
    return g * g;
  };
  for (int i = 0; i < rounds; ++i) {
    const double left = squared(center - width), here = squared(center),
                 right = squared(center + width);
    const double curvature = left - 2 * here + right;
    if (!std::isfinite(curvature)) return -1;
    const double shift = curvature > 0 ? (left - right) / (2 * curvature) : left > right ? 2 : -2;
    center = std::max(center + width * std::clamp(shift, -2.0, 2.0), width / 100);
    width /= 5;
  }
  return path(center) ? center : -1;
}

double SingularCrossing::distance(double h) {
  if (!enabled_ || !(expected_ <= suspicious * h)) return nowhere;
  if (distance_known_) return distance_;
  distance_known_ = true;
  probed_ = true;
  distance_ = nowhere;
  if (arrivals_ == 1) find_jerk(0.01 * h);
  Projector& projector = core_.projector();
  const std::span<const double> q = core_.q(core_.y()), v = core_.v(core_.y());
  const auto path = [&](double s) {
    for (std::size_t i = 0; i < n_; ++i) {
      q_[i] = q[i] + s * (v[i] + s * (acceleration_[i] / 2 + s * jerk_[i] / 6));
      v_[i] = v[i] + s * (acceleration_[i] + s * jerk_[i] / 2);
    }
    return projector.measure_heights(t_ + s, q_, v_);
  };
  const double probe = 0.03 * (expected_ > 0 ? std::min(h, expected_) : h);
  if (!path(probe)) return distance_;
  double first = nowhere;
  for (int i = 0; i < projector.position_rank(); ++i) {
    const double time =
        time_to_zero(heights_[static_cast<std::size_t>(i)], projector.height(i), probe) + probe;
    if (time >= first) continue;
    first = time;
    row_ = i;
  }
  if (!(first < 2 * reach * h)) return distance_;
  const double s = find_least(path, first, 0.3 * first, 3);
  const bool vanishes =
      s > 0 && projector.height(row_) <= vanishing_ahead * heights_[static_cast<std::size_t>(row_)];
  if (vanishes && s < reach * h) distance_ = s;
  return distance_;
}

bool SingularCrossing::approaches(double h) const {
  return enabled_ && expected_ <= suspicious * h;
}

/// By the accelerations a little later, where no arrival before this one tells.
void SingularCrossing::find_jerk(double dt) {
  const std::span<const double> q = core_.q(core_.y()), v = core_.v(core_.y());
  for (std::size_t i = 0; i < n_; ++i) {
    q_[i] = q[i] + dt * (v[i] + dt * acceleration_[i] / 2);
    v_[i] = v[i] + dt * acceleration_[i];
  }
  core_.count_evaluations(1);
  if (core_.evaluator().evaluate(t_ + dt, q_, v_) != Status::ok) return;
  for (std::size_t i = 0; i < n_; ++i)
    jerk_[i] =
        (core_.evaluator().acceleration()[static_cast<Eigen::Index>(i)] - acceleration_[i]) / dt;
}

bool SingularCrossing::lost() const {
  // A row that vanishes and is not needed does no harm.
  return enabled_ && clearance() < least_clearance * most_clearance_ &&
         least_height_ < vanishing * most_height_;
}

bool SingularCrossing::overlooked(std::span<const double> start, double h) {
  const bool steady = arrivals_ > settled && least_clearance_ > varying * most_clearance_;
  if (!enabled_ || steady) return false;
  probed_ = true;
  Projector& projector = core_.projector();
  const std::span<const double> q = core_.q(start), v = core_.v(start);
  const std::span<const double> q_end = core_.q(core_.y()), v_end = core_.v(core_.y());
  // Through positions and velocities at both ends and the accelerations at the first.
  const auto path = [&](double s) {
    const double x = s / h;
    for (std::size_t i = 0; i < n_; ++i) {
      const double a = acceleration_[i];
      const double position = q_end[i] - q[i] - h * (v[i] + h * a / 2);
      const double velocity = h * (v_end[i] - v[i] - h * a);
      q_[i] = q[i] + s * (v[i] + s * a / 2) +
              x * x * x * (4 * position - velocity + x * (velocity - 3 * position));
      v_[i] = v[i] + x * (v_end[i] - v[i]);
    }
    return projector.measure_heights(t_ + s, q_, v_);
  };
  const int rank = projector.position_rank();
  const auto square = [&](Eigen::Index k) {  // of the heights at k quarters of the step
    if (!path(h * static_cast<double>(k) / 4)) return false;
    for (int i = 0; i < rank; ++i) squares_(i, k) = projector.height(i) * projector.height(i);
    return true;
  };
  for (int i = 0; i < rank; ++i) {
    const double height = heights_[static_cast<std::size_t>(i)];
    squares_(i, 0) = height * height;
  }
  // Where these squares hardly change, and on a line, there is no dip between them; unless the
  // heights are known to come and go, and steps may be as long as that takes.
  if (!square(2) || !square(4)) return false;
  bool bent = least_clearance_ < weak * most_clearance_;
  for (int i = 0; i < rank; ++i) {
    const double bend = squares_(i, 0) - 2 * squares_(i, 2) + squares_(i, 4);
    const auto [least, most] = std::minmax({squares_(i, 0), squares_(i, 2), squares_(i, 4)});
    bent |= std::abs(bend) > bending * most || least < 2 * bending * most;
  }
  if (!bent || !square(1) || !square(3)) return false;
  double deepest = 0.2, place = nowhere;
  for (int i = 0; i < rank; ++i) {
    const double most = squares_.row(i).maxCoeff();
    if (squares_(i, 4) < deepest * most) {  // it may lie just before the end
      deepest = squares_(i, 4) / most;
      place = h;
      row_ = i;
    }
    for (Eigen::Index k = 1; k <= 3; ++k) {
      const double slope = squares_(i, k + 1) - squares_(i, k - 1);
      const double bend = squares_(i, k - 1) - 2 * squares_(i, k) + squares_(i, k + 1);
      const double depth = (squares_(i, k) - slope * slope / (8 * bend)) / most;
      if (!(bend > 0) || std::abs(slope) > 2 * bend || depth > deepest) continue;
      deepest = depth;
      place = h / 4 * (static_cast<double>(k) - slope / (2 * bend));
      row_ = i;
    }
  }
  if (place == nowhere) return false;
  const double s = find_least(path, place, 0.1 * h, 4);
  if (!(s > 0 && s < h)) return false;
  const double least = projector.height(row_);
  if (least * least > vanishing_ahead * vanishing_ahead * squares_.row(row_).maxCoeff())
    return false;
  distance_ = s;
  distance_known_ = true;
  expected_ = s;
  return true;
}

bool SingularCrossing::too_close(double t) {
  if (!enabled_) return false;
  Projector& projector = core_.projector();
  // Else the heights are those of the projection.
  if (probed_ && !projector.measure_heights(t, core_.q(core_.y()), core_.v(core_.y()))) return true;
  for (int i = 0; i < projector.position_rank(); ++i)
    if (projector.height(i) < close * heights_[static_cast<std::size_t>(i)]) return true;
  return false;
}

bool SingularCrossing::gather_nodes(const Rk8& stepper, double h) {
  h_ = h;
  const std::span<double> y(values_.data(), size_);
  const std::span<double> dydt(values_.data() + size_, 2 * n_);
  for (std::size_t k = 0; k < node_count; ++k) {
    const double time = t_ + nodes[k] * h;
    if (nodes[k] == 1.0) {
      std::copy(core_.y().begin(), core_.y().end(), y.begin());
    } else {
      stepper.interpolate(nodes[k], y);
      if (!core_.bring_onto_constraints(time, y, nullptr)) return false;
    }
    if (core_.evaluator().evaluate(time, core_.q(y), core_.v(y)) != Status::ok) return false;
    core_.count_evaluations(1);
    std::copy_n(core_.evaluator().acceleration().begin(), n_, dydt.begin());
    std::copy_n(core_.evaluator().nonideal().begin(), n_,
                dydt.begin() + static_cast<std::ptrdiff_t>(n_));
    node_values_.col(static_cast<Eigen::Index>(k)) = values_;
  }
  return true;
}

void SingularCrossing::interpolate(double theta) {
  const auto n = static_cast<Eigen::Index>(n_), y = static_cast<Eigen::Index>(size_);
  values_.setZero();
  for (std::size_t k = 0; k < node_count; ++k) {
    double weight = 1, slope = 0;
    for (std::size_t i = 0; i < node_count; ++i) {
      if (i == k) continue;
      weight *= (theta - nodes[i]) / (nodes[k] - nodes[i]);
      slope += 1 / (nodes[k] - nodes[i]);
    }
    const auto node = node_values_.col(static_cast<Eigen::Index>(k));
    const double by_rate = (theta - nodes[k]) * weight * weight;
    const double by_value = weight * weight - 2 * slope * by_rate;
    values_.head(n) += by_value * node.head(n) + h_ * by_rate * node.segment(n, n);
    values_.segment(n, n) += by_value * node.segment(n, n) + h_ * by_rate * node.segment(y, n);
    values_.tail(y) += weight * node.tail(y);
  }
}

SingularCrossing::Verdict SingularCrossing::examine(const Rk8& stepper, double h) {
  if (!gather_nodes(stepper, h)) return Verdict::refused;
  Projector& projector = core_.projector();
  const std::span<const double> y(values_.data(), size_);
  const auto path = [&](double theta) {
    interpolate(theta);
    return projector.measure_heights(t_ + theta * h, core_.q(y), core_.v(y));
  };
  const double theta = find_least(path, middle, 0.05, 6);
  if (theta < gap_start + margin || theta > gap_end - margin) {
    if (!(theta > 0) || theta > 1 || corrections_++ == most_distance_corrections)
      return Verdict::refused;
    distance_ = theta * h;
    return Verdict::misplaced;
  }
  rank_lost_ = 0;
  for (int i = 0; i < projector.position_rank(); ++i)
    if (projector.height(i) <= vanishing * heights_[static_cast<std::size_t>(i)]) ++rank_lost_;
  if (rank_lost_ == 0 || !projector.positions_satisfied()) return Verdict::refused;
  residual_ = 0;
  for (const double beside : {(gap_start + theta) / 2, (theta + gap_end) / 2}) {
    if (!path(beside) || !projector.positions_satisfied()) return Verdict::refused;
    residual_ =
        std::max({residual_, projector.largest_scaled_residual(), projector.largest_scaled_rate()});
  }
  t_singular_ = t_ + theta * h;
  return Verdict::passed;
}

bool SingularCrossing::covers(double time) const {
  return std::abs(time - t_singular_) < uncertain * std::abs(h_);
}

void SingularCrossing::sample(double time, std::span<double> y) {
  core_.note_residual(residual_);
  interpolate((time - t_) / h_);
  std::copy_n(values_.begin(), size_, y.begin());
  core_.evaluator().adopt(time, core_.q(y), core_.v(y), {values_.data() + size_, n_},
                          {values_.data() + size_ + n_, n_});
}

}  // namespace dalembert::motion
