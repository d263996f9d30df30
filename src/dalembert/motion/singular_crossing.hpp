#pragma once
/// Carrying a motion through a singular configuration of its position constraints on the branch on
/// which it came.
///
/// Where two branches of phi(q,t) = 0 cross, as for a parallelogram flat on its line, the rank of A
/// drops, and at a distance tau from there the smallest singular value is O(tau): A_M^+ makes
/// eps/tau, eps/tau^2, eps/tau^3 of the rounding of positions, velocities and accelerations, and
/// beside the constraints the accelerations are not smooth. On its branch the motion is. So it is
/// stepped over the place rather than onto it:
///
///   * The heights of the independent rows, g_i = dist(B_i, span of B_1 ... B_(i-1)), tell where:
///     the rank drops where one of them vanishes. g_i^2 is smooth, with its minimum there.
///   * Close to it the derivative of a step is f(t, P(y)), P the projection onto the constraints:
///     that is smooth on the branch and around it, so the order of the method is kept.
///   * A leap is an ordinary step whose length puts the place into the middle of the widest gap
///     between its stages, (1/3, 3/5) h: no stage comes closer than about 0.07 h. Its error is
///     estimated as that of any step.
///   * Before it is accepted the place is looked at. Eight states of the step, projected onto the
///     constraints, give an interpolant of degree 7; within the gap that must satisfy the
///     constraints like a projected state (projection_tolerance) and find the rank lower somewhere.
///     A mechanism that comes close to a singular configuration and turns away (its branches do not
///     cross, they only come near) does not pass this test, and is carried by short steps.
///
/// Samples next to the place are taken from the interpolant: positions, velocities, accelerations
/// and non-ideal forces; the ideal force follows from them. Nothing allocates after construction.

#include <Eigen/Core>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "dalembert/motion/simulation_core.hpp"
#include "dalembert/motion/steps/rk8.hpp"

namespace dalembert::motion {

class SingularCrossing {
 public:
  static constexpr double nowhere = std::numeric_limits<double>::infinity();
  /// Where in a leap the singular configuration should stand, as a part of its length.
  static constexpr double middle = 7.0 / 15.0;

  explicit SingularCrossing(SimulationCore& core);

  /// Whether the motion starts in a singular configuration: along its velocities the position
  /// constraints have a higher rank. Before begin. Evaluates only where rows are dependent at the
  /// start; allocates.
  bool starts_singular();
  int start_rank() const { return start_rank_; }  ///< of the position constraints, at the start
  /// Leads a motion out of a singular configuration, on the branch to which its velocities belong:
  /// finds a state on the constraints a little later from which a step back, laid over the start
  /// like a leap, meets the start. Leaves the core there, with the step in `stepper` and the
  /// samples before it to be taken as after a leap. False if there is none; the core is then of no
  /// use.
  bool lead_out(Rk8& stepper, Derivative derivative);

  /// What was seen so far is what the start of the motion tells; `restart` forgets what came after.
  void remember_start();
  void restart();
  /// Looks around at core.t(), after begin and each accepted step. O(n + m).
  void arrive();
  /// The time from here to a singular configuration, if one lies within about 1.5 steps of length
  /// h; else `nowhere`. As a rule that costs nothing; where the approach of one cannot be ruled
  /// out, a few evaluations of the constraints.
  double distance(double h);
  /// Whether a singular configuration may lie within a few steps of length h, as far as the last
  /// two arrivals tell.
  bool approaches(double h) const;
  /// How far the rank is from dropping here: the smallest singular value of the normalised rows,
  /// times the part of its usual length that is left of the row that has lost most.
  double clearance() const { return sigma_ * weakest_row_; }
  /// Whether so little of that is left that rounding, 16 eps / s^2, makes more than 1e-3 of the
  /// velocities: from here on it would choose the branch.
  bool lost() const;
  /// Whether a step of length h from `start` to the projected state core.y() leads over a singular
  /// configuration that was not seen ahead, as long steps may; `distance` knows of it then. Two
  /// evaluations of the constraints where the clearance is known to vary, else nothing.
  bool overlooked(std::span<const double> start, double h);
  /// Whether core.y(), just projected at the time t, lies so close to a singular configuration,
  /// compared with the start of the step, that the step had better end elsewhere.
  bool too_close(double t);

  enum class Verdict {
    passed,
    misplaced,  ///< it lies elsewhere in the step: `distance` now knows better
    refused     ///< the constraints are not satisfied on the way, or no rank is lost there
  };
  /// Examines a leap of length h to the projected state core.y(); the stepper can interpolate.
  Verdict examine(const Rk8& stepper, double h);

  // After a leap has passed.
  bool covers(double time) const;  ///< whether a sample is to be taken from the interpolant
  /// The state at such a time; the evaluator is left with what belongs to it.
  void sample(double time, std::span<double> y);
  double t_singular() const { return t_singular_; }
  int rank_lost() const { return rank_lost_; }

 private:
  static constexpr std::size_t node_count = 8;
  /// Of the interpolant, as parts of the step; the gap is between the fourth and the fifth.
  static constexpr std::array<double, node_count> nodes = {0.0, 0.12, 0.25, 1.0 / 3.0,
                                                           0.6, 0.7,  0.85, 1.0};
  static constexpr double gap_start = nodes[3], gap_end = nodes[4];

  bool laid_over(const Rk8& stepper, std::span<const double> met, double t);
  bool gather_nodes(const Rk8& stepper, double h);
  void interpolate(double theta);
  void find_jerk(double dt);
  template <class Path>
  double find_least(const Path& path, double center, double width, int rounds);

  SimulationCore& core_;
  bool enabled_;
  std::size_t n_, size_;
  std::vector<double> row_norms_;               ///< the largest seen, by constraint
  std::vector<double> start_norms_;             ///< at the start
  std::vector<double> heights_;                 ///< at the start of the step
  std::vector<double> acceleration_, jerk_;     ///< there
  std::vector<double> q_, v_;                   ///< scratch
  Eigen::MatrixXd squares_;                     ///< of heights, at five places in a step
  Eigen::MatrixXd node_values_;                 ///< y, q'', Q_nonideal; one column a node
  Eigen::VectorXd values_;                      ///< of the interpolant
  double t_ = 0, sigma_ = 1, weakest_row_ = 1;  ///< at the last arrival
  long arrivals_ = 0;
  double most_clearance_ = 0, least_clearance_ = nowhere;
  double start_clearance_ = 0;
  double expected_ = 0;  ///< time to a singular configuration, estimated from the last two arrivals
  double distance_ = nowhere;
  bool distance_known_ = false;
  bool probed_ = false;  ///< the projector has measured other heights since it projected
  int corrections_ = 0;  ///< of the distance, here
  int row_ = 0;          ///< whose height vanishes
  int start_rank_ = 0;
  double h_ = 0, t_singular_ = 0;
  int rank_lost_ = 0;
  double residual_ = 0;  ///< of the interpolant beside the place: there a row may be nothing at all
};

}  // namespace dalembert::motion
