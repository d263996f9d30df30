#include "dalembert/codegen/iterated.hpp"

#include <algorithm>

namespace dalembert::codegen {

std::uint32_t Iterated::width() const {
  std::uint32_t width = 0;
  for (const Loop& loop : loops) {
    if (loop.row) width = std::max(width, static_cast<std::uint32_t>(loop.row->values.size()));
  }
  return width;
}

bool can_be_iterated(const Tape& tape) {
  return std::ranges::all_of(tape.code, [](const Instruction& i) {
    return i.operation != Operation::table &&
           (!is_elementary(i.operation) || i.operation == Operation::sin ||
            i.operation == Operation::cos);
  });
}

}  // namespace dalembert::codegen
