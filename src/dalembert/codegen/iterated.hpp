#pragma once
/// A tape that is run again and again on its own results, for many starts at once: what a graphics
/// processor is good at. One thread takes a start, iterates it until the tape says that it is over,
/// puts the result where the start was, and takes the next from the queue.
///
///     x, status = f(x; p)     until status is not 0
///
/// Each operation is rounded as the tape says, sines and cosines included (sincos_body.hpp): the
/// same bits on every processor that has fused multiply-add.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

struct Iterated {
  /// Inputs: x. Outputs: the next x, then the status.
  Tape tape;
  std::uint32_t size() const { return tape.inputs; }  ///< of x
};

/// The status of a start for which an angle beyond `largest_angle` (sincos_body.hpp) came up: what
/// stands there is wrong. A tape says others itself.
inline constexpr double status_of_large_angle = -1;

/// The name of the function in the text for the driver.
inline constexpr const char* iterated_name = "iterate";

/// Whether all operations of a tape can be written out: none that only a library knows.
bool can_be_iterated(const Tape& tape);

/// Entry i of start s stands at [i count + s]: parameters, then x, in and out; one status a start.
/// `next` is the queue: how many starts were taken. Returns when there are none left; any number of
/// threads call it with the same arguments.
using IterateEntry = void (*)(const double* parameters, double* x, double* status,
                              std::uint32_t* next, std::uint32_t count);

/// Machine code of this processor: the same intermediate code as for a graphics processor.
class IteratedCode {
 public:
  virtual ~IteratedCode() = default;
  IterateEntry run = nullptr;
};

}  // namespace dalembert::codegen
