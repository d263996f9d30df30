#pragma once
/// What the written-out solution of a motion starts from: its equations, in their short forms where
/// that makes a cheaper tape, and which constraints are independent.

#include <optional>
#include <vector>

#include "dalembert/codegen/tape.hpp"
#include "dalembert/flow/compiled.hpp"

namespace dalembert::flow {

struct ShortEquations {
  mechanics::Equations equations;
  std::vector<std::size_t> rows;  ///< k independent constraints, in order
  Acceleration at;                ///< the solution at the start
  bool small = false;             ///< simplifying takes milliseconds
  bool mended = false;            ///< M may have been mended (mended_mass.hpp)
};

/// What is taken into a flow beyond what lanes can run. The program's own engine asks for none of
/// it.
struct FlowScope {
  bool mended_mass = false;     ///< a singular M, see mended_mass.hpp
  bool turns = false;           ///< hinges whose turns are counted: who runs the tapes moves the
                                ///< references, which are parameters, along (flow/state/turns.hpp)
  bool without_shares = false;  ///< outputs with multipliers that may not be unique are left out
  /// For reference runs in numbers wider than doubles (flow/tapes/extended_flow.hpp): with exact
  /// constants, never reduced, and with the works of the forces in y.
  bool extended = false;
};

/// None where the mass matrix is singular, the constraints contradict each other, the system is too
/// large for straight code, joints have friction, or the method is another than m-inverse. `rows`:
/// taken for the independent ones if given.
std::optional<ShortEquations> short_equations(const Motion& motion, const State& start,
                                              std::optional<std::vector<std::size_t>> rows = {},
                                              const FlowScope& scope = {});

/// Of the rows of A that are asked for, a largest independent set, in order. `at`: M and A.
std::vector<std::size_t> independent_rows(const Motion& motion, const Acceleration& at,
                                          const std::vector<std::size_t>& asked);

/// What a tape costs in its loop, in additions: a division counts 4, a sine 12.
double cost(const codegen::Tape& tape);

}  // namespace dalembert::flow
