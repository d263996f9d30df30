#include "dalembert/solve/method.hpp"

#include <array>
#include <utility>

namespace dalembert::solve {

namespace {

constexpr std::array<std::pair<Method, std::string_view>, 14> methods{
    {{Method::m_inverse, "m-inverse"},
     {Method::scaled, "scaled"},
     {Method::extended_dalembert, "extended-dalembert"},
     {Method::weighted, "weighted"},
     {Method::multipliers, "multipliers"},
     {Method::maggi, "maggi"},
     {Method::boltzmann_hamel, "boltzmann-hamel"},
     {Method::transpositional, "transpositional"},
     {Method::central, "central"},
     {Method::suslov, "suslov"},
     {Method::voronets, "voronets"},
     {Method::gibbs_appell, "gibbs-appell"},
     {Method::gauss, "gauss"},
     {Method::vakonomic, "vakonomic"}}};

}  // namespace

std::string_view to_string(Method method) {
  for (const auto& [value, name] : methods) {
    if (value == method) return name;
  }
  return "";
}

std::optional<Method> method_from_string(std::string_view name) {
  for (const auto& [value, its_name] : methods) {
    if (its_name == name) return value;
  }
  return std::nullopt;
}

std::string method_names() {
  std::string text;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (i > 0) text += i + 1 == methods.size() ? " and " : ", ";
    text += methods[i].second;
  }
  return text;
}

std::string_view method_note(Method method) {
  return is_mechanical(method) ? ""
                               : "vakonomic: the multiplier rule; NOT the mechanical motion unless "
                                 "the constraints are holonomic";
}

}  // namespace dalembert::solve
