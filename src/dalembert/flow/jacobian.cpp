#include "dalembert/flow/jacobian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/flow/compiled.hpp"

namespace dalembert::flow {

namespace {

using expr::Expr;
using mechanics::Entry;
using mechanics::Equations;
using Slots = std::vector<JacobianKernels::Slot>;

/// The derivatives of f with respect to the symbols that are not identically zero, as one row.
void append_gradient(std::uint32_t row, const Expr& f, const std::vector<Expr>& symbols,
                     Slots& slots, std::vector<Expr>& outputs) {
  const std::vector<Expr> derivatives = expr::gradient(f, symbols);
  for (std::uint32_t j = 0; j < derivatives.size(); ++j) {
    if (derivatives[j].is_zero()) continue;
    slots.push_back({row, j});
    outputs.push_back(derivatives[j]);
  }
}

void append_rows(const std::vector<Expr>& list, const std::vector<Expr>& symbols, Slots& slots,
                 std::vector<Expr>& outputs) {
  for (std::uint32_t i = 0; i < list.size(); ++i)
    append_gradient(i, list[i], symbols, slots, outputs);
}

/// rows x columns matrix from what a kernel wrote; entries without a slot stay zero.
const double* unpack(const Slots& slots, const double* out, Eigen::MatrixXd& matrix) {
  for (const auto& slot : slots) matrix(slot.row, slot.column) = *out++;
  return out;
}

}  // namespace

JacobianKernels make_jacobian_kernels(const Equations& eq) {
  JacobianKernels k;
  const std::size_t n = eq.q.size(), m = eq.b.size();
  std::vector<Expr> state{expr::time()};
  state.insert(state.end(), eq.q.begin(), eq.q.end());
  state.insert(state.end(), eq.v.begin(), eq.v.end());
  const std::vector<Expr> x(state.begin() + 1, state.end());
  std::vector<Expr> a, l, F;
  for (const Expr& q : eq.q) {
    a.push_back(expr::coordinate(q.symbol().name, 2));
    F.push_back(expr::ideal_force(q.symbol().name));
  }
  for (std::size_t j = 0; j < m; ++j) l.push_back(expr::auxiliary(fmt::format("multiplier {}", j)));

  std::vector<std::vector<Expr>> inertia(n), ideal(n), rows(m);  // terms of each sum
  std::vector<Expr> base;
  for (const Entry& entry : eq.M) {
    k.M.push_back({entry.row, entry.column});
    base.push_back(entry.value);
    inertia[entry.row].push_back(entry.value * a[entry.column]);
    if (entry.row != entry.column) inertia[entry.column].push_back(entry.value * a[entry.row]);
  }
  for (const Entry& entry : eq.A) {
    k.A.push_back({entry.row, entry.column});
    base.push_back(entry.value);
    rows[entry.row].push_back(entry.value * a[entry.column]);
    ideal[entry.column].push_back(entry.value * l[entry.row]);
  }
  base.insert(base.end(), eq.Q.begin(), eq.Q.end());
  base.insert(base.end(), eq.b.begin(), eq.b.end());
  for (std::size_t i = 0; i < n; ++i) inertia[i].push_back(-eq.Q[i]);
  for (std::size_t j = 0; j < m; ++j) rows[j].push_back(-eq.b[j]);
  const auto sums = [](const std::vector<std::vector<Expr>>& terms) {
    std::vector<Expr> list;
    for (const auto& of_one : terms) list.push_back(expr::sum(of_one));
    return list;
  };

  std::vector<Expr> partials;
  append_rows(sums(inertia), x, k.inertia, partials);
  append_rows(sums(ideal), x, k.ideal, partials);
  append_rows(sums(rows), x, k.rows, partials);
  append_rows({eq.applied_power, eq.other_power}, x, k.power, partials);
  append_rows(eq.C, x, k.C_x, partials);
  append_rows(eq.C, F, k.C_F, partials);
  partials.insert(partials.end(), eq.C.begin(), eq.C.end());
  k.nonideal = std::any_of(eq.C.begin(), eq.C.end(), [](const Expr& c) { return !c.is_zero(); });

  k.base = codegen::make_kernel(codegen::make_tape(base, state, eq.parameters));
  std::vector<Expr> inputs = state;
  for (const auto* list : {&a, &l, &F}) inputs.insert(inputs.end(), list->begin(), list->end());
  k.partials = codegen::make_kernel(codegen::make_tape(partials, inputs, eq.parameters));
  return k;
}

const JacobianKernels& JacobianLibrary::get(const Equations& eq) {
  std::call_once(once_, [&] { kernels_ = make_jacobian_kernels(eq); });
  return kernels_;
}

void Jacobian::bind(const Motion& motion) {
  kernels_.base.bind(base_ws_, 0, motion.parameters());
  kernels_.partials.bind(partials_ws_, 0, motion.parameters());
}

Jacobian::Jacobian(const Motion& motion)
    : kernels_(motion.jacobian_kernels()),
      quaternions_(motion.model().quaternions),
      n_(static_cast<Eigen::Index>(motion.coordinates())),
      m_(static_cast<Eigen::Index>(motion.constraints())),
      base_ws_(kernels_.base.workspace(motion.parameters())),
      partials_ws_(kernels_.partials.workspace(motion.parameters())),
      inputs_(kernels_.partials.inputs()),
      base_out_(kernels_.base.outputs()),
      partials_out_(kernels_.partials.outputs()),
      M_(Eigen::MatrixXd::Zero(n_, n_)),
      A_(Eigen::MatrixXd::Zero(m_, n_)),
      inertia_(Eigen::MatrixXd::Zero(n_, 2 * n_)),
      ideal_(inertia_),
      rows_(Eigen::MatrixXd::Zero(m_, 2 * n_)),
      C_x_(inertia_),
      C_F_(M_),
      Q_(n_),
      b_(m_),
      C_(n_),
      a_(n_),
      l_(m_),
      F_(n_),
      v_(n_),
      mass_scale_(n_),
      row_scale_(m_),
      matrix_(n_ + m_, n_ + m_),
      rhs_(n_ + m_, 2 * n_),
      solution_(rhs_),
      da_(inertia_),
      dF_(inertia_),
      dF_ideal_(inertia_),
      power_(Eigen::MatrixXd::Zero(4, 2 * n_)),
      state_rhs_(n_ + m_),
      state_(n_ + m_),
      lu_(n_ + m_) {}

void Jacobian::load(double t, std::span<const double> q, std::span<const double> v) {
  inputs_[0] = t;
  std::copy(q.begin(), q.end(), inputs_.begin() + 1);
  std::copy(v.begin(), v.end(), inputs_.begin() + 1 + n_);
  std::copy(v.begin(), v.end(), v_.begin());
  kernels_.base.evaluate(base_ws_, std::span(inputs_).first(kernels_.base.inputs()), base_out_);
  const double* out = base_out_.data();
  for (const auto& slot : kernels_.M) {
    M_(slot.row, slot.column) = *out;
    M_(slot.column, slot.row) = *out++;
  }
  out = unpack(kernels_.A, out, A_);
  for (double& value : Q_) value = *out++;
  for (double& value : b_) value = *out++;
}

/// D M D and the rows R A D of the independent constraints, D_ii = M_ii^-1/2 and R so that rows
/// have unit length: pivots are then compared without units.
void Jacobian::factor(const Held& held) {
  k_ = held.rank;
  for (Eigen::Index i = 0; i < n_; ++i) mass_scale_[i] = M_(i, i);
  // The components of a quaternion share a scale, as one of them may have next to no inertia.
  for (const auto& quaternion : quaternions_) {
    double largest = 0;
    for (const std::size_t i : quaternion)
      largest = std::max(largest, mass_scale_[static_cast<Eigen::Index>(i)]);
    for (const std::size_t i : quaternion) mass_scale_[static_cast<Eigen::Index>(i)] = largest;
  }
  for (double& scale : mass_scale_) scale = scale > 0 ? 1 / std::sqrt(scale) : 1.0;
  matrix_.topLeftCorner(n_, n_).noalias() = mass_scale_.asDiagonal() * M_;
  for (Eigen::Index i = 0; i < n_; ++i) matrix_.col(i).head(n_) *= mass_scale_[i];
  for (Eigen::Index r = 0; r < k_; ++r) {
    const Eigen::Index j = held.order[static_cast<std::size_t>(r)];
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

/// a and l of M a - A^T l = Q + C, A a = b, into the inputs of the partial derivatives.
void Jacobian::solve_state(const Held& held, bool with_C) {
  for (Eigen::Index i = 0; i < n_; ++i)
    state_rhs_[i] = mass_scale_[i] * (with_C ? Q_[i] + C_[i] : Q_[i]);
  for (Eigen::Index r = 0; r < k_; ++r)
    state_rhs_[n_ + r] = row_scale_[r] * b_[held.order[static_cast<std::size_t>(r)]];
  state_.head(n_ + k_) = lu_.solve(state_rhs_.head(n_ + k_));
  l_.setZero();
  for (Eigen::Index i = 0; i < n_; ++i) a_[i] = mass_scale_[i] * state_[i];
  for (Eigen::Index r = 0; r < k_; ++r)
    l_[held.order[static_cast<std::size_t>(r)]] = -row_scale_[r] * state_[n_ + r];
  if (!with_C) F_.noalias() = A_.transpose() * l_;
  const auto place = inputs_.begin() + 1 + 2 * n_;
  std::copy(a_.begin(), a_.end(), place);
  std::copy(l_.begin(), l_.end(), place + n_);
  std::copy(F_.begin(), F_.end(), place + n_ + m_);
}

void Jacobian::load_partials() {
  kernels_.partials.evaluate(partials_ws_, inputs_, partials_out_);
  const double* out = unpack(kernels_.inertia, partials_out_.data(), inertia_);
  out = unpack(kernels_.ideal, out, ideal_);
  out = unpack(kernels_.rows, out, rows_);
  for (const auto& slot : kernels_.power) power_(slot.row == 0 ? 0 : 3, slot.column) = *out++;
  out = unpack(kernels_.C_x, out, C_x_);
  out = unpack(kernels_.C_F, out, C_F_);
  std::copy_n(out, n_, C_.begin());
}

/// da and dF = M da + d(M a - Q), the change of the whole constraint force.
void Jacobian::solve_tangent(const Held& held, bool with_C) {
  rhs_.topRows(n_) = ideal_ - inertia_;
  if (with_C) {
    rhs_.topRows(n_) += C_x_;
    rhs_.topRows(n_).noalias() += C_F_ * dF_ideal_;
  }
  for (Eigen::Index j = 0; j < 2 * n_; ++j) {
    for (Eigen::Index i = 0; i < n_; ++i) rhs_(i, j) *= mass_scale_[i];
    for (Eigen::Index r = 0; r < k_; ++r)
      rhs_(n_ + r, j) = -row_scale_[r] * rows_(held.order[static_cast<std::size_t>(r)], j);
  }
  solution_.topRows(n_ + k_) = lu_.solve(rhs_.topRows(n_ + k_));
  da_.noalias() = mass_scale_.asDiagonal() * solution_.topRows(n_);
  dF_ = inertia_;
  dF_.noalias() += M_ * da_;
}

bool Jacobian::evaluate(double t, std::span<const double> q, std::span<const double> v,
                        const Held& held) {
  load(t, q, v);
  if (!M_.allFinite() || !A_.allFinite()) return false;
  factor(held);
  solve_state(held, false);
  load_partials();
  solve_tangent(held, false);
  dF_ideal_ = dF_;
  power_.row(1).noalias() = v_.transpose() * dF_ideal_;
  power_.row(1).tail(n_) += F_.transpose();
  power_.row(2).setZero();
  if (kernels_.nonideal) {
    solve_state(held, true);
    load_partials();
    solve_tangent(held, true);
    power_.row(2).noalias() = v_.transpose() * dF_;
    power_.row(2).noalias() -= v_.transpose() * dF_ideal_;
    state_.head(n_).noalias() = M_ * a_;
    power_.row(2).tail(n_) += (state_.head(n_) - Q_ - F_).transpose();
  }
  return da_.allFinite() && power_.allFinite();
}

}  // namespace dalembert::flow
