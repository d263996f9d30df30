#include "dalembert/mechanics/formulations/formulations.hpp"

#include <algorithm>
#include <array>

#include "dalembert/solve/method.hpp"

namespace dalembert::mechanics {

std::span<const FormulationInfo> formulations() {
  using solve::Method;
  static constexpr std::array list = {
      FormulationInfo{to_string(Method::m_inverse), "The explicit equation with the M-inverse",
                      m_inverse},
      FormulationInfo{to_string(Method::scaled), "The explicit equation in scaled form", scaled},
      FormulationInfo{to_string(Method::extended_dalembert), "The extended principle of D'Alembert",
                      extended_dalembert},
      FormulationInfo{to_string(Method::multipliers), "Lagrange's equations with multipliers",
                      multipliers},
      FormulationInfo{to_string(Method::maggi), "Maggi's equations", maggi, true, true, true},
      FormulationInfo{to_string(Method::boltzmann_hamel), "The Boltzmann-Hamel equations",
                      boltzmann_hamel, true, true, true, true},
      FormulationInfo{to_string(Method::transpositional),
                      "The transpositional form of Boltzmann-Hamel", transpositional, true, true,
                      true, true},
      FormulationInfo{to_string(Method::central), "The central equation of Heun and Hamel", central,
                      true, true, true, true},
      FormulationInfo{to_string(Method::suslov), "Suslov's principle", suslov, true, true, true},
      FormulationInfo{to_string(Method::voronets), "Voronets' equations", voronets, true, true,
                      true},
      FormulationInfo{to_string(Method::gibbs_appell), "The Gibbs-Appell equations", gibbs_appell,
                      true, true, true, true},
      FormulationInfo{to_string(Method::gauss), "Gauss' principle of least constraint", gauss, true,
                      true, true},
      FormulationInfo{to_string(Method::vakonomic),
                      "The multiplier rule (vakonomic, not the motion of mechanics)", vakonomic,
                      false, true},
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
