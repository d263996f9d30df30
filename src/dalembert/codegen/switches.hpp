#pragma once
/// Rates with kinks, made smooth. Each |x|, sign, min, max, floor and `choose` that asks about more
/// than t and parameters becomes a *switch*: what it does depends on its level s, a parameter more,
/// and no longer on its argument g,
///
///     |x| = s x,  sign x = s,  min, max, choose: one side or the other   g s >= 0,  s = -1, 0, 1
///     floor x = s                                                   s <= g < s + 1
///
/// With all levels held the rates are analytic, on both sides of where g passes a bound of its
/// level. Where it does, another level begins to hold (motion/steps/kinks.hpp).

#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/codegen/series_kernel.hpp"

namespace dalembert::codegen {

enum class SwitchKind : std::uint8_t { side, whole };  ///< by the sign of g; by the floor of g

struct SwitchedTape {
  /// The parameters of f, then the levels; the outputs of f, then the arguments g.
  Tape tape;
  std::vector<SwitchKind> kinds;
};

/// Of the switches on which the first `outputs` of f depend. O(operations).
SwitchedTape make_switched(const Tape& f, std::size_t outputs);

/// Ready to run in W lanes.
struct SwitchedKernels {
  std::vector<SwitchKind> kinds;
  Kernel derivative;
  SeriesKernel series;  ///< the coefficients of all g with it
};

/// `exact`: its series (codegen/series.hpp).
SwitchedKernels switched_kernels(const Tape& f, std::size_t outputs, bool exact,
                                 const KernelOptions& options);

}  // namespace dalembert::codegen
