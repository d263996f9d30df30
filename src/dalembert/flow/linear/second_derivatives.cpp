#include "dalembert/flow/linear/second_derivatives.hpp"

#include <algorithm>
#include <unordered_map>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/flow/linear/own_symbols.hpp"
#include "dalembert/flow/values.hpp"

namespace dalembert::flow {

namespace {

using expr::Expr;
using mechanics::Equations;

/// D^2 of each root: `moving` symbols go along the first direction, then along the second.
std::vector<Expr> second_directional(const std::vector<Expr>& roots,
                                     const std::vector<Expr>& moving,
                                     const std::vector<Expr>& first,
                                     const std::vector<Expr>& second) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < moving.size(); ++i) places.emplace(expr::to_text(moving[i]), i);
  const auto along = [&](const std::vector<Expr>& direction) {
    return [&](const expr::Symbol& s) {
      const auto found = places.find(expr::to_text(expr::symbol(s)));
      return found == places.end() ? Expr(0) : direction[found->second];
    };
  };
  return expr::directional(expr::directional(roots, along(first)), along(second));
}

}  // namespace

SecondKernels make_second_kernels(const Motion& motion,
                                  const std::vector<std::size_t>& parameters) {
  const Equations& eq = motion.equations();
  const std::size_t n = eq.q.size(), m = eq.b.size();
  SecondKernels k;
  std::vector<Expr> z = eq.q;
  append_to(z, eq.v);
  for (const std::size_t i : parameters) z.push_back(eq.parameters[i]);

  std::vector<Expr> curved;
  for (const auto& row : eq.constraints)
    curved.push_back(row.level == model::Level::position ? row.residual : Expr(0));
  for (const auto& row : eq.constraints)
    curved.push_back(row.level == model::Level::acceleration ? Expr(0) : row.rate);
  const std::vector<Expr> z_s = own_symbols("z_s", z.size()), z_r = own_symbols("z_r", z.size());
  std::vector<Expr> inputs = state_symbols(eq);
  append_to(inputs, z_s);
  append_to(inputs, z_r);
  k.manifold = codegen::make_kernel(
      codegen::make_tape(second_directional(curved, z, z_s, z_r), inputs, eq.parameters));

  const UnknownSymbols x(eq);
  const std::vector<Expr> a0 = own_symbols("a0", n), l0 = own_symbols("l0", m);
  const BalanceTerms with = balance_terms(eq, x.a, x.l), without = balance_terms(eq, a0, l0);
  const std::vector<Expr> C = mechanics::full_C(eq);
  k.has_C = std::ranges::any_of(C, [](const Expr& c) { return !c.is_zero(); });
  std::vector<Expr> roots, moving = z;
  for (std::size_t i = 0; i < n; ++i) roots.push_back(with.inertia[i] - with.ideal[i] - C[i]);
  append_to(roots, with.rows);
  append_to(moving, x.a);
  append_to(moving, x.l);
  if (k.has_C) {
    for (std::size_t i = 0; i < n; ++i) roots.push_back(without.inertia[i] - without.ideal[i]);
    append_to(roots, without.rows);
    append_to(roots, without.ideal);
    for (const auto* some : {&x.F, &a0, &l0}) append_to(moving, *some);
  }
  const std::vector<Expr> d_s = own_symbols("d_s", moving.size()),
                          d_r = own_symbols("d_r", moving.size());
  inputs = state_symbols(eq);
  for (const auto* some : {&x.a, &x.l, &x.F, &x.N, &a0, &l0, &d_s, &d_r}) append_to(inputs, *some);
  k.field = codegen::make_kernel(
      codegen::make_tape(second_directional(roots, moving, d_s, d_r), inputs, eq.parameters));
  return k;
}

SecondDerivatives::SecondDerivatives(const Motion& motion, const SecondKernels& kernels,
                                     const Derivatives& derivatives)
    : kernels_(kernels),
      derivatives_(derivatives),
      field_ws_(kernels.field.workspace(motion.parameters())),
      manifold_ws_(kernels.manifold.workspace(motion.parameters())),
      field_in_(kernels.field.inputs()),
      field_out_(kernels.field.outputs()),
      manifold_in_(kernels.manifold.inputs()),
      manifold_out_(kernels.manifold.outputs()) {
  for (auto* vector : {&a_, &a0_}) vector->setZero(derivatives.n());
  for (auto* vector : {&l_, &l0_, &residual_, &rate_}) vector->setZero(derivatives.m());
}

/// dz without t, then the unknowns along it.
std::vector<double>::iterator SecondDerivatives::place_direction(std::vector<double>::iterator at,
                                                                 const Eigen::MatrixXd& Z,
                                                                 Eigen::Index column) {
  const Derivatives& d = derivatives_;
  const auto z = Z.col(column);
  at = place(place(at, z.head(2 * d.n_)), z.tail(Z.rows() - 2 * d.n_ - 1));
  at = place(place(at, d.da_ * z), d.dl_held_ * z);
  if (!kernels_.has_C) return at;
  at = place(at, d.dF_ideal_ * z);
  return place(place(at, d.da0_ * z), d.dl0_ * z);
}

/// a and l from K (a, -l) = -(balance, rows).
void SecondDerivatives::solve(const Eigen::PartialPivLU<Eigen::MatrixXd>& lu,
                              const Eigen::VectorXd& balance, const double* rows,
                              Eigen::VectorXd& a, Eigen::VectorXd& l) {
  const Derivatives& d = derivatives_;
  Eigen::VectorXd rhs(d.n_ + d.k_);
  rhs.head(d.n_) = -d.mass_scale_.cwiseProduct(balance);
  for (Eigen::Index r = 0; r < d.k_; ++r)
    rhs[d.n_ + r] = -d.row_scale_[r] * rows[d.held().order[static_cast<std::size_t>(r)]];
  const Eigen::VectorXd solved = lu.solve(rhs);
  a = d.mass_scale_.cwiseProduct(solved.head(d.n_));
  l.setZero();
  for (Eigen::Index r = 0; r < d.k_; ++r)
    l[d.held().order[static_cast<std::size_t>(r)]] = -d.row_scale_[r] * solved[d.n_ + r];
}

const Eigen::VectorXd& SecondDerivatives::of_acceleration(const Eigen::MatrixXd& Z, Eigen::Index s,
                                                          Eigen::Index r) {
  const Derivatives& d = derivatives_;
  auto at = std::copy(d.inputs_.begin(), d.inputs_.end(), field_in_.begin());
  at = place(place(at, d.a0_), d.l0_);
  place_direction(place_direction(at, Z, s), Z, r);
  kernels_.field.evaluate(field_ws_, field_in_, field_out_);
  const double* out = field_out_.data();
  Eigen::VectorXd balance = Eigen::Map<const Eigen::VectorXd>(out, d.n_);
  if (kernels_.has_C) {
    const double* without = out + d.n_ + d.m_;
    solve(d.evaluator_.friction() != nullptr ? d.lu0_ : d.lu_,
          Eigen::Map<const Eigen::VectorXd>(without, d.n_), without + d.n_, a0_, l0_);
    const Eigen::VectorXd F =
        d.A_.transpose() * l0_ + Eigen::Map<const Eigen::VectorXd>(without + d.n_ + d.m_, d.n_);
    balance -= d.C_F_ * F;
  }
  solve(d.lu_, balance, out + d.n_, a_, l_);
  return a_;
}

void SecondDerivatives::measure_constraints(const Eigen::MatrixXd& Z, Eigen::Index s,
                                            Eigen::Index r) {
  const Derivatives& d = derivatives_;
  const auto state = static_cast<std::ptrdiff_t>(1 + 2 * d.n_);
  auto at = std::copy_n(d.inputs_.begin(), state, manifold_in_.begin());
  for (const Eigen::Index column : {s, r}) {
    const auto z = Z.col(column);
    at = place(place(at, z.head(2 * d.n_)), z.tail(Z.rows() - 2 * d.n_ - 1));
  }
  kernels_.manifold.evaluate(manifold_ws_, manifold_in_, manifold_out_);
  residual_ = Eigen::Map<const Eigen::VectorXd>(manifold_out_.data(), d.m_);
  rate_ = Eigen::Map<const Eigen::VectorXd>(manifold_out_.data() + d.m_, d.m_);
}

}  // namespace dalembert::flow
