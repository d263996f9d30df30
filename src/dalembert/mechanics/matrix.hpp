#pragma once
/// Dense matrices of expressions, and linear equations between them.
///
/// No inverse is ever formed: a X = right is eliminated symbolically, in an order of pivots that is
/// good at a reference state, on shared expressions. O(k^2 n) of them for k x k and k x n.

#include <optional>
#include <vector>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/expr.hpp"

namespace dalembert::mechanics {

using expr::Expr;

/// A dense matrix of expressions, zero where nothing was said.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), entries_(rows * columns) {}
  static Matrix identity(std::size_t size);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  bool empty() const { return entries_.empty(); }
  Expr& operator()(std::size_t i, std::size_t j) { return entries_[i * columns_ + j]; }
  const Expr& operator()(std::size_t i, std::size_t j) const { return entries_[i * columns_ + j]; }
  std::vector<Expr>& entries() { return entries_; }
  const std::vector<Expr>& entries() const { return entries_; }

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<Expr> entries_;
};

Matrix transpose(const Matrix& a);
Matrix operator*(const Matrix& a, const Matrix& b);
std::vector<Expr> operator*(const Matrix& a, const std::vector<Expr>& x);
/// sum x_i y_i.
Expr dot(const std::vector<Expr>& x, const std::vector<Expr>& y);

/// Each expression replaced by its short form where that has fewer nodes; zeros are recognised.
Expr shortened(const Expr& e);
void shorten(std::vector<Expr>& list);

/// X with a X = right, by elimination with pivots that are large at `values`; nothing where a is
/// singular there.
std::optional<Matrix> solve(Matrix a, Matrix right, const expr::Values& values);

}  // namespace dalembert::mechanics
