#include "dalembert/flow/linear/derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/flow/linear/own_symbols.hpp"
#include "dalembert/flow/values.hpp"

namespace dalembert::flow {

namespace {

using expr::Expr;
using mechanics::Entry;
using mechanics::Equations;

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The derivatives that are not identically zero of each expression by each symbol.
void append_derivatives(const std::vector<Expr>& list, const std::vector<Expr>& symbols,
                        DerivativeKernels::Slots& slots, std::vector<Expr>& outputs) {
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    const std::vector<Expr> derivatives = expr::gradient(list[i], symbols);
    for (std::uint32_t j = 0; j < derivatives.size(); ++j) {
      if (derivatives[j].is_zero()) continue;
      slots.push_back({i, j});
      outputs.push_back(derivatives[j]);
    }
  }
}

const double* unpack_slots(const DerivativeKernels::Slots& slots, const double* out,
                           Eigen::MatrixXd& matrix) {
  for (const auto& slot : slots) matrix(slot.row, slot.column) = *out++;
  return out;
}

std::vector<Expr> sums_of(const std::vector<std::vector<Expr>>& terms) {
  std::vector<Expr> list;
  list.reserve(terms.size());
  for (const auto& of_one : terms) list.push_back(expr::sum(of_one));
  return list;
}

std::vector<Expr> state_columns(const Equations& eq, const std::vector<std::size_t>& parameters) {
  std::vector<Expr> z = eq.q;
  append_to(z, eq.v);
  z.push_back(expr::time());
  for (const std::size_t i : parameters) z.push_back(eq.parameters[i]);
  return z;
}

void make_base(const Motion& motion, const std::vector<Expr>& z, DerivativeKernels& k) {
  const Equations& eq = motion.equations();
  std::vector<Expr> base, residual, rate;
  for (const Entry& entry : eq.M) {
    k.M.push_back({entry.row, entry.column});
    base.push_back(entry.value);
  }
  for (const Entry& entry : eq.A) {
    k.A.push_back({entry.row, entry.column});
    base.push_back(entry.value);
  }
  append_to(base, eq.Q);
  append_to(base, eq.b);
  for (const auto& row : eq.constraints) {
    residual.push_back(row.level == model::Level::position ? row.residual : Expr(0));
    rate.push_back(row.level == model::Level::acceleration ? Expr(0) : row.rate);
  }
  append_to(base, residual);
  append_to(base, rate);
  append_derivatives(residual, z, k.residual, base);
  append_derivatives(rate, z, k.rate, base);
  k.base = codegen::make_kernel(codegen::make_tape(base, state_symbols(eq), eq.parameters));
}

void make_partials(const Motion& motion, const std::vector<Expr>& z,
                   const std::vector<Expr>& further, DerivativeKernels& k) {
  const Equations& eq = motion.equations();
  const UnknownSymbols x(eq);
  const BalanceTerms terms = balance_terms(eq, x.a, x.l);
  const std::vector<Expr> C = mechanics::full_C(eq);
  k.has_C = std::ranges::any_of(C, [](const Expr& c) { return !c.is_zero(); });
  std::vector<Expr> y;
  for (const std::size_t i : k.outputs) y.push_back(motion.model().outputs[i].expr);
  append_to(y, further);
  k.recorded = y.size();

  std::vector<Expr> list;
  append_derivatives(terms.inertia, z, k.inertia, list);
  append_derivatives(terms.ideal, z, k.ideal, list);
  append_derivatives(terms.rows, z, k.rows, list);
  append_derivatives(C, z, k.C_z, list);
  append_derivatives(C, x.F, k.C_F, list);
  append_derivatives(C, x.l, k.C_l, list);
  append_derivatives(C, x.a, k.C_a, list);
  append_derivatives(y, z, k.y_z, list);
  append_derivatives(y, x.a, k.y_a, list);
  append_derivatives(y, x.F, k.y_F, list);
  append_derivatives(y, x.N, k.y_N, list);
  append_derivatives(y, x.l, k.y_l, list);
  append_to(list, C);
  append_to(list, y);
  std::vector<Expr> inputs = state_symbols(eq);
  for (const auto* some : {&x.a, &x.l, &x.F, &x.N}) append_to(inputs, *some);
  k.partials = codegen::make_kernel(codegen::make_tape(list, inputs, eq.parameters));
}

}  // namespace

UnknownSymbols::UnknownSymbols(const Equations& eq) {
  for (const Expr& q : eq.q) {
    a.push_back(expr::coordinate(q.symbol().name, 2));
    F.push_back(expr::ideal_force(q.symbol().name));
    N.push_back(expr::nonideal_force(q.symbol().name));
  }
  for (const auto& row : eq.constraints) l.push_back(expr::multiplier(row.name));
}

BalanceTerms balance_terms(const Equations& eq, const std::vector<Expr>& a,
                           const std::vector<Expr>& l) {
  const std::size_t n = eq.q.size(), m = eq.b.size();
  std::vector<std::vector<Expr>> inertia(n), ideal(n), rows(m);  // terms of each sum
  for (const Entry& entry : eq.M) {
    inertia[entry.row].push_back(entry.value * a[entry.column]);
    if (entry.row != entry.column) inertia[entry.column].push_back(entry.value * a[entry.row]);
  }
  for (const Entry& entry : eq.A) {
    rows[entry.row].push_back(entry.value * a[entry.column]);
    ideal[entry.column].push_back(entry.value * l[entry.row]);
  }
  for (std::size_t i = 0; i < n; ++i) inertia[i].push_back(-eq.Q[i]);
  for (std::size_t j = 0; j < m; ++j) rows[j].push_back(-eq.b[j]);
  return {sums_of(inertia), sums_of(ideal), sums_of(rows)};
}

DerivativeKernels make_derivative_kernels(const Motion& motion, std::vector<std::size_t> parameters,
                                          bool with_outputs, const std::vector<Expr>& further) {
  DerivativeKernels k;
  k.parameters = std::move(parameters);
  if (with_outputs) {
    for (std::size_t i = 0; i < motion.model().outputs.size(); ++i) k.outputs.push_back(i);
  }
  const std::vector<Expr> z = state_columns(motion.equations(), k.parameters);
  make_base(motion, z, k);
  make_partials(motion, z, further, k);
  return k;
}

Derivatives::Derivatives(const Motion& motion, const DerivativeKernels& kernels)
    : motion_(motion),
      kernels_(kernels),
      evaluator_(motion),
      n_(static_cast<Eigen::Index>(motion.coordinates())),
      m_(static_cast<Eigen::Index>(motion.constraints())),
      z_(2 * n_ + 1 + std::ssize(kernels.parameters)),
      base_ws_(kernels_.base.workspace(motion.parameters())),
      partials_ws_(kernels_.partials.workspace(motion.parameters())),
      inputs_(kernels_.partials.inputs()),
      base_out_(kernels_.base.outputs()),
      partials_out_(kernels_.partials.outputs()),
      unique_(static_cast<std::size_t>(m_), true) {
  const auto outputs = static_cast<Eigen::Index>(kernels.recorded);
  for (auto* matrix : {&inertia_, &ideal_, &C_z_, &da_, &da0_, &dF_, &dF_ideal_, &dN_})
    matrix->setZero(n_, z_);
  for (auto* matrix : {&residual_z_, &rate_z_, &rows_, &dl_, &dl_held_, &dl0_})
    matrix->setZero(m_, z_);
  for (auto* matrix : {&M_, &C_F_, &C_a_}) matrix->setZero(n_, n_);
  for (auto* matrix : {&y_z_, &dy_}) matrix->setZero(outputs, z_);
  for (auto* matrix : {&y_a_, &y_F_, &y_N_}) matrix->setZero(outputs, n_);
  A_.setZero(m_, n_);
  C_l_.setZero(n_, m_);
  y_l_.setZero(outputs, m_);
  for (auto* vector : {&Q_, &C_, &a_, &a0_, &F_, &N_, &mass_scale_}) vector->setZero(n_);
  for (auto* vector : {&b_, &residual_, &rate_, &l_, &l0_, &row_scale_}) vector->setZero(m_);
  y_.setZero(outputs);
  matrix_.setZero(n_ + m_, n_ + m_);
  rhs_.setZero(n_ + m_, z_);
  solution_ = rhs_;
  state_rhs_.setZero(n_ + m_);
  state_ = state_rhs_;
}

void Derivatives::bind(const Motion& motion) {
  motion_ = motion;
  evaluator_.bind(motion);
  kernels_.base.bind(base_ws_, 0, motion_.parameters());
  kernels_.partials.bind(partials_ws_, 0, motion_.parameters());
}

bool Derivatives::measure(double t, std::span<const double> q, std::span<const double> v) {
  inputs_[0] = t;
  std::copy(q.begin(), q.end(), inputs_.begin() + 1);
  std::copy(v.begin(), v.end(), inputs_.begin() + 1 + n_);
  kernels_.base.evaluate(base_ws_, std::span(inputs_).first(kernels_.base.inputs()), base_out_);
  const double* out = base_out_.data();
  for (const auto& slot : kernels_.M) {
    M_(slot.row, slot.column) = *out;
    M_(slot.column, slot.row) = *out++;
  }
  out = unpack_slots(kernels_.A, out, A_);
  for (auto* vector : {&Q_, &b_, &residual_, &rate_}) {
    for (double& value : *vector) value = *out++;
  }
  out = unpack_slots(kernels_.residual, out, residual_z_);
  unpack_slots(kernels_.rate, out, rate_z_);
  return std::ranges::all_of(base_out_, [](double x) { return std::isfinite(x); });
}

Status Derivatives::decide(double t, std::span<const double> q, std::span<const double> v) {
  if (const Status status = evaluator_.decide(t, q, v); status != Status::ok) return status;
  unique_ = evaluator_.solution().calc_unique();
  k_ = held().rank;
  if (!measure(t, q, v)) return Status::force_not_finite;
  return solve_all();
}

Status Derivatives::evaluate(double t, std::span<const double> q, std::span<const double> v) {
  if (evaluator_.friction() != nullptr) {
    if (const Status status = evaluator_.evaluate(t, q, v); status != Status::ok) return status;
  }
  if (!measure(t, q, v)) return Status::force_not_finite;
  return solve_all();
}

Status Derivatives::solve_all() {
  factor();
  l_.setZero();
  solve_state(false);
  N_.setZero();
  load_partials();
  solve_tangent(false);
  dF_ideal_ = dF_;
  dN_.setZero();
  if (kernels_.has_C) {
    a0_ = a_;
    l0_ = l_;
    da0_ = da_;
    dl0_ = dl_held_;
    if (evaluator_.friction() != nullptr) C_ = evaluator_.C();
    solve_state(true);
    N_.noalias() = M_ * a_;
    N_ -= Q_ + F_;
    load_partials();
    if (evaluator_.friction() != nullptr) {
      lu0_ = lu_;
      factor_with_friction();
    }
    solve_tangent(true);
    dN_ = dF_ - dF_ideal_;
  }
  if (kernels_.recorded > 0) find_outputs();
  return da_.allFinite() && dF_ideal_.allFinite() && dN_.allFinite() ? Status::ok
                                                                     : Status::force_not_finite;
}

/// D M D and the rows R A D of the independent constraints, D_ii = M_ii^-1/2 and R so that rows
/// have unit length: pivots are then compared without units.
void Derivatives::factor() {
  for (Eigen::Index i = 0; i < n_; ++i) mass_scale_[i] = M_(i, i);
  for (const auto& quaternion : motion_.model().quaternions) {  // share a scale
    double largest = 0;
    for (const std::size_t i : quaternion)
      largest = std::max(largest, mass_scale_[static_cast<Eigen::Index>(i)]);
    for (const std::size_t i : quaternion) mass_scale_[static_cast<Eigen::Index>(i)] = largest;
  }
  for (double& scale : mass_scale_) scale = scale > 0 ? 1 / std::sqrt(scale) : 1.0;
  matrix_.topLeftCorner(n_, n_).noalias() = mass_scale_.asDiagonal() * M_;
  for (Eigen::Index i = 0; i < n_; ++i) matrix_.col(i).head(n_) *= mass_scale_[i];
  for (Eigen::Index r = 0; r < k_; ++r) {
    const Eigen::Index j = held().order[static_cast<std::size_t>(r)];
    double square = 0;
    for (Eigen::Index i = 0; i < n_; ++i) {
      const double entry = A_(j, i) * mass_scale_[i];
      matrix_(n_ + r, i) = entry;
      square += entry * entry;
    }
    row_scale_[r] = square > 0 ? 1 / std::sqrt(square) : 1.0;
    for (Eigen::Index i = 0; i < n_; ++i) {
      matrix_(n_ + r, i) *= row_scale_[r];
      matrix_(i, n_ + r) = matrix_(n_ + r, i);
    }
  }
  matrix_.block(n_, n_, k_, k_).setZero();
  lu_.compute(matrix_.topLeftCorner(n_ + k_, n_ + k_));
}

/// The same with what friction adds: - C_a beside M, C_l beside A^T.
void Derivatives::factor_with_friction() {
  for (Eigen::Index i = 0; i < n_; ++i) {
    for (Eigen::Index j = 0; j < n_; ++j)
      matrix_(i, j) -= mass_scale_[i] * C_a_(i, j) * mass_scale_[j];
    for (Eigen::Index r = 0; r < k_; ++r) {
      const Eigen::Index j = held().order[static_cast<std::size_t>(r)];
      matrix_(i, n_ + r) += mass_scale_[i] * C_l_(i, j) * row_scale_[r];
    }
  }
  lu_.compute(matrix_.topLeftCorner(n_ + k_, n_ + k_));
}

/// a and l of M a - A^T l = Q + C, A a = b, into the inputs of the partial derivatives.
void Derivatives::solve_state(bool with_C) {
  for (Eigen::Index i = 0; i < n_; ++i)
    state_rhs_[i] = mass_scale_[i] * (with_C ? Q_[i] + C_[i] : Q_[i]);
  for (Eigen::Index r = 0; r < k_; ++r)
    state_rhs_[n_ + r] = row_scale_[r] * b_[held().order[static_cast<std::size_t>(r)]];
  state_.head(n_ + k_) = lu_.solve(state_rhs_.head(n_ + k_));
  for (Eigen::Index i = 0; i < n_; ++i) a_[i] = mass_scale_[i] * state_[i];
  for (Eigen::Index r = 0; r < k_; ++r)
    l_[held().order[static_cast<std::size_t>(r)]] = -row_scale_[r] * state_[n_ + r];
  if (!with_C) F_.noalias() = A_.transpose() * l_;
}

void Derivatives::load_partials() {
  auto place = inputs_.begin() + 1 + 2 * n_;
  for (const auto* vector : {&a_, &l_, &F_, &N_})
    place = std::copy(vector->begin(), vector->end(), place);
  kernels_.partials.evaluate(partials_ws_, inputs_, partials_out_);
  const double* out = partials_out_.data();
  out = unpack_slots(kernels_.inertia, out, inertia_);
  out = unpack_slots(kernels_.ideal, out, ideal_);
  out = unpack_slots(kernels_.rows, out, rows_);
  out = unpack_slots(kernels_.C_z, out, C_z_);
  out = unpack_slots(kernels_.C_F, out, C_F_);
  out = unpack_slots(kernels_.C_l, out, C_l_);
  out = unpack_slots(kernels_.C_a, out, C_a_);
  out = unpack_slots(kernels_.y_z, out, y_z_);
  out = unpack_slots(kernels_.y_a, out, y_a_);
  out = unpack_slots(kernels_.y_F, out, y_F_);
  out = unpack_slots(kernels_.y_N, out, y_N_);
  out = unpack_slots(kernels_.y_l, out, y_l_);
  std::copy_n(out, n_, C_.begin());
  std::copy_n(out + n_, y_.size(), y_.begin());
}

/// da, dl and dF = M da + d(M a - Q), the change of the whole constraint force.
void Derivatives::solve_tangent(bool with_C) {
  rhs_.topRows(n_) = ideal_ - inertia_;
  if (with_C) {
    rhs_.topRows(n_) += C_z_;
    rhs_.topRows(n_).noalias() += C_F_ * dF_ideal_;
  }
  for (Eigen::Index j = 0; j < z_; ++j) {
    for (Eigen::Index i = 0; i < n_; ++i) rhs_(i, j) *= mass_scale_[i];
    for (Eigen::Index r = 0; r < k_; ++r)
      rhs_(n_ + r, j) = -row_scale_[r] * rows_(held().order[static_cast<std::size_t>(r)], j);
  }
  solution_.topRows(n_ + k_) = lu_.solve(rhs_.topRows(n_ + k_));
  da_.noalias() = mass_scale_.asDiagonal() * solution_.topRows(n_);
  dl_.setConstant(not_a_number);
  dl_held_.setZero();
  for (Eigen::Index r = 0; r < k_; ++r) {
    const Eigen::Index j = held().order[static_cast<std::size_t>(r)];
    dl_held_.row(j) = -row_scale_[r] * solution_.row(n_ + r);
    if (unique_[static_cast<std::size_t>(j)]) dl_.row(j) = dl_held_.row(j);
  }
  dF_ = inertia_;
  dF_.noalias() += M_ * da_;
}

/// dy; what a multiplier that is not unique would have to give is not a number.
void Derivatives::find_outputs() {
  dy_ = y_z_;
  dy_.noalias() += y_a_ * da_;
  dy_.noalias() += y_F_ * dF_ideal_;
  dy_.noalias() += y_N_ * dN_;
  for (const auto& slot : kernels_.y_l)
    dy_.row(slot.row) += y_l_(slot.row, slot.column) * dl_.row(slot.column);
}

Eigen::MatrixXd Derivatives::calc_rounding() const {
  const Eigen::Index size = n_ + k_;
  const Eigen::MatrixXd inverse = lu_.inverse().cwiseAbs();
  Eigen::MatrixXd terms(size, z_);
  terms.topRows(n_) =
      mass_scale_.asDiagonal() *
      (ideal_.cwiseAbs() + inertia_.cwiseAbs() +
       (kernels_.has_C ? Eigen::MatrixXd(C_z_.cwiseAbs() + C_F_.cwiseAbs() * dF_ideal_.cwiseAbs())
                       : Eigen::MatrixXd::Zero(n_, z_)));
  for (Eigen::Index r = 0; r < k_; ++r)
    terms.row(n_ + r) =
        row_scale_[r] * rows_.row(held().order[static_cast<std::size_t>(r)]).cwiseAbs();
  // An entry may be what is left of larger terms that cancel. How large they were, entries beside
  // it tell: in the metric of the masses, where all have the same unit.
  const auto raise = [&](Eigen::Index row, Eigen::Index rows, Eigen::Index column) {
    if (rows == 0) return;
    auto block = terms.block(row, column, rows, n_);
    const double largest = (block * mass_scale_.asDiagonal()).maxCoeff();
    for (Eigen::Index j = 0; j < n_; ++j) block.col(j).array() += largest / (4 * mass_scale_[j]);
  };
  for (const Eigen::Index column : {Eigen::Index{0}, n_}) {
    raise(0, n_, column);
    raise(n_, k_, column);
  }
  return 64 * eps * mass_scale_.asDiagonal() * (inverse * terms).topRows(n_);
}

Eigen::VectorXd Derivatives::calc_acceleration_scale() const {
  const Eigen::Index size = n_ + k_;
  const Eigen::MatrixXd inverse = lu_.inverse().cwiseAbs();
  Eigen::VectorXd terms(size);
  for (Eigen::Index i = 0; i < n_; ++i)
    terms[i] = mass_scale_[i] * (evaluator_.Q_scale()[static_cast<std::size_t>(i)] +
                                 (kernels_.has_C ? std::abs(C_[i]) : 0.0));
  for (Eigen::Index r = 0; r < k_; ++r)
    terms[n_ + r] = row_scale_[r] * std::abs(b_[held().order[static_cast<std::size_t>(r)]]);
  return mass_scale_.asDiagonal() * (inverse * terms).head(n_);
}

namespace {

/// What vanishes where an operation has a kink or a jump; nothing where it has none.
std::vector<Expr> kink_of(const Expr& e) {
  const auto args = e.args();
  switch (e.op()) {
    case expr::Op::abs:
    case expr::Op::sign:
    case expr::Op::step:
    case expr::Op::choose:
    case expr::Op::sqrt:
      return {args[0]};
    case expr::Op::min:
    case expr::Op::max:
      return {args[0] - args[1]};
    default:
      return {};
  }
}

}  // namespace

std::vector<std::string> kinks_at(const Motion& motion, const State& state,
                                  const Acceleration& solved) {
  const Equations& eq = motion.equations();
  std::vector<Expr> roots = eq.Q;
  append_to(roots, eq.b);
  append_to(roots, mechanics::full_C(eq));
  for (const auto* entries : {&eq.M, &eq.A}) {
    for (const Entry& entry : *entries) roots.push_back(entry.value);
  }
  for (const model::Named& output : motion.model().outputs) roots.push_back(output.expr);
  const expr::Values values = values_at(motion, state, solved);
  std::vector<std::string> found;
  for (const Expr& e : expr::postorder(roots)) {
    for (const Expr& u : kink_of(e)) {
      const double value = expr::evaluate(u, values),
                   scale = expr::evaluate(mechanics::magnitude_of_terms(u), values);
      if (!(std::abs(value) <= 64 * eps * std::abs(scale)) && value != 0) continue;
      const std::string text = expr::to_text(e);
      if (std::ranges::find(found, text) == found.end()) found.push_back(text);
    }
  }
  return found;
}

}  // namespace dalembert::flow
