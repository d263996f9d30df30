#include "dalembert/mechanics/manifold.hpp"

#include <fmt/format.h>

#include <cmath>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/print.hpp"

namespace dalembert::mechanics {

namespace {

using expr::Rational;
using expr::SymbolKind;

/// A rational with a small denominator, between -2 and 2 and not 0.
Rational small_number(std::mt19937_64& random) {
  std::uniform_int_distribution<long> numerator(1, 127);
  const long sign = std::uniform_int_distribution<int>(0, 1)(random) == 0 ? 1 : -1;
  Rational result(sign * numerator(random), 64);
  result.canonicalize();
  return result;
}

/// x with J x = r of least length where J has dependent rows: elimination of J J^T with complete
/// pivoting, pivots below 1e-9 left out.
std::vector<double> least_step(const std::vector<std::vector<double>>& J,
                               const std::vector<double>& r) {
  const std::size_t m = J.size(), n = J.front().size();
  std::vector<std::vector<double>> S(m, std::vector<double>(m + 1, 0));
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t k = 0; k < n; ++k) S[i][j] += J[i][k] * J[j][k];
    }
    S[i][m] = r[i];
  }
  double largest = 0;
  for (std::size_t i = 0; i < m; ++i) largest = std::max(largest, S[i][i]);
  std::vector<double> y(m, 0);
  std::vector<std::size_t> pivots;
  std::vector<bool> used(m, false);
  for (;;) {
    std::size_t best = m;
    for (std::size_t i = 0; i < m; ++i) {
      if (!used[i] && (best == m || S[i][i] > S[best][best])) best = i;
    }
    if (best == m || !(S[best][best] > 1e-9 * largest)) break;
    used[best] = true;
    pivots.push_back(best);
    for (std::size_t i = 0; i < m; ++i) {
      if (i == best) continue;
      const double factor = S[i][best] / S[best][best];
      for (std::size_t j = 0; j <= m; ++j) S[i][j] -= factor * S[best][j];
    }
  }
  for (const std::size_t p : pivots) y[p] = S[p][m] / S[p][p];
  std::vector<double> x(n, 0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < n; ++k) x[k] += J[i][k] * y[i];
  }
  return x;
}

Rational exactly(double x) {
  return Rational(x);
}

/// The nearest multiple of 10^-(digits + 10), so that numbers do not grow from step to step.
Rational rounded(const Rational& x, int digits) {
  mpz_class scale;
  mpz_ui_pow_ui(scale.get_mpz_t(), 10, static_cast<unsigned long>(digits) + 10);
  const Rational scaled = x * scale;
  mpz_class whole;
  mpz_fdiv_q(whole.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  Rational result(whole, scale);
  result.canonicalize();
  return result;
}

}  // namespace

std::function<Rational(const expr::Symbol&)> values_of(Point& point, std::mt19937_64& random) {
  return [&point, &random](const expr::Symbol& symbol) -> Rational {
    if (symbol.kind == SymbolKind::time) return point.t;
    if (symbol.kind == SymbolKind::parameter) return point.parameters.at(symbol.name);
    if (symbol.kind == SymbolKind::coordinate && symbol.order == 0)
      return point.positions.at(symbol.name);
    const std::string key =
        fmt::format("{}:{}:{}", static_cast<int>(symbol.kind), symbol.order, symbol.name);
    const auto found = point.others.find(key);
    if (found != point.others.end()) return found->second;
    return point.others.emplace(key, small_number(random)).first->second;
  };
}

std::optional<Point> random_point(const Setting& s, std::mt19937_64& random, int digits) {
  Point point;
  for (const auto& parameter : s.model->parameters) {
    const double value = s.values({SymbolKind::parameter, 0, parameter.name});
    point.parameters[parameter.name] = expr::rational_from_double(value);
  }
  point.t = exactly(s.values({SymbolKind::time, 0, "t"})) + small_number(random) / 8;
  for (const std::string& name : s.model->coordinates) {
    point.positions[name] =
        exactly(s.values({SymbolKind::coordinate, 0, name})) + small_number(random) / 8;
  }
  std::vector<Expr> residuals;
  for (const ConstraintRow& row : s.eq->constraints) {
    if (row.level == Level::position) residuals.push_back(row.residual);
  }
  if (residuals.empty()) return point;

  std::vector<std::vector<Expr>> slopes;
  slopes.reserve(residuals.size());
  for (const Expr& residual : residuals) slopes.push_back(expr::gradient(residual, s.eq->q));
  const auto values = values_of(point, random);
  const double enough = std::pow(10.0, -digits);
  for (int step = 0; step < 60; ++step) {
    const auto now = expr::evaluate_precisely(residuals, values, digits + 10);
    double largest = 0;
    std::vector<double> r;
    for (const auto& value : now) {
      if (!value) return std::nullopt;
      r.push_back(value->middle.get_d());
      largest = std::max(largest, std::abs(r.back()));
    }
    if (largest < enough) return point;
    std::vector<std::vector<double>> J;
    for (const auto& row : slopes) {
      J.emplace_back();
      for (const Expr& e : row) {
        J.back().push_back(expr::evaluate(
            e, [&values](const expr::Symbol& symbol) { return values(symbol).get_d(); }));
        if (!std::isfinite(J.back().back())) return std::nullopt;
      }
    }
    const std::vector<double> dq = least_step(J, r);
    for (std::size_t i = 0; i < s.n; ++i) {
      Rational& q = point.positions.at(s.coordinate_name(i));
      q = rounded(q - exactly(dq[i]), digits);
    }
  }
  return std::nullopt;
}

}  // namespace dalembert::mechanics
