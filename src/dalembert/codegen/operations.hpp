#pragma once
/// The operations of a tape.

#include <cstddef>
#include <cstdint>

/// The functions that SLEEF computes, one line each: the name that an operation of a tape shares
/// with the expr::Op, SLEEF's name, the bound of its error (u10: 1.0 units in the last place), and
/// the number of arguments. sin and cos are the halves of one function.
#define DALEMBERT_ELEMENTARY(X) \
  X(sin, sincos, u10, 1)        \
  X(cos, sincos, u10, 1)        \
  X(tan, tan, u10, 1)           \
  X(asin, asin, u10, 1)         \
  X(acos, acos, u10, 1)         \
  X(atan, atan, u10, 1)         \
  X(atan2, atan2, u10, 2)       \
  X(sinh, sinh, u10, 1)         \
  X(cosh, cosh, u10, 1)         \
  X(tanh, tanh, u10, 1)         \
  X(exp, exp, u10, 1)           \
  X(log, log, u10, 1)           \
  X(log10, log10, u10, 1)       \
  X(asinh, asinh, u10, 1)       \
  X(acosh, acosh, u10, 1)       \
  X(atanh, atanh, u10, 1)       \
  X(hypot, hypot, u05, 2)       \
  X(erf, erf, u10, 1)           \
  X(power, pow, u10, 2)

namespace dalembert::codegen {

#define DALEMBERT_OPERATION(name, ...) name,
enum class Operation : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  negate,
  sqrt,
  DALEMBERT_ELEMENTARY(DALEMBERT_OPERATION)  //
  abs,
  sign,
  min,
  max,
  floor,
  // With one rounding at the end:
  multiply_add,       ///< a b + c
  multiply_subtract,  ///< a b - c
  subtract_product,   ///< c - a b
  choose,             ///< a where c >= 0, b where c < 0, else c, which is no number
  table               ///< the value at a of the table that b stands for, see table_handle
};
#undef DALEMBERT_OPERATION
inline constexpr std::size_t operations = static_cast<std::size_t>(Operation::table) + 1;

/// `case Operation::sin: case Operation::cos: ...`, for switches that need not tell them apart.
#define DALEMBERT_CASE(name, ...) case ::dalembert::codegen::Operation::name:
#define DALEMBERT_CASES_OF_ELEMENTARY DALEMBERT_ELEMENTARY(DALEMBERT_CASE)

#define DALEMBERT_COUNT(...) "1"
inline constexpr std::size_t elementary_functions =
    sizeof(DALEMBERT_ELEMENTARY(DALEMBERT_COUNT)) - 1;
#undef DALEMBERT_COUNT

/// The number of an elementary function among them.
constexpr std::size_t elementary_index(Operation operation) {
  return static_cast<std::size_t>(operation) - static_cast<std::size_t>(Operation::sin);
}
static_assert(elementary_index(Operation::abs) == elementary_functions, "sin is to be the first");
constexpr bool is_elementary(Operation operation) {
  return operation >= Operation::sin && elementary_index(operation) < elementary_functions;
}

/// How many of a, b and c it has.
constexpr int operands(Operation operation) {
#define DALEMBERT_OPERANDS(name, function, bound, count) \
  case Operation::name:                                  \
    return count;
  switch (operation) {
    case Operation::negate:
    case Operation::sqrt:
    case Operation::abs:
    case Operation::sign:
    case Operation::floor:
      return 1;
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::divide:
    case Operation::min:
    case Operation::max:
    case Operation::table:
      return 2;
    case Operation::multiply_add:
    case Operation::multiply_subtract:
    case Operation::subtract_product:
    case Operation::choose:
      return 3;
      DALEMBERT_ELEMENTARY(DALEMBERT_OPERANDS)
  }
#undef DALEMBERT_OPERANDS
  return 0;
}

}  // namespace dalembert::codegen
