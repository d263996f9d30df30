#include "dalembert/mechanics/manifold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/mechanics/split.hpp"

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

/// x with J x = r of least length where J has dependent rows: x = J^T y with S y = r, S = J J^T,
/// for the rows that Cholesky's factorisation with the largest pivots takes, those below 1e-9 left
/// out. S itself, as large as the square of the number of rows, is not formed: of L, S = L L^T,
/// there are as many columns as J has independent ones.
std::vector<double> least_step(const std::vector<std::vector<double>>& J,
                               const std::vector<double>& r) {
  const std::size_t m = J.size(), n = J.front().size();
  std::vector<double> pivot(m);  // what is left of the diagonal of S
  for (std::size_t i = 0; i < m; ++i)
    pivot[i] = std::inner_product(J[i].begin(), J[i].end(), J[i].begin(), 0.0);
  const double largest = *std::max_element(pivot.begin(), pivot.end());
  std::vector<std::vector<double>> L;  // by columns
  std::vector<std::size_t> taken;
  std::vector<bool> used(m, false);
  while (taken.size() < n) {
    std::size_t best = m;
    for (std::size_t i = 0; i < m; ++i) {
      if (!used[i] && (best == m || pivot[i] > pivot[best])) best = i;
    }
    if (best == m || !(pivot[best] > 1e-9 * largest)) break;
    used[best] = true;
    taken.push_back(best);
    const double root = std::sqrt(pivot[best]);
    std::vector<double> column(m, 0);
    for (std::size_t i = 0; i < m; ++i) {
      if (used[i] && i != best) continue;
      double entry = std::inner_product(J[i].begin(), J[i].end(), J[best].begin(), 0.0);
      for (const std::vector<double>& before : L) entry -= before[i] * before[best];
      column[i] = entry / root;
      pivot[i] -= column[i] * column[i];
    }
    L.push_back(std::move(column));
    expr::Effort::poll();
  }
  const std::size_t rank = taken.size();
  std::vector<double> y(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    y[i] = r[taken[i]];
    for (std::size_t k = 0; k < i; ++k) y[i] -= L[k][taken[i]] * y[k];
    y[i] /= L[i][taken[i]];
  }
  for (std::size_t i = rank; i-- > 0;) {
    for (std::size_t k = i + 1; k < rank; ++k) y[i] -= L[i][taken[k]] * y[k];
    y[i] /= L[i][taken[i]];
  }
  std::vector<double> x(n, 0);
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t k = 0; k < n; ++k) x[k] += J[taken[i]][k] * y[i];
  }
  return x;
}

Rational exactly(double x) {
  return Rational(x);
}

/// The nearest multiple of 10^-(digits + 10), finer for small x, so that numbers do not grow from
/// step to step.
Rational rounded(const Rational& x, int digits) {
  constexpr double small = 1e-3, least = 1e-300;
  const double size = std::abs(x.get_d());
  const int further =
      size < small ? static_cast<int>(std::ceil(-std::log10(std::max(size, least)))) : 0;
  mpz_class scale;
  mpz_ui_pow_ui(scale.get_mpz_t(), 10, static_cast<unsigned long>(digits + further) + 10);
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
    if (symbol.kind == SymbolKind::coordinate && symbol.order < 2)
      return (symbol.order == 0 ? point.positions : point.velocities).at(symbol.name);
    const std::string key =
        fmt::format("{}:{}:{}", static_cast<int>(symbol.kind), symbol.order, symbol.name);
    const auto found = point.others.find(key);
    if (found != point.others.end()) return found->second;
    return point.others.emplace(key, small_number(random)).first->second;
  };
}

namespace {

/// Newton steps on `unknowns` until no residual is more than 10^-digits of what its terms make,
/// sum_k |dr/dx_k| max(|x_k|, 1e-6 max_i |x_i|); false if that does not converge. The second part
/// is for unknowns that vanish, as in w = 0, whose own size says nothing.
bool satisfy(const std::vector<Expr>& residuals, const std::vector<Expr>& symbols,
             const std::vector<Rational*>& unknowns,
             const std::function<Rational(const expr::Symbol&)>& values, int digits) {
  if (residuals.empty()) return true;
  std::vector<std::vector<Expr>> slopes;
  slopes.reserve(residuals.size());
  for (const Expr& residual : residuals) slopes.push_back(expr::gradient(residual, symbols));
  const double enough = std::pow(10.0, -digits);
  for (int step = 0; step < 60; ++step) {
    const auto now = expr::evaluate_precisely(residuals, values, digits + 10);
    std::vector<double> r;
    for (const auto& value : now) {
      if (!value) return false;
      r.push_back(value->middle.get_d());
    }
    std::vector<std::vector<double>> J;
    bool satisfied = true;
    double largest = 0;
    for (const Rational* x : unknowns) largest = std::max(largest, std::abs(x->get_d()));
    for (std::size_t j = 0; j < slopes.size(); ++j) {
      J.emplace_back();
      double scale = 0;
      for (std::size_t k = 0; k < slopes[j].size(); ++k) {
        const double slope = expr::evaluate(
            slopes[j][k], [&values](const expr::Symbol& symbol) { return values(symbol).get_d(); });
        if (!std::isfinite(slope)) return false;
        J.back().push_back(slope);
        scale += std::abs(slope) * std::max(std::abs(unknowns[k]->get_d()), 1e-6 * largest);
      }
      satisfied = satisfied && std::abs(r[j]) <= enough * (scale > 0 ? scale : 1);
    }
    if (satisfied) return true;
    const std::vector<double> change = least_step(J, r);
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      *unknowns[i] = rounded(*unknowns[i] - exactly(change[i]), digits);
  }
  return false;
}

}  // namespace

std::optional<Point> random_point(const model::Model& model, const Equations& eq,
                                  const expr::Values& reference, std::mt19937_64& random,
                                  int digits) {
  Point point;
  for (const auto& parameter : model.parameters) {
    const double value = reference({SymbolKind::parameter, 0, parameter.name});
    point.parameters[parameter.name] = expr::rational_from_double(value);
  }
  point.t = exactly(reference({SymbolKind::time, 0, "t"})) + small_number(random) / 128;
  // Small steps, in the size of the model's own numbers: they are to stay on the branch of the
  // given state.
  double size = 0;
  for (const std::string& name : model.coordinates)
    size = std::max(size, std::abs(reference({SymbolKind::coordinate, 0, name})));
  if (size == 0) size = 1;
  std::vector<Rational*> positions, velocities;
  for (const std::string& name : model.coordinates) {
    Rational& q = point.positions[name];
    Rational& v = point.velocities[name];
    const double given = reference({SymbolKind::coordinate, 0, name});
    q = exactly(given) +
        small_number(random) * exactly((given != 0 ? std::abs(given) : size) / 128);
    v = exactly(reference({SymbolKind::coordinate, 1, name})) + small_number(random) / 2;
    positions.push_back(&q);
    velocities.push_back(&v);
  }
  std::vector<Expr> residuals, rates;
  for (const ConstraintRow& row : eq.constraints) {
    if (row.level == Level::position) residuals.push_back(row.residual);
    if (row.level != Level::acceleration) rates.push_back(row.rate);
  }
  const auto values = values_of(point, random);
  if (!satisfy(residuals, eq.q, positions, values, digits)) return std::nullopt;
  if (!satisfy(rates, eq.v, velocities, values, digits)) return std::nullopt;
  return point;
}

expr::Values generic_values(const model::Model& model, const Equations& eq,
                            const expr::Values& reference) {
  constexpr int digits = 15, tries = 8;
  std::mt19937_64 random(17430119);
  for (int i = 0; i < tries; ++i) {
    const auto point = random_point(model, eq, reference, random, digits);
    if (!point) continue;
    const auto held = std::make_shared<const Point>(*point);
    return [held, reference](const expr::Symbol& symbol) {
      if (symbol.kind == SymbolKind::time) return held->t.get_d();
      if (symbol.kind == SymbolKind::coordinate && symbol.order < 2)
        return (symbol.order == 0 ? held->positions : held->velocities).at(symbol.name).get_d();
      return reference(symbol);
    };
  }
  return reference;
}

Reference reference_near(const model::Model& model, const Equations& eq, const expr::Values& given,
                         std::optional<std::size_t> rank) {
  Reference result{given, 0, 0};
  result.rank_given = rank ? *rank : split_coordinates(model, eq, given).rows.size();
  result.rank = result.rank_given;
  const expr::Values generic = generic_values(model, eq, given);
  const std::size_t around = split_coordinates(model, eq, generic).rows.size();
  if (around > result.rank) {
    result.rank = around;
    result.values = generic;
  }
  return result;
}

}  // namespace dalembert::mechanics
