#include "dalembert/motion/projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dalembert::motion {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double scale_floor = 1e-4;
constexpr double rounding_allowance = 64 * epsilon;
constexpr int most_corrections = 20;
constexpr int most_approaches = 200;
/// Far from the constraints, redundant ones look independent by the amount they are violated.
constexpr double approach_rank_tolerance = 1e-4;
/// The least part of a step that is tried before giving up.
constexpr double shortest_approach = 1e-12;

double largest_magnitude(std::span<const double> x) {
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

Projector::Stage Projector::make_stage(bool positions, double rank_tolerance) const {
  std::vector<std::uint32_t> rows;
  const auto& constraints = motion_.equations().constraints;
  for (std::uint32_t j = 0; j < m_; ++j) {
    const bool included = positions ? constraints[j].level == model::Level::position
                                    : constraints[j].level != model::Level::acceleration;
    if (included) rows.push_back(j);
  }
  FundamentalOptions options;
  options.rank_tolerance = rank_tolerance;
  const auto count = static_cast<Eigen::Index>(rows.size());
  return {std::move(rows), Eigen::MatrixXd::Zero(count, static_cast<Eigen::Index>(n_)),
          Eigen::VectorXd::Zero(count),
          Fundamental(static_cast<int>(n_), static_cast<int>(count), options), positions};
}

Projector::Projector(const Motion& motion)
    : motion_(motion),
      n_(motion.coordinates()),
      m_(motion.constraints()),
      workspace_(motion.data_->constraints.workspace(motion.parameters())),
      inputs_(1 + 2 * n_),
      out_(motion.data_->constraints.outputs()),
      M_(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n_), static_cast<Eigen::Index>(n_))),
      A_(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(m_), static_cast<Eigen::Index>(n_))),
      metric_(M_),
      step_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_))),
      best_(step_),
      row_norms_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(m_))),
      q_scratch_(n_),
      v_scratch_(n_),
      positions_(make_stage(true, motion.fundamental_options().rank_tolerance)),
      velocities_(make_stage(false, motion.fundamental_options().rank_tolerance)) {}

void Projector::measure(double t, std::span<const double> q, std::span<const double> v) {
  inputs_[0] = t;
  std::copy(q.begin(), q.end(), inputs_.begin() + 1);
  std::copy(v.begin(), v.end(), inputs_.begin() + 1 + static_cast<std::ptrdiff_t>(n_));
  const Motion::Data& data = *motion_.data_;
  data.constraints.evaluate(workspace_, inputs_, out_);
  const double* out = out_.data() + 4 * m_;
  for (const Motion::Slot& slot : data.M_slots) {
    M_(slot.row, slot.column) = *out;
    M_(slot.column, slot.row) = *out++;
  }
  for (const Motion::Slot& slot : data.A_slots) A_(slot.row, slot.column) = *out++;
  for (Eigen::Index j = 0; j < A_.rows(); ++j) row_norms_[j] = A_.row(j).norm();
  q_size_ = largest_magnitude(q);
  v_size_ = largest_magnitude(v);
}

double Projector::scaled_residual(std::size_t j) const {
  if (motion_.equations().constraints[j].level != model::Level::position) return 0;
  const double scale =
      out_[2 * m_ + j] + scale_floor * row_norms_[static_cast<Eigen::Index>(j)] * (1 + q_size_);
  return out_[j] == 0 ? 0 : std::abs(out_[j]) / scale;
}

double Projector::scaled_rate(std::size_t j) const {
  if (motion_.equations().constraints[j].level == model::Level::acceleration) return 0;
  const double scale =
      out_[3 * m_ + j] + scale_floor * row_norms_[static_cast<Eigen::Index>(j)] * (1 + v_size_);
  return out_[m_ + j] == 0 ? 0 : std::abs(out_[m_ + j]) / scale;
}

double Projector::largest(const Stage& stage) const {
  double largest = 0;
  for (const std::uint32_t j : stage.rows) {
    const double scaled = stage.positions ? scaled_residual(j) : scaled_rate(j);
    // A residual that is not a number must not be lost in a comparison.
    if (!(scaled <= largest))
      largest = std::isnan(scaled) ? std::numeric_limits<double>::infinity() : scaled;
  }
  return largest;
}

/// A residual cannot be told from zero when the rounding of the state's own digits makes as much:
/// eps |A_jk x_k|, and for velocities A itself is as uncertain as the positions in it.
bool Projector::settled(const Stage& stage) const {
  const double* x = inputs_.data() + 1 + (stage.positions ? 0 : n_);
  const double uncertainty = rounding_allowance * (stage.positions ? 1 : 1 + q_size_);
  for (const std::uint32_t j : stage.rows) {
    const double scaled = stage.positions ? scaled_residual(j) : scaled_rate(j);
    if (scaled <= projection_tolerance) continue;
    double reach = 0;
    for (std::size_t k = 0; k < n_; ++k)
      reach += std::abs(A_(j, static_cast<Eigen::Index>(k)) * x[k]);
    const double residual = std::abs(stage.positions ? out_[j] : out_[m_ + j]);
    if (!(residual <= uncertainty * reach)) return false;
  }
  return true;
}

double Projector::largest_scaled_residual() const {
  return largest(positions_);
}
double Projector::largest_scaled_rate() const {
  return largest(velocities_);
}

void Projector::load(Stage& stage) {
  const double* residual = stage.positions ? out_.data() : out_.data() + m_;
  for (std::size_t i = 0; i < stage.rows.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    stage.A.row(row) = A_.row(stage.rows[i]);
    stage.residual[row] = residual[stage.rows[i]];
  }
}

/// metric = M + w A^T A over normalised rows: positive definite wherever rank [M; A] = n, and equal
/// to M as far as directions that keep the constraints are concerned.
void Projector::augment_metric() {
  const double trace = M_.trace();
  const double weight = trace > 0 ? trace / static_cast<double>(n_) : 1;
  metric_ = M_;
  for (Eigen::Index j = 0; j < A_.rows(); ++j) {
    if (row_norms_[j] == 0) continue;
    const double factor = weight / (row_norms_[j] * row_norms_[j]);
    for (Eigen::Index k = 0; k < A_.cols(); ++k) {
      if (A_(j, k) != 0) metric_.col(k) += (factor * A_(j, k)) * A_.row(j).transpose();
    }
  }
}

Status Projector::factor(Stage& stage, bool decide) {
  load(stage);
  if (decide) {
    stage.augmented = false;
    const Status status = stage.fundamental.decide(M_, stage.A);
    if (status != Status::mass_undetermined) return status;
    // The rows of this stage alone leave a massless direction free; all rows together may not.
    augment_metric();
    stage.augmented = true;
    return stage.fundamental.decide(metric_, stage.A);
  }
  if (stage.augmented) augment_metric();
  return stage.fundamental.factor(stage.augmented ? metric_ : M_, stage.A);
}

void Projector::set_row_uncertainty(const Eigen::VectorXd& uncertainty) {
  for (Stage* stage : {&positions_, &velocities_}) {
    for (std::size_t i = 0; i < stage->rows.size(); ++i) {
      stage->residual[static_cast<Eigen::Index>(i)] = uncertainty[stage->rows[i]];
    }
    stage->fundamental.set_row_uncertainty(stage->residual);
  }
}

Status Projector::decide(double t, std::span<const double> q, std::span<const double> v) {
  measure(t, q, v);
  const Status status = positions_.rows.empty() ? Status::ok : factor(positions_, true);
  if (status != Status::ok || velocities_.rows.empty()) return status;
  return factor(velocities_, true);
}

Projection Projector::project(Stage& stage, double t, std::span<double> q, std::span<double> v,
                              std::span<double> x, bool decide_anew) {
  measure(t, q, v);
  Projection result;
  result.before = largest(stage);
  double current = result.before;
  std::copy(x.begin(), x.end(), best_.begin());
  for (int i = 0; i < most_corrections && current > epsilon; ++i) {
    if (factor(stage, decide_anew) != Status::ok) break;
    stage.fundamental.apply_m_inverse(stage.residual, step_);
    for (std::size_t k = 0; k < n_; ++k) x[k] -= step_[static_cast<Eigen::Index>(k)];
    measure(t, q, v);
    const double next = largest(stage);
    if (!(next < current)) {
      std::copy(best_.begin(), best_.end(), x.begin());
      break;
    }
    const bool stagnant = next > current / 2;
    current = next;
    std::copy(x.begin(), x.end(), best_.begin());
    if (stagnant) break;
  }
  result.after = current;
  if (current > projection_tolerance) measure(t, q, v);
  result.converged = current <= projection_tolerance || settled(stage);
  return result;
}

Projection Projector::positions(double t, std::span<double> q, std::span<const double> v) {
  if (positions_.rows.empty()) return {};
  std::copy(v.begin(), v.end(), v_scratch_.begin());
  return project(positions_, t, q, v_scratch_, q, false);
}

Projection Projector::velocities(double t, std::span<const double> q, std::span<double> v) {
  if (velocities_.rows.empty()) return {};
  std::copy(q.begin(), q.end(), q_scratch_.begin());
  return project(velocities_, t, q_scratch_, v, v, false);
}

bool Projector::approach(Stage& stage, double t, std::span<double> q, std::span<double> v,
                         std::span<double> x, bool kinetic) {
  Eigen::Map<Eigen::VectorXd> current(x.data(), static_cast<Eigen::Index>(n_));
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(current.size(), current.size());
  measure(t, q, v);
  for (int i = 0; i < most_approaches; ++i) {
    if (settled(stage)) return true;
    load(stage);
    const Status status =
        kinetic ? factor(stage, true) : stage.fundamental.decide(identity, stage.A);
    if (status != Status::ok) return false;
    stage.fundamental.apply_m_inverse(stage.residual, step_);
    // Newton's step, shortened until it brings the residuals down. Each counts in units of its own
    // row.
    const Eigen::VectorXd from = current;
    const Eigen::VectorXd direction = step_;
    const Eigen::VectorXd weights =
        stage.A.rowwise().norm().cwiseMax(std::numeric_limits<double>::min()).cwiseInverse();
    const double merit = stage.residual.cwiseProduct(weights).norm();
    double length = 1;
    for (; length > shortest_approach; length /= 2) {
      current = from - length * direction;
      measure(t, q, v);
      load(stage);
      const double next = stage.residual.cwiseProduct(weights).norm();
      if (next < merit || settled(stage)) break;
    }
    if (length <= shortest_approach) {
      current = from;
      measure(t, q, v);
      return false;
    }
  }
  return settled(stage);
}

/// From a point on the constraints towards the start along them: descent on the distance |x -
/// x_0|_M, each step brought back onto the constraints, until the way to the start is perpendicular
/// to them. Where the distance no longer tells, because it is flat at its minimum, the part of the
/// way along the constraints does.
void Projector::descend(Stage& stage, double t, std::span<double> q, std::span<double> v,
                        std::span<double> x, const Eigen::VectorXd& start,
                        const Eigen::MatrixXd& metric) {
  Eigen::Map<Eigen::VectorXd> current(x.data(), static_cast<Eigen::Index>(n_));
  const auto norm = [&metric](const Eigen::VectorXd& y) {
    return std::sqrt(std::max(0.0, y.dot(metric * y)));
  };
  Eigen::VectorXd direction = Eigen::VectorXd::Zero(start.size());
  const auto find_direction = [&] {  // (I - A_M^+ A)(x_0 - x), at the point last measured
    load(stage);
    if (stage.fundamental.decide(metric, stage.A) != Status::ok) return false;
    stage.fundamental.apply_m_inverse(stage.A * (start - current), step_);
    direction = start - current - step_;
    return true;
  };
  measure(t, q, v);
  if (!find_direction()) return;
  double length = 1;
  Eigen::VectorXd way = Eigen::VectorXd::Zero(start.size());
  for (int i = 0; i < most_approaches; ++i) {
    const Eigen::VectorXd from = current;
    way = direction;
    const double distance = norm(start - from);
    const double slope = norm(way);
    if (!(slope > epsilon * distance)) return;
    for (; length > shortest_approach; length /= 2) {
      current = from + length * way;
      if (!approach(stage, t, q, v, x, true) || !find_direction()) continue;
      const double reached = norm(start - current);
      if (reached < distance * (1 - 1e-12) ||
          (reached <= distance * (1 + 1e-12) && norm(direction) < 0.9 * slope))
        break;
    }
    if (length <= shortest_approach) {
      current = from;
      measure(t, q, v);
      return;
    }
    length = std::min(1.0, 1.5 * length);
  }
}

Projection Projector::nearest(Stage& stage, double t, std::span<double> q, std::span<double> v,
                              std::span<double> x) {
  if (stage.rows.empty()) return {};
  const std::vector<double> given(x.begin(), x.end());
  const Eigen::VectorXd start =
      Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(n_));
  measure(t, q, v);
  const double before = largest(stage);
  const double rank_tolerance = motion_.fundamental_options().rank_tolerance;
  Projection result;
  for (const double tolerance :
       {std::max(rank_tolerance, approach_rank_tolerance), rank_tolerance}) {
    std::copy(given.begin(), given.end(), x.begin());
    measure(t, q, v);
    Stage wide = make_stage(stage.positions, tolerance);
    if (factor(wide, true) != Status::ok) continue;
    const Eigen::MatrixXd metric = wide.augmented ? metric_ : M_;
    // Along the kinetic metric if that leads there; where masses are very unequal it may not, and
    // any point on the constraints will do to descend from.
    bool reached = approach(wide, t, q, v, x, true);
    if (!reached) {
      std::copy(given.begin(), given.end(), x.begin());
      reached = approach(wide, t, q, v, x, false);
    }
    if (reached) descend(wide, t, q, v, x, start, metric);
    result = project(wide, t, q, v, x, true);
    if (result.converged) break;
  }
  result.before = before;
  measure(t, q, v);
  return result;
}

Projection Projector::nearest_positions(double t, std::span<double> q, std::span<const double> v) {
  std::vector<double> held(v.begin(), v.end());
  return nearest(positions_, t, q, held, q);
}

Projection Projector::nearest_velocities(double t, std::span<const double> q, std::span<double> v) {
  std::vector<double> held(q.begin(), q.end());
  return nearest(velocities_, t, held, v, v);
}

Projector::Obstacle Projector::obstacle(Stage& stage) {
  Obstacle result;
  load(stage);
  // Linearised, the constraints ask for A x = -r; rows that contradict each other there contradict
  // each other here.
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_));
  if (factor(stage, true) == Status::ok &&
      stage.fundamental.solve_ideal(none, -stage.residual) == Status::ok &&
      !stage.fundamental.consistent()) {
    for (std::size_t i = 0; i < stage.rows.size(); ++i) {
      if (stage.fundamental.conflicting(static_cast<int>(i)))
        result.constraints.push_back(stage.rows[i]);
    }
    result.contradiction = result.constraints.size() > 1;
  }
  if (result.contradiction) return result;
  result.constraints.clear();
  for (const std::uint32_t j : stage.rows) {
    const double scaled = stage.positions ? scaled_residual(j) : scaled_rate(j);
    if (!(scaled <= projection_tolerance)) result.constraints.push_back(j);
  }
  return result;
}

Projector::Obstacle Projector::obstacle_to_positions() {
  return obstacle(positions_);
}
Projector::Obstacle Projector::obstacle_to_velocities() {
  return obstacle(velocities_);
}

}  // namespace dalembert::motion
