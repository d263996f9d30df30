#include "dalembert/expr/vector.hpp"

#include "dalembert/expr/differentiate.hpp"

namespace dalembert::expr {

Vector operator+(const Vector& a, const Vector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

Vector operator-(const Vector& a, const Vector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

Vector operator-(const Vector& a) {
  return {-a.x, -a.y, -a.z};
}

Vector operator*(const Expr& s, const Vector& a) {
  return {s * a.x, s * a.y, s * a.z};
}

Vector operator/(const Vector& a, const Expr& s) {
  return {a.x / s, a.y / s, a.z / s};
}

Expr dot(const Vector& a, const Vector& b) {
  return sum({a.x * b.x, a.y * b.y, a.z * b.z});
}

Vector cross(const Vector& a, const Vector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

Expr norm(const Vector& a) {
  return sqrt(dot(a, a));
}

Vector time_derivative(const Vector& a) {
  return {time_derivative(a.x), time_derivative(a.y), time_derivative(a.z)};
}

bool same(const Vector& a, const Vector& b) {
  return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z);
}

Matrix Matrix::identity() {
  return diagonal({1, 1, 1});
}

Matrix Matrix::diagonal(const Vector& d) {
  Matrix result;
  for (std::size_t i = 0; i < 3; ++i) result.m[i][i] = d[i];
  return result;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix result;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      result.m[i][j] = sum({a.m[i][0] * b.m[0][j], a.m[i][1] * b.m[1][j], a.m[i][2] * b.m[2][j]});
  }
  return result;
}

Vector operator*(const Matrix& a, const Vector& v) {
  Vector result;
  for (std::size_t i = 0; i < 3; ++i)
    result[i] = sum({a.m[i][0] * v.x, a.m[i][1] * v.y, a.m[i][2] * v.z});
  return result;
}

Matrix transpose(const Matrix& a) {
  Matrix result;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) result.m[i][j] = a.m[j][i];
  }
  return result;
}

}  // namespace dalembert::expr
