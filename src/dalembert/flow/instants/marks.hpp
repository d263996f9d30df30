#pragma once
/// Where an expression of the state may jump, have a kink or a pole: functions, the marks, that
/// pass zero there. Beside a mark an expression may change its sign twice within any distance,
///
///     tan(u) - c, 1/u - c                  u = pi/2 resp. 0: a pole and a root
///     max(0, 1 - abs(u)/w) - c             u = 0 in the midst of a pulse of width w
///
/// so whoever looks for its roots looks closely around those of its marks.

#include <optional>
#include <vector>

#include "dalembert/expr/expr.hpp"

namespace dalembert::flow {

struct Mark {
  expr::Expr expr;
  bool pole = false;  ///< the expression is not bounded there
};

/// What is zero where this node, seen as a function of its arguments, is not bounded; nothing where
/// it is bounded by finite arguments.
std::optional<expr::Expr> pole_of(const expr::Expr& node);

/// Of marks that depend on positions and velocities; what depends on t alone is known ahead
/// (flow/tapes/time_kinks.hpp). Each once. Nodes of tables have none.
std::vector<Mark> marks_of(const expr::Expr& e);

/// Whether its value is a matter of t and parameters, and changes with t.
bool depends_on_time_alone(const expr::Expr& e);

}  // namespace dalembert::flow
