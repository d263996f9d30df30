#pragma once
/// `derive --linear`: the linearised equations of motion, for people and for programs.

#include <string>

#include "dalembert/mechanics/linear_equations.hpp"
#include "dalembert/report/document/document.hpp"

namespace dalembert::report {

/// Coordinates and their rates stand for what they differ from the state by.
Document linear_derivation(const model::Model& model, const mechanics::LinearEquations& linear);

/// "point", "states", "inputs", "equations": each left and right as text and as LaTeX.
std::string linear_derivation_json(const model::Model& model,
                                   const mechanics::LinearEquations& linear);

}  // namespace dalembert::report
