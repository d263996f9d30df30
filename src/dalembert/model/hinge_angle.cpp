#include "dalembert/model/hinge_angle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/model/vanishing.hpp"

namespace dalembert::model {

namespace {

using expr::Op;
using expr::Symbol;
using expr::SymbolKind;

bool moves(const Symbol& s) {
  return s.kind == SymbolKind::coordinate || s.kind == SymbolKind::time;
}

/// What moves in x and y, and the arguments of sines and the like that do.
struct Ingredients {
  std::vector<Expr> symbols, arguments;
};

Ingredients ingredients(const Expr& y, const Expr& x) {
  const std::array<Expr, 2> roots = {y, x};
  Ingredients result;
  for (const Expr& node : expr::postorder(roots)) {
    if (node.is(Op::symbol) && moves(node.symbol())) result.symbols.push_back(node);
    if (!expr::is_trigonometric(node.op())) continue;
    const Expr& argument = node.args()[0];
    const auto is_it = [&](const Expr& known) { return expr::same(known, argument); };
    if (expr::find_symbol(argument, moves) && std::ranges::none_of(result.arguments, is_it))
      result.arguments.push_back(argument);
  }
  return result;
}

/// Coefficients with which the arguments sum up to the angle but for a constant, as derivatives at
/// arbitrary places tell: d(angle)/ds = (x dy/ds - y dx/ds) / (x^2 + y^2). Empty where none do.
std::vector<expr::Rational> coefficients(const Expr& y, const Expr& x, const Ingredients& made_of) {
  constexpr double close = 1e-7;
  constexpr int places = 3, multiples_of = 12;
  const std::size_t count = made_of.arguments.size();
  std::vector<std::vector<double>> rows;  // count coefficients and the right-hand side
  const Expr square = x * x + y * y;
  for (int place = 0; place < places; ++place) {
    const auto values = [place](const Symbol& s) {
      const auto h = static_cast<double>(expr::symbol(s).hash() % 1021U);
      return 0.3 + h / 1021 + 0.37 * place;
    };
    for (const Expr& s : made_of.symbols) {
      std::vector<double> row;
      for (const Expr& argument : made_of.arguments)
        row.push_back(expr::evaluate(expr::differentiate(argument, s), values));
      row.push_back(expr::evaluate(
          (x * expr::differentiate(y, s) - y * expr::differentiate(x, s)) / square, values));
      if (!std::ranges::all_of(row, [](double value) { return std::isfinite(value); })) return {};
      rows.push_back(std::move(row));
    }
  }
  // Gauss and Jordan; an argument that depends on those before it is not needed.
  std::vector<std::size_t> pivots;
  for (std::size_t j = 0; j < count && pivots.size() < rows.size(); ++j) {
    const std::size_t top = pivots.size();
    std::size_t best = top;
    for (std::size_t i = top; i < rows.size(); ++i) {
      if (std::abs(rows[i][j]) > std::abs(rows[best][j])) best = i;
    }
    if (std::abs(rows[best][j]) < close) continue;
    std::swap(rows[top], rows[best]);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double factor = i == top ? 0 : rows[i][j] / rows[top][j];
      for (std::size_t k = j; k <= count && factor != 0; ++k) rows[i][k] -= factor * rows[top][k];
    }
    pivots.push_back(j);
  }
  for (std::size_t i = pivots.size(); i < rows.size(); ++i) {
    if (std::abs(rows[i][count]) > close) return {};
  }
  std::vector<expr::Rational> result(count, 0);
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    const double multiple = multiples_of * rows[i][count] / rows[i][pivots[i]];
    if (std::abs(multiple - std::round(multiple)) > close || std::abs(multiple) > 1e6) return {};
    result[pivots[i]] = expr::Rational(std::lround(multiple), multiples_of);
    result[pivots[i]].canonicalize();
  }
  return result;
}

}  // namespace

std::optional<Expr> smooth_angle(const Expr& y, const Expr& x) {
  const Ingredients made_of = ingredients(y, x);
  if (made_of.symbols.empty()) return atan2(y, x);  // does not move
  const std::vector<expr::Rational> n = coefficients(y, x, made_of);
  if (n.empty()) return std::nullopt;
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < n.size(); ++i) terms.push_back(Expr(n[i]) * made_of.arguments[i]);
  const Expr angle = expr::sum(terms);
  // From where everything is zero: (x, y) is (x0, y0) turned by the angle.
  expr::ExprMap nothing;
  for (const Expr& s : made_of.symbols) nothing.emplace(s, Expr(0));
  const Expr x0 = expr::substitute(x, nothing), y0 = expr::substitute(y, nothing);
  Expr turned = angle - expr::substitute(angle, nothing);
  const Expr c = cos(turned), s = sin(turned);
  const std::array<Expr, 1> one = {Expr(1)};
  const auto is_zero = [&](const Expr& e) { return vanishing(e, one).how == Vanishing::always; };
  if (!is_zero(x - (x0 * c - y0 * s)) || !is_zero(y - (x0 * s + y0 * c))) return std::nullopt;
  if (is_zero(y0) && is_zero(x0 - 1)) return turned;
  return turned + atan2(y0, x0);
}

Expr angle_near(const Expr& y, const Expr& x, const Expr& near) {
  const Expr c = cos(near), s = sin(near);
  return near + atan2(y * c - x * s, x * c + y * s);
}

}  // namespace dalembert::model
