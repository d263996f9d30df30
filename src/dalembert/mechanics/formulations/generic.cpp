#include "dalembert/mechanics/formulations/generic.hpp"

#include <fmt/format.h>

namespace dalembert::mechanics {

namespace {

/// A symbol where the model's entry is not zero.
Expr stand_in(const Expr& entry, const std::string& name) {
  return entry.is_zero() ? Expr(0) : expr::auxiliary(name);
}

}  // namespace

Generic make_generic(const Setting& s) {
  auto equations = std::make_unique<Equations>();
  Equations& eq = *equations;
  Generic result{std::move(equations), s.with_equations(eq)};
  Setting& g = result.setting;
  g.explain = false;
  eq.q = s.eq().q;
  eq.v = s.eq().v;
  eq.C = s.eq().C;
  eq.frictions = s.eq().frictions;
  eq.constraints = s.eq().constraints;
  for (std::size_t i = 0; i < s.n; ++i) {
    eq.Q.push_back(stand_in(s.eq().Q[i], fmt::format("Q_{}", i + 1)));
    for (std::size_t j = 0; j <= i; ++j)
      g.M(i, j) = g.M(j, i) = stand_in(s.M(i, j), fmt::format("M{}_{}", i + 1, j + 1));
  }
  Matrix AD(s.k, s.k);
  for (std::size_t j = 0; j < s.k; ++j) {
    g.b[j] = stand_in(s.b[j], fmt::format("b_{}", j + 1));
    for (std::size_t d = 0; d < s.k; ++d) {
      AD(j, d) = stand_in(s.A(j, s.split.dependent[d]), fmt::format("A{}_{}", j + 1, d + 1));
      g.A(j, s.split.dependent[d]) = AD(j, d);
    }
  }
  for (std::size_t d = 0; d < s.k; ++d) {
    for (std::size_t i = 0; i < s.r; ++i)
      g.B(d, i) = stand_in(s.B(d, i), fmt::format("beta{}_{}", d + 1, i + 1));
  }
  const Matrix AI = AD * g.B;
  for (std::size_t j = 0; j < s.k; ++j) {
    for (std::size_t i = 0; i < s.r; ++i) g.A(j, s.split.independent[i]) = -AI(j, i);
  }
  return result;
}

}  // namespace dalembert::mechanics
