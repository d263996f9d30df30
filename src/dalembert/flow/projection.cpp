#include "dalembert/flow/projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/rational.hpp"

namespace dalembert::flow {

namespace {

constexpr std::uint32_t absent = ~std::uint32_t{0};
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double largest_floor = 1e-4;
constexpr long simple = 1000;  // numerators and denominators of numbers that carry no unit
constexpr double rounding_beside = 1e-14;
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

/// Of a number written in a constraint, 0 if it carries no unit.
double written_size(const expr::Rational& value) {
  if (abs(value.get_num()) <= simple && value.get_den() <= simple) return 0;
  return std::abs(expr::to_double(value));
}

}  // namespace

double residual_floor(const Motion& motion, std::size_t j) {
  const auto& parameters = motion.model().parameters;
  std::vector<double> sizes;
  for (const expr::Expr& e : expr::postorder(motion.equations().constraints[j].residual)) {
    if (e.is(expr::Op::constant)) {
      sizes.push_back(written_size(e.value()));
    } else if (e.is(expr::Op::symbol) && e.symbol().kind == expr::SymbolKind::parameter) {
      for (std::size_t k = 0; k < parameters.size(); ++k) {
        if (parameters[k].name == e.symbol().name)
          sizes.push_back(std::abs(motion.parameters()[k]));
      }
    }
  }
  const double largest = largest_magnitude(sizes);
  double floor = largest_floor;
  for (const double size : sizes) {
    if (size > rounding_beside * largest) floor = std::min(floor, size);
  }
  return floor;
}

Projector::Stage Projector::make_stage(bool positions, double rank_tolerance) {
  const Motion::Data& data = *motion_.data_;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> index(m_, absent);
  for (std::uint32_t j = 0; j < m_; ++j) {
    const model::Level level = data.equations.constraints[j].level;
    const bool included =
        positions ? level == model::Level::position : level != model::Level::acceleration;
    if (!included) continue;
    index[j] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(j);
  }
  std::vector<Place> A;
  for (const Place& place : data.A_places) {
    if (index[place.row] != absent) A.push_back({index[place.row], place.column, place.source});
  }
  FundamentalOptions options;
  options.rank_tolerance = rank_tolerance;
  options.groups = motion_.fundamental_options().groups;
  const std::size_t count = rows.size();
  EntrySolver solver(n_, count, data.M_places, A, options, data.storage);
  return {std::move(rows), std::move(A), Eigen::VectorXd::Zero(static_cast<Eigen::Index>(count)),
          rank_tolerance,  positions,    std::move(solver),
          std::nullopt,    false};
}

EntrySolver Projector::make_solver(const Stage& stage, const std::vector<Place>& metric) const {
  FundamentalOptions options;
  options.rank_tolerance = stage.rank_tolerance;
  options.groups = motion_.fundamental_options().groups;
  return {n_, stage.rows.size(), metric, stage.A, options, motion_.data_->storage};
}

Projector::Projector(const Motion& motion)
    : motion_(motion),
      n_(motion.coordinates()),
      m_(motion.constraints()),
      workspace_(motion.data_->constraints.workspace(motion.parameters())),
      inputs_(1 + 2 * n_),
      out_(motion.data_->constraints.outputs()),
      values_(motion.data_->M_places.size() + motion.data_->A_places.size()),
      step_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_))),
      best_(step_),
      row_norms_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(m_))),
      row_work_(row_norms_),
      q_scratch_(n_),
      v_scratch_(n_),
      positions_(make_stage(true, motion.fundamental_options().rank_tolerance)),
      velocities_(make_stage(false, motion.fundamental_options().rank_tolerance)) {
  for (std::size_t j = 0; j < m_; ++j) floors_.push_back(residual_floor(motion, j));
}

void Projector::bind(const Motion& motion) {
  motion_ = motion;
  motion_.data_->constraints.bind(workspace_, 0, motion_.parameters());
}

void Projector::measure(double t, std::span<const double> q, std::span<const double> v) {
  inputs_[0] = t;
  std::copy(q.begin(), q.end(), inputs_.begin() + 1);
  std::copy(v.begin(), v.end(), inputs_.begin() + 1 + static_cast<std::ptrdiff_t>(n_));
  const Motion::Data& data = *motion_.data_;
  data.constraints.evaluate(workspace_, inputs_, out_);
  std::copy(out_.begin() + static_cast<std::ptrdiff_t>(4 * m_), out_.end(), values_.begin());
  row_norms_.setZero();
  for (const Place& place : data.A_places) {
    const double value = values_[place.source];
    row_norms_[place.row] += value * value;
  }
  row_norms_ = row_norms_.cwiseSqrt();
  q_size_ = largest_magnitude(q);
  v_size_ = largest_magnitude(v);
}

double Projector::scaled_residual(std::size_t j) const {
  if (motion_.equations().constraints[j].level != model::Level::position) return 0;
  const double scale =
      out_[2 * m_ + j] + floors_[j] * row_norms_[static_cast<Eigen::Index>(j)] * (1 + q_size_);
  return out_[j] == 0 ? 0 : std::abs(out_[j]) / scale;
}

double Projector::scaled_rate(std::size_t j) const {
  if (motion_.equations().constraints[j].level == model::Level::acceleration) return 0;
  const double scale =
      out_[3 * m_ + j] + floors_[j] * row_norms_[static_cast<Eigen::Index>(j)] * (1 + v_size_);
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
bool Projector::settled(const Stage& stage) {
  const double* x = inputs_.data() + 1 + (stage.positions ? 0 : n_);
  const double uncertainty = rounding_allowance * (stage.positions ? 1 : 1 + q_size_);
  row_work_.setZero();
  for (const Place& place : motion_.data_->A_places)
    row_work_[place.row] += std::abs(values_[place.source] * x[place.column]);
  for (const std::uint32_t j : stage.rows) {
    const double scaled = stage.positions ? scaled_residual(j) : scaled_rate(j);
    if (scaled <= projection_tolerance) continue;
    const double residual = std::abs(stage.positions ? out_[j] : out_[m_ + j]);
    if (!(residual <= uncertainty * row_work_[j])) return false;
  }
  return true;
}

double Projector::largest_scaled_residual() const {
  return largest(positions_);
}
double Projector::largest_scaled_rate() const {
  return largest(velocities_);
}

double Projector::largest_scaled_rate(const Eigen::VectorXd& uncertainty) const {
  const std::span<const double> v = std::span(inputs_).subspan(1 + n_, n_);
  const double speed =
      Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(n_)).norm();
  double largest = 0;
  for (const std::uint32_t j : velocities_.rows) {
    const double known_to = j < uncertainty.size() ? uncertainty[j] * row_norms_[j] * speed : 0;
    const double scaled = scaled_rate(j);
    if (std::abs(out_[m_ + j]) <= known_to || scaled <= largest) continue;
    largest = std::isnan(scaled) ? std::numeric_limits<double>::infinity() : scaled;
  }
  return largest;
}

void Projector::load(Stage& stage) {
  const double* residual = stage.positions ? out_.data() : out_.data() + m_;
  for (std::size_t i = 0; i < stage.rows.size(); ++i)
    stage.residual[static_cast<Eigen::Index>(i)] = residual[stage.rows[i]];
}

void Projector::make_metric() {
  if (metric_) return;
  metric_.emplace();
  const Motion::Data& data = *motion_.data_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> index;
  const auto target = [&](std::uint32_t i, std::uint32_t j) {
    const auto [low, high] = std::minmax(i, j);
    const auto next = static_cast<std::uint32_t>(values_.size());
    const auto [found, added] = index.emplace(std::pair(high, low), next);
    if (added) {
      metric_->places.push_back({high, low, next});
      values_.push_back(0);
    }
    return found->second;
  };
  for (const Place& place : data.M_places) target(place.row, place.column);
  const std::vector<Place>& A = data.A_places;
  for (std::size_t begin = 0, end = 0; begin < A.size(); begin = end) {
    while (end < A.size() && A[end].row == A[begin].row) ++end;
    for (std::size_t a = begin; a < end; ++a) {
      for (std::size_t c = begin; c <= a; ++c) {
        metric_->terms.push_back(
            {target(A[a].column, A[c].column), A[a].source, A[c].source, A[a].row});
      }
    }
  }
}

void Projector::augment_metric() {
  const std::vector<Place>& M = motion_.data_->M_places;
  double trace = 0;
  for (std::size_t k = 0; k < M.size(); ++k) {
    if (M[k].row == M[k].column) trace += values_[M[k].source];
    values_[metric_->places[k].source] = values_[M[k].source];
  }
  for (std::size_t k = M.size(); k < metric_->places.size(); ++k)
    values_[metric_->places[k].source] = 0;
  const double weight = trace > 0 ? trace / static_cast<double>(n_) : 1;
  for (const Metric::Term& term : metric_->terms) {
    const double norm = row_norms_[term.row];
    if (norm > 0)
      values_[term.target] += weight / (norm * norm) * values_[term.left] * values_[term.right];
  }
}

Status Projector::factor(Stage& stage, bool decide) {
  load(stage);
  if (decide) {
    stage.augmented = false;
    const Status status = stage.solver.decide(values_);
    if (status != Status::mass_undetermined) return status;
    // The rows of this stage alone leave a massless direction free; all rows together may not.
    make_metric();
    augment_metric();
    if (!stage.spare) stage.spare.emplace(make_solver(stage, metric_->places));
    stage.augmented = true;
    return stage.spare->decide(values_);
  }
  if (stage.augmented) augment_metric();
  return stage.active().factor(values_);
}

void Projector::set_row_uncertainty(const Eigen::VectorXd& uncertainty) {
  for (Stage* stage : {&positions_, &velocities_}) {
    for (std::size_t i = 0; i < stage->rows.size(); ++i) {
      const std::uint32_t j = stage->rows[i];
      stage->residual[static_cast<Eigen::Index>(i)] = j < uncertainty.size() ? uncertainty[j] : 0;
    }
    stage->solver.set_row_uncertainty(stage->residual);
    if (stage->spare) stage->spare->set_row_uncertainty(stage->residual);
  }
}

Status Projector::decide(double t, std::span<const double> q, std::span<const double> v) {
  measure(t, q, v);
  const Status status = positions_.rows.empty() ? Status::ok : factor(positions_, true);
  if (status != Status::ok || velocities_.rows.empty()) return status;
  return factor(velocities_, true);
}

bool Projector::measure_heights(double t, std::span<const double> q, std::span<const double> v) {
  measure(t, q, v);
  return factor(positions_, false) == Status::ok;
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
    stage.active().apply_m_inverse(stage.residual, step_);
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

/// In the metric of the coordinates themselves: the unit matrix in place of M.
EntrySolver Projector::plain_solver(const Stage& stage) {
  std::vector<Place> unit;
  const auto one = static_cast<std::uint32_t>(values_.size());
  values_.push_back(1);
  for (std::uint32_t i = 0; i < n_; ++i) unit.push_back({i, i, one});
  return make_solver(stage, unit);
}

bool Projector::approach(Stage& stage, double t, std::span<double> q, std::span<double> v,
                         std::span<double> x, bool kinetic) {
  Eigen::Map<Eigen::VectorXd> current(x.data(), static_cast<Eigen::Index>(n_));
  std::optional<EntrySolver> plain;
  if (!kinetic) plain.emplace(plain_solver(stage));
  measure(t, q, v);
  for (int i = 0; i < most_approaches; ++i) {
    if (settled(stage)) return true;
    load(stage);
    const Status status = kinetic ? factor(stage, true) : plain->decide(values_);
    if (status != Status::ok) return false;
    (kinetic ? stage.active() : *plain).apply_m_inverse(stage.residual, step_);
    // Newton's step, shortened until it brings the residuals down. Each counts in units of its own
    // row.
    const Eigen::VectorXd from = current;
    const Eigen::VectorXd direction = step_;
    Eigen::VectorXd weights(stage.residual.size());
    for (std::size_t j = 0; j < stage.rows.size(); ++j) {
      weights[static_cast<Eigen::Index>(j)] =
          1 / std::max(row_norms_[stage.rows[j]], std::numeric_limits<double>::min());
    }
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
                        const std::vector<double>& metric_values) {
  Eigen::Map<Eigen::VectorXd> current(x.data(), static_cast<Eigen::Index>(n_));
  // The metric at the start stays; only the rows move.
  const std::vector<Place>& places = stage.augmented ? metric_->places : motion_.data_->M_places;
  std::vector<double> metric;
  for (const Place& place : places) metric.push_back(metric_values[place.source]);
  const auto norm = [&](const Eigen::VectorXd& y) {
    double sum = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const double part = y[places[k].row] * metric[k] * y[places[k].column];
      sum += places[k].row == places[k].column ? part : 2 * part;
    }
    return std::sqrt(std::max(0.0, sum));
  };
  Eigen::VectorXd direction = Eigen::VectorXd::Zero(start.size());
  Eigen::VectorXd to_start = direction, rows = stage.residual;
  std::vector<double> held = values_;
  EntrySolver solver = make_solver(stage, places);
  const auto find_direction = [&] {  // (I - A_M^+ A)(x_0 - x), at the point last measured
    load(stage);
    held = values_;
    for (std::size_t k = 0; k < places.size(); ++k) held[places[k].source] = metric[k];
    if (solver.decide(held) != Status::ok) return false;
    to_start = start - current;
    rows.setZero();
    for (const Place& place : stage.A)
      rows[place.row] += held[place.source] * to_start[place.column];
    solver.apply_m_inverse(rows, step_);
    direction = to_start - step_;
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
  result.converged = false;
  for (const double tolerance :
       {std::max(rank_tolerance, approach_rank_tolerance), rank_tolerance}) {
    std::copy(given.begin(), given.end(), x.begin());
    measure(t, q, v);
    Stage wide = make_stage(stage.positions, tolerance);
    if (factor(wide, true) != Status::ok) continue;
    const std::vector<double> at_start = values_;
    // Along the kinetic metric if that leads there; where masses are very unequal it may not, and
    // any point on the constraints will do to descend from.
    bool reached = approach(wide, t, q, v, x, true);
    if (!reached) {
      std::copy(given.begin(), given.end(), x.begin());
      reached = approach(wide, t, q, v, x, false);
    }
    if (!reached) {
      std::copy(given.begin(), given.end(), x.begin());
      reached = compromise(wide, t, q, v, x);
    }
    if (reached) {
      descend(wide, t, q, v, x, start, at_start);
      result = project(wide, t, q, v, x, true);
    } else {
      result.after = largest(wide);
      result.converged = false;
    }
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

}  // namespace dalembert::flow
