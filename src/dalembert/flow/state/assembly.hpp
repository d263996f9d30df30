#pragma once
/// Finding a start: from rough values to the nearest state on the constraints in which some values,
/// model::Initial::hold, stay where they are:
///
///     positions    min (x - q0)^T M (x - q0)    with  phi(x) = 0  and  x_i = q0_i, i held;
///     velocities   min (u - v0)^T M (u - v0)    with  psi(x, u) = 0  and  u_i = v0_i, i held,
///
/// at t = 0 and with M at the rough positions, then at x. A held value is one more constraint,
/// named "hold NAME", of a model made for this alone: what cannot be met is explained with these
/// names.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "dalembert/flow/compiled.hpp"
#include "dalembert/flow/projection.hpp"
#include "dalembert/flow/state/initial_state.hpp"

namespace dalembert::flow {

/// A motion whose position constraints hold positions, and one whose velocity constraints hold
/// velocities. Theirs are the constraints of the original, in its order, then those that hold.
/// Where nothing is held they are the original itself.
struct HeldMotions {
  Motion positions;
  Motion velocities;
};

/// What starts need, made when it is first asked for and kept. Motions are compiled once for all
/// values of the parameters and of what is held, for each list of names.
class AssemblyLibrary {
 public:
  HeldMotions get(const Motion& motion, const Start& start);
  /// model::with_free_initial_values, once for each list of names.
  std::shared_ptr<const model::Model> freed(const model::Model& model,
                                            const std::vector<std::string>& names);

 private:
  struct Compiled {
    std::optional<Motion> positions, velocities;
  };
  std::mutex mutex_;
  std::map<std::vector<std::string>, Compiled> compiled_;
  std::map<std::vector<std::string>, std::shared_ptr<const model::Model>> freed_;
};

class Assembly {
 public:
  /// `start` has the state that held values are taken from.
  Assembly(const Motion& motion, const Start& start);

  /// How far the written state is from the constraints: the largest scaled residual, and rate, of
  /// rates that are more than what rounding makes of rows of A known to `uncertainty` (m).
  double residual();
  double rate(const Eigen::VectorXd& uncertainty);

  /// Moves the positions of a state, then its velocities, to the nearest that satisfy the
  /// constraints; held values are kept to the last bit. If this does not converge the state is the
  /// best compromise, in which held values may have moved, and `explain_...` tells what is in the
  /// way.
  bool find_positions(State& state);
  bool find_velocities(State& state);
  ModelError explain_positions();
  ModelError explain_velocities();

  /// The same from a state close to the constraints, to round-off. False if M is unfit there. Rows
  /// of A that are known to `uncertainty` (m) only turn no velocity.
  bool polish(State& state, bool positions_too, const Eigen::VectorXd& uncertainty);

 private:
  void restore_positions(State& state) const;
  void restore_velocities(State& state) const;

  State written_;
  model::Adjust adjust_;
  std::size_t constraints_;  ///< without those that hold
  std::vector<std::size_t> held_positions_, held_velocities_;
  HeldMotions motions_;
  Projector positions_;
  std::optional<Projector> apart_;  ///< for velocities, where those of positions will not do
  Projector& velocities() { return apart_ ? *apart_ : positions_; }
};

}  // namespace dalembert::flow
