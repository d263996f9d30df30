#pragma once
/// What `check` finds out about a model, and how it is told.

#include <optional>
#include <string>
#include <vector>

#include "dalembert/flow/compiled.hpp"
#include "dalembert/mechanics/classify.hpp"
#include "dalembert/mechanics/conserved.hpp"
#include "dalembert/mechanics/equivalence.hpp"
#include "dalembert/study/linear/internal_dynamics.hpp"

namespace dalembert::report {

struct CheckReport {
  const motion::Motion* motion = nullptr;
  mechanics::Classification classes;
  std::size_t rank = 0;           ///< in general
  std::size_t rank_at_start = 0;  ///< lower where the start is a singular state
  std::vector<mechanics::Redundancy> redundant;
  std::vector<bool> unique;            ///< of each constraint's reaction
  std::vector<bool> unique_reactions;  ///< of each joint, at the start
  bool mass_singular = false;
  bool consistent = true;     ///< the initial state satisfies the constraints ...
  double residual = 0;        ///< ... with this largest scaled residual, as it is written
  bool adjusted = false;      ///< it was moved onto them, as the model allows
  std::string start_problem;  ///< why there is no motion from it, if there is none
  /// What motions keep; nothing where it was not looked for, as the equations take too long.
  std::optional<mechanics::ConservedQuantities> conserved;
  std::vector<mechanics::Agreement> agreements;
  bool compared = true;  ///< false where the equations are too large to compare all formulations
  /// Beside the constraints that inputs enforce; nothing where there are none.
  std::optional<study::InternalDynamics> internal;
  std::vector<std::string> warnings;  ///< of its friction at the start (motion/doubts.hpp)
  std::string contrast;  ///< how the multiplier rule departs, as text; empty if it does not

  /// Whether every answer is yes: the start is consistent, all formulations of mechanics agree,
  /// what was left out as redundant is.
  bool passed() const;
};

/// The report on one model, all formulations compared or the one named. `state` is where choices
/// are made: the initial state, or the nearest one on the constraints. What takes more effort than
/// there is patience for each question is left open, and told so.
CheckReport check(const motion::Motion& motion, const motion::State& state,
                  std::string_view method = {}, const expr::Patience& patience = {});

/// Tables for people.
std::string check_text(const CheckReport& report);
/// `check --json` of the contract.
std::string check_json(const CheckReport& report);

}  // namespace dalembert::report
