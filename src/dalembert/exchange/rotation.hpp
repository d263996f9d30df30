#pragma once
/// Vectors, rotations and moments of inertia as numbers.

#include <array>

namespace dalembert::exchange {

using Vec3 = std::array<double, 3>;
using Mat3 = std::array<Vec3, 3>;  ///< rows

Vec3 operator*(const Mat3& A, const Vec3& x);
Mat3 operator*(const Mat3& A, const Mat3& B);
Mat3 transposed(const Mat3& A);
double norm(const Vec3& x);
Vec3 cross(const Vec3& a, const Vec3& b);

/// R = Rz(yaw) Ry(pitch) Rx(roll): from the axes turned by these angles to those they are turned
/// in.
Mat3 rotation(const Vec3& rpy);

/// The eigenvalues of a symmetric matrix, in ascending order, by Jacobi's rotations.
Vec3 principal_values(Mat3 S);

}  // namespace dalembert::exchange
