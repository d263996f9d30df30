#include "dalembert/study/states/state_function.hpp"

#include <array>

#include "dalembert/flow/values.hpp"
#include "dalembert/study/states/lane_rows.hpp"

namespace dalembert::study {

StateKernels::StateKernels(const codegen::Tape& tape)
    : lanes(codegen::make_kernel(tape, {codegen::widest_lanes(), codegen::Engine::automatic})),
      single(lanes.lanes() == 1 ? lanes : codegen::make_kernel(tape)) {}

StateFunction::StateFunction(const motion::Motion& motion, const std::vector<expr::Expr>& outputs)
    : n_(motion.coordinates()),
      kernels_(std::make_shared<const StateKernels>(codegen::make_tape(
          outputs, motion::state_symbols(motion.equations()), motion.equations().parameters))),
      parameters_(motion.parameters()) {}

StateFunction::StateFunction(const StateFunction& other, const motion::Motion& motion)
    : n_(other.n_), kernels_(other.kernels_), parameters_(motion.parameters()) {}

void StateFunction::evaluate(const StateRows& states, double* results,
                             const Sharing& sharing) const {
  if (outputs() == 0) return;
  share(states.count, sharing, kernels_->nanoseconds(),
        [&](std::size_t begin, std::size_t end) { evaluate_part(states, results, begin, end); });
}

void StateFunction::evaluate_part(const StateRows& states, double* results, std::size_t begin,
                                  std::size_t end) const {
  std::unique_ptr<StateLanes> own = pool_.take();
  if (!own) own = std::make_unique<StateLanes>(*kernels_, parameters_);
  const auto run = [&](LaneKernel& kernel, std::size_t i) {
    const LaneRows& rows = lane_rows(kernel.kernel.lanes());
    alignas(64) double taint[8];
    const std::array parts{RowPart{states.t.row(i), states.t.stride, 1},
                           RowPart{states.q.row(i), states.q.stride, n_},
                           RowPart{states.v.row(i), states.v.stride, n_}};
    rows.load(parts, kernel.in, taint);
    kernel.run();
    rows.store(kernel.out.data(), outputs(), results + i * outputs(), outputs(), taint);
  };
  const auto W = static_cast<std::size_t>(kernels_->lanes.lanes());
  std::size_t i = begin;
  for (; i + W <= end; i += W) run(own->lanes(), i);
  for (; i < end; ++i) run(own->single(), i);
  pool_.give(std::move(own));
}

}  // namespace dalembert::study
