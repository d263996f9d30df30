#include "dalembert/mechanics/formulations/explicit_form.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/print.hpp"

namespace dalembert::mechanics {

namespace {

constexpr std::size_t longest_result = 400;  // characters a reader can take in
constexpr std::size_t longest_matrices = 4000;
constexpr std::size_t most_dense = 3;  // coordinates up to which a full M is inverted to show

bool is_diagonal(const Matrix& a) {
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.columns(); ++j) {
      if (i != j && !a(i, j).is_zero()) return false;
    }
  }
  return true;
}

/// One component a coordinate.
void add_vector(Step& step, const Setting& s, Quantity quantity, const std::vector<Expr>& entries) {
  for (std::size_t i = 0; i < s.n; ++i)
    step.facts.push_back(fact(s, quantity, {s.eq().q[i]}, entries[i]));
}

bool readable(const std::vector<Expr>& list) {
  return std::all_of(list.begin(), list.end(), [](const Expr& e) {
    return expr::to_text(e, longest_result + 1).size() <= longest_result;
  });
}

/// What goes in: the entries of M, Q, A, b that are not zero, if a reader can take them in.
void add_matrices(const Setting& s, const Regular& regular, Formulation& f) {
  Step step{StepKind::matrices};
  const std::vector<Expr>& q = s.eq().q;
  const auto add = [&](Quantity quantity, std::vector<Expr> indices, const Expr& value) {
    step.facts.push_back(fact(s, quantity, std::move(indices), value));
  };
  for (std::size_t i = 0; i < s.n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (!regular.M(i, j).is_zero()) add(Quantity::mass, {q[i], q[j]}, regular.M(i, j));
    }
  }
  for (std::size_t i = 0; i < s.n; ++i) {
    if (!regular.Q[i].is_zero()) add(Quantity::force, {q[i]}, regular.Q[i]);
  }
  for (std::size_t j = 0; j < s.k; ++j) {
    for (std::size_t i = 0; i < s.n; ++i) {
      if (!s.A(j, i).is_zero()) add(Quantity::slope, {ordinal(j), q[i]}, s.A(j, i));
    }
  }
  for (std::size_t j = 0; j < s.k; ++j) add(Quantity::right_side, {ordinal(j)}, s.b[j]);
  std::size_t length = 0;
  for (const Fact& fact : step.facts)
    length += expr::to_text(fact.value, longest_matrices + 1).size();
  if (length <= longest_matrices) f.steps.push_back(std::move(step));
}

}  // namespace

Regular regular(const Setting& s) {
  Regular result{s.M, s.eq().Q, s.mass_singular};
  if (!result.augmented) return result;
  const Matrix AtA = transpose(s.A) * s.A;
  const std::vector<Expr> Atb = transpose(s.A) * s.b;
  for (std::size_t i = 0; i < s.n; ++i) {
    for (std::size_t j = 0; j < s.n; ++j) result.M(i, j) += AtA(i, j);
    result.Q[i] += Atb[i];
  }
  return result;
}

Formulation explicit_formulation(const Setting& s, const Regular& regular, std::string method) {
  Formulation f;
  f.method = std::move(method);
  f.Z = split_directions(s);
  f.runnable = false;
  note_reduction(s, f);
  if (regular.augmented) f.choices.emplace_back(MassReplaced{is_singular(regular.M, s.values)});
  return f;
}

std::vector<Expr> unknowns(Formulation& f, const std::string& name, std::size_t count) {
  std::vector<Expr> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(expr::auxiliary(fmt::format("{}{}", name, i + 1)));
  f.unknowns.insert(f.unknowns.end(), result.begin(), result.end());
  return result;
}

namespace {

/// Constraint forces and accelerations, if a reader can take them in.
void add_solution(const Setting& s, const Regular& regular, Formulation& f) {
  // M [a | Y | c] = [Q | A^T | C]
  const std::vector<Expr> C = full_C(s.eq());
  Matrix right(s.n, s.k + 2);
  for (std::size_t i = 0; i < s.n; ++i) {
    right(i, 0) = regular.Q[i];
    for (std::size_t j = 0; j < s.k; ++j) right(i, 1 + j) = s.A(j, i);
    right(i, s.k + 1) = C[i];
  }
  const std::optional<Matrix> x = solve(regular.M, right, s.values);
  if (!x) return;
  std::vector<Expr> a, c;
  Matrix Y(s.n, s.k);
  for (std::size_t i = 0; i < s.n; ++i) {
    a.push_back((*x)(i, 0));
    for (std::size_t j = 0; j < s.k; ++j) Y(i, j) = (*x)(i, 1 + j);
    c.push_back((*x)(i, s.k + 1));
  }
  Matrix S = s.A * Y;
  shorten(S.entries());
  const std::vector<Expr> Aa = s.A * a;
  const std::vector<Expr> Ac = s.A * c;
  Matrix violation(s.k, 2);
  for (std::size_t j = 0; j < s.k; ++j) {
    violation(j, 0) = tidy(s.b[j] - Aa[j]);
    violation(j, 1) = Ac[j];
  }
  const std::optional<Matrix> multiplier = solve(S, violation, s.values);
  if (!multiplier) return;
  std::vector<Expr> lambda, nu;
  for (std::size_t j = 0; j < s.k; ++j) {
    lambda.push_back((*multiplier)(j, 0));
    nu.push_back((*multiplier)(j, 1));
  }
  std::vector<Expr> ideal = transpose(s.A) * lambda;
  std::vector<Expr> nonideal = transpose(s.A) * nu;
  const bool friction =
      std::any_of(s.C.begin(), s.C.end(), [](const Expr& e) { return !e.is_zero(); });
  for (std::size_t i = 0; i < s.n; ++i) {
    ideal[i] = tidy(ideal[i]);
    nonideal[i] = friction ? tidy(C[i] - nonideal[i]) : Expr(0);
  }
  if (!readable(ideal) || !readable(nonideal)) return;

  Step forces{StepKind::constraint_forces};
  for (std::size_t j = 0; j < s.k; ++j) {
    for (std::size_t l = 0; l <= j; ++l)
      forces.facts.push_back(fact(s, Quantity::compliance, {ordinal(j), ordinal(l)}, S(j, l)));
    forces.facts.push_back(fact(s, Quantity::violation, {ordinal(j)}, violation(j, 0)));
  }
  add_vector(forces, s, Quantity::ideal_force, ideal);
  if (friction) add_vector(forces, s, Quantity::nonideal_force, nonideal);
  if (s.k > 0) f.steps.push_back(std::move(forces));

  // Free, ideal and non-ideal parts are kept apart, as they mean different things.
  const std::vector<Expr> by_ideal = Y * lambda;
  const std::vector<Expr> by_nonideal = Y * nu;
  Step motion{StepKind::solved_accelerations};
  std::vector<Expr> qdd;
  for (std::size_t i = 0; i < s.n; ++i) {
    const Expr last = friction ? tidy(c[i] - by_nonideal[i]) : Expr(0);
    qdd.push_back(tidy(a[i]) + tidy(by_ideal[i]) + last);
  }
  if (!readable(qdd)) return;
  for (std::size_t i = 0; i < s.n; ++i) {
    motion.facts.push_back({Quantity::symbol, {s.acceleration(i)}, qdd[i]});
    f.equations.push_back({s.coordinate_name(i), s.acceleration(i), qdd[i]});
  }
  f.steps.push_back(std::move(motion));
}

}  // namespace

void show_result(const Setting& s, const Regular& regular, Formulation& f) {
  add_matrices(s, regular, f);
  if (!(is_diagonal(regular.M) || s.n <= most_dense) || s.k > most_dense) return;
  auto shown = expr::within(most_effort_to_solve, [&] {
    Formulation solved = f;
    add_solution(s, regular, solved);
    return solved;
  });
  if (shown) f = *std::move(shown);
}

}  // namespace dalembert::mechanics
