#include "dalembert/mechanics/formulations/formulations.hpp"

#include <algorithm>
#include <array>

#include "dalembert/solve/method.hpp"

namespace dalembert::mechanics {

std::span<const FormulationInfo> formulations() {
  using solve::Method;
  static constexpr std::array list = {
      FormulationInfo{to_string(Method::m_inverse), m_inverse},
      FormulationInfo{to_string(Method::scaled), scaled},
      FormulationInfo{to_string(Method::extended_dalembert), extended_dalembert},
      FormulationInfo{to_string(Method::multipliers), multipliers},
      FormulationInfo{to_string(Method::maggi), maggi, true, true, true},
      FormulationInfo{to_string(Method::boltzmann_hamel), boltzmann_hamel, true, true, true, true},
      FormulationInfo{to_string(Method::transpositional), transpositional, true, true, true, true},
      FormulationInfo{to_string(Method::central), central, true, true, true, true},
      FormulationInfo{to_string(Method::suslov), suslov, true, true, true},
      FormulationInfo{to_string(Method::voronets), voronets, true, true, true},
      FormulationInfo{to_string(Method::gibbs_appell), gibbs_appell, true, true, true, true},
      FormulationInfo{to_string(Method::gauss), gauss, true, true, true},
      FormulationInfo{to_string(Method::vakonomic), vakonomic, false, true},
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
