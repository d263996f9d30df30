#include "dalembert/mechanics/linear_equations.hpp"

#include <algorithm>
#include <cmath>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/mechanics/split.hpp"

namespace dalembert::mechanics {

namespace {

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result = a * b;
  for (Expr& entry : result.entries()) entry = expr::simplify(entry);
  return result;
}

Matrix rows_of(const Matrix& a, const std::vector<std::size_t>& rows) {
  Matrix result(rows.size(), a.columns());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < a.columns(); ++j) result(i, j) = a(rows[i], j);
  }
  return result;
}

Matrix columns_of(const Matrix& a, const std::vector<std::size_t>& columns) {
  return transpose(rows_of(transpose(a), columns));
}

void add(Matrix& a, const Matrix& b, int sign) {
  for (std::size_t i = 0; i < a.entries().size(); ++i)
    a.entries()[i] = expr::simplify(a.entries()[i] + sign * b.entries()[i]);
}

class LinearAtStart {
 public:
  LinearAtStart(const model::Model& model, const Equations& eq, const expr::Values& values)
      : model_(model), eq_(eq), values_(values), n_(eq.q.size()) {
    start_.emplace(expr::time(), Expr(0));
    for (std::size_t i = 0; i < n_; ++i) {
      start_.emplace(eq.q[i], model.initial.q[i].expr);
      start_.emplace(eq.v[i], model.initial.v[i].expr);
    }
  }

  std::optional<LinearEquations> run() {
    if (!eq_.frictions.empty() || eq_.C_uses_ideal_force) return std::nullopt;
    LinearEquations result;
    for (std::size_t i = 0; i < n_; ++i) {
      result.q.push_back(expr::simplify(model_.initial.q[i].expr));
      result.v.push_back(expr::simplify(model_.initial.v[i].expr));
    }
    const Split split = split_coordinates(model_, eq_, values_);
    const std::size_t k = split.rows.size();
    Matrix M(n_, n_), A(k, n_);
    for (const Entry& entry : eq_.M)
      M(entry.row, entry.column) = M(entry.column, entry.row) = entry.value;
    for (std::size_t j = 0; j < k; ++j) {
      for (const Entry& entry : row_of_A(eq_, split.rows[j])) A(j, entry.column) = entry.value;
    }
    const Matrix M_start = at_start(M), A_start = at_start(A);
    if (!solve_start(M_start, A_start, split)) return std::nullopt;

    std::vector<Expr> R, h, psi;
    for (std::size_t i = 0; i < n_; ++i) {
      std::vector<Expr> terms{eq_.Q[i], eq_.C[i]};
      for (std::size_t j = 0; j < k; ++j) terms.push_back(A(j, i) * lambda_[j]);
      for (std::size_t l = 0; l < n_; ++l) terms.push_back(-(M(i, l) * a_[l]));
      R.push_back(expr::sum(terms));
    }
    for (std::size_t j = 0; j < k; ++j) {
      std::vector<Expr> terms{eq_.b[split.rows[j]]};
      for (std::size_t l = 0; l < n_; ++l) terms.push_back(-(A(j, l) * a_[l]));
      h.push_back(expr::sum(terms));
      const ConstraintRow& row = eq_.constraints[split.rows[j]];
      psi.push_back(row.level == Level::acceleration ? Expr(0) : row.rate);
    }
    std::vector<Expr> inputs;
    for (const std::size_t i : model_.inputs) {
      result.inputs.push_back(model_.parameters[i].name);
      inputs.push_back(expr::parameter(result.inputs.back()));
    }

    // dq = Tq dq_P, by the constraints on positions alone.
    Equations on_positions = eq_;
    std::erase_if(on_positions.A, [&](const Entry& entry) {
      return eq_.constraints[entry.row].level != Level::position;
    });
    const Split held = split_coordinates(model_, on_positions, values_);
    Matrix A_held(held.rows.size(), n_);
    for (std::size_t j = 0; j < held.rows.size(); ++j) {
      for (const Entry& entry : row_of_A(eq_, held.rows[j])) A_held(j, entry.column) = entry.value;
    }
    const auto Tq = directions(at_start(A_held), held);
    const auto Z = directions(A_start, split);
    if (!Tq || !Z) return std::nullopt;
    // dv = Tp dq_P + Z dv_I.
    const auto follow = [&](const Matrix& right) {  // (0; A_D^-1 right)
      const auto x = mechanics::solve(columns_of(A_start, split.dependent), right, values_);
      Matrix whole(n_, right.columns());
      for (std::size_t d = 0; x && d < split.dependent.size(); ++d) {
        for (std::size_t c = 0; c < right.columns(); ++c) whole(split.dependent[d], c) = (*x)(d, c);
      }
      return whole;
    };
    Matrix Tp(n_, Tq->columns());
    add(Tp, follow(product(slopes(psi, eq_.q), *Tq)), -1);

    const Matrix Zt = transpose(*Z), R_v = slopes(R, eq_.v), h_v = slopes(h, eq_.v);
    result.positions = held.independent;
    result.velocities = split.independent;
    result.inertia = product(product(Zt, M_start), *Z);
    Matrix h_p = product(slopes(h, eq_.q), *Tq);
    add(h_p, product(h_v, Tp), 1);
    result.by_position = product(slopes(R, eq_.q), *Tq);
    add(result.by_position, product(R_v, Tp), 1);
    add(result.by_position, product(M_start, follow(h_p)), -1);
    result.by_position = product(Zt, result.by_position);
    result.by_velocity = product(R_v, *Z);
    add(result.by_velocity, product(M_start, follow(product(h_v, *Z))), -1);
    result.by_velocity = product(Zt, result.by_velocity);
    result.by_input = product(Zt, slopes(R, inputs));
    std::vector<std::size_t> others;
    for (const std::size_t i : result.positions) {
      if (std::ranges::find(result.velocities, i) == result.velocities.end()) others.push_back(i);
    }
    result.rate_by_position = rows_of(Tp, others);
    result.rate_by_velocity = rows_of(*Z, others);
    return result;
  }

 private:
  Expr at_start(const Expr& e) const { return expr::simplify(expr::substitute(e, start_)); }
  Matrix at_start(Matrix a) const {
    for (Expr& entry : a.entries()) entry = at_start(entry);
    return a;
  }
  Matrix slopes(const std::vector<Expr>& list, const std::vector<Expr>& by) const {
    Matrix result(list.size(), by.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::vector<Expr> row = expr::gradient(list[i], by);
      for (std::size_t j = 0; j < by.size(); ++j) result(i, j) = at_start(row[j]);
    }
    return result;
  }

  /// What the rows of A leave free: n x (n - k), by the independent coordinates.
  std::optional<Matrix> directions(const Matrix& A, const Split& split) const {
    Matrix result(n_, split.independent.size());
    for (std::size_t c = 0; c < split.independent.size(); ++c) result(split.independent[c], c) = 1;
    if (split.rows.empty()) return result;
    const auto x =
        mechanics::solve(columns_of(A, split.dependent), columns_of(A, split.independent), values_);
    if (!x) return std::nullopt;
    for (std::size_t d = 0; d < split.dependent.size(); ++d) {
      for (std::size_t c = 0; c < split.independent.size(); ++c)
        result(split.dependent[d], c) = expr::simplify(-(*x)(d, c));
    }
    return result;
  }

  /// M a - A^T lambda = Q + C, A a = b: numbers that are rounding are exactly zero.
  bool solve_start(const Matrix& M, const Matrix& A, const Split& split) {
    const std::size_t k = A.rows();
    Matrix whole(n_ + k, n_ + k), right(n_ + k, 1);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t l = 0; l < n_; ++l) whole(i, l) = M(i, l);
      for (std::size_t j = 0; j < k; ++j) {
        whole(i, n_ + j) = -A(j, i);
        whole(n_ + j, i) = A(j, i);
      }
      right(i, 0) = at_start(eq_.Q[i] + eq_.C[i]);
    }
    for (std::size_t j = 0; j < k; ++j) right(n_ + j, 0) = at_start(eq_.b[split.rows[j]]);
    const auto x = mechanics::solve(whole, right, values_);
    if (!x) return false;
    constexpr double rounding = 1e-12;  // of accelerations, in the model's units
    for (std::size_t i = 0; i < n_; ++i) {
      const bool none = std::abs(expr::evaluate((*x)(i, 0), values_)) <= rounding;
      a_.push_back(none ? Expr(0) : expr::simplify((*x)(i, 0)));
    }
    for (std::size_t j = 0; j < k; ++j) lambda_.push_back(expr::simplify((*x)(n_ + j, 0)));
    return true;
  }

  const model::Model& model_;
  const Equations& eq_;
  const expr::Values& values_;
  std::size_t n_;
  expr::ExprMap start_;
  std::vector<Expr> a_, lambda_;
};

}  // namespace

std::optional<LinearEquations> linear_equations(const model::Model& model, const Equations& eq,
                                                const expr::Values& values) {
  return LinearAtStart(model, eq, values).run();
}

}  // namespace dalembert::mechanics
