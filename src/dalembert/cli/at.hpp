#pragma once
/// --at "x=1, x'=2": values of a state, for `eval`, and for where `run`, `sweep` and `view` start.

#include <optional>
#include <string>
#include <vector>

#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::cli {

struct Assignment {
  std::string name;  ///< of a coordinate ("x"), a velocity ("x'"), or one of `further`
  std::string text;  ///< of the value, as given
  expr::Expr value;  ///< of parameters
};

/// All assignments, from any number of options with commas between those of one, each name once.
/// `further`: what may be given beside coordinates and velocities. Complains and returns nothing
/// where that is not what is given.
std::optional<std::vector<Assignment>> assignments_of(const std::vector<std::string>& at,
                                                      const model::Model& model,
                                                      const std::vector<std::string>& further);

/// The value of one, with these parameters; complains where it is not finite.
std::optional<double> value_of(const Assignment& assignment, const model::Model& model,
                               const std::vector<double>& parameters);

/// What a motion is given to start from in place of the model's initial values; for `vakonomic`
/// also "mu.NAME". Complains and returns nothing where that cannot be done.
std::optional<motion::GivenValues> given_values(const std::vector<std::string>& at,
                                                const motion::Motion& motion);

}  // namespace dalembert::cli
