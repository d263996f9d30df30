#pragma once
/// Bringing the states of W runs onto their constraints, as flow/projection.hpp does for one:
/// Newton's corrections of a flow's tapes, positions first, then velocities, each lane as often as
/// it needs. What becomes of a lane depends on no other.

#include "dalembert/flow/tapes/flow.hpp"
#include "dalembert/motion/steps/lane_arithmetic.hpp"

namespace dalembert::motion {

using LaneMasks = std::vector<std::int64_t, codegen::AlignedAllocator<std::int64_t>>;
/// Whether any lane is meant.
bool any(const LaneMasks& masks);

inline constexpr int most_corrections = 20;
/// A scaled residual with which no correction is begun.
inline constexpr double projection_goal = 1e-14;

class LaneProjector {
 public:
  /// `positions` and `velocities` as in motion::Flow, without outputs where there is nothing to
  /// project; n coordinates; `reduced`: states are (q, u), and their velocities are not projected.
  LaneProjector(codegen::Kernel positions, codegen::Kernel velocities, std::size_t n, bool reduced,
                model::Project project, int lanes, std::span<const double> parameters);

  void bind(int lane, std::span<const double> parameters);

  /// Whether project() ever changes anything.
  bool needed() const { return project_positions_ || project_velocities_; }

  /// Projects the lanes of `mask` (W entries, -1 or 0) of the states y at the times t. The others
  /// keep every bit. No allocation.
  void project(const double* t, double* y, const std::int64_t* mask);

  // After project, for its lanes.
  bool converged(std::size_t lane) const { return converged_[lane]; }
  /// The largest scaled residual left, of the levels projected.
  double residual(std::size_t lane) const { return residual_[lane]; }

  /// The same before it.
  double drift(std::size_t lane) const { return drift_[lane]; }

  /// The largest scaled residual of all levels at a state of one lane; q and v have n entries.
  double measure(std::size_t lane, double t, std::span<const double> q, std::span<const double> v);
  /// Whether `residual` leaves out a level that measure() has.
  bool leaves_out() const {
    return (positions_ && !project_positions_) || (velocities_ && !project_velocities_);
  }

 private:
  void correct(LaneKernel& level, const double* t, const double* y, double* x,
               const std::int64_t* mask);
  bool settled(const double* y, std::size_t lane, double residual) const;
  bool left_by_drift(const double* t, const double* y, std::size_t lane, double rate);
  void load(LaneKernel& level, const double* t, const double* y) const;

  LaneKernel positions_, velocities_;
  std::size_t n_, W_;
  bool reduced_, project_positions_, project_velocities_;
  const LaneArithmetic& arithmetic_;
  codegen::AlignedVector best_;
  std::vector<const double*> best_rows_;
  LaneMasks active_, undo_;
  std::vector<double> current_, residual_, drift_;
  std::vector<char> converged_;
};

}  // namespace dalembert::motion
