#include "dalembert/flow/formulation_solver.hpp"

#include <algorithm>
#include <utility>

#include "dalembert/flow/compiled.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/solve/dense_kernels.hpp"

namespace dalembert::flow {

namespace {

Eigen::Index at(std::size_t i) {
  return static_cast<Eigen::Index>(i);
}

constexpr const char* singular =
    "its equations are singular at this state, or not finite: the coordinates, quasi-velocities or "
    "constraints it was derived with fail there";

}  // namespace

FormulationSolver::FormulationSolver(std::shared_ptr<FormulationLibrary> library,
                                     const model::Model& model, const mechanics::Equations& eq,
                                     const std::vector<double>& parameters)
    : library_(std::move(library)),
      model_(model),
      eq_(eq),
      parameters_(&parameters),
      n_(eq.q.size()),
      m_(eq.constraints.size()),
      judge_(n_, m_),
      Psi_(at(n_), at(n_)),
      g_(Eigen::VectorXd::Zero(at(n_))),
      qdd_(g_),
      step_(g_),
      ideal_(g_),
      nonideal_(g_),
      mu_rate_(Eigen::VectorXd::Zero(at(m_))) {}

void FormulationSolver::bind(const std::vector<double>& parameters) {
  parameters_ = &parameters;
  if (!current_) return;
  current_->system.bind(system_ws_, 0, parameters);
  if (current_->model_quasi_velocities) current_->quasi_velocities.bind(Psi_ws_, 0, parameters);
}

bool FormulationSolver::fail(std::string problem) {
  problem_ = std::move(problem);
  return false;
}

bool FormulationSolver::decide(const State& state, const Eigen::MatrixXd& M,
                               const Eigen::MatrixXd& A, int rank) {
  switched_.reset();
  judge_.set(M, A);
  const auto k = static_cast<std::size_t>(rank);
  if (current_ == nullptr && !choose(state, k)) return false;
  if (current_->split.rows.size() != k) return change(state, k, false);
  if (current_->model_quasi_velocities) {
    return !fails(quasi_velocity_pivot(state), worst_quasi_velocity_pivot) ||
           change(state, k, true);
  }
  return !fails(split_quality(), worst_split_quality) || change(state, k, false);
}

/// Whether the quality is too low, or will be after the next step if it falls as in the last.
bool FormulationSolver::fails(double quality, double worst) {
  const double fall = last_quality_ ? std::max(0.0, *last_quality_ - quality) : 0;
  last_quality_ = quality;
  return quality - fall < worst;
}

double FormulationSolver::split_quality() {
  const mechanics::Split& split = current_->split;
  return library_->info().needs_split ? judge_.quality(split.rows, split.dependent)
                                      : judge_.quality(split.rows);
}

double FormulationSolver::quasi_velocity_pivot(const State& state) {
  inputs_[0] = state.t;
  std::copy(state.q.begin(), state.q.end(), inputs_.begin() + 1);
  std::copy(state.v.begin(), state.v.end(), inputs_.begin() + 1 + static_cast<std::ptrdiff_t>(n_));
  current_->quasi_velocities.evaluate(Psi_ws_, std::span(inputs_).first(1 + 2 * n_), Psi_out_);
  Psi_.setZero();
  const double* out = Psi_out_.data();
  for (const auto& slot : current_->Psi) Psi_(slot.row, slot.column) = *out++;
  return judge_.smallest_pivot(Psi_);
}

/// The model's wish where it serves, else what split_coordinates chooses.
bool FormulationSolver::choose(const State& state, std::size_t rank) {
  const expr::Values values = values_at(model_, *parameters_, state);
  const mechanics::Split split = mechanics::split_coordinates(model_, eq_, values, rank);
  if (split.rows.size() != rank) return fail(std::string(library_->info().name) + ": " + singular);
  if (!take(split, false, values)) {
    const std::string reason = problem_;
    const bool other =
        split.wished &&
        take(mechanics::split_coordinates(model_, eq_, values, rank, true), false, values);
    if (!other) return fail(reason);
  }
  if (library_->info().needs_quasi_velocities && !model_.quasi_velocities.empty() &&
      !current_->model_quasi_velocities) {  // they do not serve here
    RunnableFormulation wished;
    wished.model_quasi_velocities = true;
    note_switch(state.t, wished, *current_);
  } else if (library_->info().needs_split && !library_->info().needs_quasi_velocities &&
             !current_->model_quasi_velocities && !model_.independent.empty() &&
             !current_->split.wished) {  // nor do the coordinates the model chose
    RunnableFormulation wished;
    for (std::size_t i = 0; i < n_; ++i) {
      const auto& names = model_.independent;
      if (std::find(names.begin(), names.end(), model_.coordinates[i]) == names.end())
        wished.split.dependent.push_back(i);
    }
    note_switch(state.t, wished, *current_);
  }
  return true;
}

bool FormulationSolver::change(const State& state, std::size_t rank, bool quasi_velocities_fail) {
  const std::shared_ptr<const RunnableFormulation> before = current_;
  const bool new_rank = before->split.rows.size() != rank;
  if (new_rank && before->states > 0) {
    return fail(std::string(library_->info().name) +
                ": the rank of the constraints changes, and nothing determines mu from there on");
  }
  const expr::Values values = values_at(model_, *parameters_, state);
  mechanics::Split split = mechanics::split_coordinates(model_, eq_, values, rank, true);
  split.refusal = mechanics::Split::Refusal::none;  // the wish was for the start
  if (split.rows.size() != rank) return fail(std::string(library_->info().name) + ": " + singular);
  const bool own =
      before->own_quasi_velocities || (quasi_velocities_fail && split.rows == before->split.rows);
  if (split.rows == before->split.rows && split.dependent == before->split.dependent &&
      own == before->own_quasi_velocities) {
    return true;  // there is nothing better
  }
  if (!take(split, own, values)) {
    const std::string reason = problem_;
    const bool other = library_->info().needs_quasi_velocities && !own;
    if (!other || !take(split, true, values)) return fail(reason);
  }
  note_switch(state.t, *before, *current_);
  return true;
}

bool FormulationSolver::renew(const State& state) {
  auto made = library_->renew(current_->split, current_->own_quasi_velocities,
                              values_at(model_, *parameters_, state));
  return made ? use(*std::move(made)) : fail(std::move(made).error());
}

bool FormulationSolver::take(const mechanics::Split& split, bool own_quasi_velocities,
                             const expr::Values& values) {
  auto found = library_->get(split, own_quasi_velocities, values);
  return found ? use(*std::move(found)) : fail(std::move(found).error());
}

bool FormulationSolver::use(std::shared_ptr<const RunnableFormulation> formulation) {
  current_ = std::move(formulation);
  last_quality_.reset();
  const RunnableFormulation& f = *current_;
  system_ws_ = f.system.workspace(*parameters_);
  if (f.model_quasi_velocities) Psi_ws_ = f.quasi_velocities.workspace(*parameters_);
  inputs_.resize(1 + 2 * n_ + f.states);
  out_.resize(f.system.outputs());
  Psi_out_.resize(f.Psi.size());
  H_.resize(at(f.size), at(f.size));
  rho_.resize(at(f.size));
  x_.resize(at(f.size));
  x_C_.resize(at(f.size));
  scale_.resize(at(f.size));
  swaps_.resize(f.size);
  return true;
}

std::vector<std::string> FormulationSolver::dependent_names(const RunnableFormulation& f) const {
  std::vector<std::string> names;
  for (const std::size_t i : f.split.dependent) names.push_back(model_.coordinates[i]);
  return names;
}

std::vector<std::string> FormulationSolver::rate_names(const RunnableFormulation& f) const {
  std::vector<std::string> names;
  if (f.model_quasi_velocities) {
    for (const model::Named& u : model_.quasi_velocities) names.push_back(u.name);
  } else {
    for (const std::size_t i : f.split.independent) names.push_back(model_.coordinates[i] + "'");
  }
  return names;
}

void FormulationSolver::note_switch(double t, const RunnableFormulation& from,
                                    const RunnableFormulation& to) {
  const bool rates = from.model_quasi_velocities || to.model_quasi_velocities;
  switched_ = rates ? Switch{t, rate_names(from), rate_names(to), true}
                    : Switch{t, dependent_names(from), dependent_names(to), false};
}

bool FormulationSolver::factor(std::span<const double> inputs, std::span<const double> mu) {
  const RunnableFormulation& f = *current_;
  std::copy(inputs.begin(), inputs.end(), inputs_.begin());
  for (std::size_t j = 0; j < f.states; ++j) inputs_[1 + 2 * n_ + j] = mu[f.split.rows[j]];
  f.system.evaluate(system_ws_, inputs_, out_);
  const double* out = out_.data();
  H_.setZero();
  for (const auto& slot : f.H) H_(slot.row, slot.column) = *out++;
  for (double& x : rho_) x = *out++;
  out += f.G.size() + f.K.size();
  for (double& x : g_) x = *out++;
  if (!lu(H_, scale_, swaps_)) return fail(std::string(library_->info().name) + ": " + singular);
  return true;
}

bool FormulationSolver::solve_ideal(const Eigen::MatrixXd& M, const Eigen::VectorXd& Q) {
  const RunnableFormulation& f = *current_;
  x_ = rho_;
  lu_solve(H_, swaps_, x_.data());
  qdd_ = g_;
  const double* K = out_.data() + f.H.size() + f.size + f.G.size();
  for (const auto& slot : f.K) qdd_(slot.row) += *K++ * x_(slot.column);
  ideal_.noalias() = M * qdd_;
  ideal_ -= Q;
  nonideal_.setZero();
  for (std::size_t j = 0; j < f.states; ++j)
    mu_rate_(at(f.split.rows[j])) = x_(at(f.first_state_rate + j));
  if (qdd_.allFinite() && ideal_.allFinite()) return true;
  return fail(std::string(library_->info().name) + ": " + singular);
}

bool FormulationSolver::solve_nonideal(const Eigen::MatrixXd& M, const Eigen::VectorXd& C) {
  const RunnableFormulation& f = *current_;
  x_C_.setZero();
  const double* G = out_.data() + f.H.size() + f.size;
  for (const auto& slot : f.G) x_C_(slot.row) += *G++ * C(slot.column);
  lu_solve(H_, swaps_, x_C_.data());
  step_.setZero();
  for (const auto& slot : f.K) step_(slot.row) += *G++ * x_C_(slot.column);
  qdd_ += step_;
  nonideal_.noalias() = M * step_;
  for (std::size_t j = 0; j < f.states; ++j)
    mu_rate_(at(f.split.rows[j])) += x_C_(at(f.first_state_rate + j));
  if (qdd_.allFinite() && nonideal_.allFinite()) return true;
  return fail(std::string(library_->info().name) + ": " + singular);
}

}  // namespace dalembert::flow
