#include "dalembert/mechanics/formulations/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/print.hpp"

namespace dalembert::mechanics {

namespace {

using expr::Op;
using expr::Symbol;
using expr::SymbolKind;

/// How often 1/cos(x) and 1/sin(x) stand in a product, by the function that has the zero.
std::map<std::string, std::pair<Expr, long>> reciprocals(const Expr& product) {
  std::map<std::string, std::pair<Expr, long>> result;
  const auto count = [&](const Expr& factor) {
    const bool power = factor.is(Op::power) && factor.args()[1].is(Op::constant);
    const Expr& base = power ? factor.args()[0] : factor;
    long exponent = 1;
    if (power) {
      const auto& value = factor.args()[1].value();
      if (value.get_den() != 1 || !value.get_num().fits_slong_p()) return;
      exponent = value.get_num().get_si();
    }
    Expr below;
    if (base.is(Op::sec) || base.is(Op::tan)) {
      below = expr::cos(base.args()[0]);
    } else if (base.is(Op::csc) || base.is(Op::cot)) {
      below = expr::sin(base.args()[0]);
    } else if (base.is(Op::cos) || base.is(Op::sin)) {
      below = base;
      exponent = -exponent;
    } else {
      return;
    }
    auto& entry = result.try_emplace(expr::to_text(below), below, 0L).first->second;
    entry.second += exponent;
  };
  if (product.is(Op::product)) {
    for (const Expr& factor : product.args()) {
      if (factor.is(Op::product)) {
        for (const Expr& inner : factor.args()) count(inner);
      } else {
        count(factor);
      }
    }
  } else {
    count(product);
  }
  return result;
}

/// What every term of every coefficient has below the line: cos(phi)^2 for 2 m sec(phi)^2.
Expr common_reciprocal(const std::vector<Expr>& coefficients) {
  std::map<std::string, std::pair<Expr, long>> common;
  bool first = true;
  for (const Expr& coefficient : coefficients) {
    const std::span<const Expr> terms =
        coefficient.is(Op::sum) ? coefficient.args() : std::span(&coefficient, 1);
    for (const Expr& term : terms) {
      auto here = reciprocals(term);
      if (first) {
        common = std::move(here);
        first = false;
        continue;
      }
      for (auto& [name, entry] : common) {
        const auto found = here.find(name);
        entry.second = found == here.end() ? std::min(entry.second, 0L)
                                           : std::min(entry.second, found->second.second);
      }
    }
  }
  Expr result = 1;
  for (const auto& [name, entry] : common) {
    if (entry.second > 0) result *= expr::pow(entry.first, Expr(entry.second));
  }
  return result;
}

}  // namespace

std::vector<Expr> along(std::span<const Expr> list, const Setting& s,
                        const std::vector<Expr>& velocities, const expr::ExprMap& rates) {
  expr::ExprMap moving = rates;
  for (std::size_t i = 0; i < s.n; ++i) moving.insert_or_assign(s.eq().q[i], velocities[i]);
  return expr::directional(list, [&](const Symbol& symbol) {
    if (symbol.kind == SymbolKind::time) return Expr(1);
    if (symbol.kind != SymbolKind::coordinate && symbol.kind != SymbolKind::auxiliary)
      return Expr(0);
    const auto found = moving.find(expr::symbol(symbol));
    return found == moving.end() ? Expr(0) : found->second;
  });
}

std::vector<Expr> lagrange_left(const Setting& s) {
  const auto momenta = expr::gradient(s.eq().kinetic, s.eq().v);
  const auto dT = expr::gradient(s.eq().kinetic, s.eq().q);
  expr::ExprMap rates;
  for (std::size_t i = 0; i < s.n; ++i) rates.emplace(s.eq().v[i], s.acceleration(i));
  std::vector<Expr> result = along(momenta, s, s.eq().v, rates);
  for (std::size_t i = 0; i < s.n; ++i) result[i] -= dT[i];
  return result;
}

Matrix split_directions(const Setting& s) {
  Matrix Z(s.n, s.r);
  for (std::size_t i = 0; i < s.r; ++i) {
    Z(s.split.independent[i], i) = 1;
    for (std::size_t d = 0; d < s.k; ++d) Z(s.split.dependent[d], i) = s.B(d, i);
  }
  return Z;
}

std::vector<Expr> split_accelerations(const Setting& s, const std::vector<Expr>& a) {
  std::vector<Expr> result(s.n);
  for (std::size_t i = 0; i < s.r; ++i) result[s.split.independent[i]] = a[i];
  const std::vector<Expr> dependent = s.B * a;
  for (std::size_t d = 0; d < s.k; ++d) result[s.split.dependent[d]] = dependent[d] + s.z[d];
  return result;
}

std::vector<Expr> split_velocities(const Setting& s) {
  std::vector<Expr> result = s.eq().v;
  std::vector<Expr> v_I;
  for (const std::size_t i : s.split.independent) v_I.push_back(s.eq().v[i]);
  const std::vector<Expr> linear = s.B * v_I;
  for (std::size_t d = 0; d < s.k; ++d) result[s.split.dependent[d]] = linear[d] + s.B_t[d];
  return result;
}

void complete_by_constraints(const Setting& s, Formulation& f) {
  const std::vector<Expr> Aq = s.A * f.accelerations;
  for (std::size_t j = 0; j < s.k; ++j) f.residuals.push_back(Aq[j] - s.b[j]);
  f.Z = split_directions(s);
  f.combination = Matrix(s.r, s.n + s.k);
  for (std::size_t r = 0; r < s.r; ++r) {
    for (std::size_t i = 0; i < s.n; ++i) f.combination(r, i) = f.Z(i, r);
  }
  f.constraint_combination = Matrix(s.k, s.n + s.k);
  for (std::size_t j = 0; j < s.k; ++j) f.constraint_combination(j, s.n + j) = 1;
}

Formulation by_free_accelerations(const Setting& s) {
  Formulation f;
  for (const std::size_t i : s.split.independent) f.unknowns.push_back(s.acceleration(i));
  f.accelerations = split_accelerations(s, f.unknowns);
  f.Z = split_directions(s);
  f.combination = Matrix::identity(s.r);
  f.constraint_combination = Matrix(s.k, s.r);
  note_reduction(s, f);
  if (s.k > 0) note_split(f);
  return f;
}

std::vector<Expr> constrained_velocities(const Setting& s, const QuasiVelocities& w) {
  std::vector<Expr> result;
  for (std::size_t i = 0; i < s.n; ++i) {
    std::vector<Expr> terms{w.Phi_t[i]};
    for (std::size_t j = 0; j < s.r; ++j) terms.push_back(w.Phi(i, j) * w.u[j]);
    result.push_back(expr::sum(terms));
  }
  return result;
}

Matrix free_columns(const Setting& s, const QuasiVelocities& w) {
  Matrix Z(s.n, s.r);
  for (std::size_t i = 0; i < s.n; ++i) {
    for (std::size_t j = 0; j < s.r; ++j) Z(i, j) = w.Phi(i, j);
  }
  return Z;
}

Expr with_velocities(const Setting& s, const Expr& e, const std::vector<Expr>& velocities) {
  return with_velocities(s, std::vector<Expr>{e}, velocities).front();
}

std::vector<Expr> with_velocities(const Setting& s, const std::vector<Expr>& list,
                                  const std::vector<Expr>& velocities) {
  if (velocities.empty()) return list;
  expr::ExprMap known;
  for (std::size_t i = 0; i < s.n; ++i) known.emplace(s.eq().v[i], velocities[i]);
  return expr::substitute(list, known);
}

std::vector<Expr> projected_forces(const Setting& s, const Matrix& Z,
                                   const std::vector<Expr>& velocities) {
  std::vector<Expr> force = with_velocities(s, s.applied, velocities);
  for (std::size_t i = 0; i < s.n; ++i) force[i] += s.C[i];
  return transpose(Z) * force;
}

Expr tidy(const Expr& e) {
  expr::SimplifyOptions options;
  for (const Expr& symbol : expr::symbols(std::span(&e, 1))) {
    const Symbol& x = symbol.symbol();
    if (x.kind == SymbolKind::auxiliary || (x.kind == SymbolKind::coordinate && x.order > 0))
      options.collect.push_back(symbol);
  }
  // What resists so long is no shorter in the end.
  constexpr double most_effort = 5e6;
  return expr::within(most_effort, [&] { return expr::simplify(e, options); }).value_or(e);
}

Expr ordinal(std::size_t i) {
  return static_cast<long>(i + 1);
}

Fact fact(const Setting& s, Quantity quantity, std::vector<Expr> indices, const Expr& value) {
  return {quantity, std::move(indices), tidy(s.with_model_C(value))};
}

PrintedEquation print_equation(const Setting& s, std::string name, const Expr& left,
                               const Expr& right, const std::vector<Expr>& accelerations,
                               std::vector<Choice>& choices) {
  PrintedEquation result{std::move(name), tidy(left), tidy(s.with_model_C(right))};
  std::vector<Expr> coefficients;
  for (const Expr& a : expr::gradient(left, accelerations)) {
    const Expr coefficient = tidy(a);
    if (!coefficient.is_zero()) coefficients.push_back(coefficient);
  }
  const Expr factor = common_reciprocal(coefficients);
  if (factor.is_one()) return result;
  result.left = tidy(left * factor);
  result.right = tidy(s.with_model_C(right) * factor);
  choices.emplace_back(EquationMultiplied{result.name, factor});
  return result;
}

void set_equations(const Setting& s, Formulation& f, const std::vector<Expr>& left,
                   const std::vector<Expr>& right, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    f.residuals.push_back(left[i] - right[i]);
    if (!s.explain) continue;
    f.equations.push_back(print_equation(s, names[i], left[i], right[i], f.unknowns, f.choices));
  }
}

void note_reduction(const Setting& s, Formulation& f) {
  if (!s.split.redundant.empty()) f.choices.emplace_back(ConstraintsLeftOut{});
}

void note_split(Formulation& f) {
  f.choices.emplace_back(CoordinatesSplit{});
}

void note_quasi_velocities(const Setting& s, const QuasiVelocities& w, Formulation& f) {
  if (w.from_model) return;
  f.choices.emplace_back(
      QuasiVelocitiesTaken{{w.u.begin(), w.u.begin() + static_cast<std::ptrdiff_t>(s.r)},
                           !s.model().quasi_velocities.empty()});
}

Step split_step(const Setting& s) {
  Step step{StepKind::dependent_velocities};
  for (std::size_t d = 0; d < s.k; ++d) {
    std::vector<Expr> terms{s.B_t[d]};
    for (std::size_t i = 0; i < s.r; ++i)
      terms.push_back(s.B(d, i) * s.eq().v[s.split.independent[i]]);
    step.facts.push_back(
        fact(s, Quantity::symbol, {s.eq().v[s.split.dependent[d]]}, expr::sum(terms)));
  }
  return step;
}

Step quasi_velocity_step(const Setting& s, const QuasiVelocities& w) {
  Step step{StepKind::quasi_velocities};
  for (std::size_t j = 0; j < s.n; ++j) {
    std::vector<Expr> terms{w.Psi_t[j]};
    for (std::size_t i = 0; i < s.n; ++i) terms.push_back(w.Psi(j, i) * s.eq().v[i]);
    step.facts.push_back(
        fact(s, j < s.r ? Quantity::symbol : Quantity::zero_velocity, {w.u[j]}, expr::sum(terms)));
  }
  for (std::size_t i = 0; i < s.n; ++i) {
    std::vector<Expr> terms{w.Phi_t[i]};
    for (std::size_t j = 0; j < s.n; ++j) terms.push_back(w.Phi(i, j) * w.u[j]);
    step.facts.push_back(fact(s, Quantity::velocity_by_u, {s.eq().v[i]}, expr::sum(terms)));
  }
  return step;
}

}  // namespace dalembert::mechanics
