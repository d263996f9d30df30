#include <nlohmann/json.hpp>

#include "dalembert/expr/print.hpp"
#include "dalembert/mechanics/formulations/linear_system.hpp"
#include "dalembert/report/derivation.hpp"

namespace dalembert::report {

namespace {

using Json = nlohmann::ordered_json;
using expr::Expr;

constexpr std::size_t longest = 1'000'000;  // characters; beyond, it says that it goes on

Json both(const Expr& e) {
  return {{"text", expr::to_text(e, longest)}, {"latex", expr::to_latex(e, longest)}};
}

Json formula_json(const mechanics::Formula& formula) {
  Json entry{{"left", {{"text", formula.left.text}, {"latex", formula.left.latex}}}};
  if (formula.right) entry["right"] = both(*formula.right);
  if (!formula.number.empty()) entry["number"] = formula.number;
  return entry;
}

Json head_of(const mechanics::FormulationInfo& info) {
  return {{"method", info.name}, {"title", info.title}, {"mechanical", info.mechanical}};
}

/// The system that multipliers solve, and them by constraint, or null where they are left to it.
Json multipliers_json(const mechanics::Setting& s, const mechanics::Multipliers& multipliers) {
  const mechanics::Notation& system = multipliers.step.formulas.front().left;
  Json entry{{"system", {{"text", system.text}, {"latex", system.latex}}}, {"solved", nullptr}};
  if (multipliers.solution.empty()) return entry;
  entry["solved"] = Json::array();
  for (std::size_t j = 0; j < multipliers.solution.size(); ++j)
    entry["solved"].push_back({{"constraint", s.eq->constraints[s.split.rows[j]].name},
                               {"left", both(multipliers.symbols[j])},
                               {"right", both(multipliers.solution[j])}});
  return entry;
}

Json formulation_json(const mechanics::Setting& s, const mechanics::FormulationInfo& info,
                      const mechanics::Formulation& f) {
  Json entry = head_of(info);
  entry["remarks"] = f.remarks;
  entry["steps"] = Json::array();
  for (const mechanics::Step& step : f.steps) {
    Json formulas = Json::array();
    for (const mechanics::Formula& formula : step.formulas)
      formulas.push_back(formula_json(formula));
    entry["steps"].push_back(
        {{"title", step.title}, {"number", step.number}, {"formulas", formulas}});
  }
  entry["equations"] = Json::array();
  for (const mechanics::PrintedEquation& equation : f.equations)
    entry["equations"].push_back(
        {{"of", equation.name}, {"left", both(equation.left)}, {"right", both(equation.right)}});
  if (const auto explicit_form = mechanics::solved(f, s)) {
    Json accelerations = Json::array();
    for (std::size_t i = 0; i < explicit_form->size(); ++i)
      accelerations.push_back(
          {{"left", both(f.unknowns[i])}, {"right", both((*explicit_form)[i])}});
    entry["accelerations"] = std::move(accelerations);
  }
  if (f.multipliers) entry["multipliers"] = multipliers_json(s, *f.multipliers);
  return entry;
}

Json document_of(const mechanics::Setting& s, Json formulations) {
  return {{"name", s.model->name},
          {"convention", "M q'' = Q + Q_ideal + Q_nonideal"},
          {"formulations", std::move(formulations)}};
}

std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string derivation_json(const mechanics::Setting& s, const mechanics::FormulationInfo& info,
                            const mechanics::Formulation& formulation) {
  return text_of(document_of(s, Json::array({formulation_json(s, info, formulation)})));
}

std::string derivation_json(const mechanics::Setting& s, const expr::Patience& patience) {
  Json formulations = Json::array();
  for (const mechanics::FormulationInfo& info : mechanics::formulations()) {
    say_what_is_derived(patience, info);
    auto entry = expr::within(patience.most, [&] {
      const auto f = info.derive(s);
      if (f) return formulation_json(s, info, *f);
      Json ruled_out = head_of(info);
      ruled_out["ruled_out"] = f.error();
      return ruled_out;
    });
    if (!entry) {
      entry = head_of(info);
      (*entry)["given_up"] = "it takes long to derive";
    }
    formulations.push_back(*std::move(entry));
  }
  return text_of(document_of(s, std::move(formulations)));
}

}  // namespace dalembert::report
