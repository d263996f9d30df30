#pragma once
/// A tape that is run again and again on its own results, for many starts at once: what a graphics
/// processor is good at. One thread takes a start, iterates it until the tape says that it is over,
/// puts the result where the start was, and takes the next from the queue.
///
///     x, status = f(x; p)     until status is not 0
///
/// Parts of the tape may be loops of their own, one within another, as often as the numbers ask for
/// it: a correction until it is small, a sample while one is due. What a loop finds may be written
/// down, a row a turn.
///
/// Each operation is rounded as the tape says, sines and cosines included (sincos_body.hpp): the
/// same bits on every processor that has fused multiply-add.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

/// Numbers written at the end of a turn: value i of row r of start s goes to
/// [(r width + i) count + s].
struct LoopRow {
  std::uint32_t index;  ///< the register of r, a whole number, not negative
  std::vector<std::uint32_t> values;
};

/// Instructions [begin, end) of the tape, again and again while the guard is not negative; never
/// where it is at once. The results of a turn are known in it alone; what is to last is a variable.
struct Loop {
  struct Variable {
    std::uint32_t reg;     ///< an input of the tape beyond those of x
    std::uint32_t before;  ///< the register of its value at first
    std::uint32_t after;   ///< ... and at the end of a turn
  };
  std::uint32_t begin = 0, end = 0;
  std::uint32_t guard = 0;  ///< one of the variables
  std::vector<Variable> variables;
  std::optional<LoopRow> row;
};

struct Iterated {
  /// Inputs: x, then the variables of loops. Outputs: the next x, then the status.
  Tape tape;
  std::uint32_t variables = 0;
  /// In the order in which they begin; of two that share instructions one is within the other.
  std::vector<Loop> loops;
  /// a <= b, or the status is `status_of_demand` whatever the tape says. No results of loops.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> demands;

  std::uint32_t size() const { return tape.inputs - variables; }  ///< of x
  std::uint32_t width() const;                                    ///< of a row; 0: there are none
};

/// The status of a start for which an angle beyond `largest_angle` (sincos_body.hpp) came up: what
/// stands there is wrong. A tape says others itself.
inline constexpr double status_of_large_angle = -1;
inline constexpr double status_of_demand = -2;

/// The name of the function in the text for the driver.
inline constexpr const char* iterated_name = "iterate";

/// Whether all operations of a tape can be written out: none that only a library knows, no tables.
bool can_be_iterated(const Tape& tape);

/// Entry i of start s stands at [i count + s]: parameters, then x, in and out; one status a start,
/// and rows. `next` is the queue: how many starts were taken. Returns when there are none left; any
/// number of threads call it with the same arguments.
using IterateEntry = void (*)(const double* parameters, double* x, double* rows, double* status,
                              std::uint32_t* next, std::uint32_t count);

/// Machine code of this processor: the same intermediate code as for a graphics processor.
class IteratedCode {
 public:
  virtual ~IteratedCode() = default;
  IterateEntry run = nullptr;
};

}  // namespace dalembert::codegen
