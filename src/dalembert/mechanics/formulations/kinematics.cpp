#include "dalembert/mechanics/formulations/kinematics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/mechanics/formulations/objections.hpp"

namespace dalembert::mechanics {

namespace {

using expr::Failure;
using expr::SymbolKind;

struct Numbers {
  std::size_t rows, columns;
  std::vector<double> entries;
  double& operator()(std::size_t i, std::size_t j) { return entries[i * columns + j]; }
};

/// A at the reference state, columns divided by sqrt(M_jj), rows scaled to unit length.
Numbers scaled_rows(const Equations& eq, const expr::Values& values) {
  const std::size_t n = eq.q.size(), m = eq.constraints.size();
  std::vector<double> mass(n, 0);
  for (const Entry& entry : eq.M) {
    if (entry.row == entry.column) mass[entry.row] = expr::evaluate(entry.value, values);
  }
  Numbers a{m, n, std::vector<double>(m * n, 0)};
  for (const Entry& entry : eq.A) {
    const double scale = mass[entry.column] > 0 ? 1 / std::sqrt(mass[entry.column]) : 1;
    a(entry.row, entry.column) = expr::evaluate(entry.value, values) * scale;
  }
  for (std::size_t j = 0; j < m; ++j) {
    double norm = 0;
    for (std::size_t i = 0; i < n; ++i) norm = std::hypot(norm, a(j, i));
    for (std::size_t i = 0; i < n; ++i) a(j, i) /= norm > 0 ? norm : 1;
  }
  return a;
}

struct Pivots {
  std::vector<std::size_t> rows, columns;
};

/// Elimination with complete pivoting among the allowed columns; of rows whose best entry is within
/// a factor ten of the largest the earliest is taken.
Pivots eliminate(Numbers a, const std::vector<bool>& allowed, std::optional<std::size_t> rank,
                 double tolerance) {
  Pivots result;
  std::vector<bool> row_used(a.rows, false), column_used(a.columns, false);
  const std::size_t most = rank.value_or(std::min(a.rows, a.columns));
  while (result.rows.size() < most) {
    std::vector<double> best(a.rows, 0);
    double largest = 0;
    for (std::size_t j = 0; j < a.rows; ++j) {
      if (row_used[j]) continue;
      for (std::size_t i = 0; i < a.columns; ++i) {
        if (allowed[i] && !column_used[i]) best[j] = std::max(best[j], std::abs(a(j, i)));
      }
      largest = std::max(largest, best[j]);
    }
    if (!(largest > (rank ? 1e-10 : tolerance))) break;
    std::size_t row = 0;
    while (row_used[row] || !(best[row] >= 0.1 * largest)) ++row;
    std::size_t column = a.columns;
    for (std::size_t i = a.columns;
         i-- > 0;) {  // later coordinates are dependent, other things equal
      if (!allowed[i] || column_used[i]) continue;
      if (column == a.columns || std::abs(a(row, i)) > 1.0001 * std::abs(a(row, column)))
        column = i;
    }
    expr::Effort::poll();
    row_used[row] = column_used[column] = true;
    result.rows.push_back(row);
    result.columns.push_back(column);
    for (std::size_t j = 0; j < a.rows; ++j) {
      if (row_used[j]) continue;
      const double factor = a(j, column) / a(row, column);
      if (factor == 0) continue;
      for (std::size_t i = 0; i < a.columns; ++i) a(j, i) -= factor * a(row, i);
    }
  }
  std::sort(result.rows.begin(), result.rows.end());
  std::sort(result.columns.begin(), result.columns.end());
  return result;
}

std::vector<std::size_t> complement(const std::vector<std::size_t>& some, std::size_t size) {
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < size; ++i) {
    if (!std::binary_search(some.begin(), some.end(), i)) rest.push_back(i);
  }
  return rest;
}

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
  for (const Expr& v : s.eq->v) at_rest.emplace(v, Expr(0));
  for (Expr& entry : row) {
    if (!has_velocity(entry)) continue;
    for (const Expr& v : s.eq->v) {
      if (!expr::proven_zero(expr::differentiate(entry, v))) return false;
    }
    entry = expr::substitute(entry, at_rest);
  }
  return true;
}

}  // namespace

bool is_singular(const Setting& s, const Matrix& M) {
  // Coordinates that M does not couple are eliminated by themselves.
  std::vector<std::vector<std::size_t>> coupled(s.n);
  for (std::size_t i = 0; i < s.n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (M(i, j).is_zero()) continue;
      coupled[i].push_back(j);
      coupled[j].push_back(i);
    }
    expr::Effort::poll();
  }
  std::vector<bool> seen(s.n, false);
  for (std::size_t first = 0; first < s.n; ++first) {
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
    Numbers a{size, size, std::vector<double>(size * size)};
    std::vector<double> diagonal(size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j)
        a(i, j) = expr::evaluate(M(block[i], block[j]), s.values);
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

std::vector<std::string> free_names(const model::Model& model,
                                    const std::vector<std::string>& stems, std::size_t count) {
  std::set<std::string> taken(model.coordinates.begin(), model.coordinates.end());
  for (const auto& parameter : model.parameters) taken.insert(parameter.name);
  for (const auto& form : model.quasi_velocities) taken.insert(form.name);
  std::vector<std::string> names;
  std::string stem = stems.front();
  for (std::size_t s = 0;; ++s) {
    stem = s < stems.size() ? stems[s] : stem + "_";
    names.clear();
    for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", stem, i + 1));
    if (std::none_of(names.begin(), names.end(),
                     [&taken](const std::string& name) { return taken.contains(name); }))
      return names;
  }
}

Expr Setting::with_model_C(const Expr& e) const {
  if (std::ranges::all_of(C, [](const Expr& c) { return c.is_zero(); })) return e;
  expr::ExprMap known;
  const std::vector<Expr> model_C = full_C(*eq);
  for (std::size_t i = 0; i < n; ++i) {
    if (!C[i].is_zero()) known.emplace(C[i], model_C[i]);
  }
  return expr::substitute(e, known);
}

std::span<const Entry> row_of_A(const Equations& eq, std::size_t constraint) {
  const auto [begin, end] =
      std::ranges::equal_range(eq.A, constraint, {}, [](const Entry& e) { return e.row; });
  return {begin, end};
}

Split split_coordinates(const model::Model& model, const Equations& eq, const expr::Values& values,
                        std::optional<std::size_t> rank, bool own_choice, double tolerance) {
  const std::size_t n = eq.q.size();
  const Numbers a = scaled_rows(eq, values);
  Split split;
  const Pivots free = eliminate(a, std::vector<bool>(n, true), rank, tolerance);
  const std::size_t k = free.rows.size();
  split.rows = free.rows;
  split.dependent = free.columns;
  std::vector<std::size_t> wish;
  for (const std::string& name : model.independent) {
    const auto found = std::find(model.coordinates.begin(), model.coordinates.end(), name);
    wish.push_back(static_cast<std::size_t>(found - model.coordinates.begin()));
  }
  if (!wish.empty() && wish.size() != n - k) {
    split.refusal = Split::Refusal::count;
  } else if (!wish.empty() && !own_choice) {
    std::vector<bool> allowed(n, true);
    for (const std::size_t i : wish) allowed[i] = false;
    const Pivots wished = eliminate(a, allowed, k, tolerance);
    if (wished.rows.size() == k) {
      split.rows = wished.rows;
      split.dependent = wished.columns;
      split.independent = wish;
      split.wished = true;
    } else {
      split.refusal = Split::Refusal::singular;
    }
  }
  if (!split.wished) split.independent = complement(split.dependent, n);
  split.redundant = complement(split.rows, eq.constraints.size());
  return split;
}

Result<Setting, std::string> prepare(const model::Model& model, const Equations& eq,
                                     const expr::Values& values, Split split, bool explain) {
  Setting s;
  s.model = &model;
  s.eq = &eq;
  s.values = values;
  s.split = std::move(split);
  s.explain = explain;
  s.n = eq.q.size();
  s.k = s.split.rows.size();
  s.r = s.n - s.k;
  s.M = Matrix(s.n, s.n);
  for (const Entry& entry : eq.M) {
    s.M(entry.row, entry.column) = entry.value;
    s.M(entry.column, entry.row) = entry.value;
  }
  s.mass_singular = is_singular(s, s.M);
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

Result<QuasiVelocities, std::string> quasi_velocities(const Setting& s) {
  const model::Model& model = *s.model;
  std::set<std::string> taken(model.coordinates.begin(), model.coordinates.end());
  for (const auto& parameter : model.parameters) taken.insert(parameter.name);
  const auto make = [&](bool from_model) -> std::optional<QuasiVelocities> {
    QuasiVelocities result;
    result.from_model = from_model;
    result.Psi = Matrix(s.n, s.n);
    std::set<std::string> names = taken;
    if (from_model) {
      for (const auto& form : model.quasi_velocities) names.insert(form.name);
    }
    for (std::size_t j = 0; j < s.n; ++j) {
      std::string name;
      if (j < s.r && from_model) {
        name = model.quasi_velocities[j].name;
      } else {
        name = fmt::format("u{}", j + 1);
        while (!names.insert(name).second) name.insert(name.begin(), 'u');
      }
      if (j < s.r && from_model) {
        const auto row = expr::gradient(model.quasi_velocities[j].expr, s.eq->v);
        for (std::size_t i = 0; i < s.n; ++i) result.Psi(j, i) = row[i];
        result.Psi_t.emplace_back(0);
      } else if (j < s.r) {
        result.Psi(j, s.split.independent[j]) = 1;
        result.Psi_t.emplace_back(0);
      } else {
        for (std::size_t i = 0; i < s.n; ++i) result.Psi(j, i) = s.A(j - s.r, i);
        result.Psi_t.push_back(s.a_t[j - s.r]);
      }
      result.u.push_back(expr::auxiliary(name));
      result.u_rate.push_back(expr::auxiliary(name, 1));
    }
    Matrix right(s.n, s.n + 1);
    for (std::size_t j = 0; j < s.n; ++j) {
      right(j, j) = 1;
      right(j, s.n) = -result.Psi_t[j];
    }
    const std::optional<Matrix> x = solve(result.Psi, std::move(right), s.values);
    if (!x) return std::nullopt;
    result.Phi = Matrix(s.n, s.n);
    for (std::size_t i = 0; i < s.n; ++i) {
      for (std::size_t j = 0; j < s.n; ++j) result.Phi(i, j) = (*x)(i, j);
      result.Phi_t.push_back((*x)(i, s.n));
    }
    return result;
  };
  if (!model.quasi_velocities.empty() && !s.own_quasi_velocities) {
    if (model.quasi_velocities.size() != s.r) return Failure{miscounted_quasi_velocities(s)};
    if (auto result = make(true)) return *std::move(result);
  }
  auto result = make(false);
  if (!result) return Failure{singular_constraints()};
  return *std::move(result);
}

}  // namespace dalembert::mechanics
