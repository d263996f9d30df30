#pragma once
/// Vectors of three components and 3x3 matrices of expressions: the geometry of space. Components
/// that vanish fold away, so a plane motion written in three dimensions costs what a plane one
/// does.

#include <array>

#include "dalembert/expr/expr.hpp"

namespace dalembert::expr {

struct Vector {
  Expr x, y, z;

  const Expr& operator[](std::size_t i) const { return i == 0 ? x : i == 1 ? y : z; }
  Expr& operator[](std::size_t i) { return i == 0 ? x : i == 1 ? y : z; }
  bool is_zero() const { return x.is_zero() && y.is_zero() && z.is_zero(); }
};

Vector operator+(const Vector& a, const Vector& b);
Vector operator-(const Vector& a, const Vector& b);
Vector operator-(const Vector& a);
Vector operator*(const Expr& s, const Vector& a);
Vector operator/(const Vector& a, const Expr& s);
Expr dot(const Vector& a, const Vector& b);
Vector cross(const Vector& a, const Vector& b);
Expr norm(const Vector& a);               ///< sqrt(a.a)
Vector time_derivative(const Vector& a);  ///< of the components, see time_derivative(Expr)
bool same(const Vector& a, const Vector& b);

/// m[i][j] is row i, column j.
struct Matrix {
  std::array<std::array<Expr, 3>, 3> m;

  static Matrix identity();
  static Matrix diagonal(const Vector& d);
  const std::array<Expr, 3>& operator[](std::size_t i) const { return m[i]; }
  std::array<Expr, 3>& operator[](std::size_t i) { return m[i]; }
  Vector column(std::size_t j) const { return {m[0][j], m[1][j], m[2][j]}; }
};

Matrix operator*(const Matrix& a, const Matrix& b);
Vector operator*(const Matrix& a, const Vector& v);
Matrix transpose(const Matrix& a);

}  // namespace dalembert::expr
