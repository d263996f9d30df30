#include "dalembert/codegen/kernel.hpp"

#include <algorithm>
#include <stdexcept>

#include "dalembert/codegen/machine_program.hpp"

namespace dalembert::codegen {

Kernel::Kernel(Tape tape, std::shared_ptr<const Program> program, int lanes)
    : tape_(std::make_shared<const Tape>(std::move(tape))),
      program_(std::move(program)),
      lanes_(lanes) {}

Workspace Kernel::workspace(std::span<const double> parameters) const {
  if (parameters.size() != tape_->parameters)
    throw std::invalid_argument("a kernel needs a value for each parameter");
  const auto W = static_cast<std::size_t>(lanes_);
  Workspace workspace{AlignedVector(tape_->registers() * W, 0.0)};
  double* place = workspace.registers.data();
  for (const double value : tape_->constants) place = std::fill_n(place, W, value);
  for (const double value : parameters) place = std::fill_n(place, W, value);
  program_->run_prologue(workspace.registers.data());
  return workspace;
}

void Kernel::bind(Workspace& workspace, int lane, std::span<const double> parameters) const {
  if (parameters.size() != tape_->parameters)
    throw std::invalid_argument("a kernel needs a value for each parameter");
  double* place = workspace.registers.data() + tape_->constants.size() * lanes_ + lane;
  for (std::size_t i = 0; i < parameters.size(); ++i) place[i * lanes_] = parameters[i];
  program_->run_prologue(workspace.registers.data());
}

void Kernel::evaluate(Workspace& workspace, std::span<const double> inputs,
                      std::span<double> outputs) const {
  const auto W = static_cast<std::size_t>(lanes_);
  double* registers = workspace.registers.data();
  std::copy(inputs.begin(), inputs.end(), input(workspace, 0));
  program_->run(registers);
  if (W == 1) {
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = registers[tape_->outputs[i]];
    return;
  }
  for (std::size_t i = 0; i < tape_->outputs.size(); ++i)
    std::copy_n(registers + tape_->outputs[i] * W, W, outputs.data() + i * W);
}

int widest_lanes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0) return 8;
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return 4;
#endif
  return 1;
}

Kernel make_kernel(Tape tape, const KernelOptions& options) {
  if (options.engine == Engine::machine) {
    const std::atomic<bool> stop = false;
    if (auto program = machine_program(tape, options.lanes, Level::good, stop))
      return {std::move(tape), std::move(program), options.lanes};
  }
  return interpreted(std::move(tape), options.lanes);
}

}  // namespace dalembert::codegen
