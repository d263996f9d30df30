#include "dalembert/motion/steps/whole_step.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "dalembert/codegen/tape_passes.hpp"

namespace dalembert::motion {

namespace {

using codegen::Instruction;
using codegen::Operation;
using codegen::Tape;
using Registers = std::vector<std::uint32_t>;

constexpr std::size_t longest = 600;  // operations of y' (docs/decisions/tapes.md)

/// Writes the tape of a step, stage after stage.
class StepWriter {
 public:
  explicit StepWriter(const Tape& derivative) : f_(derivative), size_(derivative.inputs - 1) {
    step_.constants = f_.constants;
    step_.parameters = f_.parameters;
    step_.tables = f_.tables;
    step_.inputs = static_cast<std::uint32_t>(2 + size_);
    for (const auto* weights : {&dop853::c, &dop853::b, &dop853::e5, &dop853::e3})
      add_constants(*weights);
    for (std::size_t i = 1; i < dop853::step_stages; ++i) add_constants(dop853::a[i]);
    t_ = step_.first_input();
    h_ = t_ + 1;
    for (std::uint32_t i = 0; i < size_; ++i) y_.push_back(h_ + 1 + i);
    // What depends on parameters alone is the same for all stages.
    moved_.resize(f_.registers());
    for (std::uint32_t r = 0; r < f_.first_input(); ++r) {
      const bool parameter = r >= f_.constants.size();
      moved_[r] = parameter ? t_ - f_.parameters + (r - count(f_.constants)) : r;
    }
    for (std::uint32_t i = 0; i < f_.prologue; ++i) repeat(i);
    step_.prologue = f_.prologue;
  }

  Tape write() {
    for (std::size_t i = 0; i < dop853::step_stages; ++i) write_stage(i);
    const Registers sum = add_up(dop853::b), e5 = add_up(dop853::e5), e3 = add_up(dop853::e3);
    for (const Registers& k : k_) put_out(k);
    Registers y_new;
    for (std::size_t i = 0; i < size_; ++i) y_new.push_back(multiply_add(h_, sum[i], y_[i]));
    put_out(y_new);
    put_out(e5);
    put_out(e3);
    put_out(doubts_);
    codegen::remove_unused(step_);
    return std::move(step_);
  }

 private:
  template <class T>
  static std::uint32_t count(const std::vector<T>& x) {
    return static_cast<std::uint32_t>(x.size());
  }

  void add_constants(const dop853::Weights& weights) {
    for (const double weight : weights) {
      const auto [place, added] =
          constant_.try_emplace(std::bit_cast<std::uint64_t>(weight), count(step_.constants));
      if (added) step_.constants.push_back(weight);
    }
  }

  std::uint32_t add(const Instruction& instruction) {
    step_.code.push_back(instruction);
    return step_.first_result() + count(step_.code) - 1;
  }
  std::uint32_t multiply_add(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return add({Operation::multiply_add, a, b, c});
  }
  std::uint32_t constant(double x) const { return constant_.at(std::bit_cast<std::uint64_t>(x)); }

  /// Instruction i of y' once more.
  void repeat(std::uint32_t i) {
    const Instruction& one = f_.code[i];
    moved_[f_.first_result() + i] =
        add({one.operation, moved_[one.a], moved_[one.b],
             codegen::operands(one.operation) == 3 ? moved_[one.c] : 0});
  }

  /// Sum of w_j k_j over the weights that are not zero, one after the other.
  Registers add_up(const dop853::Weights& weights) {
    Registers sum;
    for (std::size_t i = 0; i < size_; ++i) {
      std::uint32_t total = add({Operation::multiply, constant(weights[0]), k_[0][i]});
      for (std::size_t j = 1; j < k_.size(); ++j) {
        if (weights[j] != 0) total = multiply_add(constant(weights[j]), k_[j][i], total);
      }
      sum.push_back(total);
    }
    return sum;
  }

  void write_stage(std::size_t stage) {
    std::uint32_t* inputs = moved_.data() + f_.first_input();
    if (stage == 0) {
      inputs[0] = t_;
      std::ranges::copy(y_, inputs + 1);
    } else {
      inputs[0] = multiply_add(constant(dop853::c[stage]), h_, t_);
      const Registers sum = add_up(dop853::a[stage]);
      for (std::size_t i = 0; i < size_; ++i) inputs[1 + i] = multiply_add(h_, sum[i], y_[i]);
    }
    for (std::uint32_t i = f_.prologue; i < f_.code.size(); ++i) repeat(i);
    Registers& k = k_.emplace_back();
    for (std::size_t i = 0; i < size_; ++i) k.push_back(moved_[f_.outputs[i]]);
    doubts_.push_back(moved_[f_.outputs[size_ + (stage == 0 ? 1 : 0)]]);
  }

  void put_out(const Registers& registers) {
    step_.outputs.insert(step_.outputs.end(), registers.begin(), registers.end());
  }

  const Tape& f_;
  std::size_t size_;
  Tape step_;
  std::map<std::uint64_t, std::uint32_t> constant_;  ///< the register of each weight, by its bits
  std::uint32_t t_ = 0, h_ = 0;
  Registers y_;
  Registers moved_;  ///< where a register of y' is in the stage last written
  std::vector<Registers> k_;
  Registers doubts_;
};

}  // namespace

Tape make_step_tape(const Tape& derivative) {
  return StepWriter(derivative).write();
}

const codegen::Kernel* step_kernel(const LaneFlow& flow) {
  if (flow.derivative.operations() > longest || flow.engine == codegen::Engine::interpreter)
    return nullptr;
  return &flow.whole_step.get([&] {
    return codegen::make_kernel(make_step_tape(flow.derivative.tape()), {flow.lanes, flow.engine});
  });
}

}  // namespace dalembert::motion
