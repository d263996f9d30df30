#include "dalembert/motion/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dalembert::motion {

Evaluator::Evaluator(const Motion& motion)
    : motion_(motion),
      n_(motion.coordinates()),
      m_(motion.constraints()),
      dynamics_ws_(motion.data_->dynamics.workspace(motion.parameters())),
      scales_ws_(motion.data_->scales.workspace(motion.parameters())),
      observables_ws_(motion.data_->observables.workspace(motion.parameters())),
      inputs_(1 + 5 * n_),
      dynamics_out_(motion.data_->dynamics.outputs()),
      scales_(motion.data_->scales.outputs()),
      observed_(motion.data_->observables.outputs()),
      M_(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n_), static_cast<Eigen::Index>(n_))),
      A_(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(m_), static_cast<Eigen::Index>(n_))),
      Q_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_))),
      b_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(m_))),
      C_(Q_),
      v_(Q_),
      uncertainty_(b_),
      mu_(b_),
      zero_(b_),
      fundamental_(static_cast<int>(n_), static_cast<int>(m_), motion.fundamental_options()) {
  if (motion.data_->library) {
    formulation_.emplace(motion.data_->library, motion.model(), motion.equations(),
                         motion.parameters());
    state_.q.resize(n_);
    state_.v.resize(n_);
  }
  if (motion.equations().C_uses_ideal_force) {
    nonideal_ws_ = motion.data_->nonideal.workspace(motion.parameters());
  }
}

void Evaluator::load(double t, std::span<const double> q, std::span<const double> v,
                     std::span<const double> mu) {
  inputs_[0] = t;
  if (!mu.empty()) std::copy(mu.begin(), mu.end(), mu_.begin());
  std::copy(q.begin(), q.end(), inputs_.begin() + 1);
  std::copy(v.begin(), v.end(), inputs_.begin() + 1 + static_cast<std::ptrdiff_t>(n_));
  std::copy(v.begin(), v.end(), v_.begin());

  const Motion::Data& data = *motion_.data_;
  data.dynamics.evaluate(dynamics_ws_, std::span(inputs_).first(1 + 2 * n_), dynamics_out_);
  const double* out = dynamics_out_.data();
  for (const Motion::Slot& slot : data.M_slots) {
    M_(slot.row, slot.column) = *out;
    M_(slot.column, slot.row) = *out++;
  }
  for (const Motion::Slot& slot : data.A_slots) A_(slot.row, slot.column) = *out++;
  for (double& x : Q_) x = *out++;
  for (double& x : b_) x = *out++;
  applied_power_ = *out++;
  other_power_ = *out++;
  if (!data.equations.C_uses_ideal_force) {
    for (double& x : C_) x = *out++;
  }
}

/// C where it depends on the ideal constraint force.
void Evaluator::find_nonideal(const Eigen::VectorXd& ideal) {
  if (!motion_.equations().C_uses_ideal_force) return;
  std::copy(ideal.begin(), ideal.end(), inputs_.begin() + 1 + 2 * static_cast<std::ptrdiff_t>(n_));
  motion_.data_->nonideal.evaluate(nonideal_ws_, std::span(inputs_).first(1 + 3 * n_),
                                   {C_.data(), n_});
}

Status Evaluator::solve(bool decide) {
  Status status = decide ? fundamental_.decide(M_, A_) : fundamental_.factor(M_, A_);
  if (status != Status::ok) return status;
  status = fundamental_.solve_ideal(Q_, b_);
  if (status != Status::ok) return status;
  find_nonideal(fundamental_.ideal());
  return fundamental_.solve_nonideal(C_);
}

Status Evaluator::check_finite() const {
  if (!M_.allFinite()) return Status::mass_not_finite;
  if (!A_.allFinite() || !b_.allFinite()) return Status::constraints_not_finite;
  return Q_.allFinite() ? Status::ok : Status::force_not_finite;
}

Status Evaluator::solve_formulation() {
  const Status status = check_finite();
  if (status != Status::ok) return status;
  if (!formulation_->factor(std::span(inputs_).first(1 + 2 * n_), {mu_.data(), m_}) ||
      !formulation_->solve_ideal(M_, Q_)) {
    return Status::formulation_failed;
  }
  find_nonideal(formulation_->ideal());
  if (!C_.allFinite()) return Status::force_not_finite;
  return formulation_->solve_nonideal(M_, C_) ? Status::ok : Status::formulation_failed;
}

double Evaluator::calc_disagreement() const {
  if (!is_mechanical(motion_.method())) return 0;
  double size = 0, difference = 0;
  for (Eigen::Index i = 0; i < Q_.size(); ++i) {
    const double x = fundamental_.acceleration()[i];
    const double free = M_(i, i) > 0 ? std::abs(Q_[i]) / M_(i, i) : 0;
    size = std::max({size, std::abs(x), free});
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
  if (!formulation_->decide(state_, M_, A_, fundamental_.rank())) return Status::formulation_failed;
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
  for (const Motion::Slot& slot : data.A_slots) {
    uncertainty_[slot.row] += *scale * *scale;
    ++scale;
  }
  for (Eigen::Index j = 0; j < A_.rows(); ++j) {
    const double length = A_.row(j).norm();
    const double relative = length > 0 ? std::sqrt(uncertainty_[j]) / length : 0;
    uncertainty_[j] =
        std::isfinite(relative) ? 8 * std::numeric_limits<double>::epsilon() * relative : 0;
  }
  fundamental_.set_row_uncertainty(uncertainty_);
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
  if (status_ == Status::ok && formulation_) status_ = decide_formulation();
  return status_;
}

Status Evaluator::evaluate(double t, std::span<const double> q, std::span<const double> v,
                           std::span<const double> mu) {
  load(t, q, v, mu);
  status_ = formulation_ ? solve_formulation() : solve(false);
  return status_;
}

double Evaluator::ideal_power() const {
  return ideal().dot(v_);
}

double Evaluator::nonideal_power() const {
  return nonideal().dot(v_);
}

double Evaluator::kinetic_metric() const {
  double total = 0;
  for (Eigen::Index j = 0; j < v_.size(); ++j) total += v_[j] * M_.col(j).dot(v_);
  return total / 2;
}

std::string Evaluator::explain_failure() const {
  if (status_ == Status::formulation_failed) return formulation_->problem();
  return explain(fundamental_, motion_.model().coordinates, motion_.constraint_names());
}

bool Evaluator::contradictory() const {
  if (fundamental_.consistent()) return false;
  // |Q_k|/M_kk bounds what an acceleration could be; a massless coordinate's is that of the others.
  double acceleration = fundamental_.acceleration().lpNorm<Eigen::Infinity>();
  for (std::size_t k = 0; k < n_; ++k) {
    const double mass = M_(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(k));
    if (mass > 0) acceleration = std::max(acceleration, scales_[k] / mass);
  }
  for (std::size_t j = 0; j < m_; ++j) {
    const auto row = static_cast<Eigen::Index>(j);
    const double left = std::abs(A_.row(row).dot(fundamental_.acceleration()) - b_[row]);
    const double scale = scales_[n_ + j] + A_.row(row).lpNorm<1>() * acceleration;
    if (!(left <= fundamental_.options().consistency_tolerance * scale)) return true;
  }
  return false;
}

std::string Evaluator::explain_contradiction() const {
  std::vector<bool> conflicting;
  for (int j = 0; j < fundamental_.constraints(); ++j)
    conflicting.push_back(fundamental_.conflicting(j));
  return explain_conflict(conflicting, motion_.constraint_names());
}

void Evaluator::observe() {
  const auto n = static_cast<std::ptrdiff_t>(n_);
  const Eigen::VectorXd& qdd = acceleration();
  std::copy(qdd.begin(), qdd.end(), inputs_.begin() + 1 + 2 * n);
  std::copy(ideal().begin(), ideal().end(), inputs_.begin() + 1 + 3 * n);
  std::copy(nonideal().begin(), nonideal().end(), inputs_.begin() + 1 + 4 * n);
  motion_.data_->observables.evaluate(observables_ws_, inputs_, observed_);
}

}  // namespace dalembert::motion
