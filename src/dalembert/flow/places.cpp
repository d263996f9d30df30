#include "dalembert/flow/places.hpp"

#include <algorithm>
#include <vector>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/model/text_index.hpp"

namespace dalembert::flow {

model::Location mass_place(const model::Model& model) {
  if (model.kinetic) return model.kinetic->where;
  if (!model.mass_matrix.empty()) return model.mass_matrix.front().front().where;
  return model.bodies.empty() ? model::Location{} : model.bodies.front().where;
}

model::Location force_place(const model::Model& model, const expr::Values& values) {
  const auto blamed = [&](const std::optional<model::Located>& energy, int order) {
    if (!energy) return false;
    std::vector<expr::Expr> variables;
    for (const std::string& name : model.coordinates)
      variables.push_back(expr::coordinate(name, order));
    const std::vector<expr::Expr> slopes = expr::gradient(energy->expr, variables);
    return std::any_of(slopes.begin(), slopes.end(), [&](const expr::Expr& e) {
      return expr::first_not_finite(e, values).has_value();
    });
  };
  if (blamed(model.potential, 0)) return model.potential->where;
  if (blamed(model.dissipation, 1)) return model.dissipation->where;
  return mass_place(model);
}

namespace {

/// A table of the model's file by its header, which stands at the beginning of a line.
model::Location header_place(const model::Model& model, std::string_view header) {
  if (!model.source) return {};
  const std::string_view text = model.source->text;
  for (std::size_t at = text.find(header); at != std::string_view::npos;
       at = text.find(header, at + 1)) {
    if (at == 0 || text[at - 1] == '\n')
      return model::TextIndex(text).location(at, at + header.size());
  }
  return {};
}

}  // namespace

model::Location formulation_place(const model::Model& model, std::string_view objection) {
  const bool about_forms = objection.find("[quasi_velocities]") != std::string_view::npos;
  if (about_forms && !model.quasi_velocities.empty()) return model.quasi_velocities.front().where;
  if (objection.find("[independent]") != std::string_view::npos) {
    if (const auto place = header_place(model, "[independent]"); place.line > 0) return place;
  }
  if (model.simulation.method_where.line > 0) return model.simulation.method_where;
  for (const model::Constraint& constraint : model.constraints) {
    if (objection.find("constraint '" + constraint.name + "'") != std::string_view::npos)
      return constraint.where;
  }
  return {};
}

}  // namespace dalembert::flow
