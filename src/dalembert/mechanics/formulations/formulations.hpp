#pragma once
/// All formulations by name.

#include <string_view>

#include "dalembert/mechanics/formulations/formulation.hpp"

namespace dalembert::mechanics {

struct FormulationInfo {
  std::string_view name;  ///< "boltzmann-hamel"
  Result<Formulation, std::string> (*derive)(const Setting&);
  bool mechanical = true;    ///< false for `vakonomic`
  bool runs_here = false;    ///< run by its own linear system; else by solve/fundamental.hpp
  bool needs_split = false;  ///< works with dependent and independent coordinates
  bool needs_quasi_velocities = false;
};

/// In the order in which they are presented.
std::span<const FormulationInfo> formulations();
const FormulationInfo* find_formulation(std::string_view name);

// One file each.
Result<Formulation, std::string> m_inverse(const Setting& s);
Result<Formulation, std::string> scaled(const Setting& s);
Result<Formulation, std::string> extended_dalembert(const Setting& s);
Result<Formulation, std::string> multipliers(const Setting& s);
Result<Formulation, std::string> maggi(const Setting& s);
Result<Formulation, std::string> boltzmann_hamel(const Setting& s);
Result<Formulation, std::string> transpositional(const Setting& s);
Result<Formulation, std::string> central(const Setting& s);
Result<Formulation, std::string> suslov(const Setting& s);
Result<Formulation, std::string> voronets(const Setting& s);
Result<Formulation, std::string> gibbs_appell(const Setting& s);
Result<Formulation, std::string> gauss(const Setting& s);
Result<Formulation, std::string> vakonomic(const Setting& s);

}  // namespace dalembert::mechanics
