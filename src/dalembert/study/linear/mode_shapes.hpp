#pragma once
/// The modes of a linearisation as motions about its point, to be looked at.
///
/// An eigenvector u of lambda = sigma + i omega, in the states s = (q_I, v_I), moves all
/// coordinates by dq = T_q u (flow/linear/chart.hpp). It is scaled so that the largest |dq_j| is 1;
/// what is drawn is the amplitude a times
///
///     omega > 0               Re(u e^{i omega t})    over one period, without growth or decay
///     omega = 0, sigma < 0    u e^{sigma t}          over three time constants
///     omega = 0, sigma > 0    u e^{sigma (t - end)}  likewise
///     lambda = 0              u sin(2 pi t)          once to and fro; t means nothing
///
/// about the point as if that stood still. Dependent coordinates follow by Newton's method, so that
/// constraints on positions hold; where it fails, to first order.

#include <string>
#include <vector>

#include "dalembert/study/linear/linearise.hpp"

namespace dalembert::study {

class ModeShapes {
 public:
  /// The linearisation must be of the motion.
  ModeShapes(const Motion& motion, const Linearisation& linear);

  /// Whether the mode of this eigenvalue moves coordinates, and not velocities only.
  bool moves(Eigen::Index mode) const;
  /// How long it is looked at, s.
  double duration(Eigen::Index mode) const;
  /// The coordinates at a time of that, with this amplitude. The mode must move some.
  std::vector<double> coordinates(Eigen::Index mode, double t, double amplitude);

 private:
  std::complex<double> factor(Eigen::Index mode, double t) const;

  const Linearisation& linear_;
  LocalSystem system_;
  std::vector<Eigen::Index> independent_;
  Eigen::MatrixXd T_q_;      ///< n x states
  Eigen::MatrixXcd shapes_;  ///< by mode: dq, the largest 1; zero where none moves
};

}  // namespace dalembert::study
