#include "dalembert/exchange/rotation.hpp"

#include <algorithm>
#include <cmath>

namespace dalembert::exchange {

Vec3 operator*(const Mat3& A, const Vec3& x) {
  Vec3 y = {};
  for (std::size_t i = 0; i < 3; ++i) y[i] = A[i][0] * x[0] + A[i][1] * x[1] + A[i][2] * x[2];
  return y;
}

Mat3 transposed(const Mat3& A) {
  Mat3 T = {};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) T[i][j] = A[j][i];
  }
  return T;
}

Mat3 operator*(const Mat3& A, const Mat3& B) {
  const Mat3 columns = transposed(B);
  return transposed({A * columns[0], A * columns[1], A * columns[2]});
}

double norm(const Vec3& x) {
  return std::hypot(x[0], x[1], x[2]);
}

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Mat3 rotation(const Vec3& rpy) {
  const double cr = std::cos(rpy[0]), sr = std::sin(rpy[0]);
  const double cp = std::cos(rpy[1]), sp = std::sin(rpy[1]);
  const double cy = std::cos(rpy[2]), sy = std::sin(rpy[2]);
  return {{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
           {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
           {-sp, cp * sr, cp * cr}}};
}

Vec3 principal_values(Mat3 S) {
  constexpr std::array<std::array<std::size_t, 2>, 3> pairs = {{{0, 1}, {0, 2}, {1, 2}}};
  constexpr int most_sweeps = 60;  // it converges quadratically; this is never reached
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    const double aside = std::abs(S[0][1]) + std::abs(S[0][2]) + std::abs(S[1][2]);
    if (aside == 0) break;
    for (const auto& [p, q] : pairs) {
      if (S[p][q] == 0) continue;
      const double angle = std::atan2(2 * S[p][q], S[q][q] - S[p][p]) / 2;
      Mat3 turn = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
      turn[p][p] = turn[q][q] = std::cos(angle);
      turn[p][q] = std::sin(angle);
      turn[q][p] = -turn[p][q];
      S = transposed(turn) * S * turn;
      S[p][q] = S[q][p] = 0;
    }
  }
  Vec3 values = {S[0][0], S[1][1], S[2][2]};
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace dalembert::exchange
