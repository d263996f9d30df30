#pragma once
/// The states that constraints allow, near one of them: with phi(q,t) = 0 the position constraints
/// and psi(q,v,t) = 0 all velocity-level forms,
///
///     h = rank phi_q dependent coordinates   q_D = q_D(q_I, t),
///     k = rank psi_v dependent velocities    v_D = v_D(q_I, v_I, t),
///
/// so that s = (q_I, v_I), 2n - h - k numbers, are coordinates of the motion. Independent
/// velocities are rates of independent coordinates: nonholonomic constraints take velocities away
/// and leave the coordinates. Constraints on accelerations do not restrict states.
///
///     phi_q dq = 0,     psi_q dq + A dv = 0     =>     (dq, dv) = T ds

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "dalembert/flow/linear/derivatives.hpp"

namespace dalembert::flow {

class Chart {
 public:
  /// Chosen by elimination with complete pivoting at the state last measured by `derivatives`:
  /// rows of unit length, columns scaled by 1/sqrt(M_jj). Coordinates that a model wants
  /// independent ([independent], or whose values it holds) become dependent only where others have
  /// pivots a thousand times smaller.
  Chart(const Motion& motion, const Derivatives& derivatives);

  const std::vector<Eigen::Index>& independent_q() const { return q_I_; }
  const std::vector<Eigen::Index>& independent_v() const { return v_I_; }
  Eigen::Index size() const { return std::ssize(q_I_) + std::ssize(v_I_); }
  /// "x" of the independent coordinates, then "x'" of the independent velocities.
  std::vector<std::string> names(const Motion& motion) const;

  /// The tangent map at the state last measured: 2n x (size + s), s further columns for t and the
  /// parameters of `derivatives`. Its rounding, entry by entry, in the second.
  struct Tangent {
    Eigen::MatrixXd T, rounding;
  };
  Tangent calc_tangent(const Derivatives& derivatives) const;

  /// The change of (q, v) by which dependent ones follow where phi is off by `phi` and psi by `psi`
  /// (m each) and the independent ones stay: phi_q dq = -phi, psi_q dq + A dv = -psi.
  Eigen::VectorXd calc_offset(const Derivatives& derivatives, const Eigen::VectorXd& phi,
                              const Eigen::VectorXd& psi) const;

  /// The transpose of calc_tangent, without its columns. `x` beside (q, v) becomes what stands
  /// beside the independent ones, zeros beside the others; mu and nu (m each) so that what stands
  /// beside the parameters is -(mu^T phi_p + nu^T psi_p).
  void pull_back(const Derivatives& derivatives, Eigen::VectorXd& x, Eigen::VectorXd& mu,
                 Eigen::VectorXd& nu) const;

  /// Brings the dependent coordinates and velocities of a state to where the constraints want them,
  /// by Newton's method; false if that does not converge. Leaves `derivatives` measured there.
  bool complete(Derivatives& derivatives, State& state) const;

 private:
  std::vector<Eigen::Index> rows_q_, rows_v_;  ///< independent constraints, h and k of them
  std::vector<Eigen::Index> q_D_, v_D_, q_I_, v_I_;
};

}  // namespace dalembert::flow
