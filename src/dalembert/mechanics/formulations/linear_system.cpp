#include "dalembert/mechanics/formulations/linear_system.hpp"

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/mechanics/formulations/parts.hpp"

namespace dalembert::mechanics {

LinearSystem linear_system(const Formulation& f, const Setting& s) {
  LinearSystem system;
  system.size = f.unknowns.size();
  // The formulation's own velocities by q'.
  expr::ExprMap own;
  for (std::size_t r = 0; r < f.rates.size(); ++r)
    own.emplace(f.rates[r], f.rates_from_velocities[r]);
  const std::vector<Expr> residuals = expr::substitute(f.residuals, own);
  const std::vector<Expr> accelerations = expr::substitute(f.accelerations, own);

  expr::ExprMap at_rest;
  for (const Expr& x : f.unknowns) at_rest.emplace(x, Expr(0));
  std::vector<Expr> wanted = f.unknowns;
  std::vector<std::uint32_t> forced;
  expr::ExprMap ideal = at_rest;
  for (std::size_t i = 0; i < s.n; ++i) {
    if (s.C[i].is_zero()) continue;
    wanted.push_back(s.C[i]);
    forced.push_back(static_cast<std::uint32_t>(i));
    ideal.emplace(s.C[i], Expr(0));
  }
  for (std::uint32_t e = 0; e < residuals.size(); ++e) {
    const std::vector<Expr> slopes = expr::gradient(residuals[e], wanted);
    for (std::uint32_t x = 0; x < system.size; ++x) {
      if (!slopes[x].is_zero()) system.H.push_back({e, x, slopes[x]});
    }
    for (std::size_t i = 0; i < forced.size(); ++i) {
      const Expr& slope = slopes[system.size + i];
      if (!slope.is_zero()) system.G.push_back({e, forced[i], -slope});
    }
    system.rho.push_back(-expr::substitute(residuals[e], ideal));
  }
  for (std::uint32_t i = 0; i < accelerations.size(); ++i) {
    const std::vector<Expr> slopes = expr::gradient(accelerations[i], f.unknowns);
    for (std::uint32_t x = 0; x < system.size; ++x) {
      if (!slopes[x].is_zero()) system.K.push_back({i, x, slopes[x]});
    }
    system.g.push_back(expr::substitute(accelerations[i], at_rest));
  }
  return system;
}

namespace {

std::optional<std::vector<Expr>> solve_for_unknowns(const Formulation& f, const Setting& s,
                                                    std::size_t longest) {
  const std::size_t size = f.unknowns.size();
  Matrix H(size, size), right(size, 1);
  expr::ExprMap at_rest;
  for (const Expr& x : f.unknowns) at_rest.emplace(x, Expr(0));
  for (std::size_t e = 0; e < size; ++e) {
    const std::vector<Expr> slopes = expr::gradient(f.residuals[e], f.unknowns);
    for (std::size_t x = 0; x < size; ++x) H(e, x) = tidy(s.with_model_C(slopes[x]));
    right(e, 0) = tidy(s.with_model_C(-expr::substitute(f.residuals[e], at_rest)));
  }
  // Numbers for the formulation's own velocities at the reference state, for the pivots.
  expr::ExprMap own;
  for (std::size_t r = 0; r < f.rates.size(); ++r)
    own.emplace(f.rates[r], f.rates_from_velocities[r]);
  const auto values = [&](const expr::Symbol& symbol) {
    const auto found = own.find(expr::symbol(symbol));
    if (found != own.end()) return expr::evaluate(found->second, s.values);
    return symbol.kind == expr::SymbolKind::auxiliary ? 1.0 : s.values(symbol);
  };
  const std::optional<Matrix> x = solve(std::move(H), std::move(right), values);
  if (!x) return std::nullopt;
  std::vector<Expr> result;
  for (std::size_t i = 0; i < size; ++i) {
    result.push_back(tidy((*x)(i, 0)));
    if (expr::to_text(result.back(), longest + 1).size() > longest) return std::nullopt;
  }
  return result;
}

}  // namespace

std::optional<std::vector<Expr>> solved(const Formulation& f, const Setting& s,
                                        std::size_t longest) {
  constexpr std::size_t most = 4;  // unknowns
  const std::size_t size = f.unknowns.size();
  if (!f.runnable || size == 0 || size > most || f.residuals.size() != size) return std::nullopt;
  return expr::within(most_effort_to_solve, [&] { return solve_for_unknowns(f, s, longest); })
      .value_or(std::nullopt);
}

}  // namespace dalembert::mechanics
