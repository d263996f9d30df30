#include "dalembert/model/model.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include "dalembert/expr/graph.hpp"

namespace dalembert::model {

Level level(const Constraint& constraint) {
  int highest = 0;
  for (const Expr& s : expr::symbols(std::span(&constraint.residual, 1))) {
    if (s.symbol().kind == expr::SymbolKind::coordinate)
      highest = std::max(highest, s.symbol().order);
  }
  return highest == 0 ? Level::position : highest == 1 ? Level::velocity : Level::acceleration;
}

std::vector<std::size_t> constraints_with_multipliers(const Model& model) {
  std::unordered_set<std::string_view> of_joints;
  for (const Joint& joint : model.joints) {
    for (const Vector* v : {&joint.force, &joint.moment}) {
      for (const Expr& s : expr::symbols(std::array{v->x, v->y, v->z})) {
        if (s.symbol().kind == expr::SymbolKind::multiplier) of_joints.insert(s.symbol().name);
      }
    }
  }
  std::vector<std::size_t> result;
  for (std::size_t j = 0; j < model.constraints.size(); ++j) {
    if (!of_joints.contains(model.constraints[j].name)) result.push_back(j);
  }
  return result;
}

void record_multipliers(Model& model) {
  model.simulation.multipliers = true;
  std::unordered_set<std::string> recorded;
  for (const Named& output : model.outputs) recorded.insert(output.name);
  for (const std::size_t j : constraints_with_multipliers(model)) {
    const Constraint& constraint = model.constraints[j];
    if (recorded.insert("lambda." + constraint.name).second)
      model.outputs.push_back({"lambda." + constraint.name, expr::multiplier(constraint.name), {}});
  }
}

std::string_view to_string(Event::Direction direction) {
  switch (direction) {
    case Event::Direction::both:
      return "both";
    case Event::Direction::rising:
      return "rising";
    case Event::Direction::falling:
      return "falling";
  }
  return "";
}

std::string_view to_string(ImpactLaw law) {
  switch (law) {
    case ImpactLaw::newton:
      return "newton";
    case ImpactLaw::poisson:
      return "poisson";
    case ImpactLaw::energetic:
      return "energetic";
  }
  return "";
}

ModelError error_in(const Model& model, std::string message, Location where) {
  return {model.source, {{std::move(message), where}}};
}

}  // namespace dalembert::model
