#include "dalembert/codegen/switches.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <tuple>

#include "dalembert/codegen/fewer_products.hpp"
#include "dalembert/codegen/tape_passes.hpp"

namespace dalembert::codegen {

namespace {

bool has_sides(Operation operation) {
  return operation == Operation::abs || operation == Operation::sign ||
         operation == Operation::min || operation == Operation::max ||
         operation == Operation::floor || operation == Operation::choose;
}

std::span<const std::uint32_t> operands_of(const std::array<std::uint32_t, 3>& of,
                                           Operation operation) {
  return {of.data(), static_cast<std::size_t>(operands(operation))};
}

/// Which registers depend on y.
std::vector<bool> moving(const Tape& f) {
  std::vector<bool> moves(f.registers());
  for (std::uint32_t i = 1; i < f.inputs; ++i) moves[f.first_input() + i] = true;
  for (std::size_t i = 0; i < f.code.size(); ++i) {
    const Instruction& one = f.code[i];
    const std::array<std::uint32_t, 3> of{one.a, one.b, one.c};
    for (const std::uint32_t r : operands_of(of, one.operation))
      if (moves[r]) moves[f.first_result() + i] = true;
  }
  return moves;
}

/// Which registers these outputs follow from.
std::vector<bool> needed_by(const Tape& f, std::size_t outputs) {
  std::vector<bool> needed(f.registers());
  for (std::size_t i = 0; i < outputs; ++i) needed[f.outputs[i]] = true;
  for (std::size_t i = f.code.size(); i-- > 0;) {
    if (!needed[f.first_result() + i]) continue;
    const Instruction& one = f.code[i];
    const std::array<std::uint32_t, 3> of{one.a, one.b, one.c};
    for (const std::uint32_t r : operands_of(of, one.operation)) needed[r] = true;
  }
  return needed;
}

class Switching {
 public:
  Switching(const Tape& f, std::size_t outputs)
      : f_(f), moves_(moving(f)), needed_(needed_by(f, outputs)), place_(f.registers()) {
    for (std::size_t i = 0; i < f.code.size(); ++i)
      if (is_switch(i)) ++most_;
  }

  SwitchedTape make() {
    Tape& tape = made_.tape;
    tape.constants = f_.constants;
    tape.parameters = f_.parameters + most_;
    tape.inputs = f_.inputs;
    tape.prologue = f_.prologue;
    const std::uint32_t known = static_cast<std::uint32_t>(f_.constants.size()) + f_.parameters;
    for (std::uint32_t r = 0; r < f_.first_result(); ++r) place_[r] = r < known ? r : r + most_;
    for (std::size_t i = 0; i < f_.code.size(); ++i)
      place_[f_.first_result() + i] = is_switch(i) ? switched(f_.code[i]) : repeated(f_.code[i]);
    for (const std::uint32_t r : f_.outputs) tape.outputs.push_back(place_[r]);
    tape.outputs.insert(tape.outputs.end(), arguments_.begin(), arguments_.end());
    drop_unused_levels();
    remove_unused(tape);
    return std::move(made_);
  }

 private:
  bool is_switch(std::size_t i) const {
    const Instruction& one = f_.code[i];
    const std::size_t r = f_.first_result() + i;
    return has_sides(one.operation) && needed_[r] &&
           (one.operation == Operation::choose ? moves_[one.c] : moves_[r]);
  }

  std::uint32_t add(Operation operation, std::uint32_t a, std::uint32_t b, std::uint32_t c = 0) {
    Tape& tape = made_.tape;
    tape.code.push_back({operation, a, b, c});
    return static_cast<std::uint32_t>(tape.registers() - 1);
  }
  std::uint32_t repeated(const Instruction& one) {
    const int count = operands(one.operation);
    const std::uint32_t a = place_[one.a];
    return add(one.operation, a, count > 1 ? place_[one.b] : a, count > 2 ? place_[one.c] : 0);
  }

  /// The level of the switch at g.
  std::uint32_t level(std::uint32_t g, SwitchKind kind) {
    const auto [found, inserted] = levels_.try_emplace({g, kind}, 0);
    if (inserted) {
      found->second = static_cast<std::uint32_t>(f_.constants.size()) + f_.parameters +
                      static_cast<std::uint32_t>(arguments_.size());
      arguments_.push_back(g);
      made_.kinds.push_back(kind);
    }
    return found->second;
  }
  /// a - b, once.
  std::uint32_t difference(std::uint32_t a, std::uint32_t b) {
    const auto [found, inserted] = differences_.try_emplace({a, b}, 0);
    if (inserted) found->second = add(Operation::subtract, a, b);
    return found->second;
  }

  std::uint32_t switched(const Instruction& one) {
    const std::uint32_t a = place_[one.a];
    switch (one.operation) {
      case Operation::abs:
        return add(Operation::multiply, level(a, SwitchKind::side), a);
      case Operation::sign:
        return level(a, SwitchKind::side);
      case Operation::floor:
        return level(a, SwitchKind::whole);
      case Operation::min: {
        const std::uint32_t b = place_[one.b];
        return add(Operation::choose, b, a, level(difference(a, b), SwitchKind::side));
      }
      case Operation::max: {
        const std::uint32_t b = place_[one.b];
        return add(Operation::choose, a, b, level(difference(a, b), SwitchKind::side));
      }
      default:
        return add(Operation::choose, a, place_[one.b], level(place_[one.c], SwitchKind::side));
    }
  }

  /// Several switches may have one argument: parameters that no level needs are taken back.
  void drop_unused_levels() {
    Tape& tape = made_.tape;
    const std::uint32_t spare = most_ - static_cast<std::uint32_t>(arguments_.size());
    if (spare == 0) return;
    const std::uint32_t first = static_cast<std::uint32_t>(f_.constants.size()) + f_.parameters +
                                static_cast<std::uint32_t>(arguments_.size());
    const auto move = [&](std::uint32_t& r) {
      if (r >= first) r -= spare;
    };
    for (Instruction& one : tape.code) {
      move(one.a);
      move(one.b);
      if (operands(one.operation) > 2) move(one.c);
    }
    for (std::uint32_t& output : tape.outputs) move(output);
    tape.parameters -= spare;
  }

  const Tape& f_;
  std::vector<bool> moves_, needed_;
  std::vector<std::uint32_t> place_;  ///< of the registers of f
  std::uint32_t most_ = 0;            ///< levels
  SwitchedTape made_;
  std::vector<std::uint32_t> arguments_;
  std::map<std::pair<std::uint32_t, SwitchKind>, std::uint32_t> levels_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> differences_;
};

}  // namespace

SwitchedTape make_switched(const Tape& f, std::size_t outputs) {
  return Switching(f, outputs).make();
}

SwitchedKernels switched_kernels(const Tape& f, std::size_t outputs, bool exact,
                                 const KernelOptions& options) {
  const SwitchedTape switched = make_switched(f, outputs);
  Series series = make_series(fewer_products(switched.tape), switched.kinds.size(), exact);
  return {switched.kinds, make_kernel(switched.tape, options),
          SeriesKernel(std::move(series), options)};
}

}  // namespace dalembert::codegen
