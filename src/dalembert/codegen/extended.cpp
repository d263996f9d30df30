#include "dalembert/codegen/extended.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace dalembert::codegen {

namespace {

Extended extended_function(Operation operation, Extended a, Extended b) {
  switch (operation) {
    case Operation::sin:
      return std::sin(a);
    case Operation::cos:
      return std::cos(a);
    case Operation::tan:
      return std::tan(a);
    case Operation::asin:
      return std::asin(a);
    case Operation::acos:
      return std::acos(a);
    case Operation::atan:
      return std::atan(a);
    case Operation::atan2:
      return std::atan2(a, b);
    case Operation::sinh:
      return std::sinh(a);
    case Operation::cosh:
      return std::cosh(a);
    case Operation::tanh:
      return std::tanh(a);
    case Operation::exp:
      return std::exp(a);
    case Operation::log:
      return std::log(a);
    case Operation::log10:
      return std::log10(a);
    case Operation::asinh:
      return std::asinh(a);
    case Operation::acosh:
      return std::acosh(a);
    case Operation::atanh:
      return std::atanh(a);
    case Operation::hypot:
      return std::hypot(a, b);
    case Operation::erf:
      return std::erf(a);
    case Operation::power:
      return std::pow(a, b);
    default:
      return std::numeric_limits<Extended>::quiet_NaN();
  }
}

/// As `perform` of doubles. A product is rounded before it is added: 64 bits leave room for that,
/// and the fused operation is slow where no processor has it.
Extended perform_extended(Operation operation, Extended a, Extended b, Extended c) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::negate:
      return -a;
    case Operation::sqrt:
      return std::sqrt(a);
    case Operation::abs:
      return std::abs(a);
    case Operation::sign:
      return a > 0 ? 1 : (a < 0 ? -1 : a);
    case Operation::min:
      return a < b || std::isnan(a) ? a : b;
    case Operation::max:
      return a > b || std::isnan(a) ? a : b;
    case Operation::floor:
      return std::floor(a);
    case Operation::multiply_add:
      return a * b + c;
    case Operation::multiply_subtract:
      return a * b - c;
    case Operation::subtract_product:
      return c - a * b;
    case Operation::choose:
      return c >= 0 ? a : (c < 0 ? b : c);
      DALEMBERT_CASES_OF_ELEMENTARY
      return extended_function(operation, a, b);
    case Operation::table:
      break;
  }
  return std::numeric_limits<Extended>::quiet_NaN();
}

}  // namespace

ExtendedTape::ExtendedTape(Tape tape, std::span<const Extended> parameters)
    : tape_(std::move(tape)), registers_(tape_.registers()) {
  if (tape_.outputs.empty()) return;
  if (!tape_.tables.empty()) throw std::invalid_argument("tables are known as doubles only");
  if (parameters.size() != tape_.parameters)
    throw std::invalid_argument("a tape needs a value for each of its parameters");
  for (std::size_t i = 0; i < tape_.constants.size(); ++i)
    registers_[i] = tape_.low.empty() ? Extended(tape_.constants[i])
                                      : Extended(tape_.constants[i]) + Extended(tape_.low[i]);
  std::ranges::copy(parameters,
                    registers_.begin() + static_cast<std::ptrdiff_t>(tape_.constants.size()));
  run(0, tape_.prologue);
}

void ExtendedTape::run() {
  run(tape_.prologue, tape_.code.size());
}

void ExtendedTape::run(std::size_t from, std::size_t to) {
  const std::size_t first = tape_.first_result();
  for (std::size_t i = from; i < to; ++i) {
    const Instruction& one = tape_.code[i];
    registers_[first + i] =
        perform_extended(one.operation, registers_[one.a], registers_[one.b], registers_[one.c]);
  }
}

ExtendedSeries::ExtendedSeries(const Series& series, std::span<const Extended> parameters,
                               std::uint32_t p)
    : size_(series.size),
      later_(series.later),
      later_input_(series.later_input()),
      pair_input_(series.pair_input()),
      p_(p),
      start_(series.start, parameters),
      order_(series.order, parameters),
      pairs_(series.pairs),
      coefficients_(std::size_t{size_} * (p + 1)),
      kept_(std::size_t{series.kept} * (p + 1)) {}

void ExtendedSeries::begin() {
  start_.run();
  const std::size_t stride = p_ + 1;
  for (std::size_t i = 0; i < size_; ++i) {
    coefficients_[i * stride] = start_.inputs()[1 + i];
    coefficients_[i * stride + 1] = start_[i];
  }
  const std::size_t first = start_.outputs() - later_;
  for (std::size_t i = 0; i < later_; ++i) order_.inputs()[later_input_ + i] = start_[first + i];
}

/// P of two kept series, see series.hpp.
Extended ExtendedSeries::sum(const SeriesPair& pair, std::uint32_t k) const {
  const std::size_t stride = p_ + 1;
  const Extended* a = kept_.data() + pair.a * stride;
  const Extended* b = kept_.data() + pair.b * stride;
  Extended total = 0;
  for (std::uint32_t j = 1; j < k; ++j) total += a[j] * b[k - j];
  return total;
}

void ExtendedSeries::run() {
  const std::size_t stride = p_ + 1;
  const std::span<Extended> in = order_.inputs();
  for (std::uint32_t k = 1; k < p_; ++k) {
    in[Series::k_input] = k;
    in[Series::reciprocal_input] = Extended(1) / k;
    in[Series::t_input] = k == 1 ? 1 : 0;
    for (std::size_t i = 0; i < size_; ++i) in[Series::y_input + i] = coefficients_[i * stride + k];
    for (std::size_t s = 0; s < pairs_.size(); ++s) in[pair_input_ + s] = sum(pairs_[s], k);
    order_.run();
    for (std::size_t s = 0; s * stride < kept_.size(); ++s)
      kept_[s * stride + k] = order_[size_ + s];
    for (std::size_t i = 0; i < size_; ++i)
      coefficients_[i * stride + k + 1] = order_[i] / static_cast<Extended>(k + 1);
  }
}

}  // namespace dalembert::codegen
