#include <nlohmann/json.hpp>

#include "dalembert/mechanics/formulations/linear_system.hpp"
#include "dalembert/report/derivation/derivation.hpp"
#include "dalembert/report/derivation/words.hpp"

namespace dalembert::report {

namespace {

using Json = nlohmann::ordered_json;
using expr::Expr;

constexpr std::size_t longest = 1'000'000;  // characters; beyond, it says that it goes on

Json both(const Math& formula) {
  return {{"text", formula.text}, {"latex", formula.latex}};
}

Json both(const Expr& e) {
  return both(math(e, longest));
}

Json line_json(const StepLine& line) {
  Json entry{{"left", both(line.left)}};
  if (line.right) entry["right"] = both(*line.right);
  if (!line.number.empty()) entry["number"] = line.number;
  return entry;
}

Json head_of(const mechanics::FormulationInfo& info) {
  return {{"method", info.name}, {"title", title_of(info.name)}, {"mechanical", info.mechanical}};
}

/// The system that multipliers solve, and them by constraint, or null where they are left to it.
Json multipliers_json(const mechanics::Setting& s, const mechanics::Multipliers& multipliers) {
  Json entry{{"system", both(step_text(multipliers).lines.front().left)}, {"solved", nullptr}};
  if (multipliers.solution.empty()) return entry;
  entry["solved"] = Json::array();
  for (std::size_t j = 0; j < multipliers.solution.size(); ++j)
    entry["solved"].push_back({{"constraint", s.eq().constraints[s.split.rows[j]].name},
                               {"left", both(multipliers.symbols[j])},
                               {"right", both(multipliers.solution[j])}});
  return entry;
}

Json formulation_json(const mechanics::Setting& s, const mechanics::FormulationInfo& info,
                      const mechanics::Formulation& f) {
  Json entry = head_of(info);
  entry["remarks"] = formulation_remarks(s, f);
  entry["steps"] = Json::array();
  for (const mechanics::Step& step : f.steps) {
    const StepText text = step_text(f, step);
    Json formulas = Json::array();
    for (const StepLine& line : text.lines) formulas.push_back(line_json(line));
    entry["steps"].push_back(
        {{"title", text.title}, {"number", text.number}, {"formulas", formulas}});
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
  return {{"name", s.model().name},
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
