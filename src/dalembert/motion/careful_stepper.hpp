#pragma once
/// Steps of rk8 whose right-hand side is `solve`: ranks are decided at the start of each, and a
/// singular configuration is crossed on the branch on which the motion came
/// (motion/singular_crossing.hpp). The engine hands a lane to it where the tape doubts, and takes
/// it back where the tape vouches again; a motion without a tape it takes from start to end.
///
/// What it does follows from the place handed over and from the start of the motion, not from what
/// it did before: so a run and a sweep have the same bits.

#include "dalembert/motion/lanes.hpp"
#include "dalembert/motion/simulation_core.hpp"
#include "dalembert/motion/singular_crossing.hpp"
#include "dalembert/motion/steps/rk8.hpp"

namespace dalembert::motion {

class CarefulStepper {
 public:
  explicit CarefulStepper(SimulationCore& core);

  /// From the start to the end, or as far as it comes; the summary says how that went.
  void integrate();

  /// Begins the core at the start of the motion, which a lane is to carry on. False: it is over.
  bool begin_in_lane();
  /// LaneClient::carry: from `place` until a lane can go on, and the place is that one. False: the
  /// motion is over.
  bool carry(Lanes& lanes, std::size_t lane, LanePlace& place);

 private:
  /// What the next step is to be.
  struct Plan {
    double length;
    bool last = false;   ///< it ends where a step must
    bool near = false;   ///< of a singular configuration
    bool leap = false;   ///< over it
    double closest = 1;  ///< how close a stage comes to it, as a part of the distance
  };
  /// What became of an attempt.
  struct Tried {
    double error;            ///< in units of the tolerance: above 1 the step is rejected
    double drift = 0;        ///< before projection
    bool projected = true;   ///< whether the state could be brought onto the constraints
    bool misplaced = false;  ///< the step is to be planned anew: something else lies in it
  };

  static Plan plan_step(double h, double longest, double rest, double distance);
  bool begin();
  bool lead_out();
  void start_stepping(double h);
  template <class Vouches>
  bool go_on(const Vouches& vouches);
  bool take_step();
  Tried try_step(double t_new);
  bool end_step(double from, double t_new, double behind, double drift);
  auto sampler(double from, double length);
  /// y' as the plan wants it.
  auto derivative() {
    return [this](double t, std::span<const double> y, std::span<double> dydt) {
      return plan_.near ? core_.projected_derivative(t, y, dydt) : core_.derivative(t, y, dydt);
    };
  }

  SimulationCore& core_;
  Summary& summary_;
  Rk8 stepper_;
  SingularCrossing crossing_;
  StepController controller_;
  StiffnessDetector stiffness_;
  double end_, longest_;
  double h_ = 0;  ///< of the next step, unless something stands in its way
  Plan plan_{0};
  bool begun_ = false;  ///< the core knows the start of the motion
};

}  // namespace dalembert::motion
