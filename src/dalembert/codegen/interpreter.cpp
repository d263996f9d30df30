#include <stdexcept>

#include "dalembert/codegen/elementary.hpp"
#include "dalembert/codegen/kernel.hpp"

namespace dalembert::codegen {

namespace {

/// W is known to the compiler, so that the loop over lanes is a few vector instructions.
template <int W>
class Interpreter final : public Program {
 public:
  explicit Interpreter(const Tape& tape)
      : code_(tape.code), prologue_(tape.prologue), first_result_(tape.first_result()) {}

  void run_prologue(double* registers) const override { run_range(registers, 0, prologue_); }
  void run(double* registers) const override { run_range(registers, prologue_, code_.size()); }

 private:
  void run_range(double* registers, std::size_t begin, std::size_t end) const {
    double* result = registers + (first_result_ + begin) * W;
    for (std::size_t i = begin; i < end; ++i, result += W) {
      const Instruction& instruction = code_[i];
      const double* a = registers + std::size_t{instruction.a} * W;
      const double* b = registers + std::size_t{instruction.b} * W;
      // The commonest first and in place; `perform` for the rest.
      switch (instruction.operation) {
        case Operation::add:
          for (int l = 0; l < W; ++l) result[l] = a[l] + b[l];
          break;
        case Operation::subtract:
          for (int l = 0; l < W; ++l) result[l] = a[l] - b[l];
          break;
        case Operation::multiply:
          for (int l = 0; l < W; ++l) result[l] = a[l] * b[l];
          break;
        case Operation::divide:
          for (int l = 0; l < W; ++l) result[l] = a[l] / b[l];
          break;
        default:
          if (W > 1 && is_elementary(instruction.operation)) {
            elementary_lanes(instruction.operation, W, a, b, result);
          } else {
            for (int l = 0; l < W; ++l) result[l] = perform(instruction.operation, a[l], b[l]);
          }
      }
    }
  }

  std::vector<Instruction> code_;
  std::size_t prologue_;
  std::size_t first_result_;
};

}  // namespace

Kernel interpreted(Tape tape, int lanes) {
  std::shared_ptr<const Program> program;
  switch (lanes) {
    case 1:
      program = std::make_shared<const Interpreter<1>>(tape);
      break;
    case 4:
      program = std::make_shared<const Interpreter<4>>(tape);
      break;
    case 8:
      program = std::make_shared<const Interpreter<8>>(tape);
      break;
    default:
      throw std::invalid_argument("a kernel has 1, 4 or 8 lanes");
  }
  return {std::move(tape), std::move(program), lanes};
}

}  // namespace dalembert::codegen
