#pragma once
/// Ranges of functions of time: what a tape in t takes on over an interval, by interval arithmetic.
///
///     f([a, b])  ⊂  F ∩ (f(m) + F' [a - m, b - m]),     m = (a + b) / 2,
///
/// F and F' being the natural extensions of f and f', computed together, operation by operation.
/// The second form shrinks with the square of b - a where the first, by operands that occur more
/// than once, shrinks with b - a only. Rounding is not accounted for: a range is right to a few
/// units in the last place.

#include <span>
#include <vector>

#include "dalembert/codegen/tape.hpp"
#include "dalembert/expr/range.hpp"
#include "dalembert/solve/rooms.hpp"

namespace dalembert::flow {

using expr::Range;

/// The tape has one input, t, and must outlive this. Nothing allocates after construction.
class TimeRanges {
 public:
  explicit TimeRanges(const codegen::Tape& tape);

  void bind(std::span<const double> parameters);

  /// All outputs at an instant.
  void look_at(double t);
  double value(std::size_t output) const { return values_[tape_.outputs[output]]; }

  /// All outputs and their rates over a <= t <= b; `value` is then that in the middle.
  void look_over(double a, double b);
  Range range(std::size_t output) const { return ranges_[tape_.outputs[output]].value; }
  Range rate(std::size_t output) const { return ranges_[tape_.outputs[output]].rate; }

 private:
  expr::Moving operate(const codegen::Instruction& instruction) const;

  const codegen::Tape& tape_;
  std::vector<double> values_;        ///< of all registers
  std::vector<expr::Moving> ranges_;  ///< likewise
};

}  // namespace dalembert::flow
