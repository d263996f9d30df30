#include "dalembert/flow/tapes/time_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dalembert::flow {

namespace {

using codegen::Operation;

constexpr double pi = std::numbers::pi;

Range hull(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return Range::all();
  return a < b ? Range{a, b} : Range{b, a};
}

Range hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Range checked(const Range& x) {
  return x.low <= x.high ? x : Range::all();
}

Range operator+(const Range& a, const Range& b) {
  return checked({a.low + b.low, a.high + b.high});
}

Range operator-(const Range& a) {
  return {-a.high, -a.low};
}

Range operator-(const Range& a, const Range& b) {
  return a + -b;
}

bool is_zero(const Range& a) {
  return a.low == 0 && a.high == 0;
}

Range operator*(const Range& a, const Range& b) {
  if (is_zero(a) || is_zero(b)) return {0, 0};
  return hull(hull(a.low * b.low, a.high * b.high), hull(a.low * b.high, a.high * b.low));
}

Range operator/(const Range& a, const Range& b) {
  return b.contains(0) ? Range::all() : a * Range{1 / b.high, 1 / b.low};
}

Range square(const Range& a) {
  const Range ends = hull(a.low * a.low, a.high * a.high);
  return a.contains(0) ? Range{0, ends.high} : ends;
}

/// f of a range on which it rises.
template <class F>
Range rising(const Range& a, F f) {
  return hull(f(a.low), f(a.high));
}

Range cosine(const Range& a) {
  if (!(a.width() < 2 * pi)) return {-1, 1};
  const Range ends = hull(std::cos(a.low), std::cos(a.high));
  // Whether a whole multiple of 2 pi, shifted by `phase`, lies within.
  const auto passes = [&](double phase) {
    return std::floor((a.high - phase) / (2 * pi)) != std::floor((a.low - phase) / (2 * pi));
  };
  return {passes(pi) ? -1 : ends.low, passes(0) ? 1 : ends.high};
}

Range sine(const Range& a) {
  return cosine({a.low - pi / 2, a.high - pi / 2});
}

Range magnitude(const Range& a) {
  const Range ends = hull(std::abs(a.low), std::abs(a.high));
  return a.contains(0) ? Range{0, ends.high} : ends;
}

Range sign_of(const Range& a) {
  return rising(a, [](double x) { return static_cast<double>((x > 0) - (x < 0)); });
}

Range root(const Range& a) {
  return rising(a, [](double x) { return std::sqrt(std::max(x, 0.0)); });
}

/// a^b, which rises or falls in either alone where a > 0, and for whole b everywhere; unbounded
/// where a^b has no value.
Range power_of(const Range& a, const Range& b) {
  const double n = b.low;
  if (b.high == n && n == std::floor(n)) {
    if (n < 0) return Range{1, 1} / power_of(a, -b);
    const bool even = std::fmod(n, 2) == 0;
    return rising(even ? magnitude(a) : a, [&](double x) { return std::pow(x, n); });
  }
  if (!(a.low > 0) && !(a.low == 0 && b.low > 0)) return Range::all();
  return hull(hull(std::pow(a.low, b.low), std::pow(a.high, b.high)),
              hull(std::pow(a.low, b.high), std::pow(a.high, b.low)));
}

/// Whether a box lies on one side of the origin, off the jump of the angle.
bool is_aside(const Range& y, const Range& x) {
  return x.low > 0 || y.low > 0 || y.high < 0;
}

Range angle_of(const Range& y, const Range& x) {
  if (!is_aside(y, x)) return {-pi, pi};
  return hull(hull(std::atan2(y.low, x.low), std::atan2(y.high, x.low)),
              hull(std::atan2(y.low, x.high), std::atan2(y.high, x.high)));
}

Range smaller(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::min(a.high, b.high)};
}

Range larger(const Range& a, const Range& b) {
  return {std::max(a.low, b.low), std::max(a.high, b.high)};
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

TimeRanges::Moving TimeRanges::multiplied(const Moving& a, const Moving& b, bool same) {
  if (same) return {square(a.value), Range{2, 2} * a.value * a.rate};
  return {a.value * b.value, a.rate * b.value + a.value * b.rate};
}

TimeRanges::Moving TimeRanges::operate(const codegen::Instruction& instruction) const {
  const Moving& a = ranges_[instruction.a];
  const Moving& b = ranges_[instruction.b];
  const Range one{1, 1};
  if (codegen::is_fused(instruction.operation)) {
    const Moving product = multiplied(a, b, instruction.a == instruction.b);
    const Moving& c = ranges_[instruction.c];
    if (instruction.operation == Operation::multiply_add)
      return {product.value + c.value, product.rate + c.rate};
    const Moving difference{product.value - c.value, product.rate - c.rate};
    if (instruction.operation == Operation::multiply_subtract) return difference;
    return {-difference.value, -difference.rate};
  }
  switch (instruction.operation) {
    case Operation::add:
      return {a.value + b.value, a.rate + b.rate};
    case Operation::subtract:
      return {a.value - b.value, a.rate - b.rate};
    case Operation::multiply:
      return multiplied(a, b, instruction.a == instruction.b);
    case Operation::divide: {
      const Range ratio = a.value / b.value;
      return {ratio, (a.rate - ratio * b.rate) / b.value};
    }
    case Operation::negate:
      return {-a.value, -a.rate};
    case Operation::sqrt: {
      const Range value = root(a.value);
      return {value, a.rate / (Range{2, 2} * value)};
    }
    case Operation::sin:
      return {sine(a.value), cosine(a.value) * a.rate};
    case Operation::cos:
      return {cosine(a.value), -(sine(a.value) * a.rate)};
    case Operation::tan: {
      const Range value = sine(a.value) / cosine(a.value);
      return {value, (one + square(value)) * a.rate};
    }
    case Operation::asin:
    case Operation::acos: {
      const Range slope = one / root(one - square(a.value));
      if (instruction.operation == Operation::asin)
        return {rising(a.value, [](double x) { return std::asin(std::clamp(x, -1.0, 1.0)); }),
                slope * a.rate};
      return {rising(a.value, [](double x) { return std::acos(std::clamp(x, -1.0, 1.0)); }),
              -(slope * a.rate)};
    }
    case Operation::atan:
      return {rising(a.value, [](double x) { return std::atan(x); }),
              a.rate / (one + square(a.value))};
    case Operation::atan2: {
      const Range rate =
          (b.value * a.rate - a.value * b.rate) / (square(a.value) + square(b.value));
      return {angle_of(a.value, b.value), is_aside(a.value, b.value) ? rate : Range::all()};
    }
    case Operation::sinh: {
      const Range slope = rising(magnitude(a.value), [](double x) { return std::cosh(x); });
      return {rising(a.value, [](double x) { return std::sinh(x); }), slope * a.rate};
    }
    case Operation::cosh: {
      const Range slope = rising(a.value, [](double x) { return std::sinh(x); });
      return {rising(magnitude(a.value), [](double x) { return std::cosh(x); }), slope * a.rate};
    }
    case Operation::tanh: {
      const Range value = rising(a.value, [](double x) { return std::tanh(x); });
      return {value, (one - square(value)) * a.rate};
    }
    case Operation::exp: {
      const Range value = rising(a.value, [](double x) { return std::exp(x); });
      return {value, value * a.rate};
    }
    case Operation::log:
      if (!(a.value.low > 0)) return {Range::all(), Range::all()};
      return {rising(a.value, [](double x) { return std::log(x); }), a.rate / a.value};
    case Operation::power: {
      if (!is_zero(b.rate)) return {power_of(a.value, b.value), Range::all()};
      return {power_of(a.value, b.value), b.value * power_of(a.value, b.value - one) * a.rate};
    }
    case Operation::abs:
      return {magnitude(a.value), sign_of(a.value) * a.rate};
    case Operation::sign:
      return {sign_of(a.value), a.value.contains(0) ? Range::all() : Range{0, 0}};
    case Operation::min:
      return {smaller(a.value, b.value), hull(a.rate, b.rate)};
    case Operation::max:
      return {larger(a.value, b.value), hull(a.rate, b.rate)};
    case Operation::multiply_add:
    case Operation::multiply_subtract:
    case Operation::subtract_product:
      break;
  }
  return {Range::all(), Range::all()};
}

}  // namespace dalembert::flow
