#pragma once
/// What tapes that are iterated (codegen/iterated.hpp) are written on: other tapes are copied onto
/// it, operations and loops stand between. Registers have names of their own until all constants
/// and variables are known, so that either may be asked for at any time.

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "dalembert/codegen/iterated.hpp"

namespace dalembert::motion {

class TapeSheet {
 public:
  using Operation = codegen::Operation;
  using Register = std::uint32_t;
  using Row = std::vector<Register>;

  /// A tape whose prologue is here, to be copied as often as wanted.
  struct Source {
    const codegen::Tape* tape;
    Row order;  ///< of the instructions behind the prologue
    Row moved;  ///< where each register is on this sheet
  };

  TapeSheet(std::uint32_t parameters, std::uint32_t inputs)
      : parameters_(parameters), inputs_(inputs) {}

  /// All of them before anything else. `tape` must outlive the sheet, and has no parameters but the
  /// first of the sheet's.
  Source source(const codegen::Tape& tape);
  /// The tape with these inputs; its outputs.
  Row copy(Source& source, const Row& inputs);

  Register constant(double x);
  Register parameter(std::size_t i) const { return parameter_names + static_cast<Register>(i); }
  Register input(std::size_t i) const { return input_names + static_cast<Register>(i); }
  Row inputs(std::size_t first, std::size_t count) const;

  Register add(Operation operation, Register a, Register b, Register c = 0);
  Register sum(Register a, Register b) { return add(Operation::add, a, b); }
  Register subtract(Register a, Register b) { return add(Operation::subtract, a, b); }
  Register multiply(Register a, Register b) { return add(Operation::multiply, a, b); }
  Register divide(Register a, Register b) { return add(Operation::divide, a, b); }
  Register fused(Register a, Register b, Register c) {
    return add(Operation::multiply_add, a, b, c);
  }
  Register abs(Register a) { return add(Operation::abs, a, a); }
  Register root(Register a) { return add(Operation::sqrt, a, a); }
  Register least(Register a, Register b) { return add(Operation::min, a, b); }
  Register largest(Register a, Register b) { return add(Operation::max, a, b); }
  /// a where `by` is not negative, else b; no number where it is none.
  Register choose(Register by, Register a, Register b) { return add(Operation::choose, a, b, by); }
  Row choose(Register by, const Row& a, const Row& b);

  /// Begins a loop whose variables have these values at first; the variables, the guard at the
  /// front.
  Row begin_loop(const Row& before);
  void end_loop(const Row& after, std::optional<codegen::LoopRow> row = std::nullopt);
  void demand(Register a, Register b) { demands_.emplace_back(a, b); }

  /// The whole, without what nothing needs. `outputs` as Iterated says.
  codegen::Iterated finish(const Row& outputs);

 private:
  static constexpr Register constant_names = 1U << 31, variable_names = 1U << 30,
                            input_names = 1U << 29, parameter_names = 1U << 28;

  std::uint32_t parameters_, inputs_;
  std::vector<double> constants_;
  std::map<std::uint64_t, Register> constant_;  ///< by their bits
  std::vector<codegen::Instruction> code_;
  std::uint32_t prologue_ = 0;
  std::map<std::tuple<Operation, Register, Register, Register>, Register> early_;
  std::uint32_t variables_ = 0;
  std::vector<codegen::Loop> loops_;
  std::vector<std::size_t> open_;
  std::vector<std::pair<Register, Register>> demands_;
};

}  // namespace dalembert::motion
