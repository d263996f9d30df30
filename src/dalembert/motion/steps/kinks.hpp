#pragma once
/// Kinks in the state, for steps by Taylor series (motion/steps/taylor.hpp): which level each
/// switch of the rates has (codegen/switches.hpp) and where in a step it leaves it.
///
/// Along a step the argument of a switch is a polynomial as y is, g(h) = g_0 + g_1 h + ... The
/// level holds as long as the *clearances* are positive, s g for a switch by the sign, g - s and
/// s + 1 - g for one by the floor. A step ends at the first zero of a clearance; there the level
/// changes, g_0 is taken to be zero whatever rounding left of it, and the new clearance must grow:
/// its first coefficient that is not zero must be positive. Where it is not, on either side, both
/// sides lead back to the kink, as a brake's does in which a body stands still: no step by series
/// begins there, and the motion is carried.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dalembert/codegen/switches.hpp"

namespace dalembert::motion {

/// The first zero in (0, h] at which c_0 + c_1 t + ... + c_n t^n, positive from 0 on, becomes
/// negative; c_0 = 0 is passed over. Two zeros closer than h 2^-52 are none. `scratch`: as many
/// numbers as first_zero_scratch(n) says. O(n^2) where Bernstein's coefficients show that there is
/// none, O(n^2) a halving else.
std::optional<double> first_zero(std::span<const double> c, double h, std::span<double> scratch);
std::size_t first_zero_scratch(std::size_t n);

/// The switches of one lane.
class LaneSwitches {
 public:
  LaneSwitches() = default;
  /// `p`: as many coefficients of an argument are known, orders 0 to p - 1.
  LaneSwitches(const std::vector<codegen::SwitchKind>& kinds, std::size_t p);

  /// The motion stands somewhere else: nothing is known of the levels.
  void forget();
  std::span<const double> levels() const { return levels_; }
  /// Whether the argument g_0 of switch j does not fit its level, which is changed then: everything
  /// of order 0 is to be found again.
  bool correct(std::size_t j, double g);
  /// Coefficient k of argument j, all of them after each expansion.
  double& coefficient(std::size_t j, std::size_t k) { return arguments_[j * p_ + k]; }
  /// Whether the level of a switch that stands at its bound does not lead away from it; it is
  /// changed then, as long as there is hope, and the motion is to be expanded again.
  bool turn();
  /// No level leads away.
  bool stuck() const { return stuck_; }

  /// Where the next step of length h must end; what changes there is remembered. `least`: closer
  /// zeros count as one.
  std::optional<double> first_exit(double h, double least);
  /// The step was accepted. Whether a level changed with it.
  bool take();

 private:
  enum class Bound : std::int8_t { none, lower, upper };
  struct Switch {
    codegen::SwitchKind kind;
    Bound at = Bound::none;          ///< it stands at this bound of its level
    Bound leaves = Bound::none;      ///< by this one, at the end of the step
    double exit = 0;                 ///< ... which is this far away
    int turns = 0, corrections = 0;  ///< since the motion came to where it stands
  };

  std::span<const double> clearance(std::size_t j, Bound bound);
  bool rests_at_bound(std::size_t j);
  static void cross(Switch& one, double& level, Bound bound);

  std::vector<Switch> switches_;
  std::size_t p_ = 0;
  std::vector<double> levels_, arguments_, clearance_, scratch_;
  bool stuck_ = false;
};

}  // namespace dalembert::motion
