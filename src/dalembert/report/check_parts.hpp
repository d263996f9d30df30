#pragma once
/// What the report of `check` for people and the one for programs have in common.

#include <optional>
#include <string>
#include <vector>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/mechanics/conserved.hpp"
#include "dalembert/study/linear/internal_dynamics.hpp"

namespace dalembert::report {

/// "the difference is 0.25 at phi = 1, x = 2"
std::string witness_text(const expr::Witness& witness);

/// Why energy is not conserved, or not shown to be, in a clause.
std::string why_no_energy(const model::Model& model,
                          const std::vector<mechanics::EnergyObstacle>& obstacles);

/// What the dynamics beside servo constraints does, in a clause: "2 states, unstable: ...".
std::string internal_text(const study::InternalDynamics& internal);

inline constexpr const char* instants_do_not_conserve =
    "not looked for: impacts, friction and events change what motions keep between them";

/// The text of an expression, or nothing if it is longer.
std::optional<std::string> text_within(const expr::Expr& e, std::size_t longest);

/// The inputs that stand in an expression, by name.
std::vector<std::string> inputs_in(const model::Model& model, const expr::Expr& e);

}  // namespace dalembert::report
