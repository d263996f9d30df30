#pragma once

/// Random constrained systems for property tests, and the textbook formulas in extended precision
/// to judge answers by.

#include <rapidcheck.h>
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

namespace dalembert::property {

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// M q'' = Q + Q^c, A q'' = b with b in the range of A. All entries are small dyadic numbers, hence
/// exact, but for b, which is A x rounded at most once per entry and exact as well for the sizes
/// used.
struct System {
  Eigen::MatrixXd M, A;
  Eigen::VectorXd Q, b, C;
  int n() const { return static_cast<int>(M.rows()); }
  int m() const { return static_cast<int>(A.rows()); }
};

inline std::ostream& operator<<(std::ostream& out, const System& s) {
  return out << "M =\n"
             << s.M << "\nA =\n"
             << s.A << "\nQ = " << s.Q.transpose() << "\nb = " << s.b.transpose()
             << "\nC = " << s.C.transpose() << '\n';
}

/// Uniform on low..high, whatever the size of the test case.
inline int random_integer(int low, int high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
}

inline Eigen::MatrixXd random_matrix(int rows, int columns) {
  Eigen::MatrixXd X(rows, columns);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) X(i, j) = random_integer(-8, 8) / 4.0;
  }
  return X;
}

/// n 1..8, m 0..10, A = X Y with X m×r and Y r×n, r 0..min(m, n); M of full rank, or singular, in
/// units that are powers of two between 1/16 and 16.
inline System random_system(bool singular = false) {
  const int n = random_integer(1, 8), m = random_integer(0, 10);
  const int r = random_integer(0, std::min(m, n));
  System s;
  const int mass_rank = singular ? random_integer(std::max(0, n - r - 1), n - 1) : n;
  const Eigen::MatrixXd G = random_matrix(n, mass_rank);
  s.M = G * G.transpose();
  if (!singular) s.M += 0.5 * Eigen::MatrixXd::Identity(n, n);
  s.A = random_matrix(m, r) * random_matrix(r, n);
  for (int i = 0; i < n; ++i) {
    const double unit = std::ldexp(1.0, random_integer(-4, 4));
    s.M.row(i) *= unit;
    s.M.col(i) *= unit;
    s.A.col(i) *= unit;
  }
  s.b = s.A * random_matrix(n, 1);
  s.Q = random_matrix(n, 1);
  s.C = random_matrix(n, 1);
  return s;
}

/// Singular values of X decide its rank: entries are dyadic with few digits, so that a singular
/// value is either rounding of the extended precision or far above it.
inline int rank_of(const Matrix& X) {
  if (X.size() == 0) return 0;
  const Vector sigma = Eigen::JacobiSVD<Matrix>(X).singularValues();
  int rank = 0;
  for (Eigen::Index i = 0; i < sigma.size(); ++i)
    rank += sigma(i) > 1e-13L * sigma(0) && sigma(i) > 0;
  return rank;
}

inline Matrix pseudo_inverse(const Matrix& X) {
  if (X.size() == 0) return Matrix::Zero(X.cols(), X.rows());
  const Eigen::JacobiSVD<Matrix> svd(X, Eigen::ComputeThinU | Eigen::ComputeThinV);
  Vector inverse = svd.singularValues();
  for (Eigen::Index i = 0; i < inverse.size(); ++i) {
    const bool counts = inverse(i) > 1e-13L * svd.singularValues()(0) && inverse(i) > 0;
    inverse(i) = counts ? 1 / inverse(i) : 0;
  }
  return svd.matrixV() * inverse.asDiagonal() * svd.matrixU().transpose();
}

/// Columns span the null space of X (n columns).
inline Matrix null_space(const Matrix& X) {
  const Eigen::Index n = X.cols();
  if (X.rows() == 0) return Matrix::Identity(n, n);
  const Eigen::JacobiSVD<Matrix> svd(X, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixV().rightCols(n - rank_of(X));
}

/// The M^(1/2), B^+ form (U01.7) in extended precision, and the condition numbers that bound what
/// double can achieve.
struct Truth {
  Matrix root, inverse_root, B, A_M_plus;
  Vector a, e, ideal, nonideal, qdd, qdd_ideal, lambda;
  int rank;
  double mass_condition;        ///< of M scaled to unit diagonal
  double constraint_condition;  ///< of B with normalized rows: largest over smallest nonzero
                                ///< singular value
  double size;                  ///< of accelerations: |M^(1/2) a| + |M^(1/2) q''| + |M^(-1/2) C|

  explicit Truth(const System& s) {
    const Matrix M = s.M.cast<Real>(), A = s.A.cast<Real>();
    const Vector Q = s.Q.cast<Real>(), b = s.b.cast<Real>(), C = s.C.cast<Real>();
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(M);
    root = eigen.operatorSqrt();
    inverse_root = eigen.operatorInverseSqrt();
    B = A * inverse_root;
    const Matrix B_plus = pseudo_inverse(B);
    A_M_plus = inverse_root * B_plus;
    a = inverse_root * (inverse_root * Q);
    e = b - A * a;
    ideal = root * (B_plus * e);
    const Vector c = inverse_root * C;
    nonideal = root * (c - B_plus * (B * c));
    qdd_ideal = a + A_M_plus * e;
    qdd = qdd_ideal + inverse_root * (c - B_plus * (B * c));
    lambda = B_plus.transpose() * (B_plus * e);
    rank = rank_of(B);
    const Vector d = M.diagonal().cwiseSqrt().cwiseInverse();
    const Vector w =
        Eigen::SelfAdjointEigenSolver<Matrix>(d.asDiagonal() * M * d.asDiagonal()).eigenvalues();
    mass_condition = static_cast<double>(w(w.size() - 1) / w(0));
    Matrix normalized = B;
    for (Eigen::Index j = 0; j < B.rows(); ++j) {
      if (A.row(j).norm() > 0) normalized.row(j) /= B.row(j).norm();
    }
    constraint_condition = 1;
    if (rank > 0) {
      const Vector sigma = Eigen::JacobiSVD<Matrix>(normalized).singularValues();
      constraint_condition = static_cast<double>(sigma(0) / sigma(rank - 1));
    }
    size = static_cast<double>((root * a).norm() + (root * qdd).norm() + c.norm());
  }

  /// Bound on relative errors in the kinetic norm. Triangular solves and QR give n eps cond(M)
  /// cond(B) with a modest factor; refined normal equations behave like cond(B) while eps cond(B)^2
  /// << 1.
  double tolerance() const {
    return 64 * static_cast<double>(root.rows() + B.rows()) * kEpsilon * mass_condition *
           constraint_condition;
  }
  /// Whether double precision can be expected to find the rank and to converge in the squared
  /// formulations.
  bool fair() const { return mass_condition < 1e5 && constraint_condition < 1e4; }

  double kinetic_norm(const Vector& acceleration) const {
    return static_cast<double>((root * acceleration).norm());
  }
  double force_norm(const Vector& force) const {
    return static_cast<double>((inverse_root * force).norm());
  }
};

}  // namespace dalembert::property
