#pragma once
/// One step of Dormand and Prince's method of order 8 (motion/steps/rk8.hpp) for W runs at once,
/// one in each lane, each with its own time and its own length of step.
///
/// Lane l of a value stands at [l]; of entry i of a vector at [i W + l]. No number of a lane ever
/// enters another, and every operation is rounded by itself: a lane has the same bits whatever W,
/// whatever instructions compute it and whatever its neighbours are.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/motion/steps/rk8_coefficients.hpp"

namespace dalembert::motion {

inline constexpr std::size_t lane_stages = motion::dop853::all_stages;

/// With one lane, so many entries of y are computed at once. Not eight, though there are such
/// vectors: the next evaluation begins as soon as the first four entries are known.
inline constexpr std::size_t lane_pack = 4;

/// A kernel with registers of its own, and where it reads and writes.
struct LaneKernel {
  LaneKernel() = default;
  LaneKernel(codegen::Kernel kernel, std::span<const double> parameters);
  LaneKernel(const LaneKernel&) = delete;
  LaneKernel& operator=(const LaneKernel&) = delete;
  LaneKernel(LaneKernel&&) = default;
  LaneKernel& operator=(LaneKernel&&) = default;

  void run() { kernel.run(workspace); }
  void bind(int lane, std::span<const double> parameters) {
    kernel.bind(workspace, lane, parameters);
  }
  /// Whether there is anything to run.
  explicit operator bool() const { return !out.empty(); }

  codegen::Kernel kernel;
  codegen::Workspace workspace;
  double* in = nullptr;            ///< input i of lane l at [i W + l]
  std::vector<const double*> out;  ///< output i of lane l at [i][l]
  /// With one lane: `out` without the last, then the place of a 0 up to a multiple of lane_pack.
  std::vector<const double*> packed;
};

/// The step of all lanes. Idle lanes have h = 0 and are computed like the others.
struct LaneStep {
  LaneStep(int lanes, std::size_t size);

  int lanes;         ///< W
  std::size_t size;  ///< of y
  double rtol = 1e-9;
  codegen::AlignedVector atol;  ///< as y: the error allowed in what is zero
  codegen::AlignedVector t, h;  ///< W: start and length
  /// At the start, and at the end: size W entries, and with one lane 0 up to a multiple of
  /// lane_pack. The states that loops take and give are as long.
  codegen::AlignedVector y, y_new;
  /// Stages, and coefficients of the continuous output: those of numbers computed at once
  /// together, so that a sum over stages reads what lies side by side.
  codegen::AlignedVector k, dense;
  codegen::AlignedVector error;  ///< W: in units of the tolerance, +inf if a stage has no value
  /// W: -1 where f has a value at the start, and at all stages of the continuous output; else 0.
  std::vector<std::int64_t, codegen::AlignedAllocator<std::int64_t>> started, dense_valued;
};

/// The kernel of a whole attempt (motion/steps/whole_step.hpp), and where its results stand: with
/// one lane each list goes on with places of a 0 up to a multiple of lane_pack.
struct StepKernel : LaneKernel {
  StepKernel() = default;
  StepKernel(codegen::Kernel kernel, std::span<const double> parameters);

  std::array<std::vector<const double*>, dop853::step_stages> k;
  std::vector<const double*> y_new, e5, e3;
  std::array<const double*, dop853::step_stages> doubt{};
};

/// The coefficients of Taylor series of all lanes: order k of entry i at [(i stride + k) W].
struct SeriesView {
  const double* coefficients;
  std::size_t stride;
  std::size_t order;  ///< p, the last
};

/// The loops over components, for one W and one instruction set. Pointers are 64-byte aligned.
/// A derivative t y -> y' doubt has a value where all of y' is finite and doubt <= 1.
struct LaneArithmetic {
  /// Stages 0 to 11, y_new and the error of each lane, as Rk8::start and Rk8::attempt.
  void (*attempt)(LaneKernel& derivative, LaneStep& step);
  /// The same by the tape of the whole; the stages stay in its kernel.
  void (*attempt_whole)(StepKernel& whole, LaneStep& step);
  /// Brings them into the step, where it stands.
  void (*fetch_stages)(const StepKernel& whole, LaneStep& step);
  /// Stages 12 to 15 and the continuous output, as Rk8::prepare_dense.
  void (*prepare_dense)(LaneKernel& derivative, LaneStep& step);
  /// y at t + theta h, 0 <= theta <= 1, as Rk8::interpolate.
  void (*interpolate)(const LaneStep& step, const double* theta, double* y);
  /// How much `projected` (q first, n of them) differs from y_new, in units of the
  /// tolerance and beyond what rounding makes of large numbers: W values.
  void (*correction)(const LaneStep& step, std::size_t n, const double* projected, double* change);
  /// error^(-1/8) of each lane, by three square roots.
  void (*eighth_root)(const double* error, double* reciprocal);
  /// x = mask ? source : x for `count` entries; the entries of source stand where `source` says.
  void (*replace)(std::size_t count, const std::int64_t* mask, const double* const* source,
                  double* x);
  /// x = mask ? x + dx : x, and best = mask ? the former x : best.
  void (*advance)(std::size_t count, const std::int64_t* mask, const double* const* dx, double* x,
                  double* best);

  // Of Taylor series (motion/steps/taylor.hpp).
  /// The largest |y_p| / sc and |y_(p-1)| / sc of each lane, sc = atol + rtol |y_0|: W values each,
  /// +inf where a coefficient is not finite.
  void (*series_norms)(const LaneStep& step, const SeriesView& series, double* last,
                       double* before);
  /// step.y_new, the sum of y_k h^k and of what was lost of y_0 by rounding; then what is lost of
  /// it in turn.
  void (*series_end)(LaneStep& step, const SeriesView& series, const double* lost,
                     double* lost_new);
  /// The sum of y_k h^k, and of k y_k h^(k-1); h of each lane.
  void (*series_value)(const LaneStep& step, const SeriesView& series, const double* h, double* y);
  void (*series_slope)(const LaneStep& step, const SeriesView& series, const double* h,
                       double* slope);
  /// step.error: the largest h |f - slope| / ((p + 1) sc), sc with y_new; +inf where the
  /// derivative, as it was run at the end of the step, has no value.
  void (*series_defect)(const LaneKernel& derivative, const double* slope, std::size_t p,
                        LaneStep& step);
};

/// For 1, 4 or 8 lanes, with the widest instructions this machine has.
const LaneArithmetic& lane_arithmetic(int lanes);

}  // namespace dalembert::motion
