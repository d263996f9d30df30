#include "dalembert/motion/steps/tape_sheet.hpp"

#include <algorithm>
#include <bit>

#include "dalembert/codegen/chunks.hpp"

namespace dalembert::motion {

using codegen::Instruction;
using codegen::Loop;
using codegen::Tape;

TapeSheet::Source TapeSheet::source(const Tape& tape) {
  Source source{&tape, codegen::cut(tape).order, Row(tape.registers())};
  const auto constants = static_cast<Register>(tape.constants.size());
  for (Register r = 0; r < constants; ++r) source.moved[r] = constant(tape.constants[r]);
  for (Register p = 0; p < tape.parameters; ++p) source.moved[constants + p] = parameter(p);
  for (Register at = 0; at < tape.prologue; ++at) {
    const Register i = source.order[at];
    const Instruction& one = tape.code[i];
    const bool three = codegen::operands(one.operation) == 3;
    const std::tuple key{one.operation, source.moved[one.a], source.moved[one.b],
                         three ? source.moved[one.c] : 0};
    const auto [place, fresh] = early_.try_emplace(key, 0);
    if (fresh) place->second = std::apply([&](auto... part) { return add(part...); }, key);
    source.moved[tape.first_result() + i] = place->second;
  }
  prologue_ = static_cast<std::uint32_t>(code_.size());
  return source;
}

TapeSheet::Row TapeSheet::copy(Source& source, const Row& inputs) {
  const Tape& tape = *source.tape;
  Row& moved = source.moved;
  std::ranges::copy(inputs, moved.begin() + tape.first_input());
  for (Register at = tape.prologue; at < tape.code.size(); ++at) {
    const Instruction& one = tape.code[source.order[at]];
    const Register c = codegen::operands(one.operation) == 3 ? moved[one.c] : 0;
    moved[tape.first_result() + source.order[at]] =
        add(one.operation, moved[one.a], moved[one.b], c);
  }
  Row outputs;
  for (const Register r : tape.outputs) outputs.push_back(moved[r]);
  return outputs;
}

TapeSheet::Register TapeSheet::constant(double x) {
  const auto [place, fresh] = constant_.try_emplace(
      std::bit_cast<std::uint64_t>(x), constant_names + static_cast<Register>(constants_.size()));
  if (fresh) constants_.push_back(x);
  return place->second;
}

TapeSheet::Row TapeSheet::inputs(std::size_t first, std::size_t count) const {
  Row row;
  for (std::size_t i = 0; i < count; ++i) row.push_back(input(first + i));
  return row;
}

TapeSheet::Register TapeSheet::add(Operation operation, Register a, Register b, Register c) {
  code_.push_back({operation, a, b, c});
  return static_cast<Register>(code_.size() - 1);
}

TapeSheet::Row TapeSheet::choose(Register by, const Row& a, const Row& b) {
  Row row;
  for (std::size_t i = 0; i < a.size(); ++i) row.push_back(choose(by, a[i], b[i]));
  return row;
}

TapeSheet::Row TapeSheet::begin_loop(const Row& before) {
  open_.push_back(loops_.size());
  Loop& loop = loops_.emplace_back();
  loop.begin = static_cast<std::uint32_t>(code_.size());
  Row variables;
  for (const Register reg : before) {
    variables.push_back(variable_names + variables_++);
    loop.variables.push_back({variables.back(), reg, reg});
  }
  loop.guard = variables.front();
  return variables;
}

void TapeSheet::end_loop(const Row& after, std::optional<codegen::LoopRow> row) {
  Loop& loop = loops_[open_.back()];
  open_.pop_back();
  loop.end = static_cast<std::uint32_t>(code_.size());
  for (std::size_t i = 0; i < after.size(); ++i) loop.variables[i].after = after[i];
  loop.row = std::move(row);
}

codegen::Iterated TapeSheet::finish(const Row& outputs) {
  codegen::Iterated it;
  it.tape.constants = constants_;
  it.tape.parameters = parameters_;
  it.tape.inputs = inputs_ + variables_;
  it.variables = variables_;
  it.tape.outputs = outputs;
  it.loops = loops_;
  it.demands = demands_;

  const auto each_name = [&](const auto& act) {
    for (Register& r : it.tape.outputs) act(r);
    for (auto& [a, b] : it.demands) {
      act(a);
      act(b);
    }
    for (Loop& loop : it.loops) {
      act(loop.guard);
      for (Loop::Variable& one : loop.variables) {
        act(one.reg);
        act(one.before);
        act(one.after);
      }
      if (!loop.row) continue;
      act(loop.row->index);
      for (Register& r : loop.row->values) act(r);
    }
  };
  std::vector<bool> used(code_.size(), false);
  const auto mark = [&](Register r) {
    if (r < parameter_names) used[r] = true;
  };
  each_name(mark);
  const auto three = [](const Instruction& one) { return codegen::operands(one.operation) == 3; };
  for (std::size_t i = code_.size(); i-- > 0;) {
    if (!used[i]) continue;
    mark(code_[i].a);
    mark(code_[i].b);
    if (three(code_[i])) mark(code_[i].c);
  }

  std::vector<Register> place;  // of each instruction, were it kept
  Register kept = 0;
  for (const bool is_used : used) place.push_back(is_used ? kept++ : kept);
  place.push_back(kept);
  const auto rename = [&](Register& r) {
    const auto constants = static_cast<Register>(constants_.size());
    if (r >= constant_names) {
      r -= constant_names;
    } else if (r >= variable_names) {
      r = r - variable_names + constants + parameters_ + inputs_;
    } else if (r >= input_names) {
      r = r - input_names + constants + parameters_;
    } else if (r >= parameter_names) {
      r = r - parameter_names + constants;
    } else {
      r = place[r] + it.tape.first_result();
    }
  };
  for (std::size_t i = 0; i < code_.size(); ++i) {
    if (!used[i]) continue;
    Instruction one = code_[i];
    rename(one.a);
    rename(one.b);
    if (three(one)) rename(one.c);
    it.tape.code.push_back(one);
  }
  each_name(rename);
  for (Loop& loop : it.loops) {
    loop.begin = place[loop.begin];
    loop.end = place[loop.end];
  }
  it.tape.prologue = place[prologue_];
  return it;
}

}  // namespace dalembert::motion
