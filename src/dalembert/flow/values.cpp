#include "dalembert/flow/values.hpp"

#include <string>
#include <unordered_map>

#include "dalembert/flow/instants/kernels.hpp"
#include "dalembert/model/assembly/places.hpp"

namespace dalembert::flow {

expr::Values values_at(const model::Model& model, const std::vector<double>& parameters,
                       const State& state) {
  std::unordered_map<std::string, double> numbers;
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < model.parameters.size(); ++i)
    numbers[model.parameters[i].name] = parameters[i];
  for (std::size_t i = 0; i < model.coordinates.size(); ++i) index[model.coordinates[i]] = i;
  return [=](const expr::Symbol& s) -> double {
    switch (s.kind) {
      case expr::SymbolKind::parameter:
        return numbers.at(s.name);
      case expr::SymbolKind::time:
        return state.t;
      case expr::SymbolKind::coordinate:
        if (s.order == 0) return state.q[index.at(s.name)];
        return s.order == 1 ? state.v[index.at(s.name)] : 0.0;
      default:
        return 1;
    }
  };
}

expr::Values values_at(const Motion& motion, const State& state, const Acceleration& solved) {
  std::unordered_map<std::string, Eigen::Index> coordinate, constraint;
  for (const std::string& name : motion.model().coordinates)
    coordinate.emplace(name, static_cast<Eigen::Index>(coordinate.size()));
  for (const auto& row : motion.model().constraints)
    constraint.emplace(row.name, static_cast<Eigen::Index>(constraint.size()));
  std::unordered_map<std::string, double> named;
  for (std::size_t k = 0; k < solved.named.size(); ++k)
    named.emplace(std::string(model::reaction_prefix) + motion.instants()->reactions[k].name,
                  solved.named[k]);
  return [=, qdd = solved.qdd, ideal = solved.ideal, nonideal = solved.nonideal,
          lambda = solved.reactions,
          known = values_at(motion.model(), motion.parameters(), state)](const expr::Symbol& s) {
    switch (s.kind) {
      case expr::SymbolKind::coordinate:
        return s.order == 2 ? qdd[coordinate.at(s.name)] : known(s);
      case expr::SymbolKind::ideal_force:
        return ideal[coordinate.at(s.name)];
      case expr::SymbolKind::nonideal_force:
        return nonideal[coordinate.at(s.name)];
      case expr::SymbolKind::multiplier:
        return lambda[constraint.at(s.name)];
      case expr::SymbolKind::parameter:
        return named.contains(s.name) ? named.at(s.name) : known(s);
      default:
        return known(s);
    }
  };
}

std::vector<expr::Expr> state_symbols(const mechanics::Equations& eq) {
  std::vector<expr::Expr> symbols{expr::time()};
  symbols.insert(symbols.end(), eq.q.begin(), eq.q.end());
  symbols.insert(symbols.end(), eq.v.begin(), eq.v.end());
  return symbols;
}

}  // namespace dalembert::flow
