#include "dalembert/codegen/kernel.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "dalembert/codegen/machine_program.hpp"
#include "dalembert/codegen/tiered.hpp"

namespace dalembert::codegen {

Kernel::Kernel(std::shared_ptr<const Tape> tape, std::shared_ptr<const Program> program, int lanes)
    : tape_(std::move(tape)), program_(std::move(program)), lanes_(lanes) {}

Workspace Kernel::workspace(std::span<const double> parameters) const {
  if (parameters.size() != tape_->parameters)
    throw std::invalid_argument("a kernel needs a value for each parameter");
  const auto W = static_cast<std::size_t>(lanes_);
  Workspace workspace;
  workspace.registers.assign(tape_->registers() * W, 0.0);
  workspace.until_report = workspace.report_every = program_->report(0);
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
  const double* registers = workspace.registers.data();
  std::copy(inputs.begin(), inputs.end(), input(workspace, 0));
  run(workspace);
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

Engine chosen_engine(Engine asked) {
  if (asked != Engine::automatic) return asked;
  const char* value = std::getenv("DALEMBERT_ENGINE");
  const std::string_view name = value == nullptr ? "" : value;
  if (name == "interpreter") return Engine::interpreter;
  return name == "machine" ? Engine::machine : Engine::automatic;
}

Kernel make_kernel(Tape tape, const KernelOptions& options) {
  const int lanes = options.lanes;
  const Engine engine = chosen_engine(options.engine);
  auto shared = std::make_shared<const Tape>(std::move(tape));
  std::shared_ptr<const Program> program;
  if (engine == Engine::automatic) {
    program = tiered(shared, lanes);
  } else if (engine == Engine::machine) {
    const std::atomic<bool> stop = false;
    program = machine_program(*shared, lanes, Level::good, stop);
  }
  if (program == nullptr) program = interpreter(*shared, lanes);
  return {std::move(shared), std::move(program), lanes};
}

Kernel interpreted(Tape tape, int lanes) {
  return make_kernel(std::move(tape), {lanes, Engine::interpreter});
}

}  // namespace dalembert::codegen
