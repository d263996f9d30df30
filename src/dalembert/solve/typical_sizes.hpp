#pragma once
/// How large the quantities of a motion are, as far as a state tells: what an error is small
/// against.
///
/// Sizes travel between coordinates in the kinetic metric, which knows their units: one of size
/// x_i is worth x_i sqrt(M_ii / M_kk) of coordinate k. With the accelerations q'' of the state,
///
///     a_k = sqrt(sum_i M_ii q''_i^2 / M_kk),
///     size of q_k  = the largest of |q_k|, of the q_i that share a constraint with it,
///                    v_k^2 / a_k (|v_k| duration if a_k = 0), and 1e-3 of all q_i together,
///     size of q'_k = the largest of |q'_k|, sqrt(a_k size of q_k) and 1e-3 of all q'_i together.
///
/// A size is infinite where nothing tells it: a coordinate is zero, and those that share a
/// constraint with it are, or it has no mass.

#include <span>
#include <vector>

#include "dalembert/solve/sparse_kkt.hpp"

namespace dalembert::solve {

struct TypicalSizes {
  std::vector<double> q, v;  ///< n
  double energy;             ///< sum of M_kk v_k^2 over the sizes that are known; infinite if none
};

/// q, v, qdd and the diagonal of M (n), and where A (m×n) has entries.
TypicalSizes typical_sizes(std::span<const double> q, std::span<const double> v,
                           std::span<const double> qdd, std::span<const double> mass,
                           std::span<const Place> A, std::size_t m, double duration);

}  // namespace dalembert::solve
