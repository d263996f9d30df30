#include "dalembert/flow/tapes/time_ranges.hpp"

#include <algorithm>
#include <array>

#include "dalembert/expr/functions.hpp"

namespace dalembert::flow {

namespace {

using codegen::Operation;

using expr::Moving;
using expr::Op;

Moving multiplied(const Moving& a, const Moving& b, bool same) {
  if (same) return {square(a.value), Range{2, 2} * a.value * a.rate};
  return {a.value * b.value, a.rate * b.value + a.value * b.rate};
}

Moving operator+(const Moving& a, const Moving& b) {
  return {a.value + b.value, a.rate + b.rate};
}

Moving operator-(const Moving& a, const Moving& b) {
  return {a.value - b.value, a.rate - b.rate};
}

Moving operator-(const Moving& a) {
  return {-a.value, -a.rate};
}

Moving raised(const Moving& a, const Moving& b) {
  const Range value = expr::power_of(a.value, b.value);
  if (!is_zero(b.rate)) return {value, Range::all()};
  return {value, b.value * expr::power_of(a.value, b.value - Range{1, 1}) * a.rate};
}

}  // namespace

TimeRanges::TimeRanges(const codegen::Tape& tape)
    : tape_(tape), values_(tape.registers()), ranges_(tape.registers()) {
  std::copy(tape.constants.begin(), tape.constants.end(), values_.begin());
}

void TimeRanges::bind(std::span<const double> parameters) {
  std::copy(parameters.begin(), parameters.end(),
            values_.begin() + static_cast<std::ptrdiff_t>(tape_.constants.size()));
  const std::size_t first = tape_.first_result();
  for (std::size_t i = 0; i < tape_.prologue; ++i) {
    const codegen::Instruction& x = tape_.code[i];
    values_[first + i] = codegen::perform(x.operation, values_[x.a], values_[x.b], values_[x.c]);
  }
  for (std::size_t r = 0; r < first + tape_.prologue; ++r)
    ranges_[r] = {{values_[r], values_[r]}, {0, 0}};
}

void TimeRanges::look_at(double t) {
  values_[tape_.first_input()] = t;
  const std::size_t first = tape_.first_result();
  for (std::size_t i = tape_.prologue; i < tape_.code.size(); ++i) {
    const codegen::Instruction& x = tape_.code[i];
    values_[first + i] = codegen::perform(x.operation, values_[x.a], values_[x.b], values_[x.c]);
  }
}

void TimeRanges::look_over(double a, double b) {
  look_at(a + (b - a) / 2);
  ranges_[tape_.first_input()] = {{a, b}, {1, 1}};
  const double half = (b - a) / 2;
  const std::size_t first = tape_.first_result();
  for (std::size_t i = tape_.prologue; i < tape_.code.size(); ++i) {
    Moving moving = operate(tape_.code[i]);
    const double middle = values_[first + i];
    const Range around = Range{middle, middle} + moving.rate * Range{-half, half};
    const Range both{std::max(moving.value.low, around.low),
                     std::min(moving.value.high, around.high)};
    if (both.low <= both.high) moving.value = both;
    ranges_[first + i] = moving;
  }
}

Moving TimeRanges::operate(const codegen::Instruction& instruction) const {
#define DALEMBERT_MOVING(name, ...) \
  case Operation::name:             \
    return of(Op::name, {a, b});
  const Moving& a = ranges_[instruction.a];
  const Moving& b = ranges_[instruction.b];
  const auto c = [&]() -> const Moving& { return ranges_[instruction.c]; };
  const auto product = [&] { return multiplied(a, b, instruction.a == instruction.b); };
  const auto of = [](Op function, std::array<Moving, 3> x) {
    if (function == Op::power) return raised(x[0], x[1]);
    return expr::function_info(function).moving(x.data());
  };
  switch (instruction.operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return product();
    case Operation::divide: {
      const Range ratio = a.value / b.value;
      return {ratio, (a.rate - ratio * b.rate) / b.value};
    }
    case Operation::negate:
      return -a;
    case Operation::multiply_add:
      return product() + c();
    case Operation::multiply_subtract:
      return product() - c();
    case Operation::subtract_product:
      return -(product() - c());
    case Operation::choose:
      return of(Op::choose, {c(), a, b});
    case Operation::table:
      return codegen::table_of_handle(b.value.low).moving(a);
      DALEMBERT_MOVING(sqrt)
      DALEMBERT_MOVING(abs)
      DALEMBERT_MOVING(sign)
      DALEMBERT_MOVING(min)
      DALEMBERT_MOVING(max)
      DALEMBERT_MOVING(floor)
      DALEMBERT_ELEMENTARY(DALEMBERT_MOVING)
  }
#undef DALEMBERT_MOVING
  return {Range::all(), Range::all()};
}

}  // namespace dalembert::flow
