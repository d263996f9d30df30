#include "dalembert/flow/linear/pull_back.hpp"

#include <algorithm>
#include <initializer_list>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/flow/linear/own_symbols.hpp"
#include "dalembert/flow/values.hpp"

namespace dalembert::flow {

namespace {

using expr::Expr;
using mechanics::Equations;

/// sum x_i e_i
Expr weighted(const std::vector<Expr>& x, const std::vector<Expr>& e) {
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < e.size(); ++i) terms.push_back(x[i] * e[i]);
  return expr::sum(terms);
}

/// The gradient of a scalar, but for what is zero, as a kernel.
codegen::Kernel gradient_kernel(const Expr& scalar, const std::vector<Expr>& by,
                                const std::vector<Expr>& inputs, const Equations& eq,
                                std::vector<std::uint32_t>& places) {
  std::vector<Expr> outputs;
  const std::vector<Expr> gradient = expr::gradient(scalar, by);
  for (std::uint32_t i = 0; i < gradient.size(); ++i) {
    if (gradient[i].is_zero()) continue;
    places.push_back(i);
    outputs.push_back(gradient[i]);
  }
  return codegen::make_kernel(codegen::make_tape(outputs, inputs, eq.parameters));
}

}  // namespace

PullBackKernels make_pull_back_kernels(const Motion& motion, std::vector<std::size_t> parameters) {
  const Equations& eq = motion.equations();
  const std::size_t n = eq.q.size(), m = eq.b.size();
  PullBackKernels k;
  k.parameters = std::move(parameters);
  std::vector<Expr> p;
  for (const std::size_t i : k.parameters) p.push_back(eq.parameters[i]);
  std::vector<Expr> z = eq.q;
  append_to(z, eq.v);
  append_to(z, p);

  const UnknownSymbols x(eq);
  const std::vector<Expr> a0 = own_symbols("a0", n), l0 = own_symbols("l0", m),
                          w = own_symbols("w", n), y = own_symbols("y", m),
                          w0 = own_symbols("w0", n), y0 = own_symbols("y0", m),
                          f = own_symbols("f", n);
  const BalanceTerms with = balance_terms(eq, x.a, x.l), without = balance_terms(eq, a0, l0);
  const std::vector<Expr> C = mechanics::full_C(eq);
  Expr scalar = weighted(w, with.ideal) - weighted(w, with.inertia) - weighted(y, with.rows);
  if (std::ranges::any_of(C, [](const Expr& c) { return !c.is_zero(); })) {
    std::vector<Expr> w0_f;
    for (std::size_t i = 0; i < n; ++i) w0_f.push_back(w0[i] + f[i]);
    scalar = expr::sum({scalar, weighted(w, C), -weighted(w0, without.inertia),
                        weighted(w0_f, without.ideal), -weighted(y0, without.rows)});
  }
  std::vector<Expr> inputs = state_symbols(eq);
  for (const auto* some : {&x.a, &x.l, &x.F, &x.N, &a0, &l0, &w, &y, &w0, &y0, &f})
    append_to(inputs, *some);
  k.field = gradient_kernel(scalar, z, inputs, eq, k.of_field);

  std::vector<Expr> residual, rate;
  for (const auto& row : eq.constraints) {
    residual.push_back(row.level == model::Level::position ? row.residual : Expr(0));
    rate.push_back(row.level == model::Level::acceleration ? Expr(0) : row.rate);
  }
  std::vector<Expr> at = state_symbols(eq);
  append_to(at, y0);
  append_to(at, y);
  k.manifold =
      gradient_kernel(weighted(y0, residual) + weighted(y, rate), p, at, eq, k.of_manifold);
  return k;
}

PullBack::PullBack(const Motion& motion, const PullBackKernels& kernels, Derivatives& derivatives)
    : kernels_(kernels),
      derivatives_(derivatives),
      field_ws_(kernels.field.workspace(motion.parameters())),
      manifold_ws_(kernels.manifold.workspace(motion.parameters())),
      field_in_(kernels.field.inputs()),
      field_out_(kernels.field.outputs()),
      manifold_in_(kernels.manifold.inputs()),
      manifold_out_(kernels.manifold.outputs()) {
  const Eigen::Index n = derivatives.n(), m = derivatives.m();
  for (auto* vector : {&w_, &w0_, &f_}) vector->setZero(n);
  for (auto* vector : {&y_, &y0_}) vector->setZero(m);
  answer_.setZero(2 * n + std::ssize(kernels.parameters));
  of_p_.setZero(std::ssize(kernels.parameters));
}

/// (w, y) from K^T (w, y) = rhs_, which is scaled as Derivatives scales its equations.
void PullBack::solve_transposed(const Eigen::PartialPivLU<Eigen::MatrixXd>& lu, Eigen::VectorXd& w,
                                Eigen::VectorXd& y) {
  const Derivatives& d = derivatives_;
  const Eigen::VectorXd solved = lu.transpose().solve(rhs_);
  w = d.mass_scale_.cwiseProduct(solved.head(d.n_));
  y.setZero();
  for (Eigen::Index r = 0; r < d.k_; ++r)
    y[d.held().order[static_cast<std::size_t>(r)]] = d.row_scale_[r] * solved[d.n_ + r];
}

const Eigen::VectorXd& PullBack::of_acceleration(const Eigen::VectorXd& c) {
  const Derivatives& d = derivatives_;
  rhs_.setZero(d.n_ + d.k_);
  rhs_.head(d.n_) = d.mass_scale_.cwiseProduct(c);
  solve_transposed(d.lu_, w_, y_);
  if (d.kernels_.has_C) {
    f_.noalias() = d.C_F_.transpose() * w_;
    const Eigen::VectorXd along = d.A_ * f_;
    rhs_.setZero(d.n_ + d.k_);
    for (Eigen::Index r = 0; r < d.k_; ++r)
      rhs_[d.n_ + r] = -d.row_scale_[r] * along[d.held().order[static_cast<std::size_t>(r)]];
    solve_transposed(d.evaluator_.friction() != nullptr ? d.lu0_ : d.lu_, w0_, y0_);
  }
  // What the partial derivatives were evaluated at: t q v a l F N.
  auto at = std::copy(d.inputs_.begin(), d.inputs_.end(), field_in_.begin());
  for (const Eigen::VectorXd* vector :
       std::initializer_list<const Eigen::VectorXd*>{&d.a0_, &d.l0_, &w_, &y_, &w0_, &y0_, &f_})
    at = place(at, *vector);
  kernels_.field.evaluate(field_ws_, field_in_, field_out_);
  answer_.setZero();
  for (std::size_t i = 0; i < field_out_.size(); ++i) answer_[kernels_.of_field[i]] = field_out_[i];
  return answer_;
}

const Eigen::VectorXd& PullBack::of_constraints(const Eigen::VectorXd& mu,
                                                const Eigen::VectorXd& nu) {
  const auto state = static_cast<std::ptrdiff_t>(1 + 2 * derivatives_.n_);
  auto at = std::copy_n(derivatives_.inputs_.begin(), state, manifold_in_.begin());
  place(place(at, mu), nu);
  kernels_.manifold.evaluate(manifold_ws_, manifold_in_, manifold_out_);
  of_p_.setZero();
  for (std::size_t i = 0; i < manifold_out_.size(); ++i)
    of_p_[kernels_.of_manifold[i]] = manifold_out_[i];
  return of_p_;
}

}  // namespace dalembert::flow
