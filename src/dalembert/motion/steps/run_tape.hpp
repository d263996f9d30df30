#pragma once
/// A whole run as one tape iterated (codegen/iterated.hpp): an attempt of a step of rk8, its error,
/// the projection of its end, the decision, the length of the next step and the samples within it,
/// as motion/lanes.hpp takes them, operation by operation, so with the same bits. What a lane would
/// hand over, a step without a value, an end that breaks a condition of the model or comes near a
/// singular configuration, a projection that does not converge, a step that becomes too short, and
/// what is long or uncommon, the tape does not follow: it says so by its status, and the run is
/// done by lanes from its start.
///
///     t, h, y, ..., longest, steps, rejected  ->  the same after one attempt, status
///
/// with t where the step begins, h how long it is wanted, `longest` how many times longer the next
/// may be (1 after a rejection), and status 0 while the run goes on, 1 where it has come to the end
/// of its piece. Parameters: those of the model, then the absolute tolerance of each entry of y.
///
/// Where forces depend on t alone and have kinks, a run is divided there into *pieces*, of which
/// the caller gives one after the other: where it ends, and where the next begins.

#include <string>
#include <vector>

#include "dalembert/codegen/iterated.hpp"
#include "dalembert/expr/result.hpp"
#include "dalembert/flow/tapes/flow.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::motion {

/// A column of the samples gathered to one number: its value so far and the next give the new one.
struct RunSum {
  enum class Kind { least, largest, sum, squares, last };
  Kind kind;
  std::size_t column;
};

/// What is taken of samples. Columns: t, q, q', q'', ideal, nonideal (n each), kinetic, potential,
/// Motion::outputs.
struct RunSampling {
  bool rows = false;    ///< all columns, row k of sample k
  bool states = false;  ///< ... but only t and y, from which the others follow
  std::vector<RunSum> sums;
  bool any() const { return rows || !sums.empty(); }
};

/// Where things stand in the state of a run.
struct RunTapeLayout {
  std::size_t size = 0;     ///< of y
  std::size_t heights = 0;  ///< entries of Flow::heights
  std::size_t sums = 0;
  bool projected = false, sampled = false, in_pieces = false;

  static constexpr std::size_t t = 0, h = 1, y = 2;
  std::size_t residual() const { return 2 + size; }  ///< the largest scaled one, if projected
  std::size_t height() const { return residual() + (projected ? 1 : 0); }
  std::size_t sample() const { return height() + heights; }  ///< the number of the next one
  std::size_t sum() const { return sample() + (sampled ? 1 : 0); }
  std::size_t before() const { return sum() + sums; }  ///< the end of the piece
  std::size_t behind() const { return before() + 1; }  ///< where the next begins
  std::size_t longest() const { return before() + (in_pieces ? 2 : 0); }
  std::size_t steps() const { return longest() + 1; }
  std::size_t rejected() const { return longest() + 2; }
  std::size_t entries() const { return longest() + 3; }
};

inline constexpr double run_goes_on = 0, run_is_complete = 1, run_is_left = 2;

struct RunTape {
  RunTapeLayout layout;
  bool states;  ///< rows are of t and y: their columns have functions that are not known there
  codegen::Iterated iterated;
};

/// The tape; or why these runs are not for it, in words that follow "because".
expr::Result<RunTape, std::string> make_run_tape(const Motion& motion, const Flow& flow,
                                                 const SimulationOptions& options,
                                                 RunSampling sampling);

}  // namespace dalembert::motion
