#include "dalembert/motion/values.hpp"

#include <string>
#include <unordered_map>

namespace dalembert::motion {

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

std::vector<expr::Expr> state_symbols(const mechanics::Equations& eq) {
  std::vector<expr::Expr> symbols{expr::time()};
  symbols.insert(symbols.end(), eq.q.begin(), eq.q.end());
  symbols.insert(symbols.end(), eq.v.begin(), eq.v.end());
  return symbols;
}

}  // namespace dalembert::motion
