#pragma once
/// What turns tapes into machine code. It lives in a library of its own, libdalembert_machine.so,
/// which is loaded when machine code is first wanted: LLVM behind it takes longer to load than most
/// commands take to run. Without that library everything is interpreted.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/codegen/iterated.hpp"
#include "dalembert/codegen/series.hpp"

namespace dalembert::codegen {

/// How much care goes into the code: `quick` compiles some four times faster, `good` runs
/// 1.1 to 1.5 times faster.
enum class Level : std::uint8_t { quick, good };

/// Machine code in memory. `registers` as in Program; each entry may be called by any number of
/// threads at once.
class Code {
 public:
  /// Not 0: what it has computed is wrong, for an angle is beyond `largest_angle`
  /// (sincos_body.hpp).
  using Entry = int (*)(double* registers);

  virtual ~Code() = default;
  Entry prologue = nullptr;
  Entry run = nullptr;
};

/// Relocatable code, as it is kept on disk: ELF objects, in the order in which they were made.
using Objects = std::vector<std::string>;

class Machine {
 public:
  virtual ~Machine() = default;

  /// All that compiled code depends on besides its tape: this code, version of LLVM, CPU and its
  /// features.
  virtual const std::string& identity() const = 0;

  /// The tape in `lanes` lanes; nothing if `stop` came true before the end. Cost: 10 (quick)
  /// or 45 (good) microseconds an operation.
  virtual std::optional<Objects> compile(const Tape& tape, int lanes, Level level,
                                         const std::atomic<bool>& stop) const = 0;

  /// The loop over the orders of a series (series_kernel.hpp), whose registers are as SeriesLayout
  /// says. For series whose tape is one chunk. Cost: some 100 microseconds an operation.
  virtual std::optional<Objects> compile(const Series& series, int lanes, Level level) const = 0;

  /// A tape that can_be_iterated as text for the driver of NVIDIA's graphics processors (PTX, from
  /// compute capability 7.0); nothing if LLVM does not know them, or its verifier objects. Cost:
  /// some 30 microseconds an operation.
  virtual std::optional<std::string> ptx(const Iterated& iterated) const = 0;
  /// The same for this processor.
  virtual std::unique_ptr<IteratedCode> iterate_here(const Iterated& iterated) const = 0;

  /// Makes objects of `compile` ready to run; null if they are none. `functions` are the addresses
  /// of the elementary functions, in the order of Operation, for as many lanes; then of
  /// sincos_of_four and of look_up.
  virtual std::unique_ptr<Code> link(const Objects& objects,
                                     std::span<const void* const> functions) const = 0;
};

/// The one function of libdalembert_machine.so, named `dalembert_machine`; null if it was made for
/// another `interface`.
using MachineEntry = const Machine* (*)(const char* interface);
/// Operations are numbered by the list of elementary functions, so that is part of it.
#define DALEMBERT_WORD(name, ...) " " #name
inline constexpr const char* machine_interface =
    "dalembert machine 7:" DALEMBERT_ELEMENTARY(DALEMBERT_WORD);
#undef DALEMBERT_WORD

/// The machine code maker of this process, loaded at the first call; null if there is none: built
/// without LLVM, library not found, CPU without the instructions, or DALEMBERT_MACHINE=off.
const Machine* machine();

}  // namespace dalembert::codegen
