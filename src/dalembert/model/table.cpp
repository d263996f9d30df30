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
      return fmt::format("'x' does not increase: {} comes behind {}", x[i], x[i - 1]);
  }
  return {};
}

expr::Result<Draft, std::string> with_inputs(
    const Draft& draft, const std::vector<std::shared_ptr<const expr::Table>>& driven) {
  Draft result = draft;
  expr::ExprMap courses;
  for (const auto& table : driven) {
    const auto input = std::ranges::find(result.inputs, table->name(), &Definition::name);
    if (input == result.inputs.end()) {
      if (draft.inputs.empty())
        return expr::Failure{fmt::format(
            "unknown input {}: the model has no [inputs]", in_quotes(table->name()))};
      std::string known;
      for (const Definition& other : draft.inputs)
        known += (known.empty() ? "" : ", ") + in_quotes(other.name);
      return expr::Failure{
          fmt::format("unknown input {}; there {} {}", in_quotes(table->name()),
                      draft.inputs.size() == 1 ? "is" : "are", known)};
    }
    const Expr course = expr::apply_table(table, expr::time());
    result.lets.push_back({input->name, input->where, {}});
    result.lets.back().value.parts.push_back(Formula(course, input->where));
    result.lets.back().value.where = input->where;
    courses.emplace(expr::parameter(input->name), course);
    result.inputs.erase(input);
  }
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
