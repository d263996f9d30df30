#include "dalembert/model/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/model/complaints.hpp"
#include "dalembert/model/draft_formulas.hpp"

namespace dalembert::model {

std::string table_objection(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size())
    return fmt::format("'x' has {} numbers and 'y' has {}", x.size(), y.size());
  if (x.size() < 2) return "a table needs two points or more";
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i]))
      return fmt::format("point {} is not finite", i + 1);
    if (i > 0 && !(x[i] > x[i - 1]))
      return fmt::format("'x' does not increase: {} comes after {}", x[i], x[i - 1]);
  }
  return {};
}

namespace {

bool is_taken(const Draft& draft, const std::string& name) {
  const auto any = [&](const auto& statements) {
    return std::ranges::any_of(statements, [&](const auto& s) { return s.name == name; });
  };
  return (draft.coordinates &&
          std::ranges::any_of(draft.coordinates->items,
                              [&](const Word& w) { return w.text == name; })) ||
         any(draft.parameters) || any(draft.discretes) || any(draft.inputs) || any(draft.tables) ||
         any(draft.lets) || any(draft.bodies) || any(draft.joints);
}

}  // namespace

expr::Result<Draft, std::string> with_inputs(
    const Draft& draft, const std::vector<std::shared_ptr<const expr::Table>>& driven) {
  Draft result = draft;
  expr::ExprMap courses;
  for (const auto& table : driven) {
    const auto input = std::ranges::find(result.inputs, table->name(), &Definition::name);
    if (input == result.inputs.end()) {
      if (draft.inputs.empty())
        return expr::Failure{
            fmt::format("unknown input {}: the model has no [inputs]", in_quotes(table->name()))};
      std::string known;
      for (const Definition& other : draft.inputs)
        known += (known.empty() ? "" : ", ") + in_quotes(other.name);
      return expr::Failure{fmt::format("unknown input {}; there {} {}", in_quotes(table->name()),
                                       draft.inputs.size() == 1 ? "is" : "are", known)};
    }
    for (const ConstraintStatement& constraint : draft.constraints) {
      if (constraint.by && std::ranges::any_of(constraint.by->items, [&](const Word& word) {
            return word.text == table->name();
          }))
        return expr::Failure{fmt::format(
            "input {} follows from constraint {}, which it enforces", in_quotes(table->name()),
            in_quotes(constraint.name ? constraint.name->text : "without a name"))};
    }
    std::string name = table->name() + "_course";
    while (is_taken(draft, name)) name += '_';
    TableStatement said;
    said.name = name;
    said.where = input->where;
    said.is_read = true;
    said.interpolation =
        table->degree() == 0 ? expr::Interpolation::hold : expr::Interpolation::linear;
    said.refused = table->degree() > 1;  // it serves, but no file can say it
    const std::span<const double> nodes = table->nodes();
    said.read_x.assign(nodes.begin(), nodes.end());
    for (std::size_t piece = 1; piece < nodes.size(); ++piece)
      said.read_y.push_back(table->coefficients(piece)[0]);
    said.read_y.push_back(table->last());
    result.tables.push_back(std::move(said));
    const Expr course = expr::apply_table(table->named(name), expr::time());
    result.lets.push_back({input->name, input->where, {}});
    result.lets.back().value.parts.push_back(Formula(course, input->where));
    result.lets.back().value.where = input->where;
    courses.emplace(expr::parameter(input->name), course);
    result.inputs.erase(input);
  }
  result.is_of_program = true;  // its text is that of other inputs
  // What a program says holds the input itself.
  const auto put_in = [&](Formula& formula) {
    if (formula.form == Formula::Form::expression)
      formula.expr = expr::substitute(formula.expr, courses);
  };
  Formulas<decltype(put_in)> formulas(put_in);
  formulas(result);
  return result;
}

}  // namespace dalembert::model
