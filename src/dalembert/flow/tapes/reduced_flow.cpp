#include "dalembert/flow/tapes/reduced_flow.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dalembert/codegen/elimination.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/flow/tapes/eliminated_system.hpp"
#include "dalembert/flow/tapes/short_equations.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/mechanics/formulations/formulations.hpp"

namespace dalembert::flow {

namespace {

using codegen::Margin;
using codegen::TapeBuilder;
using codegen::Value;
using codegen::ValueMatrix;
using expr::Expr;
using mechanics::Equations;
using mechanics::Formulation;
using mechanics::Setting;
using model::Level;

bool is_velocity(const expr::Symbol& s) {
  return s.kind == expr::SymbolKind::coordinate && s.order > 0;
}
bool is_parameter(const expr::Symbol& s) {
  return s.kind == expr::SymbolKind::parameter;
}

/// Positions and velocities stay apart: all constraints are of velocities, and linear in them.
bool is_reducible(const Equations& eq) {
  if (eq.constraints.empty() || eq.C_uses_ideal_force) return false;
  for (const auto& c : eq.constraints) {
    if (c.level != Level::velocity) return false;
  }
  std::vector<Expr> entries;
  for (const mechanics::Entry& entry : eq.A) entries.push_back(entry.value);
  return std::ranges::none_of(expr::symbols(entries),
                              [](const Expr& s) { return is_velocity(s.symbol()); });
}

bool is_fixed(const Expr& e) {
  return std::ranges::all_of(expr::symbols(std::span(&e, 1)),
                             [](const Expr& s) { return is_parameter(s.symbol()); });
}

/// The constraints solved for velocities by pivots that are numbers or parameters, those of modulus
/// 1 first; none where there are no such pivots.
std::optional<mechanics::Split> fixed_split(const Equations& eq,
                                            const std::vector<std::size_t>& rows,
                                            const expr::Values& values) {
  const std::size_t n = eq.q.size(), k = rows.size();
  std::vector<std::vector<Expr>> A(k, std::vector<Expr>(n, Expr(0)));
  for (std::size_t j = 0; j < k; ++j) {
    for (const auto& entry : eq.A) {
      if (entry.row == rows[j]) A[j][entry.column] = entry.value;
    }
  }
  mechanics::Split split;
  std::vector<char> used(k, 0);
  for (std::size_t step = 0; step < k; ++step) {
    std::size_t row = k, column = n;
    double best = 0;
    for (std::size_t j = 0; j < k; ++j) {
      for (std::size_t i = 0; used[j] == 0 && i < n; ++i) {
        if (A[j][i].is_zero() || !is_fixed(A[j][i])) continue;
        const double size = std::abs(expr::evaluate(A[j][i], values));
        if (!std::isfinite(size) || size == 0) continue;
        const double merit = size == 1 ? 2 : std::min(size, 1 / size);
        if (merit > best) {
          best = merit;
          row = j;
          column = i;
        }
      }
    }
    if (row == k) return std::nullopt;
    used[row] = 1;
    split.dependent.push_back(column);
    for (std::size_t j = 0; j < k; ++j) {
      if (used[j] != 0 || A[j][column].is_zero()) continue;
      const Expr factor = A[j][column] / A[row][column];
      for (std::size_t i = 0; i < n; ++i) {
        if (!A[row][i].is_zero()) A[j][i] = A[j][i] - factor * A[row][i];
      }
      A[j][column] = Expr(0);
    }
  }
  split.rows = rows;
  for (std::size_t j = 0; j < eq.b.size(); ++j) {
    if (std::ranges::find(rows, j) == rows.end()) split.redundant.push_back(j);
  }
  std::ranges::sort(split.dependent);
  for (std::size_t i = 0; i < n; ++i) {
    if (std::ranges::find(split.dependent, i) == split.dependent.end())
      split.independent.push_back(i);
  }
  return split;
}

/// u = q_I', v_D = B u + B_t.
Reduction in_velocities(const Setting& s) {
  Reduction r;
  r.velocities.resize(s.n);
  for (const std::size_t i : s.split.independent) {
    r.u.push_back(s.eq().v[i]);
    r.rates.push_back(s.eq().v[i]);
    r.velocities[i] = s.eq().v[i];
  }
  for (std::size_t j = 0; j < s.k; ++j) {
    Expr v = s.B_t[j];
    for (std::size_t a = 0; a < s.r; ++a) v = v + s.B(j, a) * r.u[a];
    r.velocities[s.split.dependent[j]] = mechanics::shortened(v);
  }
  return r;
}

/// v, u' with H u' = right, and doubt.
codegen::Tape finished(TapeBuilder& tape, const Equations& eq, ValueMatrix H,
                       const std::vector<Value>& right) {
  Margin margin(tape);
  const codegen::WrittenLdl factor(tape, std::move(H), least_mass_pivot, margin);
  std::vector<Value> outputs;
  for (const Expr& v : eq.v) outputs.push_back(tape.lower(v));
  for (const Value rate : factor.solve(right)) outputs.push_back(rate);
  outputs.push_back(margin.doubt());
  outputs.push_back(margin.doubt());
  return tape.finish(outputs);
}

/// Maggi's equation, T^T M T u' = T^T (Q + C - M [0; z]) with T = [1; B], q''_D = B u' + z, entry
/// by entry in the tape.
Reduction maggi_written_out(const Setting& s) {
  const Equations& eq = s.eq();
  Reduction r = in_velocities(s);
  r.form = "maggi";
  TapeBuilder tape(r.inputs(eq), eq.parameters);
  r.define_velocities(tape, eq);
  ValueMatrix M(s.n, s.n, tape.constant(0)), B(s.k, s.r, tape.constant(0));
  for (const auto& entry : eq.M) {
    M(entry.row, entry.column) = tape.lower(entry.value);
    M(entry.column, entry.row) = M(entry.row, entry.column);
  }
  std::vector<Value> z, F;
  for (std::size_t j = 0; j < s.k; ++j) {
    z.push_back(tape.lower(s.z[j]));
    for (std::size_t a = 0; a < s.r; ++a) B(j, a) = tape.lower(s.B(j, a));
  }
  for (std::size_t i = 0; i < s.n; ++i) {
    Value sum = tape.add(tape.lower(eq.Q[i]), tape.lower(eq.C[i]));
    for (std::size_t j = 0; j < s.k; ++j)
      sum = tape.subtract(sum, tape.multiply(M(i, s.split.dependent[j]), z[j]));
    F.push_back(sum);
  }
  ValueMatrix half(s.r, s.n, tape.constant(0)), H(s.r, s.r, tape.constant(0));  // T^T M, T^T M T
  std::vector<Value> right;
  for (std::size_t a = 0; a < s.r; ++a) {
    const std::size_t i = s.split.independent[a];
    Value sum = F[i];
    for (std::size_t c = 0; c < s.n; ++c) half(a, c) = M(i, c);
    for (std::size_t j = 0; j < s.k; ++j) {
      const std::size_t d = s.split.dependent[j];
      sum = tape.add(sum, tape.multiply(B(j, a), F[d]));
      for (std::size_t c = 0; c < s.n; ++c)
        half(a, c) = tape.add(half(a, c), tape.multiply(B(j, a), M(d, c)));
    }
    right.push_back(sum);
  }
  for (std::size_t a = 0; a < s.r; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      Value sum = half(a, s.split.independent[b]);
      for (std::size_t j = 0; j < s.k; ++j)
        sum = tape.add(sum, tape.multiply(half(a, s.split.dependent[j]), B(j, b)));
      H(a, b) = sum;
    }
  }
  r.derivative = finished(tape, eq, std::move(H), right);
  return r;
}

/// A formulation in n - k unknowns u', its coefficients simplified. None if it is not one, or its H
/// is not symmetric.
std::optional<Reduction> formulation_simplified(const Setting& s, const Formulation& f) {
  const Equations& eq = s.eq();
  if (!f.runnable || f.unknowns.size() != s.r || f.residuals.size() != s.r) return std::nullopt;
  Reduction r;
  if (f.rates.empty()) {
    r = in_velocities(s);
  } else {
    if (f.velocities.size() != s.n) return std::nullopt;
    r.u = f.rates;
    r.rates = f.rates_from_velocities;
    r.velocities = f.velocities;
    mechanics::shorten(r.velocities);
  }
  r.form = f.method;
  expr::ExprMap put, at_rest;
  for (std::size_t i = 0; i < s.n; ++i) {
    if (r.velocities[i].node() != eq.v[i].node()) put.emplace(eq.v[i], r.velocities[i]);
  }
  for (const Expr& x : f.unknowns) at_rest.emplace(x, Expr(0));
  TapeBuilder tape(r.inputs(eq), eq.parameters);
  r.define_velocities(tape, eq);
  std::vector<std::vector<Expr>> coefficients;
  std::vector<Value> right;
  for (std::size_t e = 0; e < s.r; ++e) {
    const Expr residual = s.with_model_C(f.residuals[e]);
    std::vector<Expr> row = expr::gradient(residual, f.unknowns);
    for (Expr& x : row) x = mechanics::shortened(expr::substitute(x, put));
    coefficients.push_back(std::move(row));
    const Expr rest = expr::substitute(-expr::substitute(residual, at_rest), put);
    right.push_back(tape.lower(mechanics::shortened(rest)));
  }
  ValueMatrix H(s.r, s.r, tape.constant(0));
  for (std::size_t a = 0; a < s.r; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      if (!mechanics::shortened(coefficients[a][b] - coefficients[b][a]).is_zero())
        return std::nullopt;
      H(a, b) = tape.lower(coefficients[a][b]);
    }
  }
  r.derivative = finished(tape, eq, std::move(H), right);
  return r;
}

}  // namespace

std::vector<Expr> Reduction::inputs(const Equations& eq) const {
  std::vector<Expr> symbols{expr::time()};
  symbols.insert(symbols.end(), eq.q.begin(), eq.q.end());
  symbols.insert(symbols.end(), u.begin(), u.end());
  return symbols;
}

void Reduction::define_velocities(TapeBuilder& tape, const Equations& eq) const {
  for (std::size_t i = 0; i < eq.v.size(); ++i) {
    if (velocities[i].node() != eq.v[i].node()) tape.define(eq.v[i], tape.lower(velocities[i]));
  }
}

std::optional<Reduction> reduce(const Motion& motion, const State& start,
                                const std::vector<std::size_t>& rows, bool simplify) {
  const Equations& eq = motion.equations();
  if (rows.empty() || rows.size() < eq.b.size() || !is_reducible(eq)) return std::nullopt;
  std::optional<Reduction> best;
  const auto consider = [&best](std::optional<Reduction> other) {
    if (other && (!best || cost(other->derivative) < cost(best->derivative)))
      best = std::move(other);
  };
  const expr::Values values = values_at(motion.model(), motion.parameters(), start);
  if (const auto split = fixed_split(eq, rows, values)) {
    if (const auto s = mechanics::prepare(motion.model(), eq, values, *split, false)) {
      consider(maggi_written_out(*s));
      if (const auto f = mechanics::suslov(*s); simplify && f)
        consider(formulation_simplified(*s, *f));
    }
  }
  if (simplify && !motion.model().quasi_velocities.empty()) {
    const mechanics::Split split =
        mechanics::split_coordinates(motion.model(), eq, values, rows.size());
    if (const auto s = mechanics::prepare(motion.model(), eq, values, split, false)) {
      const auto f = mechanics::boltzmann_hamel(*s);
      if (f) consider(formulation_simplified(*s, *f));
    }
  }
  return best;
}

}  // namespace dalembert::flow
