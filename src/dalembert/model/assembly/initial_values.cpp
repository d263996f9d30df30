#include "dalembert/model/assembly/initial_values.hpp"

#include "dalembert/model/complaints.hpp"

namespace dalembert::model {

InitialValues::InitialValues(const std::vector<std::string>& coordinates, Lets& lets)
    : coordinates_(coordinates),
      lets_(lets),
      given_(2 * coordinates.size()),
      walk_(
          2 * coordinates.size() + let_orders * lets.size(),
          [this](std::size_t node) { return needs(node); },
          [this](std::size_t node) { return finish(node); }) {
  for (std::size_t i = 0; i < coordinates.size(); ++i) index_.emplace(coordinates[i], i);
  values_.emplace(expr::time(), Expr(0));
}

const Expr& InitialValues::value(std::size_t node) const {
  const auto found = values_.find(symbol(node));
  return found == values_.end() ? given_[node] : found->second;
}

std::string InitialValues::name(std::size_t node) const {
  const std::string& bare = is_let(node) ? lets_.name(let_of(node)) : coordinates_[node / 2];
  return shortened(bare, 60) + std::string(order_of(node), '\'');
}

Expr InitialValues::symbol(std::size_t node) const {
  const int order = static_cast<int>(order_of(node));
  return is_let(node) ? lets_.marker(let_of(node), order)
                      : expr::coordinate(coordinates_[node / 2], order);
}

const Expr& InitialValues::definition(std::size_t node) {
  return is_let(node) ? lets_.written(let_of(node), order_of(node)) : given_[node];
}

std::vector<std::size_t> InitialValues::needs(std::size_t node) {
  std::vector<std::size_t> found;
  for (const Expr& e : expr::symbols(std::span(&definition(node), 1))) {
    const expr::Symbol& s = e.symbol();
    const auto order = static_cast<std::size_t>(s.order);
    if (const auto let = lets_.find(s)) {
      found.push_back(given_.size() + let_orders * *let + order);
    } else if (const auto place = index_.find(s.name);
               s.kind == expr::SymbolKind::coordinate && place != index_.end() && order < 2) {
      found.push_back(2 * place->second + order);
    }
  }
  return found;
}

bool InitialValues::finish(std::size_t node) {
  values_.emplace(symbol(node), expr::substitute(definition(node), values_));
  return true;
}

}  // namespace dalembert::model
