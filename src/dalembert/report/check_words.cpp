/// What `check` says about energy.

#include <fmt/format.h>

#include "dalembert/report/check_parts.hpp"
#include "dalembert/report/derivation/words.hpp"

namespace dalembert::report {

namespace {

using Obstacle = mechanics::EnergyObstacle::Kind;

std::string clause_of(const model::Model& model, const mechanics::EnergyObstacle& obstacle) {
  const auto constraint = [&] { return model.constraints[obstacle.index].name; };
  switch (obstacle.kind) {
    case Obstacle::constraint_undecided:
      return fmt::format("that the force of constraint '{}' does no work is not shown",
                         constraint());
    case Obstacle::constraint_moves:
      return fmt::format("constraint '{}' moves, and its force may do work", constraint());
    case Obstacle::constraint_not_homogeneous:
      return fmt::format(
          "constraint '{}' is not homogeneous in the velocities, and its force may do work",
          constraint());
    case Obstacle::undecided:
      return "that the forces do no work is not shown for all values of the parameters";
    case Obstacle::kinetic_energy_of_time:
      return "the kinetic energy depends on t";
    case Obstacle::potential_energy_of_time:
      return "the potential energy depends on t";
    case Obstacle::force:
      break;  // told together with the others
    case Obstacle::dissipation:
      return "the dissipation does work";
    case Obstacle::forces:
      return "the forces do work";
    case Obstacle::virtual_work:
      return "the virtual work of the constraint forces is not zero";
    case Obstacle::friction:
      return "the friction of joints does work";
  }
  return {};
}

}  // namespace

std::string why_no_energy(const model::Model& model,
                          const std::vector<mechanics::EnergyObstacle>& obstacles) {
  std::vector<std::string> clauses, forces;
  for (const mechanics::EnergyObstacle& obstacle : obstacles) {
    if (obstacle.kind == Obstacle::force) {
      forces.push_back(model.coordinates[obstacle.index]);
    } else {
      clauses.push_back(clause_of(model, obstacle));
    }
  }
  if (!forces.empty())
    clauses.push_back(fmt::format("the force{} along {} {} work", forces.size() == 1 ? "" : "s",
                                  name_list(forces), forces.size() == 1 ? "does" : "do"));
  return name_list(clauses);
}

}  // namespace dalembert::report
