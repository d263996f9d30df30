#include "dalembert/motion/reduced_flow.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dalembert/codegen/elimination.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/motion/values.hpp"
#include "dalembert/motion/written_solution.hpp"

namespace dalembert::motion {

namespace {

using codegen::Margin;
using codegen::TapeBuilder;
using codegen::Value;
using codegen::ValueMatrix;
using expr::Expr;
using mechanics::Equations;
using model::Level;

/// Positions and velocities stay apart: all constraints are of velocities, and linear in them.
bool is_reducible(const Equations& eq) {
  if (eq.constraints.empty() || eq.C_uses_ideal_force) return false;
  for (const auto& c : eq.constraints) {
    if (c.level != Level::velocity) return false;
  }
  std::vector<Expr> entries;
  for (const mechanics::Entry& entry : eq.A) entries.push_back(entry.value);
  return std::ranges::none_of(expr::symbols(entries), [](const Expr& s) {
    return s.symbol().kind == expr::SymbolKind::coordinate && s.symbol().order > 0;
  });
}

/// The constraints solved for velocities, as values of a tape: [1 E | e g] by rows.
struct Solved {
  std::vector<std::size_t> rows, dependent;
  ValueMatrix E;            ///< k x n; columns of independent coordinates count
  std::vector<Value> e, g;  ///< k
};

enum class Wanted { velocities, accelerations };

/// Gauss and Jordan with given places of the pivots. g only where accelerations are wanted: it is
/// made of velocities.
Solved solve_for(TapeBuilder& tape, const Equations& eq, std::vector<std::size_t> rows,
                 std::vector<std::size_t> dependent, Wanted wanted) {
  const std::size_t n = eq.q.size(), k = rows.size();
  Solved s{std::move(rows), std::move(dependent), ValueMatrix(k, n, tape.constant(0)), {}, {}};
  expr::ExprMap at_rest;
  for (const Expr& v : eq.v) at_rest.emplace(v, Expr(0));
  for (std::size_t j = 0; j < k; ++j) {
    for (const auto& entry : eq.A) {
      if (entry.row == s.rows[j]) s.E(j, entry.column) = tape.lower(entry.value);
    }
    s.e.push_back(tape.lower(-expr::substitute(eq.constraints[s.rows[j]].rate, at_rest)));
    s.g.push_back(wanted == Wanted::accelerations ? tape.lower(eq.b[s.rows[j]]) : tape.constant(0));
  }
  for (std::size_t p = 0; p < k; ++p) {
    const Value pivot = s.E(p, s.dependent[p]);
    for (std::size_t i = 0; i < n; ++i) s.E(p, i) = tape.divide(s.E(p, i), pivot);
    s.e[p] = tape.divide(s.e[p], pivot);
    s.g[p] = tape.divide(s.g[p], pivot);
    for (std::size_t j = 0; j < k; ++j) {
      const Value factor = s.E(j, s.dependent[p]);
      if (j == p || tape.is_zero(factor)) continue;
      for (std::size_t i = 0; i < n; ++i)
        s.E(j, i) = tape.subtract(s.E(j, i), tape.multiply(factor, s.E(p, i)));
      s.e[j] = tape.subtract(s.e[j], tape.multiply(factor, s.e[p]));
      s.g[j] = tape.subtract(s.g[j], tape.multiply(factor, s.g[p]));
    }
  }
  return s;
}

/// Pivots that are numbers or parameters, found by eliminating on expressions; those of modulus 1
/// first. False where there are none.
bool find_pivots(const Equations& eq, const std::vector<std::size_t>& rows,
                 const expr::Values& values, std::vector<std::size_t>& ordered,
                 std::vector<std::size_t>& dependent) {
  const std::size_t n = eq.q.size(), k = rows.size();
  std::vector<std::vector<Expr>> A(k, std::vector<Expr>(n, Expr(0)));
  for (std::size_t j = 0; j < k; ++j) {
    for (const auto& entry : eq.A) {
      if (entry.row == rows[j]) A[j][entry.column] = entry.value;
    }
  }
  const auto fixed = [](const Expr& e) {
    return std::ranges::all_of(expr::symbols(std::span(&e, 1)), [](const Expr& s) {
      return s.symbol().kind == expr::SymbolKind::parameter;
    });
  };
  std::vector<char> used(k, 0);
  for (std::size_t step = 0; step < k; ++step) {
    std::size_t row = k, column = n;
    double best = 0;
    for (std::size_t j = 0; j < k; ++j) {
      if (used[j] != 0) continue;
      for (std::size_t i = 0; i < n; ++i) {
        if (A[j][i].is_zero() || !fixed(A[j][i])) continue;
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
    if (row == k) return false;
    used[row] = 1;
    ordered.push_back(rows[row]);
    dependent.push_back(column);
    for (std::size_t j = 0; j < k; ++j) {
      if (used[j] != 0 || A[j][column].is_zero()) continue;
      const Expr factor = A[j][column] / A[row][column];
      for (std::size_t i = 0; i < n; ++i) {
        if (!A[row][i].is_zero()) A[j][i] = A[j][i] - factor * A[row][i];
      }
      A[j][column] = Expr(0);
    }
  }
  return true;
}

codegen::Tape reduced_tape(const Equations& eq, Reduction& r) {
  const std::size_t n = eq.q.size(), k = r.rows.size(), p = r.independent.size();
  TapeBuilder tape(r.inputs, eq.parameters);
  Margin margin(tape);
  define_velocities(tape, eq, r);
  const Solved s = solve_for(tape, eq, r.rows, r.dependent, Wanted::accelerations);
  ValueMatrix M(n, n, tape.constant(0));
  for (const auto& entry : eq.M) {
    M(entry.row, entry.column) = tape.lower(entry.value);
    M(entry.column, entry.row) = M(entry.row, entry.column);
  }
  std::vector<Value> F;  // Q + C - M [0; g]
  for (std::size_t i = 0; i < n; ++i) {
    Value sum = tape.add(tape.lower(eq.Q[i]), tape.lower(eq.C[i]));
    for (std::size_t j = 0; j < k; ++j)
      sum = tape.subtract(sum, tape.multiply(M(i, s.dependent[j]), s.g[j]));
    F.push_back(sum);
  }
  // Rows, then columns of T^T M T.
  ValueMatrix half(p, n, tape.constant(0));
  std::vector<Value> right;
  for (std::size_t a = 0; a < p; ++a) {
    const std::size_t i = r.independent[a];
    Value sum = F[i];
    for (std::size_t c = 0; c < n; ++c) half(a, c) = M(i, c);
    for (std::size_t j = 0; j < k; ++j) {
      const Value factor = s.E(j, i);
      if (tape.is_zero(factor)) continue;
      sum = tape.subtract(sum, tape.multiply(factor, F[s.dependent[j]]));
      for (std::size_t c = 0; c < n; ++c)
        half(a, c) = tape.subtract(half(a, c), tape.multiply(factor, M(s.dependent[j], c)));
    }
    right.push_back(sum);
  }
  ValueMatrix reduced(p, p, tape.constant(0));
  for (std::size_t a = 0; a < p; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const std::size_t i = r.independent[b];
      Value sum = half(a, i);
      for (std::size_t j = 0; j < k; ++j)
        sum = tape.subtract(sum, tape.multiply(s.E(j, i), half(a, s.dependent[j])));
      reduced(a, b) = sum;
    }
  }
  const codegen::WrittenLdl factor(tape, std::move(reduced), least_mass_pivot, margin);
  const std::vector<Value> u_rate = factor.solve(right);
  std::vector<Value> outputs;
  for (const Expr& v : eq.v) outputs.push_back(tape.lower(v));
  outputs.insert(outputs.end(), u_rate.begin(), u_rate.end());
  outputs.push_back(margin.doubt());
  return tape.finish(outputs);
}

}  // namespace

void define_velocities(TapeBuilder& tape, const Equations& eq, const Reduction& r) {
  const Solved s = solve_for(tape, eq, r.rows, r.dependent, Wanted::velocities);
  for (std::size_t j = 0; j < r.rows.size(); ++j) {
    Value v = s.e[j];
    for (const std::size_t i : r.independent)
      v = tape.subtract(v, tape.multiply(s.E(j, i), tape.lower(eq.v[i])));
    tape.define(eq.v[s.dependent[j]], v);
  }
}

std::optional<Reduction> reduce(const Motion& motion, const State& start,
                                const std::vector<std::size_t>& rows, const codegen::Tape& rival) {
  const Equations& eq = motion.equations();
  if (rows.empty() || !is_reducible(eq)) return std::nullopt;
  Reduction r;
  const expr::Values values = values_at(motion.model(), motion.parameters(), start);
  if (!find_pivots(eq, rows, values, r.rows, r.dependent)) return std::nullopt;
  for (std::size_t i = 0; i < eq.q.size(); ++i) {
    if (std::ranges::find(r.dependent, i) == r.dependent.end()) r.independent.push_back(i);
  }
  r.inputs.push_back(expr::time());
  r.inputs.insert(r.inputs.end(), eq.q.begin(), eq.q.end());
  for (const std::size_t i : r.independent) r.inputs.push_back(eq.v[i]);
  r.derivative = reduced_tape(eq, r);
  const auto length = [](const codegen::Tape& tape) { return tape.code.size() - tape.prologue; };
  if (length(r.derivative) >= length(rival)) return std::nullopt;
  return r;
}

}  // namespace dalembert::motion
