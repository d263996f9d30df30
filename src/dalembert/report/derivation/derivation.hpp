#pragma once
/// Derivations people read: a model, its constraints and their differentiated form, the steps of
/// one formulation or of all, the equations of motion, and the comparison.

#include <string>
#include <vector>

#include "dalembert/flow/compiled.hpp"
#include "dalembert/mechanics/equivalence.hpp"
#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/report/document/document.hpp"

namespace dalembert::report {

/// What formulations are derived from, with the choices they need made at a state, or near it where
/// the constraints have a lower rank there than around it. It points into the motion. Fails in one
/// line.
expr::Result<mechanics::Setting, std::string> setting_near(const motion::Motion& motion,
                                                           const motion::State& state);

/// One formulation that the model allows.
Document derivation(const mechanics::Setting& setting, const mechanics::Formulation& formulation);

/// What stands in front of any formulation: energies, forces, constraints differentiated.
Document derivation_of_model(const mechanics::Setting& setting);

/// All of them, those that the model rules out, and those that take more effort than there is
/// patience for each, in one line each, with a list of contents and the comparison in the end.
Document derivation_of_all(const mechanics::Setting& setting, const expr::Patience& patience = {});

/// How the multiplier rule departs from mechanics on this model: a paragraph and the terms that
/// would have to vanish. Empty where the rule does not apply.
std::vector<Block> vakonomic_contrast(const mechanics::Setting& setting);

/// The same for programs, `derive --json`: steps, equations and remarks of one formulation that has
/// been derived, every formula as text and as LaTeX.
std::string derivation_json(const mechanics::Setting& setting,
                            const mechanics::FormulationInfo& info,
                            const mechanics::Formulation& formulation);
/// Of all formulations.
std::string derivation_json(const mechanics::Setting& setting, const expr::Patience& patience = {});

/// "deriving maggi (5 of 13)", told to whom that is of interest.
void say_what_is_derived(const expr::Patience& patience, const mechanics::FormulationInfo& info);

}  // namespace dalembert::report
