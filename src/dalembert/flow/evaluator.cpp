#include "dalembert/flow/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dalembert::flow {

namespace {

// Evaluations after which deriving the written-out solution, some 10 ms, is worth the microsecond
// that each saves.
constexpr long tape_pays = 20000;

}  // namespace

Evaluator::Evaluator(const Motion& motion)
    : motion_(motion),
      n_(motion.coordinates()),
      m_(motion.constraints()),
      dynamics_ws_(motion.data_->dynamics.workspace(motion.parameters())),
      scales_ws_(motion.data_->scales.workspace(motion.parameters())),
      observables_ws_(motion.data_->observables.workspace(motion.parameters())),
      inputs_(1 + 5 * n_ + m_),
      dynamics_out_(motion.data_->dynamics.outputs()),
      beside_(dynamics_out_.size()),
      q_known_(n_),
      scales_(motion.data_->scales.outputs()),
      observed_(motion.data_->observables.outputs()),
      M_count_(motion.data_->M_places.size()),
      A_count_(motion.data_->A_places.size()),
      Q_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_))),
      b_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(m_))),
      C_(Q_),
      C_given_(Q_),
      v_(Q_),
      uncertainty_(b_),
      mu_(b_),
      zero_(b_),
      row_work_(b_),
      multipliers_(b_),
      response_(b_),
      solver_(n_, m_, motion.data_->M_places, motion.data_->A_places, motion.fundamental_options(),
              motion.data_->storage),
      known_{Q_, Q_, Q_} {
  if (motion.data_->library) {
    formulation_.emplace(motion.data_->library, motion.model(), motion.equations(),
                         motion.parameters());
    state_.q.resize(n_);
    state_.v.resize(n_);
  }
  if (motion.equations().C_uses_ideal_force) {
    nonideal_ws_ = motion.data_->nonideal.workspace(motion.parameters());
  }
  // As the copy of the motion holds them.
  if (!motion.equations().frictions.empty())
    friction_.emplace(motion_.equations(), *motion_.data_->friction, motion_.parameters());
}

void Evaluator::bind(const Motion& motion) {
  motion_ = motion;
  const std::vector<double>& parameters = motion_.parameters();
  const Motion::Data& data = *motion_.data_;
  data.dynamics.bind(dynamics_ws_, 0, parameters);
  data.scales.bind(scales_ws_, 0, parameters);
  data.observables.bind(observables_ws_, 0, parameters);
  if (motion_.equations().C_uses_ideal_force) data.nonideal.bind(nonideal_ws_, 0, parameters);
  if (formulation_) formulation_->bind(parameters);
  if (friction_) friction_->bind(parameters);
  if (tape_solver_) tape_solver_->bind(parameters);
}

void Evaluator::set_inputs(double t, std::span<const double> q, std::span<const double> v) {
  inputs_[0] = t;
  std::copy(q.begin(), q.end(), inputs_.begin() + 1);
  std::copy(v.begin(), v.end(), inputs_.begin() + 1 + static_cast<std::ptrdiff_t>(n_));
  std::copy(v.begin(), v.end(), v_.begin());
  adopted_ = false;
}

void Evaluator::load(double t, std::span<const double> q, std::span<const double> v,
                     std::span<const double> mu) {
  set_inputs(t, q, v);
  if (!mu.empty()) std::copy(mu.begin(), mu.end(), mu_.begin());
  by_tape_ = false;
  run_dynamics();
}

/// M, Q, A, b, powers and, where it depends on the state alone, C at the inputs.
void Evaluator::run_dynamics() {
  fundamental_solved_ = false;
  const Motion::Data& data = *motion_.data_;
  data.dynamics.evaluate(dynamics_ws_, std::span(inputs_).first(1 + 2 * n_), dynamics_out_);
  const double* out = dynamics_out_.data() + M_count_ + A_count_;
  for (double& x : Q_) x = *out++;
  for (double& x : b_) x = *out++;
  applied_power_ = *out++;
  other_power_ = *out++;
  if (!data.equations.C_uses_ideal_force) {
    for (double& x : C_given_) x = *out++;
    C_ = C_given_;
  }
}

/// C where it depends on the ideal constraint force.
void Evaluator::find_nonideal(const Eigen::VectorXd& ideal) {
  if (!motion_.equations().C_uses_ideal_force) return;
  std::copy(ideal.begin(), ideal.end(), inputs_.begin() + 1 + 2 * static_cast<std::ptrdiff_t>(n_));
  motion_.data_->nonideal.evaluate(nonideal_ws_, std::span(inputs_).first(1 + 3 * n_),
                                   {C_given_.data(), n_});
  C_ = C_given_;
}

/// C with the friction of joints, by the reactions of the fundamental equation.
Status Evaluator::solve_friction() {
  if (!friction_) return Status::ok;
  return friction_->solve(std::span(inputs_).first(1 + 2 * n_), solver_, C_given_, C_,
                          multipliers_);
}

Status Evaluator::solve(bool decide) {
  Status status = decide ? solver_.decide(values()) : solver_.factor(values());
  if (status != Status::ok) return status;
  status = solver_.solve_ideal(Q_, b_);
  if (status != Status::ok) return status;
  fundamental_solved_ = true;
  find_nonideal(solver_.ideal());
  // What `decide` finds out about constraints and metric does not wait for friction.
  status = decide ? Status::ok : solve_friction();
  return status == Status::ok ? solver_.solve_nonideal(C_) : status;
}

Status Evaluator::check_finite() const {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::ranges::all_of(M_values(), finite)) return Status::mass_not_finite;
  if (!std::ranges::all_of(A_values(), finite) || !b_.allFinite())
    return Status::constraints_not_finite;
  return Q_.allFinite() ? Status::ok : Status::force_not_finite;
}

Status Evaluator::solve_formulation() {
  Status status = check_finite();
  if (status != Status::ok) return status;
  if (friction_ && !fundamental_solved_) {
    status = solver_.factor(values());
    if (status == Status::ok) status = solver_.solve_ideal(Q_, b_);
    if (status != Status::ok) return status;
    fundamental_solved_ = true;
  } else if (!friction_) {
    solver_.load(values());
  }
  if (!formulation_->factor(std::span(inputs_).first(1 + 2 * n_), {mu_.data(), m_}) ||
      !formulation_->solve_ideal(solver_.dense_M(), Q_)) {
    return Status::formulation_failed;
  }
  find_nonideal(formulation_->ideal());
  status = solve_friction();
  if (status != Status::ok) return status;
  if (!C_.allFinite()) return Status::force_not_finite;
  return formulation_->solve_nonideal(solver_.dense_M(), C_) ? Status::ok
                                                             : Status::formulation_failed;
}

/// |F_k|/M_kk bounds what an acceleration could be; a massless coordinate's is that of the others.
double Evaluator::largest_free_acceleration(std::span<const double> force) const {
  double largest = 0;
  for (const Place& place : motion_.data_->M_places) {
    const double mass = dynamics_out_[place.source];
    if (place.row == place.column && mass > 0)
      largest = std::max(largest, std::abs(force[place.row]) / mass);
  }
  return largest;
}

double Evaluator::calc_disagreement() const {
  if (!is_mechanical(motion_.method())) return 0;
  double size = largest_free_acceleration({Q_.data(), n_}), difference = 0;
  for (Eigen::Index i = 0; i < Q_.size(); ++i) {
    const double x = solver_.acceleration()[i];
    size = std::max(size, std::abs(x));
    difference = std::max(difference, std::abs(x - formulation_->acceleration()[i]));
  }
  return difference > 0 ? difference / size : 0;
}

/// The pivots by which a formulation was solved for its dependent coordinates were good where it
/// was derived. Where they are not, its expressions are finite but lose digits, and it is derived
/// anew.
Status Evaluator::decide_formulation() {
  state_.t = inputs_[0];
  std::copy_n(inputs_.begin() + 1, n_, state_.q.begin());
  std::copy_n(inputs_.begin() + 1 + static_cast<std::ptrdiff_t>(n_), n_, state_.v.begin());
  if (!formulation_->decide(state_, solver_.dense_M(), solver_.dense_A(), solver_.rank()))
    return Status::formulation_failed;
  const Status status = solve_formulation();
  if (status == Status::ok) {
    disagreement_ = calc_disagreement();
    if (disagreement_ <= allowed_disagreement_) return status;
  } else if (status != Status::formulation_failed) {
    return status;
  }
  if (!formulation_->renew(state_)) return Status::formulation_failed;
  const Status renewed = solve_formulation();
  if (renewed != Status::ok) return renewed;
  disagreement_ = calc_disagreement();
  // Off the constraints the two differ however well they are solved: do not try that at every step.
  if (disagreement_ > allowed_disagreement_) allowed_disagreement_ = 1000 * disagreement_;
  return renewed;
}

/// 8 eps |A_j had nothing cancelled| / |A_j|; the scales are kept for `contradictory`.
void Evaluator::find_uncertainty() {
  const Motion::Data& data = *motion_.data_;
  data.scales.evaluate(scales_ws_, std::span(inputs_).first(1 + 2 * n_), scales_);
  uncertainty_.setZero();
  const double* scale = scales_.data() + n_ + m_;
  row_work_.setZero();
  for (const Place& place : data.A_places) {
    const double value = dynamics_out_[place.source];
    row_work_[place.row] += value * value;
    uncertainty_[place.row] += *scale * *scale;
    ++scale;
  }
  for (Eigen::Index j = 0; j < uncertainty_.size(); ++j) {
    const double relative = row_work_[j] > 0 ? std::sqrt(uncertainty_[j] / row_work_[j]) : 0;
    uncertainty_[j] =
        std::isfinite(relative) ? 8 * std::numeric_limits<double>::epsilon() * relative : 0;
  }
  add_rounding_of_positions();
  solver_.set_row_uncertainty(uncertainty_);
}

/// A row that vanishes in a singular configuration, cos(phi) at phi = pi/2 say, is what the
/// rounding of phi leaves of it, eps |dA/dq q|. It is found by a difference where it may count,
/// which is told by the part of b that comes from the same derivative: |dA/dq| is about |b| / v^2.
void Evaluator::add_rounding_of_positions() {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  constexpr double suspicious = 1e6, step = 1e-6;
  double q_size = 0;
  for (std::size_t i = 0; i < n_; ++i) q_size = std::max(q_size, std::abs(inputs_[1 + i]));
  const double v_size = v_.lpNorm<Eigen::Infinity>();
  bool suspected = false;
  for (std::size_t j = 0; j < m_; ++j) {
    const auto row = static_cast<Eigen::Index>(j);
    suspected = suspected || std::sqrt(row_work_[row]) * v_size * v_size <
                                 suspicious * eps * scales_[n_ + j] * q_size;
  }
  if (!suspected) return;
  const std::span<double> q = std::span(inputs_).subspan(1, n_);
  std::copy(q.begin(), q.end(), q_known_.begin());
  for (std::size_t i = 0; i < n_; ++i)
    q[i] *= 1 + (i % 2 == 0 ? step : -step) * static_cast<double>(1 + i * 7 % 5) / 5;
  const Motion::Data& data = *motion_.data_;
  data.dynamics.evaluate(dynamics_ws_, std::span(inputs_).first(1 + 2 * n_), beside_);
  std::copy(q_known_.begin(), q_known_.end(), q.begin());
  for (const Place& place : data.A_places) {
    const double length = std::sqrt(row_work_[place.row]);
    const double change = std::abs(beside_[place.source] - dynamics_out_[place.source]) / step;
    if (length > 0 && std::isfinite(change)) uncertainty_[place.row] += 8 * eps * change / length;
  }
}

Status Evaluator::decide_rank(double t, std::span<const double> q, std::span<const double> v) {
  load(t, q, v, {});
  find_uncertainty();
  status_ = solve(true);
  return status_;
}

Status Evaluator::decide(double t, std::span<const double> q, std::span<const double> v,
                         std::span<const double> mu) {
  if (!mu.empty()) std::copy(mu.begin(), mu.end(), mu_.begin());
  decide_rank(t, q, v);
  if (status_ == Status::ok && friction_) {
    status_ = solve_friction();
    if (status_ == Status::ok) status_ = solver_.solve_nonideal(C_);
  }
  if (status_ == Status::ok && formulation_) status_ = decide_formulation();
  if (status_ == Status::ok) consider_tape();
  return status_;
}

/// Whether the evaluations that follow may be solved by the written-out solution: the rows it takes
/// for independent are those decided, and nothing else is special about the state.
void Evaluator::consider_tape() {
  tape_fits_ = false;
  if (!prefers_tape_ && evaluations_ < tape_pays) return;
  if (solver_.is_sparse() || solver_.mass_singular() || !solver_.consistent()) return;
  if (!considered_) {
    considered_ = true;
    const State state{inputs_[0],
                      {inputs_.begin() + 1, inputs_.begin() + 1 + static_cast<std::ptrdiff_t>(n_)},
                      {v_.begin(), v_.end()}};
    std::vector<std::size_t> rows(solver_.held().order.begin(),
                                  solver_.held().order.begin() + solver_.rank());
    std::ranges::sort(rows);
    if (auto kernel = motion_.data_->solutions->get(motion_, state, rows))
      tape_solver_.emplace(std::move(kernel), n_, motion_.parameters());
  }
  if (!tape_solver_) return;
  tape_fits_ = tape_solver_->fits(solver_.held().order, solver_.rank());
}

Status Evaluator::evaluate(double t, std::span<const double> q, std::span<const double> v,
                           std::span<const double> mu) {
  ++evaluations_;
  if (tape_fits_) {
    set_inputs(t, q, v);
    by_tape_ = tape_solver_->solve(std::span(inputs_).first(1 + 2 * n_));
    status_ = Status::ok;
    if (by_tape_) return status_;
  }
  load(t, q, v, mu);
  status_ = formulation_ ? solve_formulation() : solve(false);
  return status_;
}

void Evaluator::adopt(double t, std::span<const double> q, std::span<const double> v,
                      std::span<const double> qdd, std::span<const double> nonideal) {
  load(t, q, v, {});
  std::copy(qdd.begin(), qdd.end(), known_.acceleration.begin());
  std::copy(nonideal.begin(), nonideal.end(), known_.nonideal.begin());
  known_.ideal = -Q_ - known_.nonideal;
  for (const Place& place : motion_.data_->M_places) {
    const double mass = dynamics_out_[place.source];
    known_.ideal[place.row] += mass * qdd[place.column];
    if (place.row != place.column) known_.ideal[place.column] += mass * qdd[place.row];
  }
  adopted_ = true;
  status_ = Status::ok;
}

double Evaluator::ideal_power() const {
  if (by_tape_) return tape_solver_->ideal_power();
  return ideal().dot(v_);
}

double Evaluator::nonideal_power() const {
  if (by_tape_) return tape_solver_->nonideal_power();
  return nonideal().dot(v_);
}

double Evaluator::kinetic_metric() const {
  double total = 0;
  for (const Place& place : motion_.data_->M_places) {
    const double part = v_[place.row] * dynamics_out_[place.source] * v_[place.column];
    total += place.row == place.column ? part / 2 : part;
  }
  return total;
}

TypicalSizes Evaluator::calc_typical_sizes(double duration) const {
  std::vector<double> mass(n_, 0.0);
  for (const Place& place : motion_.data_->M_places) {
    if (place.row == place.column) mass[place.row] = dynamics_out_[place.source];
  }
  return typical_sizes(std::span(inputs_).subspan(1, n_), {v_.data(), n_},
                       {acceleration().data(), n_}, mass, motion_.data_->A_places, m_, duration);
}

std::string Evaluator::explain_failure() const {
  if (status_ == Status::formulation_failed) return formulation_->problem();
  if (status_ == Status::friction_undetermined) return friction_->explain();
  return solver_.explain(motion_.model().coordinates, motion_.constraint_names());
}

bool Evaluator::contradictory() const {
  if (solver_.consistent()) return false;
  const double acceleration = std::max(solver_.acceleration().lpNorm<Eigen::Infinity>(),
                                       largest_free_acceleration(std::span(scales_).first(n_)));
  Eigen::VectorXd left = -b_, scale = Eigen::Map<const Eigen::VectorXd>(
                                  scales_.data() + n_, static_cast<Eigen::Index>(m_));
  for (const Place& place : motion_.data_->A_places) {
    const double value = dynamics_out_[place.source];
    left[place.row] += value * solver_.acceleration()[place.column];
    scale[place.row] += std::abs(value) * acceleration;
  }
  for (Eigen::Index j = 0; j < left.size(); ++j) {
    if (!(std::abs(left[j]) <= solver_.options().consistency_tolerance * scale[j])) return true;
  }
  return false;
}

std::string Evaluator::explain_contradiction() const {
  return explain_conflict(solver_.calc_conflicting(), motion_.constraint_names());
}

Eigen::MatrixXd Evaluator::calc_M() const {
  const auto n = static_cast<Eigen::Index>(n_);
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
  for (const Place& place : motion_.data_->M_places)
    M(place.row, place.column) = M(place.column, place.row) = dynamics_out_[place.source];
  return M;
}

Eigen::MatrixXd Evaluator::calc_A() const {
  Eigen::MatrixXd A =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(m_), static_cast<Eigen::Index>(n_));
  for (const Place& place : motion_.data_->A_places)
    A(place.row, place.column) = dynamics_out_[place.source];
  return A;
}

void Evaluator::calc_constraint_force(const Eigen::VectorXd& lambda, Eigen::VectorXd& force,
                                      Eigen::VectorXd& terms) const {
  force.setZero();
  terms.setZero();
  for (const Place& place : motion_.data_->A_places) {
    const double part = dynamics_out_[place.source] * lambda[place.row];
    force[place.column] += part;
    terms[place.column] += std::abs(part);
  }
}

bool Evaluator::reconsider_law(Eigen::VectorXd& C, Eigen::VectorXd& reaction,
                               Eigen::VectorXd& qdd) {
  Eigen::VectorXd terms = Q_;
  solver_.calc_response(C, response_);
  calc_constraint_force(response_, reaction, terms);
  reaction += ideal();
  std::ranges::copy(reaction, inputs_.begin() + 1 + 2 * static_cast<std::ptrdiff_t>(n_));
  motion_.data_->nonideal.evaluate(nonideal_ws_, std::span(inputs_).first(1 + 3 * n_),
                                   {C.data(), n_});
  C += C_ - C_given_;
  if (!C.allFinite() || solver_.solve_nonideal(C) != Status::ok) return false;
  qdd = solver_.acceleration();
  return qdd.allFinite();
}

const Eigen::VectorXd& Evaluator::calc_multipliers() {
  if (friction_ && !adopted_) return multipliers_;
  if (by_tape_) {
    run_dynamics();
    by_tape_ = true;
  }
  Status status = Status::ok;
  if (!fundamental_solved_) {
    status = solver_.factor(values());
    if (status == Status::ok) status = solver_.solve_ideal(Q_, b_);
    if (status == Status::ok && !formulation_) find_nonideal(solver_.ideal());
    fundamental_solved_ = status == Status::ok;
  }
  // Beside a singular configuration they may be beyond all bounds: only the force is certain there.
  constexpr double agreement = 1e-3;
  const bool unknown =
      adopted_ &&
      (friction_ || !((solver_.ideal() - known_.ideal).norm() <= agreement * known_.ideal.norm()));
  if (status != Status::ok || unknown) {
    multipliers_.setConstant(std::numeric_limits<double>::quiet_NaN());
    return multipliers_;
  }
  solver_.copy_multipliers(multipliers_);
  if (!C_.isZero(0)) {
    solver_.calc_response(C_, response_);
    multipliers_ += response_;
  }
  return multipliers_;
}

void Evaluator::observe() {
  const auto n = static_cast<std::ptrdiff_t>(n_);
  const Eigen::VectorXd& qdd = acceleration();
  std::copy(qdd.begin(), qdd.end(), inputs_.begin() + 1 + 2 * n);
  std::copy(ideal().begin(), ideal().end(), inputs_.begin() + 1 + 3 * n);
  std::copy(nonideal().begin(), nonideal().end(), inputs_.begin() + 1 + 4 * n);
  if (motion_.outputs_use_multipliers()) {
    const Eigen::VectorXd& lambda = calc_multipliers();
    std::copy(lambda.begin(), lambda.end(), inputs_.begin() + 1 + 5 * n);
  }
  motion_.data_->observables.evaluate(observables_ws_, inputs_, observed_);
  if (motion_.data_->named_multipliers.empty() || !fundamental_solved_ ||
      static_cast<std::size_t>(solver_.rank()) == m_)
    return;
  // Of rows that depend on each other the multipliers are anybody's guess.
  const std::vector<bool> unique = solver_.calc_unique();
  for (const auto& [output, constraint] : motion_.data_->named_multipliers) {
    if (!unique[constraint]) observed_[3 + output] = std::numeric_limits<double>::quiet_NaN();
  }
}

void Evaluator::take(std::span<const double> qdd, std::span<const double> ideal,
                     std::span<const double> nonideal, double kinetic, double potential, double h,
                     std::span<const double> outputs) {
  std::ranges::copy(qdd, known_.acceleration.begin());
  std::ranges::copy(ideal, known_.ideal.begin());
  std::ranges::copy(nonideal, known_.nonideal.begin());
  adopted_ = true;
  observed_[0] = kinetic;
  observed_[1] = potential;
  observed_[2] = h;
  std::ranges::copy(outputs, observed_.begin() + 3);
}

}  // namespace dalembert::flow
