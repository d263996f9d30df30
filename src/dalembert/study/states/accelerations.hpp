#pragma once
/// Accelerations and constraint forces of many states of one motion,
///
///     M q'' = Q + Q_ideal + Q_nonideal,     A q'' = b,
///
/// W states at a time in SIMD lanes, by the written-out solution
/// (flow/tapes/eliminated_system.hpp), and by several threads. A state for which that cannot vouch,
/// and every state of a motion that has none (another method than m-inverse, a large system,
/// friction in joints), is solved as Motion::acceleration does, by a decision about the rank.
///
/// What a state gets depends on no other state, nor on the number of lanes or threads, bit for bit;
/// only a formulation that is derived anew on the way (flow/formulation_library.hpp) may answer
/// by other pivots afterwards. The written-out solution agrees with Motion::acceleration to
/// rounding, 1e-11 of the largest acceleration at worst; where constraints are redundant, and fit
/// each other to 1e-8 only as off the constraints they do, to that.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dalembert/flow/evaluator.hpp"
#include "dalembert/study/states/state_function.hpp"

namespace dalembert::study {

/// Where the results go, row after row; null: not asked for.
struct SolvedRows {
  double* acceleration = nullptr;  ///< q'' (N x n)
  double* applied = nullptr;       ///< Q (N x n)
  double* ideal = nullptr;         ///< Q_ideal (N x n)
  double* nonideal = nullptr;      ///< Q_nonideal (N x n)
  double* multipliers = nullptr;   ///< lambda, Q_ideal = A^T lambda, of minimum norm (N x m)
  double* reactions = nullptr;     ///< while C acts: M q'' = Q + C + A^T lambda (N x m)
  std::uint8_t* unique = nullptr;  ///< whether each multiplier is the only one (N x m)
  double* mu_rate = nullptr;       ///< mu' of `vakonomic` (N x m), else 0
  double* outputs = nullptr;       ///< energy T, V and h, then Motion::outputs (N x (3 + outputs))
};

/// The states without an acceleration; their rows are not numbers, and `unique` is 0.
struct Failures {
  std::size_t count = 0;
  std::size_t first = 0;  ///< the number of the first
  std::string problem;    ///< why that one has none, in a sentence
};

/// Immutable but for what it keeps to work with: any number of threads may use it.
class Accelerations {
 public:
  /// Costs milliseconds: the solution is written out, if it can be.
  explicit Accelerations(motion::Motion motion);
  /// For the same system with other parameters; nothing is written out again.
  Accelerations(const Accelerations& other, motion::Motion motion);
  Accelerations(const Accelerations&) = delete;
  Accelerations& operator=(const Accelerations&) = delete;
  ~Accelerations();

  const motion::Motion& motion() const { return motion_; }
  bool written_out() const { return written_ != nullptr; }

  /// Cost of a state: a kernel of W lanes divided by W where that vouches, else O(n^3). No
  /// allocation for each state but where a formulation is derived and of large sparse systems with
  /// dependent rows. `states.mu` is needed by `vakonomic`, ignored else.
  Failures solve(const StateRows& states, const SolvedRows& results,
                 const Sharing& sharing = {}) const;

  /// q'' (n) of one state, the same bits as of solve. False, and not numbers, if it has none.
  bool solve_one(double t, const double* q, const double* v, double* acceleration) const;

 private:
  struct Written;
  struct Worker;
  class Lease;

  void solve_part(const StateRows& states, const SolvedRows& results, std::size_t begin,
                  std::size_t end, Failures& failures) const;
  bool solve_alone(Worker& worker, const StateRows& states, const SolvedRows& results,
                   std::size_t i) const;
  std::string explain(const StateRows& states, std::size_t i) const;

  motion::Motion motion_;
  std::shared_ptr<const Written> written_;  ///< null where there is none
  mutable Pool<Worker> pool_;
};

}  // namespace dalembert::study
