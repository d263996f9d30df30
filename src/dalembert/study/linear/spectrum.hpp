#pragma once
/// Eigenvalues of a matrix whose entries are known to rounding, with their condition numbers and
/// modes.
///
/// Entries within rounding are taken for zero. What remains is put into block triangular form (the
/// strongly connected components of its graph), so that eigenvalues of states on which nothing
/// depends, and of states that depend on nothing, are found exactly. In a block of up to 12 states
/// the characteristic polynomial tells how many eigenvalues are zero: as many as its last
/// coefficients that vanish within rounding. A defective zero is then zero, and not the cube root
/// of rounding. Other eigenvalues are those of the balanced block, by QR.

#include <Eigen/Core>
#include <complex>
#include <vector>

namespace dalembert::study {

/// Why an eigenvalue is exactly zero.
enum class ZeroKind {
  none,      ///< it is not
  ignored,   ///< nothing depends on the state: a coordinate that is cyclic
  constant,  ///< the state keeps its value whatever the others do: a quantity that is conserved
  family     ///< the states of a block can be moved together without changing its rates
};

struct Spectrum {
  Eigen::VectorXcd values;  ///< by falling real part, then falling imaginary part
  /// |w| |u| / |w^H u| of left and right eigenvectors: how much the eigenvalue moves with the
  /// matrix, at most. Infinite where an eigenvalue is defective; of one that is multiple and not
  /// defective, 1 / the smallest cosine between both eigenspaces.
  Eigen::VectorXd conditions;
  /// Column i of eigenvalue i, its largest entry 1. A defective eigenvalue shows one mode again.
  Eigen::MatrixXcd modes;
  std::vector<ZeroKind> zeros;
  std::vector<std::vector<Eigen::Index>> blocks;  ///< of each eigenvalue: the states of its block
};

/// `rounding`: as large as A, how much each entry may be rounding; none of it is negative.
Spectrum calc_spectrum(const Eigen::MatrixXd& A, const Eigen::MatrixXd& rounding);

}  // namespace dalembert::study
