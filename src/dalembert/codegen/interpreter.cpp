#include <algorithm>
#include <stdexcept>

#include "dalembert/codegen/kernel.hpp"

namespace dalembert::codegen {

namespace {

class Interpreter final : public Program {
 public:
  explicit Interpreter(const Tape& tape)
      : code_(tape.code), prologue_(tape.prologue), first_result_(tape.first_result()) {}

  void run_prologue(std::span<double> registers) const override {
    run_range(registers.data(), 0, prologue_);
  }
  void run(std::span<double> registers) const override {
    run_range(registers.data(), prologue_, code_.size());
  }

 private:
  void run_range(double* registers, std::size_t begin, std::size_t end) const {
    double* result = registers + first_result_ + begin;
    for (std::size_t i = begin; i < end; ++i, ++result) {
      const Instruction& instruction = code_[i];
      const double a = registers[instruction.a];
      const double b = registers[instruction.b];
      // The commonest first and in place; `perform` for the rest.
      switch (instruction.operation) {
        case Operation::add:
          *result = a + b;
          break;
        case Operation::subtract:
          *result = a - b;
          break;
        case Operation::multiply:
          *result = a * b;
          break;
        case Operation::divide:
          *result = a / b;
          break;
        default:
          *result = perform(instruction.operation, a, b);
      }
    }
  }

  std::vector<Instruction> code_;
  std::size_t prologue_;
  std::size_t first_result_;
};

}  // namespace

Kernel::Kernel(Tape tape, std::shared_ptr<const Program> program)
    : tape_(std::make_shared<const Tape>(std::move(tape))), program_(std::move(program)) {}

Workspace Kernel::workspace(std::span<const double> parameters) const {
  if (parameters.size() != tape_->parameters)
    throw std::invalid_argument("a kernel needs a value for each parameter");
  Workspace workspace{std::vector<double>(tape_->registers(), 0.0)};
  std::copy(tape_->constants.begin(), tape_->constants.end(), workspace.registers.begin());
  std::copy(parameters.begin(), parameters.end(),
            workspace.registers.begin() + static_cast<std::ptrdiff_t>(tape_->constants.size()));
  program_->run_prologue(workspace.registers);
  return workspace;
}

void Kernel::evaluate(Workspace& workspace, std::span<const double> inputs,
                      std::span<double> outputs) const {
  std::copy(inputs.begin(), inputs.end(), workspace.registers.begin() + tape_->first_input());
  program_->run(workspace.registers);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    outputs[i] = workspace.registers[tape_->outputs[i]];
}

Kernel interpreted(Tape tape) {
  auto program = std::make_shared<const Interpreter>(tape);
  return {std::move(tape), std::move(program)};
}

}  // namespace dalembert::codegen
