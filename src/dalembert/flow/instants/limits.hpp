#pragma once
/// Whether the limits of frictions that reactions decide are the only ones of a mode.
///
/// With l_i the limit of each such friction that slides, forces are affine in l, and so is what a
/// reaction is the magnitude of. Where limits are linear in reactions,
///
///     l_i = o_i + sum_k c_ik |n_k|,     n_k = a_k + sum_j l_j w_kj,
///
/// a_k, w_kj of up to three components. The right side contracts in some norm, and has one fixed
/// point, if the spectral radius of K_ij = sum_k |c_ik| |w_kj| is below 1. Else
///
///     one limit, c >= 0     l - o - sum c_k |n_k| is concave in l and not positive at 0; with
///                           sum c_k |w_k| > 1 it ends below zero, so that its roots come in pairs
///     |n_k| = +- n_k.u_k    a linear system for each choice of signs; all are solved
///
/// and what is left is not decided.

#include <Eigen/Core>
#include <vector>

#include "dalembert/flow/instants/modes.hpp"

namespace dalembert::flow {

struct LimitProblem {
  Eigen::VectorXd l;                ///< the limits found, not negative
  Eigen::MatrixXd c;                ///< limits x reactions
  Eigen::Matrix3Xd n;               ///< what is measured, at l, by reaction
  std::vector<Eigen::Matrix3Xd> w;  ///< how it changes with each limit
};

/// Most reactions whose signs are tried.
inline constexpr Eigen::Index most_signs = 12;

/// O(m^3) where the map contracts, else up to 2^reactions of that.
Limits judge_limits(const LimitProblem& problem);

}  // namespace dalembert::flow
