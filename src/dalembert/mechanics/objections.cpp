#include "dalembert/mechanics/objections.hpp"

#include <fmt/format.h>

namespace dalembert::mechanics {

std::string why_not_heeded(const Setting& s) {
  switch (s.split.refusal) {
    case Split::Refusal::none:
      break;
    case Split::Refusal::count: {
      const std::size_t wished = s.model().independent.size();
      return fmt::format("[independent] names {} coordinate{}, but {} {} independent", wished,
                         wished == 1 ? "" : "s", s.r, s.r == 1 ? "is" : "are");
    }
    case Split::Refusal::singular:
      return "the coordinates of [independent] do not determine the others at this state";
  }
  return {};
}

std::string why_not_linear(const Setting& s) {
  if (!s.not_linear) return {};
  const ConstraintRow& row = s.eq().constraints[*s.not_linear];
  return row.level == Level::acceleration
             ? fmt::format("constraint '{}' is given at the level of accelerations", row.name)
             : fmt::format("constraint '{}' is not linear in the velocities", row.name);
}

std::string objection(std::string_view method, std::string_view clause) {
  return fmt::format("{}: {}", method, clause);
}

std::string singular_split() {
  return "the dependent coordinates cannot be solved for at this state: the constraints are "
         "singular there";
}

std::string singular_constraints() {
  return "the constraints are singular at this state";
}

std::string miscounted_quasi_velocities(const Setting& s) {
  const std::size_t forms = s.model().quasi_velocities.size();
  return fmt::format("[quasi_velocities] has {} form{}, but the constraints leave {} free", forms,
                     forms == 1 ? "" : "s", s.r);
}

std::string redundant_multiplier(const Setting& s) {
  return fmt::format("constraint '{}' is redundant, so its multiplier has no meaning",
                     s.eq().constraints[s.split.redundant.front()].name);
}

std::string not_ideal() {
  return "the multiplier rule knows no non-ideal constraint forces ([virtual_work])";
}

}  // namespace dalembert::mechanics
