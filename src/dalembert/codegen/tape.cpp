#include "dalembert/codegen/tape.hpp"

#include <cmath>
#include <limits>

#include "dalembert/codegen/elementary.hpp"

namespace dalembert::codegen {

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
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace dalembert::codegen
