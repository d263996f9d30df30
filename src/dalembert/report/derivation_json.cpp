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

Json formulation_json(const mechanics::Setting& s, const mechanics::FormulationInfo& info) {
  Json entry{{"method", info.name}, {"title", info.title}, {"mechanical", info.mechanical}};
  const auto f = info.derive(s);
  if (!f) {
    entry["ruled_out"] = f.error();
    return entry;
  }
  entry["remarks"] = f->remarks;
  entry["steps"] = Json::array();
  for (const mechanics::Step& step : f->steps) {
    Json formulas = Json::array();
    for (const mechanics::Formula& formula : step.formulas)
      formulas.push_back(formula_json(formula));
    entry["steps"].push_back(
        {{"title", step.title}, {"number", step.number}, {"formulas", formulas}});
  }
  entry["equations"] = Json::array();
  for (const mechanics::PrintedEquation& equation : f->equations)
    entry["equations"].push_back(
        {{"of", equation.name}, {"left", both(equation.left)}, {"right", both(equation.right)}});
  if (const auto explicit_form = mechanics::solved(*f, s)) {
    Json accelerations = Json::array();
    for (std::size_t i = 0; i < explicit_form->size(); ++i)
      accelerations.push_back(
          {{"left", both(f->unknowns[i])}, {"right", both((*explicit_form)[i])}});
    entry["accelerations"] = std::move(accelerations);
  }
  return entry;
}

}  // namespace

std::string derivation_json(const mechanics::Setting& s, std::string_view method,
                            const expr::Patience& patience) {
  Json document;
  document["name"] = s.model->name;
  document["convention"] = "M q'' = Q + Q_ideal + Q_nonideal";
  document["formulations"] = Json::array();
  for (const mechanics::FormulationInfo& info : mechanics::formulations()) {
    if (!method.empty() && method != info.name) continue;
    say_what_is_derived(patience, info);
    auto entry = expr::within(patience.most, [&] { return formulation_json(s, info); });
    document["formulations"].push_back(entry ? *std::move(entry)
                                             : Json{{"method", info.name},
                                                    {"title", info.title},
                                                    {"mechanical", info.mechanical},
                                                    {"given_up", "it takes long to derive"}});
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dalembert::report
