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

ModelError error_in(const Model& model, std::string message, Location where) {
  return {model.source, {{std::move(message), where}}};
}

}  // namespace dalembert::model
