#pragma once
/// Expressions of the state at many states, W at a time in SIMD lanes.

#include <memory>
#include <span>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/flow/compiled.hpp"
#include "dalembert/motion/steps/lane_arithmetic.hpp"
#include "dalembert/study/pool.hpp"
#include "dalembert/study/states/state_rows.hpp"

namespace dalembert::study {

using motion::LaneKernel;

/// A tape ready for W lanes and for one; both give the same bits.
struct StateKernels {
  StateKernels() = default;
  explicit StateKernels(const codegen::Tape& tape);

  /// About what a state costs in lanes, once there is machine code.
  double nanoseconds() const {
    return 2 + 0.1 * static_cast<double>(single.operations() + single.outputs());
  }

  codegen::Kernel lanes, single;
};

/// One thread's registers for both, made when first used.
class StateLanes {
 public:
  StateLanes(const StateKernels& kernels, std::span<const double> parameters)
      : kernels_(kernels), parameters_(parameters) {}
  LaneKernel& lanes() { return made(lanes_, kernels_.lanes); }
  LaneKernel& single() { return made(single_, kernels_.single); }

 private:
  LaneKernel& made(std::unique_ptr<LaneKernel>& kernel, const codegen::Kernel& from) {
    if (!kernel) kernel = std::make_unique<LaneKernel>(from, parameters_);
    return *kernel;
  }

  const StateKernels& kernels_;
  std::span<const double> parameters_;
  std::unique_ptr<LaneKernel> lanes_, single_;
};

/// Functions of t, q, q' and the parameters of a motion. Immutable but for registers that it keeps;
/// any number of threads may use it. What it gives for a state depends on no other state.
class StateFunction {
 public:
  /// outputs: what may be asked of a state without solving for anything.
  StateFunction(const motion::Motion& motion, const std::vector<expr::Expr>& outputs);
  /// The same functions with the parameters of another motion of the same system.
  StateFunction(const StateFunction& other, const motion::Motion& motion);

  std::size_t outputs() const { return kernels_->single.outputs(); }

  /// results (N x outputs, row after row) = f(t, q, v). What has no value there is not finite. No
  /// allocation for each state.
  void evaluate(const StateRows& states, double* results, const Sharing& sharing = {}) const;

 private:
  void evaluate_part(const StateRows& states, double* results, std::size_t begin,
                     std::size_t end) const;

  std::size_t n_;
  std::shared_ptr<const StateKernels> kernels_;
  std::vector<double> parameters_;
  mutable Pool<StateLanes> pool_;
};

}  // namespace dalembert::study
