#pragma once
/// A step by the Taylor series of the motion, for W runs at once (motion/lanes.hpp), each with its
/// own time and its own length of step:
///
///     y(t + h) = y_0 + y_1 h + ... + y_p h^p,
///
/// the coefficients from the tape of y' = f(t, y) (codegen/series.hpp). The order p follows from
/// the tolerance, p = 4 + ln(c / rtol) / 2, and the length of a step from the coefficients: with
/// the scale sc_i = atol_i + rtol |y_i| of each entry
///
///     |y_k|_i h^k <= sc_i / c   for k = p - 1 and p,
///
/// c = 16 down to rtol = 1e-12 and 16 (1e-12 / rtol) beyond.
///
/// What the coefficients cannot show, a pole between two steps, shows where the step
/// ends: the polynomial's slope there is compared with f. A step is good where
///
///     h |f(t + h, y) - y'(t + h)|_i <= (p + 1) sc_i,
///
/// which is some fifty times the usual. All samples within a step are values of its polynomial.
///
/// Rates with kinks in the state are expanded on the side on which the motion stands, and a step
/// ends where it comes to the other (motion/steps/kinks.hpp).
///
/// What rounding takes from a sum y_0 + (y_1 h + ...) is kept and given to the next, so that over
/// many steps only what the coefficients lack adds up: some epsilon h |y'| a step, of either sign.

#include "dalembert/codegen/series_kernel.hpp"
#include "dalembert/flow/tapes/lane_flow.hpp"
#include "dalembert/motion/steps/kinks.hpp"
#include "dalembert/motion/steps/lane_arithmetic.hpp"

namespace dalembert::motion {

/// p, for a tolerance.
std::uint32_t taylor_order(double rtol);

/// Whether a tolerance asks for a series that divides exactly (codegen/series.hpp).
bool is_exact(double rtol);

/// The series of a flow, made when first asked for.
const codegen::SeriesKernel& series_kernel(const LaneFlow& flow, bool exact);

/// The series by which steps are taken.
const codegen::Series& taylor_series(const LaneFlow& flow, double rtol);

class TaylorStep {
 public:
  /// `arithmetic` as the lanes of the flow. All arguments must outlive it.
  TaylorStep(const LaneFlow& flow, const LaneArithmetic& arithmetic,
             std::span<const double> parameters, double rtol);

  /// The motion of a lane goes on somewhere else.
  void place(std::size_t lane, std::span<const double> parameters);

  /// The coefficients at t and y of all lanes; step.started tells which have any. The longest step
  /// they allow then stands in longest().
  void expand(LaneStep& step);
  const double* longest() const { return longest_.data(); }
  /// Where a step from t of length h must end before its time: h, and what it may be cut to.
  std::optional<double> kink_within(std::size_t lane, double t, double h);
  /// The step of a lane was accepted.
  void take(std::size_t lane);

  /// y_new and the error of each lane for the lengths in step.h; `derivative` t y -> y' doubt as in
  /// LaneArithmetic.
  void attempt(LaneKernel& derivative, LaneStep& step);

  /// y at t + theta h, and y' there.
  void interpolate(const LaneStep& step, const double* theta, double* y) const;
  void interpolate_slope(const LaneStep& step, const double* theta, double* slope) const;

 private:
  SeriesView view() const;
  void bind_levels(std::size_t lane);
  bool correct_levels();
  bool turn_levels();

  const codegen::SwitchedKernels* switched_;  ///< null where there are no kinks
  const codegen::SeriesKernel& kernel_;
  const LaneArithmetic& arithmetic_;
  std::uint32_t p_;
  double share_;
  std::size_t size_, W_;
  codegen::SeriesWorkspace workspace_;
  codegen::AlignedVector longest_, before_, slope_;
  codegen::AlignedVector lost_, lost_new_;       ///< by rounding, of y at both ends of the step
  LaneKernel derivative_;                        ///< with levels, where there are any
  std::vector<LaneSwitches> switches_;           ///< of each lane
  std::vector<std::vector<double>> parameters_;  ///< of each lane, the levels last
  mutable codegen::AlignedVector part_;          ///< scratch
};

}  // namespace dalembert::motion
