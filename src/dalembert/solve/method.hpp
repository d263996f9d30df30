#pragma once
/// The names of all methods. The first five are numerical routes through the fundamental equation
/// (solve/fundamental.hpp); the others are formulations of the textbooks, each run by the linear
/// system it derives (flow/formulation_solver.hpp). All but the last give the same motion.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "dalembert/solve/rooms.hpp"

namespace dalembert::solve {

enum class Method {
  m_inverse,           ///< U05.9: Cholesky of M, pivoted QR of the scaled rows
  scaled,              ///< U01.7: M^(1/2) by eigenvalues, B^+ by singular values
  extended_dalembert,  ///< U97.20-21: J = (B^T B + V V^T)^-1
  weighted,            ///< U97.38, W = diag(I, weights, I): weighs the rows of an inconsistent b
  multipliers,         ///< S lambda = e, S = A M^-1 A^T, pseudo-inverted by eigenvalues
  maggi,               ///< Z^T (M q'' - Q - C) = 0 beside A q'' = b
  boltzmann_hamel,     ///< G5.94
  transpositional,     ///< G5.101
  central,             ///< G5.153
  suslov,              ///< G5.216
  voronets,            ///< Greenwood, problem 5.3
  gibbs_appell,        ///< the acceleration energy
  gauss,               ///< least constraint
  vakonomic            ///< G5.23, the multiplier rule: another motion, offered for contrast
};

/// The one list of names, in the order of Method; `model` and `mechanics` take them from here.
inline constexpr std::array<std::pair<Method, std::string_view>, 14> methods{
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

/// "m-inverse", "extended-dalembert", ...
constexpr std::string_view to_string(Method method) {
  for (const auto& [value, name] : methods) {
    if (value == method) return name;
  }
  return "";
}
/// Empty if no method bears this name.
std::optional<Method> method_from_string(std::string_view name);
/// All names in the order above, for a message: "m-inverse, scaled, ... and vakonomic".
std::string method_names();

/// Whether the method is a route through the fundamental equation.
constexpr bool is_fundamental(Method method) {
  return method <= Method::multipliers;
}
/// The route that decides rank and multipliers beside a formulation: the method itself if it is
/// one, else m-inverse.
constexpr Method fundamental_route(Method method) {
  return is_fundamental(method) ? method : Method::m_inverse;
}
/// Whether the method gives the motion of mechanics whatever the constraints.
constexpr bool is_mechanical(Method method) {
  return method != Method::vakonomic;
}
/// What every output must say of a method that is not mechanical; else empty.
std::string_view method_note(Method method);

}  // namespace dalembert::solve
