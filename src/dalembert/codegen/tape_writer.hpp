#pragma once
/// A tape written anew from another, operation by operation: equal ones are done once, and those on
/// constants and parameters alone stand in the prologue.

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>
#include <vector>

#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

class TapeWriter {
 public:
  using Register = std::uint32_t;
  static constexpr Register absent = UINT32_MAX;

  /// With the parameters and inputs of f, which must outlive it, and perhaps more inputs.
  explicit TapeWriter(const Tape& f) : TapeWriter(f, f.inputs) {}
  TapeWriter(const Tape& f, std::uint32_t inputs)
      : f_(f), inputs_(inputs), moved_(f.registers(), absent) {}

  Register constant(double x) {
    const auto [place, inserted] =
        constants_.try_emplace(std::bit_cast<std::uint64_t>(x), number(Kind::constant, 0));
    if (inserted) {
      place->second = number(Kind::constant, values_.size());
      values_.push_back(x);
    }
    return place->second;
  }
  Register input(std::uint32_t i) const { return number(Kind::input, i); }

  Register add(Operation operation, Register a, Register b, Register c = 0) {
    const int count = operands(operation);
    if (count < 2) b = a;
    if (count < 3) c = 0;
    const auto [place, inserted] = made_.try_emplace(std::tuple(operation, a, b, c), absent);
    if (!inserted) return place->second;
    const bool varies = is_varying(a) || is_varying(b) || (count > 2 && is_varying(c));
    std::vector<Instruction>& code = varies ? code_ : prologue_;
    place->second = number(varies ? Kind::result : Kind::prologue, code.size());
    code.push_back({operation, a, b, c});
    if (varies) depths_.push_back(1 + std::max({depth(a), depth(b), count > 2 ? depth(c) : 0}));
    return place->second;
  }
  /// How many operations on what varies it waits for, one after the other.
  int depth(Register r) const {
    return static_cast<Kind>(r >> shift) == Kind::result ? depths_[r & mask] : 0;
  }

  /// A register of f, computed as there. O(operations it follows from).
  Register repeat(std::uint32_t r) {
    if (moved_[r] != absent) return moved_[r];
    const auto constants = static_cast<std::uint32_t>(f_.constants.size());
    if (r < constants) return moved_[r] = constant(f_.constants[r]);
    if (r < f_.first_input()) return moved_[r] = number(Kind::parameter, r - constants);
    if (r < f_.first_result()) return moved_[r] = input(r - f_.first_input());
    std::vector<std::uint32_t> open{r};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      const Instruction& one = f_.code[at - f_.first_result()];
      const int count = operands(one.operation);
      const std::size_t before = open.size();
      for (const std::uint32_t needed :
           {one.a, count > 1 ? one.b : one.a, count > 2 ? one.c : one.a}) {
        if (moved_[needed] != absent) continue;
        if (needed >= f_.first_result()) {
          open.push_back(needed);
        } else {
          repeat(needed);
        }
      }
      if (open.size() > before) continue;
      open.pop_back();
      moved_[at] = add(one.operation, moved_[one.a], moved_[count > 1 ? one.b : one.a],
                       count > 2 ? moved_[one.c] : 0);
    }
    return moved_[r];
  }

  Tape finish(std::span<const Register> outputs) const {
    Tape tape;
    tape.constants = values_;
    tape.parameters = f_.parameters;
    tape.inputs = inputs_;
    tape.tables = f_.tables;
    tape.prologue = static_cast<std::uint32_t>(prologue_.size());
    tape.code = prologue_;
    tape.code.insert(tape.code.end(), code_.begin(), code_.end());
    const auto constants = static_cast<std::uint32_t>(values_.size());
    const auto place = [&](Register r) {
      const std::uint32_t i = r & mask;
      switch (static_cast<Kind>(r >> shift)) {
        case Kind::constant:
          return i;
        case Kind::parameter:
          return constants + i;
        case Kind::input:
          return tape.first_input() + i;
        case Kind::prologue:
          return tape.first_result() + i;
        case Kind::result:
          break;
      }
      return tape.first_result() + tape.prologue + i;
    };
    for (Instruction& one : tape.code) {
      one.a = place(one.a);
      one.b = place(one.b);
      if (operands(one.operation) > 2) one.c = place(one.c);
    }
    for (const Register output : outputs) tape.outputs.push_back(place(output));
    return tape;
  }

 private:
  enum class Kind : std::uint8_t { constant, parameter, prologue, input, result };
  static constexpr std::uint32_t shift = 28, mask = (1U << shift) - 1;
  static Register number(Kind kind, std::size_t i) {
    return static_cast<std::uint32_t>(kind) << shift | static_cast<std::uint32_t>(i);
  }
  static bool is_varying(Register r) { return static_cast<Kind>(r >> shift) >= Kind::input; }

  const Tape& f_;
  std::uint32_t inputs_;
  std::vector<Register> moved_;  ///< where registers of f are
  std::vector<double> values_;
  std::map<std::uint64_t, Register> constants_;
  std::vector<Instruction> prologue_, code_;
  std::vector<int> depths_;  ///< of code_
  std::map<std::tuple<Operation, Register, Register, Register>, Register> made_;
};

}  // namespace dalembert::codegen
