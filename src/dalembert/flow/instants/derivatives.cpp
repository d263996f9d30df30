#include "dalembert/flow/instants/derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/model/assembly/places.hpp"

namespace dalembert::flow {

namespace {

using expr::Expr;
using mechanics::Entry;
using mechanics::Equations;
using Slots = InstantDerivativeKernels::Slots;

/// The derivatives that are not identically zero of each expression by each symbol.
void append_slots(const std::vector<Expr>& list, const std::vector<Expr>& symbols, Slots& slots,
                  std::vector<Expr>& outputs) {
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    const std::vector<Expr> derivatives = expr::gradient(list[i], symbols);
    for (std::uint32_t j = 0; j < derivatives.size(); ++j) {
      if (derivatives[j].is_zero()) continue;
      slots.push_back({i, j});
      outputs.push_back(derivatives[j]);
    }
  }
}

std::vector<Expr> summed(const std::vector<std::vector<Expr>>& terms) {
  std::vector<Expr> list;
  list.reserve(terms.size());
  for (const auto& of_one : terms) list.push_back(expr::sum(of_one));
  return list;
}

void extend(std::vector<Expr>& list, const std::vector<Expr>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// The symbols of all inputs, in the order of InstantKernels; then the forces of the rows that are
/// no constraints.
struct RowSymbols {
  std::vector<Expr> state, discretes, reactions, s, ideal, nonideal, p, works;

  RowSymbols(const model::Model& model, const InstantKernels& k) {
    state = state_symbols(k.equations);
    for (const std::size_t i : k.discretes)
      discretes.push_back(expr::parameter(model.parameters[i].name));
    for (const ReactionSource& source : k.reactions)
      reactions.push_back(expr::parameter(std::string(model::reaction_prefix) + source.name));
    for (const Expr& q : k.equations.q) {
      s.push_back(expr::coordinate(q.symbol().name, 2));
      ideal.push_back(expr::ideal_force(q.symbol().name));
      nonideal.push_back(expr::nonideal_force(q.symbol().name));
    }
    for (std::size_t j = 0; j < k.rows; ++j)
      p.push_back(j < k.constraints ? expr::multiplier(k.equations.constraints[j].name)
                                    : expr::auxiliary("row." + std::to_string(j)));
    works = {expr::parameter("work.friction"), expr::parameter("work.impact")};
  }

  std::vector<Expr> inputs(const InstantKernels& k) const {
    std::vector<Expr> list = state;
    extend(list, discretes);
    extend(list, reactions);
    extend(list, s);
    extend(list, ideal);
    extend(list, nonideal);
    const auto rest = p.begin() + static_cast<std::ptrdiff_t>(k.constraints);
    list.insert(list.end(), p.begin(), rest);
    extend(list, works);
    list.insert(list.end(), rest, p.end());
    return list;
  }
};

/// 1 - d d^T: what turns a unit direction.
Eigen::MatrixXd across(const Eigen::VectorXd& d) {
  return Eigen::MatrixXd::Identity(d.size(), d.size()) - d * d.transpose();
}

const double* unpack_into(const Slots& slots, const double* out, Eigen::MatrixXd& matrix) {
  for (const auto& slot : slots) matrix(slot.row, slot.column) = *out++;
  return out;
}

}  // namespace

InstantDerivativeKernels make_instant_derivative_kernels(const Motion& motion,
                                                         std::vector<std::size_t> theta,
                                                         std::vector<std::size_t> outputs) {
  InstantDerivativeKernels result;
  result.theta = std::move(theta);
  result.outputs = std::move(outputs);
  const model::Model& model = motion.model();
  const InstantKernels& k = *motion.instants();
  const Equations& eq = k.equations;
  const RowSymbols x(model, k);
  std::vector<Expr> z = eq.q;
  extend(z, eq.v);
  z.push_back(expr::time());
  for (const std::size_t i : result.theta) z.push_back(expr::parameter(model.parameters[i].name));

  std::vector<std::vector<Expr>> inertia(k.n), ideal(k.n), rows(k.rows), lengths;
  std::vector<Expr> dynamics;
  for (const Entry& entry : eq.M) {
    dynamics.push_back(entry.value);
    inertia[entry.row].push_back(entry.value * x.s[entry.column]);
    if (entry.row != entry.column) inertia[entry.column].push_back(entry.value * x.s[entry.row]);
  }
  std::vector<Expr> squares(k.rows, Expr(0));
  for (const Entry& entry : eq.A) {
    dynamics.push_back(entry.value);
    rows[entry.row].push_back(entry.value * x.s[entry.column]);
    ideal[entry.column].push_back(entry.value * x.p[entry.row]);
    squares[entry.row] += entry.value * entry.value;
  }
  const std::vector<Expr>& joint_forces = k.joint_forces;
  std::vector<Expr> length_of_reactions, laws;
  for (const ReactionSource& source : k.reactions) {
    length_of_reactions.push_back(source.kind == ReactionSource::Kind::constraint && source.by_row
                                      ? expr::sqrt(squares[source.index])
                                      : Expr(1));
  }
  result.joint_forces = joint_forces.size();
  for (const model::Contact& contact : model.contacts) {
    const Expr mu = contact.friction ? contact.friction->expr : Expr(0);
    extend(laws, {contact.restitution.expr, mu,
                  contact.static_friction ? contact.static_friction->expr : mu});
  }
  for (const model::DryFriction& friction : model.dry_frictions)
    extend(laws, {friction.limit.expr,
                  friction.static_limit ? friction.static_limit->expr : friction.limit.expr});
  extend(dynamics, joint_forces);
  append_slots(summed(inertia), z, result.inertia, dynamics);
  append_slots(summed(ideal), z, result.ideal, dynamics);
  append_slots(summed(rows), z, result.rows, dynamics);
  append_slots(eq.Q, z, result.applied, dynamics);
  append_slots(eq.C, z, result.added, dynamics);
  append_slots(eq.b, z, result.b, dynamics);
  append_slots(laws, z, result.laws, dynamics);
  append_slots(laws, x.reactions, result.laws_R, dynamics);
  append_slots(length_of_reactions, z, result.lengths, dynamics);
  append_slots(joint_forces, z, result.joints, dynamics);
  append_slots(joint_forces, x.s, result.joints_a, dynamics);
  append_slots(joint_forces, x.p, result.joints_p, dynamics);
  append_slots(joint_forces, x.reactions, result.joints_R, dynamics);

  std::vector<Expr> residual, rate, whens, settings, y, further;
  for (const mechanics::ConstraintRow& row : eq.constraints) {
    const bool none = row.level == model::Level::acceleration;
    residual.push_back(none || row.level == model::Level::velocity ? Expr(0) : row.residual);
    rate.push_back(none ? Expr(0) : row.rate);
  }
  for (const model::Event& event : model.events) {
    if (event.when) whens.push_back(event.when->expr);
    for (const model::Event::Set& set : event.set) settings.push_back(set.value.expr);
  }
  for (const std::size_t i : result.outputs) y.push_back(motion.outputs()[i].expr);
  extend(further, residual);
  extend(further, rate);
  append_slots(residual, z, result.residual, further);
  append_slots(rate, z, result.rate, further);
  append_slots(whens, z, result.whens, further);
  append_slots(whens, x.s, result.whens_a, further);
  append_slots(whens, x.reactions, result.whens_R, further);
  append_slots(settings, z, result.settings, further);
  append_slots(settings, x.reactions, result.settings_R, further);
  append_slots(y, z, result.y, further);
  append_slots(y, x.s, result.y_a, further);
  append_slots(y, x.ideal, result.y_F, further);
  append_slots(y, x.nonideal, result.y_N, further);
  append_slots(y, x.p, result.y_p, further);
  append_slots(y, x.reactions, result.y_R, further);
  result.of_split = !result.y_F.empty() || !result.y_N.empty();

  std::vector<Expr> parameters;
  for (const std::size_t i : k.bound)
    parameters.push_back(expr::parameter(model.parameters[i].name));
  const std::vector<Expr> inputs = x.inputs(k);
  result.dynamics = codegen::make_kernel(codegen::make_tape(dynamics, inputs, parameters));
  result.further = codegen::make_kernel(codegen::make_tape(further, inputs, parameters));
  return result;
}

InstantDerivatives::InstantDerivatives(const Motion& motion,
                                       const InstantDerivativeKernels& kernels)
    : all_(*motion.instants()),
      kernels_(kernels),
      n_(index(all_.n)),
      rows_count_(index(all_.rows)),
      z_(2 * n_ + 1 + std::ssize(kernels.theta)) {
  inputs_.assign(all_.inputs() + all_.rows - all_.constraints, 0);
  dynamics_out_.resize(kernels.dynamics.outputs());
  further_out_.resize(kernels.further.outputs());
  const Eigen::Index reactions = std::ssize(all_.reactions), outputs = std::ssize(kernels.outputs),
                     joints = index(kernels.joint_forces), whens = std::ssize(all_.rate_known);
  Eigen::Index laws = 0, settings = 0;
  for (const TouchElement& element : all_.elements) {
    law_rows_.push_back(laws);
    laws += element.is_contact() ? 3 : 2;
  }
  for (const model::Event& event : motion.model().events) settings += std::ssize(event.set);
  M_.setZero(n_, n_);
  A_.setZero(rows_count_, n_);
  for (auto* matrix : {&inertia_, &ideal_, &applied_, &added_}) matrix->setZero(n_, z_);
  for (auto* matrix : {&rows_, &b_, &residual_, &rate_}) matrix->setZero(rows_count_, z_);
  laws_.setZero(laws, z_);
  laws_R_.setZero(laws, reactions);
  lengths_.setZero(reactions, z_);
  joints_.setZero(joints, z_);
  joints_a_.setZero(joints, n_);
  joints_p_.setZero(joints, rows_count_);
  joints_R_.setZero(joints, reactions);
  whens_.setZero(whens, z_);
  whens_a_.setZero(whens, n_);
  whens_R_.setZero(whens, reactions);
  settings_.setZero(settings, z_);
  settings_R_.setZero(settings, reactions);
  y_.setZero(outputs, z_);
  for (auto* matrix : {&y_a_, &y_F_, &y_N_}) matrix->setZero(outputs, n_);
  y_p_.setZero(outputs, rows_count_);
  y_R_.setZero(outputs, reactions);
  joint_values_.setZero(joints);
  residuals_.setZero(rows_count_);
  rates_.setZero(rows_count_);
  reaction_u_.setZero(reactions, n_ + rows_count_);
  reaction_z_.setZero(reactions, z_);
  mass_scale_.setZero(n_);
  row_scale_.setZero(rows_count_);
  bind(motion);
}

void InstantDerivatives::bind(const Motion& motion) {
  std::vector<double> values;
  for (const std::size_t i : all_.bound) values.push_back(motion.parameters()[i]);
  dynamics_space_ = kernels_.dynamics.workspace(values);
  further_space_ = kernels_.further.workspace(values);
  for (std::size_t i = 0; i < all_.discretes.size(); ++i)
    inputs_[all_.discretes_at() + i] = motion.parameters()[all_.discretes[i]];
}

void InstantDerivatives::set_split(const Eigen::VectorXd& ideal, const Eigen::VectorXd& nonideal) {
  double* place = inputs_.data() + all_.solution_at() + all_.n;
  std::copy(ideal.begin(), ideal.end(), place);
  std::copy(nonideal.begin(), nonideal.end(), place + all_.n);
}

void InstantDerivatives::place(double t, std::span<const double> q, std::span<const double> v,
                               const Eigen::VectorXd& s, const Eigen::VectorXd& p,
                               std::span<const double> reactions, bool further) {
  inputs_[0] = t;
  std::ranges::copy(q, inputs_.begin() + 1);
  std::ranges::copy(v, inputs_.begin() + 1 + n_);
  std::ranges::copy(reactions, inputs_.begin() + static_cast<std::ptrdiff_t>(all_.reactions_at()));
  std::copy(s.begin(), s.end(), inputs_.begin() + static_cast<std::ptrdiff_t>(all_.solution_at()));
  double* multipliers = inputs_.data() + all_.solution_at() + 3 * all_.n;
  for (Eigen::Index j = 0; j < rows_count_; ++j) {
    const bool constraint = j < index(all_.constraints);
    (constraint ? multipliers[j]
                : inputs_[all_.inputs() + static_cast<std::size_t>(j) - all_.constraints]) = p[j];
  }
  kernels_.dynamics.evaluate(dynamics_space_, inputs_, dynamics_out_);
  const double* out = dynamics_out_.data();
  for (const Entry& entry : all_.equations.M) {
    M_(entry.row, entry.column) = *out;
    M_(entry.column, entry.row) = *out++;
  }
  for (const Entry& entry : all_.equations.A) A_(entry.row, entry.column) = *out++;
  for (double& value : joint_values_) value = *out++;
  out = unpack_into(kernels_.inertia, out, inertia_);
  out = unpack_into(kernels_.ideal, out, ideal_);
  out = unpack_into(kernels_.rows, out, rows_);
  out = unpack_into(kernels_.applied, out, applied_);
  out = unpack_into(kernels_.added, out, added_);
  out = unpack_into(kernels_.b, out, b_);
  out = unpack_into(kernels_.laws, out, laws_);
  out = unpack_into(kernels_.laws_R, out, laws_R_);
  out = unpack_into(kernels_.lengths, out, lengths_);
  out = unpack_into(kernels_.joints, out, joints_);
  out = unpack_into(kernels_.joints_a, out, joints_a_);
  out = unpack_into(kernels_.joints_p, out, joints_p_);
  unpack_into(kernels_.joints_R, out, joints_R_);
  find_reaction_rows();
  if (!further) return;
  kernels_.further.evaluate(further_space_, inputs_, further_out_);
  out = further_out_.data();
  for (double& value : residuals_) value = *out++;
  for (double& value : rates_) value = *out++;
  out = unpack_into(kernels_.residual, out, residual_);
  out = unpack_into(kernels_.rate, out, rate_);
  out = unpack_into(kernels_.whens, out, whens_);
  out = unpack_into(kernels_.whens_a, out, whens_a_);
  out = unpack_into(kernels_.whens_R, out, whens_R_);
  out = unpack_into(kernels_.settings, out, settings_);
  out = unpack_into(kernels_.settings_R, out, settings_R_);
  out = unpack_into(kernels_.y, out, y_);
  out = unpack_into(kernels_.y_a, out, y_a_);
  out = unpack_into(kernels_.y_F, out, y_F_);
  out = unpack_into(kernels_.y_N, out, y_N_);
  out = unpack_into(kernels_.y_p, out, y_p_);
  unpack_into(kernels_.y_R, out, y_R_);
}

/// As RowSystem::set_reactions.
void InstantDerivatives::find_reaction_rows() {
  reaction_u_.setZero();
  reaction_z_.setZero();
  const double* multipliers = inputs_.data() + all_.solution_at() + 3 * all_.n;
  const double* forces = inputs_.data() + all_.inputs();
  for (Eigen::Index r = 0; r < reaction_u_.rows(); ++r) {
    const ReactionSource& source = all_.reactions[static_cast<std::size_t>(r)];
    switch (source.kind) {
      case ReactionSource::Kind::element: {
        const TouchElement& element = all_.elements[source.index];
        if (element.is_contact()) {
          reaction_u_(r, n_ + index(element.gap)) = 1;
          break;
        }
        double square = 0;
        for (std::size_t k = 0; k < element.slips; ++k) {
          const double p = forces[element.slip + k - all_.constraints];
          square += p * p;
        }
        for (std::size_t k = 0; k < element.slips && square > 0; ++k)
          reaction_u_(r, n_ + index(element.slip + k)) =
              forces[element.slip + k - all_.constraints] / std::sqrt(square);
        break;
      }
      case ReactionSource::Kind::constraint: {
        const Eigen::Index row = index(source.index);
        const double p = multipliers[source.index];
        const double length = source.by_row ? A_.row(row).norm() : 1.0;
        reaction_u_(r, n_ + row) = p < 0 ? -length : length;
        reaction_z_.row(r) = std::abs(p) * lengths_.row(r);
        break;
      }
      case ReactionSource::Kind::row:
        reaction_u_(r, n_ + index(source.index)) = 1;
        break;
      case ReactionSource::Kind::joint: {
        const auto f = joint_values_.segment(index(3 * source.index), 3);
        const double size = f.norm();
        if (!(size > 0)) break;
        const Eigen::RowVectorXd unit = f.transpose() / size;
        reaction_u_.row(r).head(n_) = unit * joints_a_.middleRows(index(3 * source.index), 3);
        reaction_u_.row(r).tail(rows_count_) =
            unit * joints_p_.middleRows(index(3 * source.index), 3);
        // Of rows, which are known already.
        reaction_u_.row(r) += unit * joints_R_.middleRows(index(3 * source.index), 3) * reaction_u_;
        reaction_z_.row(r) = unit * joints_.middleRows(index(3 * source.index), 3);
        break;
      }
    }
  }
}

/// The matrix of the task, its columns for s, then p; equations of motion, then rows.
void InstantDerivatives::assemble(const RowTask& task) {
  const Eigen::Index size = n_ + rows_count_;
  K_.setZero(size, size);
  K_.topLeftCorner(n_, n_) = M_;
  K_.topRightCorner(n_, rows_count_) = -A_.transpose();
  for (Eigen::Index j = 0; j < rows_count_; ++j) {
    if (task.rules[static_cast<std::size_t>(j)] == RowRule::held)
      K_.row(n_ + j).head(n_) = A_.row(j);
    else
      K_(n_ + j, n_ + j) = 1;
  }
  if (task.modes != nullptr) add_slides(task);
}

void InstantDerivatives::add_slides(const RowTask& task) {
  for (std::size_t i = 0; i < task.modes->size(); ++i) {
    const TouchElement& element = all_.elements[i];
    const TouchMode& mode = (*task.modes)[i];
    if (element.slips == 0 || task.rules[element.slip] != RowRule::slides) continue;
    const auto slip = index(element.slip), slips = index(element.slips);
    const double* forces = inputs_.data() + all_.inputs();
    double limit = task.laws[i].sliding;
    for (Eigen::Index k = 0; k < slips; ++k) {
      const double d = mode.d[static_cast<std::size_t>(k)];
      if (element.is_contact()) {
        K_(n_ + slip + k, n_ + index(element.gap)) += limit * d;
      } else if (element.limit_of_reactions) {
        K_.row(n_ + slip + k) += d * laws_R_.row(law_rows_[i]) * reaction_u_;
      }
    }
    if (task.turn != RowTask::Turn::after || slips < 2) continue;
    if (element.is_contact()) limit *= forces[element.gap - all_.constraints];
    const Eigen::Map<const Eigen::VectorXd> d(mode.d.data(), slips);
    const Eigen::VectorXd velocity =
        rates_.segment(slip, slips) +
        A_.middleRows(slip, slips) *
            Eigen::Map<const Eigen::VectorXd>(inputs_.data() + all_.solution_at(), n_);
    const double size = d.dot(velocity);
    if (!(size > task.slowest)) continue;
    K_.block(n_ + slip, 0, slips, n_) += limit / size * across(d) * A_.middleRows(slip, slips);
  }
}

/// What the right side has of the changes of laws and directions.
void InstantDerivatives::add_slide_changes(const RowTask& task, const Eigen::MatrixXd& Z) {
  const double* forces = inputs_.data() + all_.inputs();
  for (std::size_t i = 0; i < task.modes->size(); ++i) {
    const TouchElement& element = all_.elements[i];
    const TouchMode& mode = (*task.modes)[i];
    if (element.slips == 0 || task.rules[element.slip] != RowRule::slides) continue;
    const auto slip = index(element.slip), slips = index(element.slips);
    const double normal = element.is_contact() ? forces[element.gap - all_.constraints] : 1;
    const Eigen::Index law = law_rows_[i] + (element.is_contact() ? 1 : 0);
    Eigen::RowVectorXd change = laws_.row(law) * Z;
    if (element.limit_of_reactions) change += laws_R_.row(law) * (reaction_z_ * Z);
    for (Eigen::Index k = 0; k < slips; ++k)
      rhs_.row(n_ + slip + k) -= normal * mode.d[static_cast<std::size_t>(k)] * change;
    if (task.turn == RowTask::Turn::fixed || slips < 2) continue;
    const Eigen::Map<const Eigen::VectorXd> d(mode.d.data(), slips);
    Eigen::VectorXd velocity = rates_.segment(slip, slips);
    Eigen::MatrixXd turn = rate_.middleRows(slip, slips) * Z;
    if (task.turn == RowTask::Turn::after) {
      velocity += A_.middleRows(slip, slips) *
                  Eigen::Map<const Eigen::VectorXd>(inputs_.data() + all_.solution_at(), n_);
      turn += rows_.middleRows(slip, slips) * Z;
    }
    const double size = d.dot(velocity);
    if (!(std::abs(size) > task.slowest)) continue;
    rhs_.middleRows(n_ + slip, slips) -= task.laws[i].sliding * normal / size * across(d) * turn;
  }
}

bool InstantDerivatives::factor() {
  // s in units of 1/sqrt(M_ii), p in those in which W_jj is 1.
  const double mean = M_.trace() / static_cast<double>(n_);
  for (Eigen::Index i = 0; i < n_; ++i)
    mass_scale_[i] = 1 / std::sqrt(M_(i, i) > 1e-13 * mean ? M_(i, i) : mean);
  for (Eigen::Index j = 0; j < rows_count_; ++j) {
    const double w = (A_.row(j) * mass_scale_.asDiagonal()).norm();
    row_scale_[j] = w > 0 ? 1 / w : 1;
  }
  for (Eigen::Index j = 0; j < rows_count_; ++j) {
    const bool in_s = K_.row(n_ + j).head(n_).cwiseAbs().maxCoeff() > 0;
    K_.row(n_ + j) *= in_s ? row_scale_[j] : 1 / row_scale_[j];
    rhs_.row(n_ + j) *= in_s ? row_scale_[j] : 1 / row_scale_[j];
  }
  K_.topRows(n_).applyOnTheLeft(mass_scale_.asDiagonal());
  rhs_.topRows(n_).applyOnTheLeft(mass_scale_.asDiagonal());
  K_.leftCols(n_) *= mass_scale_.asDiagonal();
  K_.rightCols(rows_count_) *= row_scale_.asDiagonal();
  if (!K_.allFinite() || !rhs_.allFinite()) return false;
  lu_.compute(K_);
  unique_ = lu_.rcond() > 1e-11;
  if (unique_) return true;
  qr_.setThreshold(1e-11);
  qr_.compute(K_);
  return true;
}

bool InstantDerivatives::solve(const RowTask& task, const Eigen::MatrixXd& Z,
                               const Eigen::MatrixXd& rest, Eigen::MatrixXd& change) {
  assemble(task);
  rhs_.setZero(n_ + rows_count_, Z.cols());
  rhs_.topRows(n_).noalias() = (ideal_ - inertia_) * Z;
  if (task.forces) {
    rhs_.topRows(n_).noalias() += applied_ * Z;
    if (!task.without_friction) rhs_.topRows(n_).noalias() += added_ * Z;
  }
  for (Eigen::Index j = 0; j < rows_count_; ++j) {
    const RowRule rule = task.rules[static_cast<std::size_t>(j)];
    if (rule == RowRule::held) rhs_.row(n_ + j) = -rows_.row(j) * Z;
    if (rule == RowRule::held || rule == RowRule::given) rhs_.row(n_ + j) -= rest.row(j);
  }
  if (task.modes != nullptr) add_slide_changes(task, Z);
  if (!factor()) return false;
  change = unique_ ? lu_.solve(rhs_).eval() : qr_.solve(rhs_).eval();
  change.topRows(n_).applyOnTheLeft(mass_scale_.asDiagonal());
  change.bottomRows(rows_count_).applyOnTheLeft(row_scale_.asDiagonal());
  return change.allFinite();
}

bool InstantDerivatives::solve_values(const RowTask& task, const Eigen::VectorXd& r,
                                      Eigen::VectorXd& s, Eigen::VectorXd& p,
                                      const Eigen::VectorXd* F) {
  assemble(task);
  rhs_.setZero(n_ + rows_count_, 1);
  if (F != nullptr) rhs_.topRows(n_) = *F;
  for (Eigen::Index j = 0; j < rows_count_; ++j) {
    const RowRule rule = task.rules[static_cast<std::size_t>(j)];
    if (rule == RowRule::held || rule == RowRule::given) rhs_(n_ + j, 0) = -r[j];
  }
  if (!factor()) return false;
  const Eigen::VectorXd x = unique_ ? lu_.solve(rhs_.col(0)).eval() : qr_.solve(rhs_.col(0)).eval();
  s = mass_scale_.asDiagonal() * x.head(n_);
  p = row_scale_.asDiagonal() * x.tail(rows_count_);
  return x.allFinite();
}

Eigen::MatrixXd InstantDerivatives::change_of_reactions(const Eigen::MatrixXd& Z,
                                                        const Eigen::MatrixXd& change) const {
  return reaction_u_ * change + reaction_z_ * Z;
}

Eigen::MatrixXd InstantDerivatives::change_of_whens(const Eigen::MatrixXd& Z,
                                                    const Eigen::MatrixXd& change,
                                                    const Eigen::MatrixXd& reactions) const {
  return whens_ * Z + whens_a_ * change.topRows(n_) + whens_R_ * reactions;
}

Eigen::MatrixXd InstantDerivatives::change_of_outputs(const Eigen::MatrixXd& Z,
                                                      const Eigen::MatrixXd& change,
                                                      const Eigen::MatrixXd& reactions,
                                                      const Eigen::MatrixXd& ideal,
                                                      const Eigen::MatrixXd& nonideal) const {
  Eigen::MatrixXd result =
      y_ * Z + y_a_ * change.topRows(n_) + y_p_ * change.bottomRows(rows_count_) + y_R_ * reactions;
  if (kernels_.of_split) result += y_F_ * ideal + y_N_ * nonideal;
  return result;
}

Eigen::MatrixXd InstantDerivatives::change_of_row_forces(const Eigen::MatrixXd& Z,
                                                         const Eigen::MatrixXd& change) const {
  return ideal_ * Z + A_.transpose() * change.bottomRows(rows_count_);
}

}  // namespace dalembert::flow
