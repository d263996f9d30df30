// Initial values made free.
#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "dalembert/expr/graph.hpp"
#include "dalembert/model/assembly/assembly.hpp"
#include "dalembert/model/assembly/free_initial.hpp"
#include "dalembert/model/families.hpp"

namespace dalembert::model {

namespace {

/// An initial value that is a parameter instead of what is said.
struct FreeInitialValue {
  std::string name;       ///< "x", "x'" or "disk.wx"
  std::size_t index = 0;  ///< of the coordinate
  bool is_velocity = false;
  bool is_spin = false;  ///< of a body, and of no coordinate
  Named parameter;
};

/// `said`: the model's draft without indices.
std::vector<FreeInitialValue> free_values(const Model& model, const Draft& said,
                                          std::span<const std::string> names) {
  std::vector<std::string> taken = model.coordinates;
  for (const auto* list : {&model.parameters, &model.quasi_velocities}) {
    for (const Named& named : *list) taken.push_back(named.name);
  }
  for (const LetStatement& let : said.lets) taken.push_back(let.name);
  for (const BodyStatement& body : said.bodies) taken.push_back(body.name);
  for (const JointStatement& joint : said.joints) taken.push_back(joint.name);
  std::vector<FreeInitialValue> free;
  const auto without_twin = [&taken](std::string parameter) {
    while (std::find(taken.begin(), taken.end(), parameter) != taken.end()) parameter += '_';
    return taken.emplace_back(std::move(parameter));
  };
  const std::vector<std::string> spins = spin_names(model);
  for (const std::string& name : names) {
    if (std::find(spins.begin(), spins.end(), name) != spins.end()) {
      std::string parameter = without_twin(name + "_start");
      std::replace(parameter.begin(), parameter.end(), '.', '_');
      free.push_back({name, 0, false, true, {without_twin(std::move(parameter)), Expr(0), {}}});
      continue;
    }
    const bool is_velocity = name.ends_with('\'');
    const std::string coordinate = is_velocity ? name.substr(0, name.size() - 1) : name;
    const auto found = std::find(model.coordinates.begin(), model.coordinates.end(), coordinate);
    if (found == model.coordinates.end())
      throw std::invalid_argument("'" + name + "' is not a position or velocity of the model");
    const auto i = static_cast<std::size_t>(found - model.coordinates.begin());
    std::string parameter = without_twin(coordinate + (is_velocity ? "_rate_start" : "_start"));
    const Located& written = (is_velocity ? model.initial.v : model.initial.q)[i];
    free.push_back(
        {name, i, is_velocity, false, {std::move(parameter), written.expr, written.where}});
  }
  return free;
}

/// The coordinates whose rates follow from angular velocities of bodies, by body.
std::map<std::string, std::set<std::size_t>> rates_of_spins(const Draft& draft) {
  std::map<std::string, std::set<std::size_t>> result;
  const auto is_spin = [](const Definition& value) {
    return value.name.find('.') != std::string::npos;
  };
  const std::vector<Definition>& values = draft.initial->values;
  if (std::none_of(values.begin(), values.end(), is_spin)) return result;
  Assembly assembly(draft, {});
  assembly.run_initial();
  for (const auto& [node, body] : assembly.rates_from_spins) result[body].insert(node / 2);
  return result;
}

/// What the draft says, with the free values as parameters. `strict`: an angular velocity some of
/// whose rates are free stays, for `assemble` to complain of.
Draft freed(const Model& model, Draft draft, const std::vector<FreeInitialValue>& free,
            bool strict) {
  if (!draft.initial) draft.initial.emplace();
  std::vector<Definition>& values = draft.initial->values;
  const auto find = [&](const std::string& name) {
    return std::find_if(values.begin(), values.end(),
                        [&](const Definition& value) { return value.name == name; });
  };
  // A quaternion about which nothing is said starts at 1, and goes on to when a part of it is free.
  for (const auto& quaternion : model.quaternions) {
    const auto is_given = [&](std::size_t i) { return find(model.coordinates[i]) != values.end(); };
    if (std::none_of(quaternion.begin(), quaternion.end(), is_given))
      values.push_back({model.coordinates[quaternion[0]], {}, Formula(Expr(1))});
  }
  // Free rates take the place of the angular velocity that they follow from: all of them; or, where
  // nobody has to be told, some, and the others stay as they are.
  for (const auto& [body, rates] : rates_of_spins(draft)) {
    const auto is_free = [&](std::size_t i) {
      return std::any_of(free.begin(), free.end(), [&](const FreeInitialValue& value) {
        return value.is_velocity && value.index == i;
      });
    };
    const bool all = std::all_of(rates.begin(), rates.end(), is_free);
    if (!all && (strict || std::none_of(rates.begin(), rates.end(), is_free))) continue;
    std::erase_if(values,
                  [&](const Definition& value) { return value.name.starts_with(body + "."); });
    for (const std::size_t i : rates) {
      if (!is_free(i) && !model.initial.v[i].expr.is_zero())
        values.push_back({model.coordinates[i] + "'", {}, Formula(model.initial.v[i].expr)});
    }
  }
  for (const FreeInitialValue& value : free) {
    const Named& parameter = value.parameter;
    const auto said = find(value.name);
    const bool is_said_spin = value.is_spin && said != values.end();
    draft.parameters.push_back(
        {parameter.name, parameter.where,
         is_said_spin ? said->value : Formula(parameter.expr, parameter.where)});
    const Formula start(expr::parameter(parameter.name));
    if (said != values.end()) {
      said->value = start;
    } else {
      values.push_back({value.name, {}, start});
    }
  }
  return draft;
}

}  // namespace

std::vector<std::string> spin_names(const Model& model) {
  std::vector<std::string> names;
  for (const Body& body : model.bodies) {
    if (body.kind == BodyKind::particle) continue;
    for (const std::string_view part : body_spin) names.push_back(member(body.name, part));
  }
  return names;
}

std::optional<ModelError> objection_to_free(const Model& model,
                                            std::span<const std::string> names) {
  if (!model.draft) return std::nullopt;
  const auto is_spin = [](const std::string& name) { return name.find('.') != std::string::npos; };
  const bool any_said =
      model.draft->initial &&
      std::any_of(model.draft->initial->values.begin(), model.draft->initial->values.end(),
                  [&](const Definition& value) { return is_spin(value.name); });
  if (!any_said && std::none_of(names.begin(), names.end(), is_spin)) return std::nullopt;
  Complaints none;
  Draft said = *model.draft;
  if (auto without_indices = written_out(said, none)) said = *std::move(without_indices);
  const std::vector<FreeInitialValue> free = free_values(model, said, names);
  const Draft draft = freed(model, std::move(said), free, true);
  Assembly assembly(draft, {});
  assembly.run_initial();
  if (assembly.complaints.empty()) return std::nullopt;
  return ModelError{draft.source, assembly.complaints.take()};
}

Model with_free_initial_values(const Model& model, std::span<const std::string> names) {
  Model result = model;
  Draft said = model.draft ? *model.draft : Draft();
  Complaints none;
  if (auto without_indices = written_out(said, none)) said = *std::move(without_indices);
  const std::vector<FreeInitialValue> free = free_values(model, said, names);
  if (free.empty()) return result;
  for (const FreeInitialValue& value : free) result.parameters.push_back(value.parameter);
  if (model.draft) {
    auto draft = std::make_shared<const Draft>(freed(model, std::move(said), free, false));
    Assembly assembly(*draft, {});
    assembly.run_initial();
    if (!assembly.complaints.empty())
      throw std::logic_error("a model with a free initial value is refused: " +
                             to_string(ModelError{draft->source, assembly.complaints.take()}));
    // What follows a free value contains its parameter; all else stays as it is in the model.
    const auto is_free = [&](const expr::Symbol& s) {
      return s.kind == expr::SymbolKind::parameter &&
             std::any_of(free.begin(), free.end(), [&](const FreeInitialValue& value) {
               return value.parameter.name == s.name;
             });
    };
    const auto follow = [&](const std::vector<Located>& from, std::vector<Located>& to) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        if (expr::find_symbol(from[i].expr, is_free)) to[i] = from[i];
      }
    };
    follow(assembly.model.initial.q, result.initial.q);
    follow(assembly.model.initial.v, result.initial.v);
    for (std::size_t k = 0; k < free.size(); ++k) {
      if (free[k].is_spin)
        result.parameters[model.parameters.size() + k].expr =
            assembly.model.parameters[assembly.model.parameters.size() - free.size() + k].expr;
    }
    result.draft = std::move(draft);
  }
  for (const FreeInitialValue& value : free) {
    if (value.is_spin) continue;
    (value.is_velocity ? result.initial.v : result.initial.q)[value.index].expr =
        expr::parameter(value.parameter.name);
    // As in a file: whoever holds a position holds the velocity that is given for it.
    std::vector<std::string>& hold = result.initial.hold;
    const std::string& position = result.coordinates[value.index];
    const auto held = std::find(hold.begin(), hold.end(), position);
    if (value.is_velocity && held != hold.end() &&
        std::find(hold.begin(), hold.end(), value.name) == hold.end())
      hold.insert(held + 1, value.name);
  }
  return result;
}

}  // namespace dalembert::model
