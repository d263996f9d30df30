#include "dalembert/flow/tapes/lane_flow.hpp"

#include <stdexcept>
#include <utility>

#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/state/singular_start.hpp"

namespace dalembert::flow {

namespace {

codegen::Kernel kernel_of(const codegen::Tape& tape, const codegen::KernelOptions& options) {
  return tape.outputs.empty() ? codegen::interpreted(tape, options.lanes)
                              : codegen::make_kernel(tape, options);
}

}  // namespace

LaneFlow::LaneFlow(const Flow& flow, State idle_state, const codegen::KernelOptions& options)
    : n(flow.n),
      size(flow.size),
      reduced(flow.reduced),
      rates(codegen::interpreted(flow.rates, 1)),
      derivative(kernel_of(flow.derivative, options)),
      positions(kernel_of(flow.positions, options)),
      velocities(kernel_of(flow.velocities, options)),
      sample(kernel_of(flow.sample, options)),
      conditions(kernel_of(flow.conditions, options)),
      heights(kernel_of(flow.heights, options)),
      idle(std::move(idle_state)),
      lanes(options.lanes),
      engine(options.engine) {
  if (derivative.outputs() != size + 2 || (reduced ? n + rates.outputs() : 2 * n) != size)
    throw std::invalid_argument("the tapes of a flow do not fit its state");
}

ModelFlow::ModelFlow(Flow given, const State& idle)
    : flow(std::move(given)),
      one_lane(flow, idle, {1, codegen::Engine::automatic}),
      powers(codegen::make_kernel(flow.powers, {power_lanes, codegen::Engine::automatic})) {}

const ModelFlow* FlowLibrary::get(const Motion& motion) {
  std::call_once(made_, [&] {
    const auto initial = initial_state(motion);
    if (!initial) return;
    auto flow = make_flow(motion, initial->state);
    if (!flow) return;
    // Of the rows at a singular start a tape would know too few for the motion beside it.
    Evaluator evaluator(motion);
    Projector projector(motion);
    if (!singular_start_rank(motion, evaluator, projector, initial->state))
      flow_.emplace(*std::move(flow), initial->state);
  });
  return flow_ ? &*flow_ : nullptr;
}

}  // namespace dalembert::flow
