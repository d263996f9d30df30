#pragma once
/// A whole run as one tape iterated (codegen/iterated.hpp): an attempt of a step of rk8, its error,
/// the decision and the length of the next step, as motion/lanes.hpp takes them, operation by
/// operation, so with the same bits. What a lane would hand over, a step without a value, an end
/// that breaks a condition of the model, a step that becomes too short, and what is long or
/// uncommon, the tape does not follow: it says so by its status, and the run is done by lanes from
/// its start.
///
///     t, h, y, longest, steps, rejected  ->  the same after one attempt, status
///
/// with t where the step begins, h how long it is wanted, `longest` how many times longer the next
/// may be (1 after a rejection), and status 0 while the run goes on, 1 where it has come to its
/// end. Parameters: those of the model, then the absolute tolerance of each entry of y.

#include <optional>
#include <string>

#include "dalembert/codegen/iterated.hpp"
#include "dalembert/expr/result.hpp"
#include "dalembert/flow/tapes/flow.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::motion {

/// Where things stand in the state of a run.
struct RunTapeLayout {
  std::size_t size;  ///< of y
  static constexpr std::size_t t = 0, h = 1, y = 2;
  std::size_t longest() const { return 2 + size; }
  std::size_t steps() const { return 3 + size; }
  std::size_t rejected() const { return 4 + size; }
  std::size_t entries() const { return 5 + size; }
};

inline constexpr double run_goes_on = 0, run_is_complete = 1, run_is_left = 2;

/// The tape; or why these runs are not for it, in words that follow "because".
expr::Result<codegen::Iterated, std::string> make_run_tape(const Motion& motion, const Flow& flow,
                                                           const SimulationOptions& options,
                                                           bool sampled);

}  // namespace dalembert::motion
