#pragma once
/// Why a model rules a formulation out, in one line each: the sentences of this folder stand here
/// together.

#include <string>
#include <string_view>

#include "dalembert/mechanics/setting.hpp"

namespace dalembert::mechanics {

/// Why [independent] was not heeded, in a clause; empty if it was, or if there is none.
std::string why_not_heeded(const Setting& s);
/// Which constraint is not linear in the velocities, in a clause.
std::string why_not_linear(const Setting& s);

/// "suslov: clause".
std::string objection(std::string_view method, std::string_view clause);

/// The dependent coordinates cannot be solved for at the reference state.
std::string singular_split();
std::string singular_constraints();
/// The model's quasi-velocities are too many or too few.
std::string miscounted_quasi_velocities(const Setting& s);
/// Of `vakonomic`, whose multipliers must be unique and whose constraints must be ideal.
std::string redundant_multiplier(const Setting& s);
std::string not_ideal();

}  // namespace dalembert::mechanics
