#pragma once
/// The tapes of a flow, made ready to run in W lanes.

#include <array>
#include <memory>
#include <mutex>
#include <optional>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/codegen/series_kernel.hpp"
#include "dalembert/codegen/switches.hpp"
#include "dalembert/flow/tapes/flow.hpp"

namespace dalembert::flow {

/// A kernel made when first asked for.
template <class Kernel>
class Late {
 public:
  template <class Make>
  const Kernel& get(Make make) const {
    std::call_once(made_, [&] { kernel_ = make(); });
    return kernel_;
  }

 private:
  mutable std::once_flag made_;
  mutable Kernel kernel_;
};

/// Immutable, for all threads.
struct LaneFlow {
  LaneFlow(const Flow& flow, State idle, const codegen::KernelOptions& options);

  std::size_t n, size;
  bool reduced;
  codegen::Kernel rates;  ///< in one lane: it serves a run's start alone
  codegen::Kernel derivative, positions, velocities, sample, conditions, heights;
  State idle;  ///< where all of them have values with the model's own parameters
  int lanes;
  codegen::Engine engine;
  Late<codegen::Kernel> whole_step;  ///< of a step of rk8 (motion/steps/whole_step.hpp)
  /// For steps by Taylor series (motion/steps/taylor.hpp), exact or not; then where the rates have
  /// kinks in the state.
  std::array<Late<codegen::SeriesKernel>, 2> series;
  std::array<Late<codegen::SwitchedKernels>, 2> switched;
};

/// The flow of a model, as every motion of it uses it, whatever its parameters and its start.
struct ModelFlow {
  ModelFlow(Flow flow, const State& idle);

  static constexpr int power_lanes = 8;
  Flow flow;
  LaneFlow one_lane;
  codegen::Kernel powers;  ///< in `power_lanes` lanes: the stages of one step at once
};

/// Made when first asked for.
class FlowLibrary {
 public:
  /// Null where the model has none (make_flow), or no initial state. `motion`: with the model's own
  /// parameters. Costs milliseconds at the first call.
  const ModelFlow* get(const Motion& motion);

 private:
  std::once_flag made_;
  std::optional<ModelFlow> flow_;
};

}  // namespace dalembert::flow
