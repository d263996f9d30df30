#include "dalembert/mechanics/matrix.hpp"

#include <algorithm>
#include <cmath>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/graph.hpp"

namespace dalembert::mechanics {

namespace {

/// Beyond this many nodes a short form is not looked for: it would cost more than it saves.
constexpr std::size_t largest_to_shorten = 400;
constexpr std::size_t most_terms_to_shorten = 500;  // of its polynomials
constexpr double cost_of_entry = 1.0 / 64;          // to look whether it is zero, in terms

std::size_t nodes(const Expr& e) {
  return expr::node_count(std::span(&e, 1));
}

/// Shortens entries as long as that is worth while: where large ones keep resisting, it is left.
class Shortener {
 public:
  Expr operator()(const Expr& e) {
    const std::size_t size = nodes(e);
    if (patience_ == 0) return e;
    Expr brief = shortened(e);
    if (size > large && same(brief, e)) --patience_;
    return brief;
  }

 private:
  static constexpr std::size_t large = 40;  // nodes
  int patience_ = 12;
};

}  // namespace

Matrix Matrix::identity(std::size_t size) {
  Matrix result(size, size);
  for (std::size_t i = 0; i < size; ++i) result(i, i) = 1;
  return result;
}

Matrix transpose(const Matrix& a) {
  Matrix result(a.columns(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.columns(); ++j) result(j, i) = a(i, j);
  }
  return result;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows(), b.columns());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    expr::Effort::spend(cost_of_entry * static_cast<double>(a.columns() * b.columns()));
    for (std::size_t j = 0; j < b.columns(); ++j) {
      std::vector<Expr> terms;
      for (std::size_t l = 0; l < a.columns(); ++l) {
        if (!a(i, l).is_zero() && !b(l, j).is_zero()) terms.push_back(a(i, l) * b(l, j));
      }
      result(i, j) = expr::sum(terms);
    }
  }
  return result;
}

std::vector<Expr> operator*(const Matrix& a, const std::vector<Expr>& x) {
  std::vector<Expr> result;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    std::vector<Expr> terms;
    for (std::size_t j = 0; j < a.columns(); ++j) {
      if (!a(i, j).is_zero() && !x[j].is_zero()) terms.push_back(a(i, j) * x[j]);
    }
    result.push_back(expr::sum(terms));
  }
  return result;
}

Expr dot(const std::vector<Expr>& x, const std::vector<Expr>& y) {
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!x[i].is_zero() && !y[i].is_zero()) terms.push_back(x[i] * y[i]);
  }
  return expr::sum(terms);
}

Expr shortened(const Expr& e) {
  const std::size_t size = nodes(e);
  if (size < 3 || size > largest_to_shorten) return e;
  expr::SimplifyOptions options;
  options.terms = most_terms_to_shorten;
  Expr brief = expr::simplify(e, options);
  return nodes(brief) < size ? brief : e;
}

void shorten(std::vector<Expr>& list) {
  for (Expr& e : list) e = shortened(e);
}

std::optional<Matrix> solve(Matrix a, Matrix right, const expr::Values& values) {
  const std::size_t size = a.rows();
  Shortener shorter;
  std::vector<std::size_t> pivot_row(size);  // of each column
  std::vector<bool> used(size, false);
  for (std::size_t column = 0; column < size; ++column) {
    expr::Effort::spend(cost_of_entry * static_cast<double>(size * (size + right.columns())));
    // Of the rows left: among those whose entry is within a factor ten of the largest at the
    // reference state, a number is best, then the shortest entry.
    double largest = 0;
    std::vector<double> magnitude(size, 0);
    for (std::size_t i = 0; i < size; ++i) {
      if (used[i]) continue;
      double row = 0;
      for (std::size_t j = 0; j < size; ++j) {
        if (!a(i, j).is_zero()) row = std::max(row, std::abs(expr::evaluate(a(i, j), values)));
      }
      magnitude[i] = std::abs(expr::evaluate(a(i, column), values)) / (row > 0 ? row : 1);
      if (std::isfinite(magnitude[i])) largest = std::max(largest, magnitude[i]);
    }
    if (!(largest > 1e-12)) return std::nullopt;
    std::size_t best = size;
    for (std::size_t i = 0; i < size; ++i) {
      if (used[i] || !(magnitude[i] >= 0.1 * largest)) continue;
      if (best == size || nodes(a(i, column)) < nodes(a(best, column))) best = i;
    }
    used[best] = true;
    pivot_row[column] = best;
    const Expr inverse = shorter(1 / a(best, column));
    for (std::size_t j = 0; j < size; ++j) {
      if (!a(best, j).is_zero()) a(best, j) = shorter(a(best, j) * inverse);
    }
    for (std::size_t j = 0; j < right.columns(); ++j) {
      if (!right(best, j).is_zero()) right(best, j) = shorter(right(best, j) * inverse);
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (i == best || a(i, column).is_zero()) continue;
      const Expr factor = a(i, column);
      for (std::size_t j = 0; j < size; ++j) {
        if (!a(best, j).is_zero()) a(i, j) = shorter(a(i, j) - factor * a(best, j));
      }
      a(i, column) = 0;
      for (std::size_t j = 0; j < right.columns(); ++j) {
        if (!right(best, j).is_zero()) right(i, j) = shorter(right(i, j) - factor * right(best, j));
      }
    }
  }
  Matrix x(size, right.columns());
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < right.columns(); ++j) x(i, j) = right(pivot_row[i], j);
  }
  return x;
}

}  // namespace dalembert::mechanics
