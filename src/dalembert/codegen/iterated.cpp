#include "dalembert/codegen/iterated.hpp"

#include <algorithm>

namespace dalembert::codegen {

bool can_be_iterated(const Tape& tape) {
  return std::ranges::all_of(tape.code, [](const Instruction& i) {
    return !is_elementary(i.operation) || i.operation == Operation::sin ||
           i.operation == Operation::cos;
  });
}

}  // namespace dalembert::codegen
