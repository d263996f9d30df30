#include "dalembert/report/derivation/linear.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "dalembert/report/derivation/words.hpp"

namespace dalembert::report {

namespace {

using expr::Expr;
using mechanics::LinearEquations;
using mechanics::Matrix;

Expr change_of(const model::Model& model, std::size_t i, int order) {
  return expr::coordinate(model.coordinates[i], order);
}

/// row . symbols
Expr row_sum(const Matrix& a, std::size_t row, const std::vector<Expr>& symbols) {
  std::vector<Expr> terms;
  for (std::size_t j = 0; j < symbols.size(); ++j) {
    if (!a(row, j).is_zero()) terms.push_back(a(row, j) * symbols[j]);
  }
  return expr::sum(terms);
}

struct LinearLines {
  std::vector<std::pair<Expr, Expr>> point, equations;
  std::vector<Expr> states;
};

LinearLines lines_of(const model::Model& model, const LinearEquations& linear) {
  LinearLines lines;
  for (std::size_t i = 0; i < linear.q.size(); ++i) {
    lines.point.emplace_back(change_of(model, i, 0), linear.q[i]);
    if (!linear.v[i].is_zero()) lines.point.emplace_back(change_of(model, i, 1), linear.v[i]);
  }
  std::vector<Expr> positions, velocities, accelerations, inputs;
  for (const std::size_t i : linear.positions) positions.push_back(change_of(model, i, 0));
  for (const std::size_t i : linear.velocities) {
    velocities.push_back(change_of(model, i, 1));
    accelerations.push_back(change_of(model, i, 2));
  }
  for (const std::string& name : linear.inputs) inputs.push_back(expr::parameter(name));
  lines.states = positions;
  lines.states.insert(lines.states.end(), velocities.begin(), velocities.end());
  std::size_t other = 0;
  for (const std::size_t i : linear.positions) {
    if (std::ranges::find(linear.velocities, i) != linear.velocities.end()) continue;
    lines.equations.emplace_back(change_of(model, i, 1),
                                 row_sum(linear.rate_by_position, other, positions) +
                                     row_sum(linear.rate_by_velocity, other, velocities));
    ++other;
  }
  for (std::size_t r = 0; r < linear.velocities.size(); ++r)
    lines.equations.emplace_back(row_sum(linear.inertia, r, accelerations),
                                 expr::sum({row_sum(linear.by_position, r, positions),
                                            row_sum(linear.by_velocity, r, velocities),
                                            row_sum(linear.by_input, r, inputs)}));
  return lines;
}

Display display_of(const std::vector<std::pair<Expr, Expr>>& equations) {
  Display display;
  for (const auto& [left, right] : equations)
    display.lines.push_back({math(left), "=", math(right), {}});
  return display;
}

}  // namespace

Document linear_derivation(const model::Model& model, const LinearEquations& linear) {
  const LinearLines lines = lines_of(model, linear);
  Document document{model.name, "linearised equations of motion", false, {}};
  document.blocks.emplace_back(Paragraph{{std::string("At the state")}});
  document.blocks.emplace_back(display_of(lines.point));
  document.blocks.emplace_back(
      Paragraph{{std::string("small changes of the independent coordinates and velocities, denoted "
                             "by the same names, satisfy")}});
  document.blocks.emplace_back(display_of(lines.equations));
  return document;
}

std::string linear_derivation_json(const model::Model& model, const LinearEquations& linear) {
  using Json = nlohmann::ordered_json;
  constexpr std::size_t longest_shown = 1'000'000;  // characters
  const auto both = [](const Expr& e) {
    const Math formula = math(e, longest_shown);
    return Json{{"text", formula.text}, {"latex", formula.latex}};
  };
  const auto list = [&](const std::vector<std::pair<Expr, Expr>>& equations) {
    Json result = Json::array();
    for (const auto& [left, right] : equations)
      result.push_back({{"left", both(left)}, {"right", both(right)}});
    return result;
  };
  const LinearLines lines = lines_of(model, linear);
  Json document{{"name", model.name}, {"point", list(lines.point)}, {"states", Json::array()}};
  for (const Expr& state : lines.states) document["states"].push_back(math(state).text);
  document["inputs"] = linear.inputs;
  document["equations"] = list(lines.equations);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dalembert::report
