#include "dalembert/mechanics/setting.hpp"

#include <algorithm>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/mechanics/objections.hpp"

namespace dalembert::mechanics {

namespace {

using expr::Failure;
using expr::SymbolKind;

bool has_velocity(const Expr& e) {
  return expr::find_symbol(
             e,
             [](const expr::Symbol& s) { return s.kind == SymbolKind::coordinate && s.order == 1; })
      .has_value();
}

/// Forces that are not of inertia: given, of the potential, of the dissipation; for a model given
/// by M and Q what is left of Q when the inertia terms of T = q' M q'/2 are taken out (T.1).
std::vector<Expr> applied_forces(const model::Model& model, const Equations& eq) {
  std::vector<Expr> result;
  if (model.kinetic) {
    const auto dV = expr::gradient(eq.potential, eq.q);
    const auto dD = model.dissipation ? expr::gradient(model.dissipation->expr, eq.v)
                                      : std::vector<Expr>(eq.q.size());
    for (std::size_t i = 0; i < eq.q.size(); ++i)
      result.push_back(expr::sum({model.forces[i].expr, -dV[i], -dD[i]}));
    return result;
  }
  const auto momenta = expr::gradient(eq.kinetic, eq.v);
  const auto rates = expr::directional(momenta, [](const expr::Symbol& s) {
    if (s.kind == SymbolKind::time) return Expr(1);
    return s.kind == SymbolKind::coordinate && s.order == 0 ? expr::coordinate(s.name, 1) : Expr(0);
  });
  const auto dT = expr::gradient(eq.kinetic, eq.q);
  for (std::size_t i = 0; i < eq.q.size(); ++i)
    result.push_back(expr::sum({eq.Q[i], rates[i], -dT[i]}));
  return result;
}

/// Whether the row of A of a constraint does not depend on velocities; where it only looks as if it
/// did it is put right.
bool make_linear(const Setting& s, std::vector<Expr>& row) {
  expr::ExprMap at_rest;
  for (const Expr& v : s.eq().v) at_rest.emplace(v, Expr(0));
  for (Expr& entry : row) {
    if (!has_velocity(entry)) continue;
    for (const Expr& v : s.eq().v) {
      if (!expr::proven_zero(expr::differentiate(entry, v))) return false;
    }
    entry = expr::substitute(entry, at_rest);
  }
  return true;
}

}  // namespace

bool is_singular(const Matrix& M, const expr::Values& values) {
  const std::size_t n = M.rows();
  // Coordinates that M does not couple are eliminated by themselves.
  std::vector<std::vector<std::size_t>> coupled(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (M(i, j).is_zero()) continue;
      coupled[i].push_back(j);
      coupled[j].push_back(i);
    }
    expr::Effort::poll();
  }
  std::vector<bool> seen(n, false);
  for (std::size_t first = 0; first < n; ++first) {
    if (seen[first]) continue;
    std::vector<std::size_t> block{first};
    seen[first] = true;
    for (std::size_t at = 0; at < block.size(); ++at) {
      for (const std::size_t other : coupled[block[at]]) {
        if (!seen[other]) block.push_back(other);
        seen[other] = true;
      }
    }
    std::sort(block.begin(), block.end());
    const std::size_t size = block.size();
    std::vector<double> entries(size * size), diagonal(size);
    const auto a = [&](std::size_t i, std::size_t j) -> double& { return entries[i * size + j]; };
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j)
        a(i, j) = expr::evaluate(M(block[i], block[j]), values);
      diagonal[i] = a(i, i);
    }
    for (std::size_t c = 0; c < size; ++c) {
      if (!(a(c, c) > 1e-12 * diagonal[c])) return true;
      for (std::size_t i = c + 1; i < size; ++i) {
        const double factor = a(i, c) / a(c, c);
        if (factor == 0) continue;
        for (std::size_t j = c; j < size; ++j) a(i, j) -= factor * a(c, j);
      }
      expr::Effort::poll();
    }
  }
  return false;
}

Setting Setting::with_equations(const Equations& equations) const {
  Setting other = *this;
  other.equations_ = &equations;
  return other;
}

Expr Setting::with_model_C(const Expr& e) const {
  if (std::ranges::all_of(C, [](const Expr& c) { return c.is_zero(); })) return e;
  expr::ExprMap known;
  const std::vector<Expr> model_C = full_C(eq());
  for (std::size_t i = 0; i < n; ++i) {
    if (!C[i].is_zero()) known.emplace(C[i], model_C[i]);
  }
  return expr::substitute(e, known);
}

Result<Setting, std::string> prepare(const model::Model& model, const Equations& eq,
                                     const expr::Values& values, Split split, bool explain) {
  Setting s(model, eq);
  s.values = values;
  s.split = std::move(split);
  s.explain = explain;
  s.k = s.split.rows.size();
  s.r = s.n - s.k;
  s.M = Matrix(s.n, s.n);
  for (const Entry& entry : eq.M) {
    s.M(entry.row, entry.column) = entry.value;
    s.M(entry.column, entry.row) = entry.value;
  }
  s.mass_singular = is_singular(s.M, s.values);
  s.A = Matrix(s.k, s.n);
  expr::ExprMap at_rest;
  for (const Expr& v : eq.v) at_rest.emplace(v, Expr(0));
  std::vector<std::vector<Expr>> rows(eq.constraints.size(), std::vector<Expr>(s.n));
  for (const Entry& entry : eq.A) rows[entry.row][entry.column] = entry.value;
  // Level and linearity are matters of the model: redundant constraints count too.
  for (std::size_t j = 0; j < eq.constraints.size(); ++j) {
    const ConstraintRow& row = eq.constraints[j];
    if (row.level == Level::acceleration) {
      s.velocity_level = s.linear = false;
      s.not_linear = j;
    } else if (!make_linear(s, rows[j]) && s.linear) {
      s.linear = false;
      s.not_linear = j;
    }
  }
  for (std::size_t j = 0; j < s.k; ++j) {
    const ConstraintRow& row = eq.constraints[s.split.rows[j]];
    for (std::size_t i = 0; i < s.n; ++i) s.A(j, i) = rows[s.split.rows[j]][i];
    s.b.push_back(eq.b[s.split.rows[j]]);
    s.a_t.push_back(row.level == Level::acceleration ? Expr(0)
                                                     : expr::substitute(row.rate, at_rest));
  }
  s.applied = applied_forces(model, eq);
  const std::vector<Expr> model_C = full_C(eq);
  for (std::size_t i = 0; i < s.n; ++i) {
    // A name that no model can give to a quasi-velocity.
    s.C.push_back(model_C[i].is_zero() ? Expr(0) : expr::auxiliary("C." + model.coordinates[i]));
  }

  // A_D [B | B_t | z] = [-A_I | -a_t | b]
  Matrix AD(s.k, s.k), right(s.k, s.r + 2);
  for (std::size_t j = 0; j < s.k; ++j) {
    for (std::size_t d = 0; d < s.k; ++d) AD(j, d) = s.A(j, s.split.dependent[d]);
    for (std::size_t i = 0; i < s.r; ++i) right(j, i) = -s.A(j, s.split.independent[i]);
    right(j, s.r) = -s.a_t[j];
    right(j, s.r + 1) = s.b[j];
  }
  const std::optional<Matrix> x = solve(std::move(AD), std::move(right), values);
  if (!x) return Failure{singular_split()};
  s.B = Matrix(s.k, s.r);
  for (std::size_t d = 0; d < s.k; ++d) {
    for (std::size_t i = 0; i < s.r; ++i) s.B(d, i) = (*x)(d, i);
    s.B_t.push_back((*x)(d, s.r));
    s.z.push_back((*x)(d, s.r + 1));
  }
  return s;
}

}  // namespace dalembert::mechanics
