// Initial values made free.
#include <algorithm>
#include <stdexcept>

#include "dalembert/expr/graph.hpp"
#include "dalembert/model/assembly/assembly.hpp"
#include "dalembert/model/families.hpp"

namespace dalembert::model {

namespace {

/// An initial value that is a parameter instead of what is said.
struct FreeInitialValue {
  std::string name;       ///< "x" or "x'"
  std::size_t index = 0;  ///< of the coordinate
  bool is_velocity = false;
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
  for (const std::string& name : names) {
    const bool is_velocity = name.ends_with('\'');
    const std::string coordinate = is_velocity ? name.substr(0, name.size() - 1) : name;
    const auto found = std::find(model.coordinates.begin(), model.coordinates.end(), coordinate);
    if (found == model.coordinates.end())
      throw std::invalid_argument("'" + name + "' is no position or velocity of the model");
    const auto i = static_cast<std::size_t>(found - model.coordinates.begin());
    std::string parameter = coordinate + (is_velocity ? "_rate_start" : "_start");
    while (std::find(taken.begin(), taken.end(), parameter) != taken.end()) parameter += '_';
    taken.push_back(parameter);
    const Located& written = (is_velocity ? model.initial.v : model.initial.q)[i];
    free.push_back({name, i, is_velocity, {parameter, written.expr, written.where}});
  }
  return free;
}

/// What the draft says, with the free values as parameters.
Draft freed(const Model& model, Draft draft, const std::vector<FreeInitialValue>& free) {
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
  // A free rate is no longer what an angular velocity leaves: the rates that follow from those
  // stand for them.
  const auto is_spin = [&](const Definition& value) {
    return value.name.find('.') != std::string::npos;
  };
  if (std::any_of(free.begin(), free.end(), [](const auto& value) { return value.is_velocity; }) &&
      std::erase_if(values, is_spin) > 0) {
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
      const std::string rate = model.coordinates[i] + "'";
      if (find(rate) == values.end() && !model.initial.v[i].expr.is_zero())
        values.push_back({rate, {}, Formula(model.initial.v[i].expr)});
    }
  }
  for (const FreeInitialValue& value : free) {
    const Named& parameter = value.parameter;
    draft.parameters.push_back(
        {parameter.name, parameter.where, Formula(parameter.expr, parameter.where)});
    const Formula start(expr::parameter(parameter.name));
    if (const auto said = find(value.name); said != values.end()) {
      said->value = start;
    } else {
      values.push_back({value.name, {}, start});
    }
  }
  return draft;
}

}  // namespace

Model with_free_initial_values(const Model& model, std::span<const std::string> names) {
  Model result = model;
  Draft said = model.draft ? *model.draft : Draft();
  Complaints none;
  if (auto without_indices = written_out(said, none)) said = *std::move(without_indices);
  const std::vector<FreeInitialValue> free = free_values(model, said, names);
  if (free.empty()) return result;
  for (const FreeInitialValue& value : free) result.parameters.push_back(value.parameter);
  if (model.draft) {
    auto draft = std::make_shared<const Draft>(freed(model, std::move(said), free));
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
    result.draft = std::move(draft);
  }
  for (const FreeInitialValue& value : free) {
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
