#include "dalembert/mechanics/formulations/formulations.hpp"

#include <algorithm>
#include <array>

namespace dalembert::mechanics {

std::span<const FormulationInfo> formulations() {
  static constexpr std::array list = {
      FormulationInfo{"m-inverse", "The explicit equation with the M-inverse", m_inverse},
      FormulationInfo{"scaled", "The explicit equation in scaled form", scaled},
      FormulationInfo{"extended-dalembert", "The extended principle of D'Alembert",
                      extended_dalembert},
      FormulationInfo{"multipliers", "Lagrange's equations with multipliers", multipliers},
      FormulationInfo{"maggi", "Maggi's equations", maggi, true, true, true},
      FormulationInfo{"boltzmann-hamel", "The Boltzmann-Hamel equations", boltzmann_hamel, true,
                      true, true, true},
      FormulationInfo{"transpositional", "The transpositional form of Boltzmann-Hamel",
                      transpositional, true, true, true, true},
      FormulationInfo{"central", "The central equation of Heun and Hamel", central, true, true,
                      true, true},
      FormulationInfo{"suslov", "Suslov's principle", suslov, true, true, true},
      FormulationInfo{"voronets", "Voronets' equations", voronets, true, true, true},
      FormulationInfo{"gibbs-appell", "The Gibbs-Appell equations", gibbs_appell, true, true, true,
                      true},
      FormulationInfo{"gauss", "Gauss' principle of least constraint", gauss, true, true, true},
      FormulationInfo{"vakonomic", "The multiplier rule (vakonomic, not the motion of mechanics)",
                      vakonomic, false, true},
  };
  return list;
}

const FormulationInfo* find_formulation(std::string_view name) {
  const auto list = formulations();
  const auto found = std::find_if(list.begin(), list.end(),
                                  [name](const FormulationInfo& f) { return f.name == name; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace dalembert::mechanics
