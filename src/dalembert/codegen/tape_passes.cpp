#include "dalembert/codegen/tape_passes.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace dalembert::codegen {

namespace {

constexpr std::uint32_t none = UINT32_MAX;

/// Copies a tape, instruction by instruction, into one whose registers have other numbers.
class Rewriter {
 public:
  explicit Rewriter(Tape& tape) : tape_(tape), first_(tape.first_result()) {
    moved_.reserve(tape.code.size());
    code_.reserve(tape.code.size());
  }

  Instruction renamed(Instruction one) const {
    one.a = renamed(one.a);
    one.b = renamed(one.b);
    one.c = renamed(one.c);
    return one;
  }
  std::uint32_t renamed(std::uint32_t reg) const {
    return reg < first_ ? reg : moved_[reg - first_];
  }

  /// One more instruction, its operands renamed already; its register.
  std::uint32_t add(const Instruction& one) {
    code_.push_back(one);
    return first_ + static_cast<std::uint32_t>(code_.size() - 1);
  }
  /// The next instruction of the old tape is now to be found there.
  void next_is(std::uint32_t reg) {
    moved_.push_back(reg);
    if (moved_.size() == tape_.prologue) prologue_ = code_.size();
  }

  void finish() {
    for (std::uint32_t& output : tape_.outputs) output = renamed(output);
    tape_.code = std::move(code_);
    tape_.prologue = static_cast<std::uint32_t>(prologue_);
  }

 private:
  Tape& tape_;
  std::uint32_t first_;
  std::vector<std::uint32_t> moved_;  ///< the new register of each result
  std::vector<Instruction> code_;
  std::size_t prologue_ = 0;
};

}  // namespace

void make_inputs(Tape& tape, std::span<const std::uint32_t> parameters) {
  const auto first_parameter = static_cast<std::uint32_t>(tape.constants.size());
  const std::uint32_t first = tape.first_result();
  const auto count = static_cast<std::uint32_t>(parameters.size());
  std::vector<std::uint32_t> moved(tape.registers());
  for (std::uint32_t r = 0; r < first; ++r) moved[r] = r;
  for (std::uint32_t i = 0; i < count; ++i) moved[first_parameter + parameters[i]] = first + i;
  std::vector<bool> varies(tape.registers(), false);
  for (const std::uint32_t i : parameters) varies[first_parameter + i] = true;
  for (std::uint32_t i = 0; i < tape.prologue; ++i) {
    const Instruction& one = tape.code[i];
    const int used = operands(one.operation);
    varies[first + i] = varies[one.a] || (used > 1 && varies[one.b]) || (used > 2 && varies[one.c]);
  }
  // First what is found once for a set of parameters.
  std::vector<std::uint32_t> order(tape.code.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto others = std::ranges::stable_partition(
      order, [&](std::uint32_t i) { return i < tape.prologue && !varies[first + i]; });
  for (std::uint32_t k = 0; k < order.size(); ++k) moved[first + order[k]] = first + count + k;
  std::vector<Instruction> code;
  for (const std::uint32_t i : order) {
    const Instruction& one = tape.code[i];
    code.push_back({one.operation, moved[one.a], moved[one.b], moved[one.c]});
  }
  tape.code = std::move(code);
  tape.prologue = static_cast<std::uint32_t>(others.begin() - order.begin());
  tape.inputs += count;
  for (std::uint32_t& output : tape.outputs) output = moved[output];
}

void remove_unused(Tape& tape) {
  std::vector<bool> used(tape.code.size(), false);
  const std::uint32_t first = tape.first_result();
  const auto mark = [&](std::uint32_t reg) {
    if (reg >= first) used[reg - first] = true;
  };
  for (const std::uint32_t output : tape.outputs) mark(output);
  for (std::size_t i = tape.code.size(); i-- > 0;) {
    if (!used[i]) continue;
    mark(tape.code[i].a);
    mark(tape.code[i].b);
    mark(tape.code[i].c);
  }
  Rewriter rewriter(tape);
  for (std::size_t i = 0; i < tape.code.size(); ++i)
    rewriter.next_is(used[i] ? rewriter.add(rewriter.renamed(tape.code[i])) : none);
  rewriter.finish();
}

void share_reciprocals(Tape& tape) {
  std::unordered_map<std::uint32_t, std::uint32_t> quotients;  // of each divisor
  for (const Instruction& one : tape.code)
    if (one.operation == Operation::divide) ++quotients[one.b];
  const auto is_shared = [&](const Instruction& one) {
    return one.operation == Operation::divide && quotients.at(one.b) > 1;
  };
  if (std::ranges::none_of(tape.code, is_shared)) return;

  std::size_t at = 0;
  while (at < tape.constants.size() &&
         (tape.constants[at] != 1 || (!tape.low.empty() && tape.low[at] != 0)))
    ++at;
  if (at == tape.constants.size()) return;
  const auto one_register = static_cast<std::uint32_t>(at);
  std::unordered_map<std::uint32_t, std::uint32_t> reciprocals;  // of each divisor, as it was named
  Rewriter rewriter(tape);
  for (const Instruction& one : tape.code) {
    const Instruction renamed = rewriter.renamed(one);
    if (!is_shared(one)) {
      rewriter.next_is(rewriter.add(renamed));
      continue;
    }
    const auto [reciprocal, inserted] = reciprocals.try_emplace(one.b, none);
    if (inserted) reciprocal->second = rewriter.add({Operation::divide, one_register, renamed.b});
    rewriter.next_is(one.a == one_register
                         ? reciprocal->second
                         : rewriter.add({Operation::multiply, renamed.a, reciprocal->second}));
  }
  rewriter.finish();
}

void fuse(Tape& tape) {
  const std::uint32_t first = tape.first_result();
  // How long after the inputs a result is there, in operations: of two products the later is fused.
  std::vector<std::uint32_t> depth(tape.code.size());
  const auto depth_of = [&](std::uint32_t reg) { return reg < first ? 0 : depth[reg - first]; };
  const auto is_product = [&](std::uint32_t reg, std::size_t i) {
    return reg >= first && tape.code[reg - first].operation == Operation::multiply &&
           (reg - first < tape.prologue) == (i < tape.prologue);
  };
  for (std::size_t i = 0; i < tape.code.size(); ++i) {
    Instruction& one = tape.code[i];
    const bool difference = one.operation == Operation::subtract;
    if ((difference || one.operation == Operation::add) && one.a != one.b) {
      const bool a = is_product(one.a, i);
      const bool b = is_product(one.b, i);
      if ((a || b) && !(a && b && difference)) {
        const bool left = a && (!b || depth_of(one.a) > depth_of(one.b));
        const Instruction& product = tape.code[(left ? one.a : one.b) - first];
        const Operation operation = !difference ? Operation::multiply_add
                                    : left      ? Operation::multiply_subtract
                                                : Operation::subtract_product;
        one = {operation, product.a, product.b, left ? one.b : one.a};
      }
    }
    depth[i] = 1 + std::max({depth_of(one.a), depth_of(one.b),
                             operands(one.operation) == 3 ? depth_of(one.c) : 0U});
  }
  remove_unused(tape);
}

}  // namespace dalembert::codegen
