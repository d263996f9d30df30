#pragma once

/// Small dense factorizations that work in memory given to them and allocate nothing. Each touches
/// columns only, hence contiguous memory. Upper triangular matrices U stand for the lower R = U^T,
/// as in M = R R^T = U^T U.

#include <Eigen/Core>
#include <vector>

#include "dalembert/solve/rooms.hpp"

namespace dalembert::solve {

inline double dot(const double* x, const double* y, Eigen::Index size) {
  if (size < 8) {
    double sum = 0;
    for (Eigen::Index i = 0; i < size; ++i) sum += x[i] * y[i];
    return sum;
  }
  return Eigen::Map<const Eigen::VectorXd>(x, size).dot(Eigen::Map<const Eigen::VectorXd>(y, size));
}

/// y += factor x.
inline void add_multiple(double factor, const double* x, double* y, Eigen::Index size) {
  for (Eigen::Index i = 0; i < size; ++i) y[i] += factor * x[i];
}

/// M = U^T U, reading the upper triangle of M and writing that of U. -1 on success, else the first
/// i whose pivot is not a finite number above tolerance * M_ii. The ratio pivot / M_ii is the pivot
/// of M scaled to unit diagonal, so the test does not depend on units. n^3/6 multiplications.
int cholesky(const Eigen::MatrixXd& M, double tolerance, Eigen::MatrixXd& U);

/// x := U^-T x with the leading size×size block of U. size^2/2 multiplications, as for the next
/// two.
void solve_lower(const Eigen::MatrixXd& U, Eigen::Index size, double* x);
/// x := U^-1 x.
void solve_upper(const Eigen::MatrixXd& U, Eigen::Index size, double* x);
/// y := U^T x.
void multiply_lower(const Eigen::MatrixXd& U, const Eigen::VectorXd& x, Eigen::VectorXd& y);

/// P H = L U in place of the square H, L with a unit diagonal. Row pivots are judged against the
/// largest entry that each row had, so that neither units nor the scale of an equation enter.
/// `swaps` (as many as rows) says which row changed places with each; `scale` (likewise) is
/// scratch. False where H is singular or not finite. n^3/3 multiplications.
bool lu(Eigen::MatrixXd& H, Eigen::VectorXd& scale, std::vector<int>& swaps);
/// x := H^-1 x by the factors of lu. n^2 multiplications.
void lu_solve(const Eigen::MatrixXd& H, const std::vector<int>& swaps, double* x);

/// One Householder step: reflects H(c:, c) to a multiple of the first unit vector, stores the
/// essential part of the reflector below the diagonal and its factor in tau(c), and reflects
/// columns c+1 to the last.
void householder_step(Eigen::MatrixXd& H, Eigen::VectorXd& tau, Eigen::Index c,
                      Eigen::Index columns);
/// x := H_(k-1) ... H_1 H_0 x = Q^T x.
void apply_reflectors_transposed(const Eigen::MatrixXd& H, const Eigen::VectorXd& tau,
                                 Eigen::Index k, double* x);
/// x := H_0 H_1 ... H_(k-1) x = Q x.
void apply_reflectors(const Eigen::MatrixXd& H, const Eigen::VectorXd& tau, Eigen::Index k,
                      double* x);

/// Swaps into column c the column, of c to columns-1, with the largest norm of H(c:, .); among
/// those within 1 % of it the one with the smallest order[.], so that earlier rows of a model are
/// preferred. Returns that norm.
double pivot(Eigen::MatrixXd& H, std::vector<int>& order, Eigen::Index c, Eigen::Index columns);

/// S = V diag(w) V^T by cyclic Jacobi rotations; the diagonal of S becomes w, unsorted. Small
/// eigenvalues of a graded positive definite S come out to full relative accuracy (Demmel & Veselic
/// 1992). O(n^3) a sweep, 5 to 10 sweeps.
void symmetric_jacobi(Eigen::MatrixXd& S, Eigen::MatrixXd& V);

/// G V = U diag(sigma) by one-sided Jacobi rotations: V (orthogonal) is filled, G is overwritten by
/// G V, whose columns are orthogonal with norms sigma, unsorted. Columns below rounding error of
/// the largest are left alone.
void one_sided_jacobi(Eigen::MatrixXd& G, Eigen::MatrixXd& V);

/// The indices of the k largest entries of w come first in index; k * size comparisons.
void select_largest(const Eigen::VectorXd& w, Eigen::Index k, std::vector<int>& index);

}  // namespace dalembert::solve
