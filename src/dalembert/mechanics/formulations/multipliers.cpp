/// Lagrange's equations with multipliers (G5.24), of independent constraints:
///
///     d/dt dT/dq_i' - dT/dq_i = Q_i + C_i + sum_j lambda_j A_ji,     A q'' = b.
///
/// With C present lambda is the reaction with friction acting; for C = 0 it is that of the ideal
/// force. With q'' from the first in the second,
///
///     A M^-1 A^T lambda = b - A M^-1 (Q + C),
///
/// M + A^T A and Q + A^T b in place of M and Q where M is singular, which A q'' = b allows.

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/mechanics/formulations/explicit_form.hpp"
#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/formulations/parts.hpp"

namespace dalembert::mechanics {

namespace {

constexpr std::size_t most_solved = 3;           // multipliers
constexpr std::size_t longest_multiplier = 600;  // characters

/// lambda by q, q' and t; nothing if it comes out too long to read.
std::optional<std::vector<Expr>> solve_for_multipliers(const Setting& s, const Regular& w) {
  Matrix right(s.n, s.k + 1);
  for (std::size_t i = 0; i < s.n; ++i) {
    for (std::size_t j = 0; j < s.k; ++j) right(i, j) = s.A(j, i);
    right(i, s.k) = s.with_model_C(w.Q[i] + s.C[i]);
  }
  const auto x = solve(w.M, std::move(right), s.values);
  if (!x) return std::nullopt;
  const Matrix Ax = s.A * *x;
  Matrix S(s.k, s.k), rest(s.k, 1);
  for (std::size_t j = 0; j < s.k; ++j) {
    for (std::size_t l = 0; l < s.k; ++l) S(j, l) = tidy(Ax(j, l));
    rest(j, 0) = tidy(s.b[j] - Ax(j, s.k));
  }
  const auto lambda = solve(std::move(S), std::move(rest), s.values);
  if (!lambda) return std::nullopt;
  std::vector<Expr> result;
  for (std::size_t j = 0; j < s.k; ++j) {
    result.push_back(tidy((*lambda)(j, 0)));
    if (expr::to_text(result.back(), longest_multiplier + 1).size() > longest_multiplier)
      return std::nullopt;
  }
  return result;
}

Multipliers find_multipliers(const Setting& s, const std::vector<Expr>& lambda) {
  const Regular w = regular(s);
  Multipliers result;
  result.symbols = lambda;
  result.mass_replaced = w.augmented;
  if (!s.eq().frictions.empty()) {
    result.outcome = Multipliers::Outcome::in_C;
    return result;
  }
  std::optional<std::vector<Expr>> solution;
  if (s.k <= most_solved)
    solution = expr::within(most_effort_to_solve, [&] {
                 return solve_for_multipliers(s, w);
               }).value_or(std::nullopt);
  if (solution) {
    result.solution = *std::move(solution);
  } else {
    result.outcome = Multipliers::Outcome::too_long;
  }
  return result;
}

}  // namespace

Result<Formulation, std::string> multipliers(const Setting& s) {
  Formulation f;
  f.method = "multipliers";
  std::vector<Expr> lambda;
  const std::vector<std::string> names = free_names(s.model(), {"lambda", "kappa", "eta"}, s.k);
  for (const std::string& name : names) lambda.push_back(expr::auxiliary(name));
  for (std::size_t i = 0; i < s.n; ++i) f.accelerations.push_back(s.acceleration(i));
  f.unknowns = f.accelerations;
  f.unknowns.insert(f.unknowns.end(), lambda.begin(), lambda.end());
  note_reduction(s, f);

  const std::vector<Expr> left = lagrange_left(s);
  std::vector<Expr> right = transpose(s.A) * lambda;
  for (std::size_t i = 0; i < s.n; ++i) right[i] += s.applied[i] + s.C[i];
  if (s.explain) {
    for (std::size_t j = 0; j < s.k; ++j)
      f.choices.emplace_back(MultiplierBelongs{lambda[j], s.split.rows[j]});
    f.steps.push_back({StepKind::law});
  }
  set_equations(s, f, left, right, s.model().coordinates);
  complete_by_constraints(s, f);
  if (s.explain && s.k > 0) f.multipliers = find_multipliers(s, lambda);
  return f;
}

}  // namespace dalembert::mechanics
