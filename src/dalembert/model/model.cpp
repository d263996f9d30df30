#include "dalembert/model/model.hpp"

#include <algorithm>

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
