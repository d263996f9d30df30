#include "dalembert/codegen/tape.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "dalembert/codegen/elementary.hpp"

namespace dalembert::codegen {

double table_handle(const expr::Table& table) {
  return std::bit_cast<double>(
      static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&table)));
}

const expr::Table& table_of_handle(double handle) {
  return *reinterpret_cast<const expr::Table*>(  // NOLINT(performance-no-int-to-ptr): as above
      static_cast<std::uintptr_t>(std::bit_cast<std::uint64_t>(handle)));
}

double look_up(double s, double handle) {
  return table_of_handle(handle).value(s);
}

double perform(Operation operation, double a, double b, double c) {
  switch (operation) {
    DALEMBERT_CASES_OF_ELEMENTARY
    return elementary(operation, a, b);
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
      return a > 0 ? 1.0 : (a < 0 ? -1.0 : a);
    case Operation::min:
      return a < b || std::isnan(a) ? a : b;
    case Operation::max:
      return a > b || std::isnan(a) ? a : b;
    case Operation::multiply_add:
      return std::fma(a, b, c);
    case Operation::multiply_subtract:
      return std::fma(a, b, -c);
    case Operation::subtract_product:
      return std::fma(-a, b, c);
    case Operation::floor:
      return std::floor(a);
    case Operation::choose:
      return c >= 0 ? a : (c < 0 ? b : c);
    case Operation::table:
      return look_up(a, b);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace dalembert::codegen
