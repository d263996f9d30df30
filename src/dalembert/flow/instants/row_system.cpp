#include "dalembert/flow/instants/row_system.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "dalembert/flow/instants/limits.hpp"

namespace dalembert::flow {

namespace {

constexpr int most_projections = 25;

}  // namespace

RowSystem::RowSystem(const Motion& motion) : kernels_(*motion.instants()) {
  const InstantKernels& k = kernels_;
  inputs_.assign(k.inputs(), 0);
  out_.resize(k.dynamics.outputs());
  geometry_.resize(k.geometry.outputs());
  law_values_.resize(k.laws.outputs());
  force_values_.resize(k.forces.outputs());
  slope_values_.resize(k.limit_slopes.outputs());
  watched_values_.resize(k.watched.outputs());
  setting_values_.resize(k.settings.outputs());
  observed_.resize(k.observables.outputs());
  laws_.resize(k.elements.size());
  M_.setZero(index(k.n), index(k.n));
  A_.setZero(index(k.rows), index(k.n));
  Q_.resize(index(k.n));
  C_.resize(index(k.n));
  b_.resize(index(k.rows));
  sizes_.assign(k.rows, 0);
  rate_sizes_.assign(k.rows, 0);
  problem_of_rows_.elements = k.elements;
  problem_of_rows_.constraints = k.constraints;
  bind(motion);
  for (std::size_t i = 0; i < k.discretes.size(); ++i)
    discretes()[i] = motion.parameters()[k.discretes[i]];
}

void RowSystem::bind(const Motion& motion) {
  std::vector<double> values;
  for (const std::size_t i : kernels_.bound) values.push_back(motion.parameters()[i]);
  dynamics_ = kernels_.dynamics.workspace(values);
  geometry_space_ = kernels_.geometry.workspace(values);
  laws_space_ = kernels_.laws.workspace(values);
  forces_space_ = kernels_.forces.workspace(values);
  slopes_space_ = kernels_.limit_slopes.workspace(values);
  watched_space_ = kernels_.watched.workspace(values);
  settings_space_ = kernels_.settings.workspace(values);
  observables_space_ = kernels_.observables.workspace(values);
}

void RowSystem::set_works(double friction, double impact) {
  inputs_[kernels_.works_at()] = friction;
  inputs_[kernels_.works_at() + 1] = impact;
}

void RowSystem::set_state(double t, std::span<const double> q, std::span<const double> v) {
  inputs_[0] = t;
  std::ranges::copy(q, inputs_.begin() + 1);
  std::ranges::copy(v, inputs_.begin() + 1 + static_cast<std::ptrdiff_t>(kernels_.n));
}

/// Whether M, factored in llt_, is positive. A pivot behind a small one carries the rounding of
/// that, magnified: 4 (1 - e e^T) of a quaternion near (1, 0, 0, 0) has small pivots first, and the
/// last, which should be zero, is anything. Where one is small, elimination by equal scales and
/// with the largest pivot first decides.
bool RowSystem::is_metric() {
  constexpr double clear = 1e-3, dependent = 1e-12;
  if (llt_.info() != Eigen::Success) return false;
  const Eigen::Index n = M_.rows();
  double least = 1;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double pivot = llt_.matrixLLT()(i, i);
    least = std::min(least, pivot * pivot / M_(i, i));
  }
  if (least > clear) return true;
  scaled_ = M_;
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) scaled_(i, j) /= std::sqrt(M_(i, i) * M_(j, j));
  }
  for (Eigen::Index step = 0; step < n; ++step) {
    Eigen::Index at = 0;
    const double pivot = scaled_.diagonal().maxCoeff(&at);
    if (!(pivot > dependent)) return false;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double factor = i == at ? 0 : scaled_(i, at) / pivot;
      if (factor != 0) scaled_.row(i) -= factor * scaled_.row(at);
    }
    scaled_.row(at).setZero();
    scaled_.col(at).setZero();
    scaled_(at, at) = -1;  // done
  }
  return true;
}

void RowSystem::take_mass(const double* M) {
  M_.setZero();
  for (const mechanics::Entry& entry : kernels_.equations.M) {
    M_(entry.row, entry.column) = *M;
    M_(entry.column, entry.row) = *M++;
  }
}

bool RowSystem::take_matrices(const double* M, const double* A) {
  take_mass(M);
  A_.setZero();
  for (const mechanics::Entry& entry : kernels_.equations.A) A_(entry.row, entry.column) = *A++;
  if (!M_.allFinite() || !A_.allFinite()) {
    problem_ = M_.allFinite() ? "a constraint, contact or slip is not a finite number"
                              : "the mass matrix is not finite";
    return false;
  }
  added_ = 0;
  llt_.compute(M_);
  if (!is_metric()) {
    const auto held = A_.topRows(index(kernels_.constraints));
    const double size = held.squaredNorm();
    if (size > 0) {
      added_ = std::max(M_.trace(), 1e-300) / size;
      M_.noalias() += added_ * held.transpose() * held;
      llt_.compute(M_);
    }
    if (size == 0 || !is_metric()) {
      problem_ =
          "the mass matrix is singular or not positive there, and the constraints do not "
          "make up for it: motions with contacts and events need a kinetic energy that is "
          "positive";
      return false;
    }
  }
  X_ = A_.transpose();
  llt_.matrixL().solveInPlace(X_);
  W_.noalias() = X_.transpose() * X_;
  return true;
}

void RowSystem::take_forces(const double* out) {
  const std::size_t n = kernels_.n;
  Q_ = Eigen::Map<const Eigen::VectorXd>(out, index(n));
  out += n;
  b_ = Eigen::Map<const Eigen::VectorXd>(out, index(kernels_.rows));
  out += kernels_.rows;
  C_ = Eigen::Map<const Eigen::VectorXd>(out, index(n));
  out += n;
  applied_power_ = out[0];
  other_power_ = out[1];
  kinetic_ = out[2];
  row_rates_.assign(out + 3, out + 3 + kernels_.rows);
}

bool RowSystem::evaluate_free(double t, std::span<const double> q, std::span<const double> v) {
  set_state(t, q, v);
  kernels_.dynamics.evaluate(dynamics_, inputs_, out_);
  take_mass(out_.data());
  take_forces(out_.data() + kernels_.equations.M.size() + kernels_.equations.A.size());
  added_ = 0;
  llt_.compute(M_);
  if (!M_.allFinite() || !Q_.allFinite() || !is_metric()) {  // or it says why
    return evaluate(t, q, v);
  }
  free_ = Q_;
  llt_.solveInPlace(free_);
  qdd_ = free_;
  return qdd_.allFinite();
}

bool RowSystem::evaluate(double t, std::span<const double> q, std::span<const double> v) {
  set_state(t, q, v);
  kernels_.dynamics.evaluate(dynamics_, inputs_, out_);
  const std::size_t masses = kernels_.equations.M.size();
  if (!take_matrices(out_.data(), out_.data() + masses)) return false;
  take_forces(out_.data() + masses + kernels_.equations.A.size());
  if (!Q_.allFinite() || !C_.allFinite() || !b_.allFinite()) {
    problem_ = "a force or a constraint is not a finite number";
    return false;
  }
  find_laws(laws_);
  free_ = Q_ + C_;
  if (added_ > 0) {
    const auto rows = index(kernels_.constraints);
    free_.noalias() += added_ * A_.topRows(rows).transpose() * b_.head(rows);
  }
  llt_.solveInPlace(free_);
  return true;
}

int RowSystem::constraint_rank() const {
  const auto m = index(kernels_.constraints);
  if (m == 0) return 0;
  Eigen::MatrixXd K = W_.topLeftCorner(m, m);
  for (Eigen::Index i = 0; i < m; ++i) {
    const double w = K(i, i);
    const double scale = w > 0 ? 1 / std::sqrt(w) : 0;
    K.row(i) *= scale;
    K.col(i) *= scale;
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(RowSolver::dependent);
  qr.compute(K);
  return static_cast<int>(qr.rank());
}

bool RowSystem::measure(double t, std::span<const double> q, std::span<const double> v) {
  set_state(t, q, v);
  kernels_.geometry.evaluate(geometry_space_, inputs_, geometry_);
  const double* matrices = geometry_.data() + 4 * kernels_.rows;
  return take_matrices(matrices, matrices + kernels_.equations.M.size());
}

Eigen::VectorXd RowSystem::response(const Eigen::VectorXd& p) const {
  Eigen::VectorXd result = A_.transpose() * p;
  llt_.solveInPlace(result);
  return result;
}

double RowSystem::kinetic_metric(const Eigen::VectorXd& v) const {
  return v.dot(M_ * v) / 2;
}

void RowSystem::find_laws(std::vector<TouchLaw>& laws) {
  kernels_.laws.evaluate(laws_space_, inputs_, law_values_);
  const double* value = law_values_.data();
  for (std::size_t i = 0; i < laws.size(); ++i) {
    if (kernels_.elements[i].is_contact()) {
      laws[i] = {value[0], value[1], value[2]};
      value += 3;
    } else {
      laws[i] = {0, value[0], value[1]};
      value += 2;
    }
  }
}

RowProblem& RowSystem::acceleration_problem() {
  RowProblem& problem = problem_of_rows_;
  problem.W = &W_;
  problem.c.noalias() = A_ * free_;
  problem.c -= b_;
  problem.laws = laws_;
  // Of the whole system, so that rest under large forces is rest but for their rounding.
  problem.size = std::sqrt(std::max(0.0, 2 * kinetic_metric(free_)));
  for (std::size_t j = 0; j < kernels_.rows; ++j) {
    if (W_(index(j), index(j)) > 0)
      problem.size =
          std::max(problem.size, std::abs(problem.c[index(j)]) / std::sqrt(W_(index(j), index(j))));
  }
  const bool of_reactions = std::ranges::any_of(
      kernels_.elements, [](const TouchElement& e) { return e.limit_of_reactions; });
  if (of_reactions && !problem.limits) {
    problem.limits = [this](const Eigen::VectorXd& p, std::vector<TouchLaw>& laws) {
      set_reactions(p);
      find_laws(laws);
    };
    problem.judge_limits = [this](const Modes& modes, const RowSolution& solution) {
      return limits_of(modes, solution);
    };
  }
  return problem;
}

bool RowSystem::solve(const Modes& modes) {
  RowProblem& problem = acceleration_problem();
  count_friction(problem, modes);
  solver_.solve(problem, modes, solution_);
  if (!solution_.solved) return false;
  work_ = A_.transpose() * solution_.p;
  llt_.solveInPlace(work_);
  qdd_ = free_ + work_;
  // What rounding leaves of y in the held rows: large forces must not move what is at rest.
  const auto held = solver_.held();
  for (int round = 0; round < 2 && !held.empty(); ++round) {
    rest_.resize(index(held.size()));
    for (std::size_t j = 0; j < held.size(); ++j)
      rest_[index(j)] = A_.row(index(held[j])).dot(qdd_) - b_[index(held[j])];
    work_.setZero(index(kernels_.rows));
    solver_.correct(rest_, work_);
    solution_.p += work_;
    qdd_ += response(work_);
  }
  return qdd_.allFinite();
}

RowSystem::SlidingPower RowSystem::friction_power(const Modes& modes) const {
  SlidingPower result;
  const Eigen::Map<const Eigen::VectorXd> v(inputs_.data() + 1 + kernels_.n, index(kernels_.n));
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (modes[i].hold != Hold::slide) continue;
    const TouchElement& element = kernels_.elements[i];
    for (std::size_t k = 0; k < element.slips; ++k) {
      const Eigen::Index row = index(element.slip + k);
      result.power += solution_.p[row] * A_.row(row).dot(v);
      result.dissipation -= solution_.p[row] * row_rates_[element.slip + k];
    }
  }
  return result;
}

void RowSystem::split_forces(const Modes& modes) {
  work_ = A_.transpose() * solution_.p;
  const bool slides =
      std::ranges::any_of(modes, [](const TouchMode& mode) { return mode.hold == Hold::slide; });
  if (!slides && !kernels_.has_nonideal) {
    ideal_ = work_;
    nonideal_.setZero(work_.size());
    return;
  }
  RowProblem problem;
  problem.elements = kernels_.elements;
  problem.constraints = kernels_.constraints;
  problem.W = &W_;
  problem.size = problem_of_rows_.size;
  ideal_ = Q_;
  if (added_ > 0) {
    const auto rows = index(kernels_.constraints);
    ideal_.noalias() += added_ * A_.topRows(rows).transpose() * b_.head(rows);
  }
  llt_.solveInPlace(ideal_);
  problem.c = A_ * ideal_ - b_;
  problem.laws.assign(laws_.size(), {});
  split_solver_.solve(problem, modes, split_);
  ideal_ = A_.transpose() * split_.p;
  nonideal_ = work_ + C_ - ideal_;
}

double RowSystem::size_of_gap(std::size_t row) {
  sizes_[row] = std::max(sizes_[row], scales()[row]);
  return std::max(sizes_[row], 1e-300);
}

double RowSystem::row_length(std::size_t row) const {
  return A_.row(index(row)).norm();
}

/// What each reaction is the magnitude of, for forces p.
Eigen::Matrix3Xd RowSystem::measured(const Eigen::VectorXd& p) {
  set_reactions(p);
  Eigen::Matrix3Xd result = Eigen::Matrix3Xd::Zero(3, std::ssize(kernels_.reactions));
  for (Eigen::Index k = 0; k < result.cols(); ++k) {
    const ReactionSource& source = kernels_.reactions[static_cast<std::size_t>(k)];
    if (source.kind == ReactionSource::Kind::joint) {
      result.col(k) = Eigen::Map<const Eigen::Vector3d>(force_values_.data() + 3 * source.index);
    } else if (source.kind == ReactionSource::Kind::constraint) {
      result(0, k) = p[index(source.index)] * (source.by_row ? row_length(source.index) : 1.0);
    } else if (source.kind == ReactionSource::Kind::row) {
      result(0, k) = p[index(source.index)];
    } else if (const TouchElement& element = kernels_.elements[source.index];
               element.is_contact()) {
      result(0, k) = p[index(element.gap)];
    } else {
      for (std::size_t c = 0; c < element.slips; ++c)
        result(index(c), k) = p[index(element.slip + c)];
    }
  }
  return result;
}

/// The forces of a mode are affine in the limits, which differences tell to rounding.
Limits RowSystem::limits_of(const Modes& modes, const RowSolution& solution) {
  std::vector<std::size_t> sliding;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (kernels_.elements[i].limit_of_reactions && modes[i].hold == Hold::slide)
      sliding.push_back(i);
  }
  if (sliding.empty()) return Limits::sole;
  if (!kernels_.linear_limits) return Limits::undecided;
  const auto count = std::ssize(sliding), reactions = std::ssize(kernels_.reactions);
  kernels_.limit_slopes.evaluate(slopes_space_, inputs_, slope_values_);
  LimitProblem problem;
  problem.l.resize(count);
  problem.c.resize(count, reactions);
  problem.n = measured(solution.p);
  Eigen::Index row = 0, from = 0;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (!kernels_.elements[i].limit_of_reactions) continue;
    if (modes[i].hold == Hold::slide) {
      problem.l[row] = solution.laws[i].sliding;
      problem.c.row(row++) =
          Eigen::Map<const Eigen::RowVectorXd>(slope_values_.data() + from, reactions);
    }
    from += reactions;
  }
  RowSolution moved = solution;
  RowProblem& rows = problem_of_rows_;
  for (const std::size_t i : sliding) {
    const double h = std::max(force_scale(kernels_.elements[i].slip), 1e-300);
    moved.laws = solution.laws;
    moved.laws[i].sliding += h;
    solver_.solve_with_limits(rows, modes, moved);
    problem.w.push_back((measured(moved.p) - problem.n) / h);
  }
  set_reactions(solution.p);
  return flow::judge_limits(problem);
}

void RowSystem::set_reactions(const Eigen::VectorXd& p) {
  const std::size_t n = kernels_.n;
  double* solution = inputs_.data() + kernels_.solution_at();
  double* reactions = inputs_.data() + kernels_.reactions_at();
  using Kind = ReactionSource::Kind;
  for (std::size_t k = 0; k < kernels_.reactions.size(); ++k) {
    if (kernels_.reactions[k].kind == Kind::row)
      reactions[k] = p[index(kernels_.reactions[k].index)];
  }
  if (!kernels_.joint_forces.empty()) {
    const Eigen::VectorXd qdd = free_ + response(p);
    std::copy(qdd.begin(), qdd.end(), solution);
    for (std::size_t j = 0; j < kernels_.constraints; ++j) solution[3 * n + j] = p[index(j)];
    kernels_.forces.evaluate(forces_space_, inputs_, force_values_);
  }
  for (std::size_t k = 0; k < kernels_.reactions.size(); ++k) {
    const ReactionSource& source = kernels_.reactions[k];
    switch (source.kind) {
      case Kind::row:
        break;
      case Kind::element: {
        const TouchElement& element = kernels_.elements[source.index];
        if (element.is_contact()) {
          reactions[k] = p[index(element.gap)];
        } else {
          reactions[k] = p.segment(index(element.slip), index(element.slips)).norm();
        }
        break;
      }
      case Kind::constraint:
        reactions[k] =
            std::abs(p[index(source.index)]) * (source.by_row ? row_length(source.index) : 1.0);
        break;
      case Kind::joint: {
        const double* f = force_values_.data() + 3 * source.index;
        reactions[k] = std::hypot(f[0], f[1], f[2]);
        break;
      }
    }
  }
}

RowSystem::Sight RowSystem::look(double t, std::span<const double> q, std::span<const double> v,
                                 std::span<const double> qdd) {
  set_state(t, q, v);
  std::ranges::copy(qdd, inputs_.begin() + static_cast<std::ptrdiff_t>(kernels_.solution_at()));
  kernels_.watched.evaluate(watched_space_, inputs_, watched_values_);
  const std::size_t rows = kernels_.rows - kernels_.constraints;
  const std::size_t whens = kernels_.rate_known.size();
  const double* at = watched_values_.data();
  const auto take = [&](std::size_t count) {
    const std::span<const double> part(at, count);
    at += count;
    return part;
  };
  Sight sight;
  sight.first = kernels_.constraints;
  sight.residuals = take(rows);
  sight.rates = take(rows);
  sight.scales = take(rows);
  sight.rate_scales = take(rows);
  sight.whens = take(whens);
  sight.when_rates = take(whens);
  sight.marks = take(kernels_.marks.size());
  return sight;
}

std::span<const double> RowSystem::settings() {
  kernels_.settings.evaluate(settings_space_, inputs_, setting_values_);
  return setting_values_;
}

std::span<const double> RowSystem::observe() {
  const std::size_t n = kernels_.n;
  double* solution = inputs_.data() + kernels_.solution_at();
  std::copy(qdd_.begin(), qdd_.end(), solution);
  std::copy(ideal_.begin(), ideal_.end(), solution + n);
  std::copy(nonideal_.begin(), nonideal_.end(), solution + 2 * n);
  for (std::size_t j = 0; j < kernels_.constraints; ++j)
    solution[3 * n + j] = solution_.p[index(j)];
  kernels_.observables.evaluate(observables_space_, inputs_, observed_);
  return observed_;
}

namespace {

/// One step of Newton's method onto the rows: x += M^-1 A^T p with W p = -residual there.
Eigen::VectorXd onto_rows(const RowSystem& system, std::span<const std::size_t> rows,
                          std::span<const double> residuals) {
  const auto size = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd K(size, size);
  Eigen::VectorXd scale(size), r(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const Eigen::Index row = index(rows[static_cast<std::size_t>(i)]);
    const double w = system.W()(row, row);
    scale[i] = w > 0 ? 1 / std::sqrt(w) : 0;
    r[i] = -scale[i] * residuals[rows[static_cast<std::size_t>(i)]];
  }
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j)
      K(i, j) = scale[i] * scale[j] *
                system.W()(index(rows[static_cast<std::size_t>(i)]),
                           index(rows[static_cast<std::size_t>(j)]));
  }
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(1e-11);
  solver.compute(K);
  const Eigen::VectorXd x = scale.asDiagonal() * solver.solve(r);
  Eigen::VectorXd p = Eigen::VectorXd::Zero(system.W().rows());
  for (Eigen::Index i = 0; i < size; ++i) p[index(rows[static_cast<std::size_t>(i)])] = x[i];
  return system.response(p);
}

}  // namespace

bool RowSystem::project_positions(double t, std::span<double> q, std::span<const double> v,
                                  const Modes& modes, double* before) {
  projected_.clear();
  for (std::size_t j = 0; j < kernels_.constraints; ++j) {
    if (kernels_.equations.constraints[j].level == model::Level::position) projected_.push_back(j);
  }
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (kernels_.elements[i].is_contact() && modes[i].closed())
      projected_.push_back(kernels_.elements[i].gap);
  }
  if (before != nullptr) *before = 0;
  if (projected_.empty()) return true;
  double last = HUGE_VAL;
  for (int round = 0; round < most_projections; ++round) {
    if (!measure(t, q, v)) return false;
    double largest = 0;
    for (const std::size_t j : projected_)
      largest = std::max(largest, std::abs(residuals()[j]) / size_of_gap(j));
    if (round == 0 && before != nullptr) *before = largest;
    if (largest <= 1e-16 || (largest <= 1e-13 && largest >= last / 2)) return true;
    if (!(largest < 1e300)) return false;
    last = largest;
    const Eigen::VectorXd step = onto_rows(*this, projected_, residuals());
    double size = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] += step[index(i)];
      size = std::max(size, std::abs(q[i]));
    }
    // A row that is zero but for rounding has no size of its own, and never looks small.
    const double grain = round < 5 ? 1e-16 : 1e-15;
    if (step.lpNorm<Eigen::Infinity>() <= grain * size) return true;
  }
  return false;
}

/// The largest rate of the rows to be projected, beside what the kinetic energy could make of it:
/// the rate of a gap that is held has no size of its own.
double RowSystem::drift_of(std::span<const double> v) const {
  const double speed = std::sqrt(std::max(
      0.0, 2 * kinetic_metric(Eigen::Map<const Eigen::VectorXd>(v.data(), index(v.size())))));
  double largest = 0;
  for (const std::size_t j : projected_) {
    const double possible = speed * std::sqrt(std::max(W_(index(j), index(j)), 0.0));
    const double size = std::max({rate_sizes_[j], possible, 1e-300});
    largest = std::max(largest, std::abs(rates()[j]) / size);
  }
  return largest;
}

bool RowSystem::project_velocities(double t, std::span<const double> q, std::span<double> v,
                                   const Modes& modes, double* before) {
  projected_.clear();
  for (std::size_t j = 0; j < kernels_.constraints; ++j) {
    if (kernels_.equations.constraints[j].level != model::Level::acceleration)
      projected_.push_back(j);
  }
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const TouchElement& element = kernels_.elements[i];
    if (element.is_contact() && modes[i].closed()) projected_.push_back(element.gap);
    for (std::size_t k = 0; k < element.slips && modes[i].hold == Hold::stick; ++k)
      projected_.push_back(element.slip + k);
  }
  if (before != nullptr) *before = 0;
  if (projected_.empty()) return true;
  double last = HUGE_VAL;
  for (int round = 0; round < most_projections; ++round) {
    if (!measure(t, q, v)) return false;
    double largest = 0, scaled = 0;
    for (const std::size_t j : projected_) {
      const double rate = std::abs(rates()[j]);
      largest = std::max(largest, rate);
      rate_sizes_[j] = std::max(rate_sizes_[j], rate_scales()[j]);
      scaled = std::max(scaled, rate / std::max(rate_sizes_[j], 1e-300));
    }
    if (round == 0 && before != nullptr) *before = drift_of(v);
    if (round >= 3 || largest == 0) {  // linear in v, but for constraints that are not
      if (scaled <= 1e-12 || largest >= last / 2 || largest == 0) return largest < 1e300;
    }
    last = largest;
    const Eigen::VectorXd step = onto_rows(*this, projected_, rates());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += step[index(i)];
  }
  return true;
}

}  // namespace dalembert::flow
