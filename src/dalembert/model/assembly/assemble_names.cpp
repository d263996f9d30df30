// Names: coordinates, parameters, lets; and what lets are made of.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/model/assembly/assembly.hpp"
#include "dalembert/model/table.hpp"

namespace dalembert::model {

void Assembly::declare_names() {
  declare_coordinates();
  for (const Definition& parameter : draft.parameters) {
    if (names.declare(parameter.name, {NameKind::parameter, parameters.size(), parameter.where},
                      complaints))
      parameters.push_back(&parameter);
  }
  for (const Definition& discrete : draft.discretes) {
    Declaration declaration{NameKind::parameter, parameters.size(), discrete.where};
    declaration.discrete = true;
    if (names.declare(discrete.name, declaration, complaints)) parameters.push_back(&discrete);
  }
  for (const Definition& input : draft.inputs) {
    Declaration declaration{NameKind::parameter, parameters.size(), input.where};
    declaration.input = true;
    if (names.declare(input.name, declaration, complaints)) parameters.push_back(&input);
  }
  declare_tables();
  for (const LetStatement& let : draft.lets) {
    if (names.declare(let.name, {NameKind::let, let_statements.size(), let.where}, complaints))
      let_statements.push_back(&let);
  }
  declare_bodies();
  for (const JointStatement& joint : draft.joints) {
    if (joint.name == "reaction") {  // its own parameters would be taken for reactions
      complaints.add(joint.where,
                     "'reaction' has a meaning of its own and cannot be the name of a joint");
      names.mark_incomplete();
    } else if (names.declare(joint.name, {NameKind::joint, joints.size(), joint.where}, complaints))
      joints.push_back(&joint);
  }
}

void Assembly::declare_coordinates() {
  const Location top = draft.source ? Location{1, 1, 1} : Location{};
  if (!draft.coordinates) {
    complaints.add(top, "no coordinates: give their names, as in coordinates = [\"x\", \"y\"]");
    names.mark_incomplete();
    return;
  }
  if (draft.coordinates->items.empty() && !draft.coordinates->refused) {
    complaints.add(draft.coordinates->where, "no coordinates: a system needs at least one");
    names.mark_incomplete();
  }
  for (const Word& name : draft.coordinates->items) {
    if (name.text == "adjust") {
      complaints.add(name.where,
                     "'adjust' is a word of [initial] and cannot be the name of a coordinate");
      names.mark_incomplete();
      continue;
    }
    const std::size_t number = model.coordinates.size();
    if (names.declare(name.text, {NameKind::coordinate, number, name.where}, complaints))
      model.coordinates.push_back(name.text);
  }
}

void Assembly::unknown_coordinate(std::string_view name, Location where) {
  if (names.is_incomplete()) return;
  complaints.add(where, fmt::format("unknown coordinate {}{}", in_quotes(name),
                                    complaints.did_you_mean(name, names.coordinates())));
}

void Assembly::declare_tables() {
  for (const TableStatement& said : draft.tables) {
    Declaration declaration{NameKind::table, model.tables.size(), said.where};
    if (!names.declare(said.name, declaration, complaints)) continue;
    names.set_table(said.name, table_of(said));
    if (names.find(said.name)->table != nullptr) {
      model.tables.push_back(names.find(said.name)->table);
      continue;
    }
    // Whoever uses it is not told of it again.
    names.mark_broken(said.name);
    names.set_table(said.name,
                    expr::Table::through(said.name, std::array{0.0, 1.0}, std::array{0.0, 1.0},
                                         expr::Interpolation::linear, expr::Outside::hold));
  }
}

/// Null where there is something to complain of.
std::shared_ptr<const expr::Table> Assembly::table_of(const TableStatement& said) {
  if (said.refused) return nullptr;
  std::vector<double> x = said.read_x, y = said.read_y;
  if (!said.is_read) {
    const auto numbers = [this](const std::vector<Formula>& formulas, std::string_view what,
                                std::vector<double>& values) {
      bool good = true;
      for (const Formula& formula : formulas) {
        const auto number = number_in(formula, what);
        good = good && number;
        values.push_back(number.value_or(0));
      }
      return good;
    };
    const bool good_x = numbers(said.x, "a number of 'x'", x);
    if (!numbers(said.y, "a number of 'y'", y) || !good_x) return nullptr;
  }
  if (const std::string reason = table_objection(x, y); !reason.empty()) {
    Location where = said.x_where.line > 0 ? said.x_where : said.where;
    for (std::size_t i = 1; !said.is_read && x.size() == y.size() && i < x.size(); ++i) {
      if (x[i] > x[i - 1]) continue;
      if (said.x[i].literal.line > 0) where = said.x[i].literal;
      break;
    }
    complaints.add(where, fmt::format("table {}: {}", in_quotes(said.name), reason));
    return nullptr;
  }
  return expr::Table::through(said.name, x, y, said.interpolation, said.outside);
}

void Assembly::assemble_parameters() {
  for (const Definition* said : parameters) {
    const std::optional<Expr> value = expression(said->value, places::parameter);
    if (!value) names.mark_broken(said->name);
    model.parameters.push_back({said->name, value.value_or(Expr(0)), said->value.where});
  }
  order_parameters();
}

void Assembly::order_parameters() {
  std::vector<Named> ordered;
  const auto needs = [this](std::size_t i) {
    std::vector<std::size_t> found;
    for (const Expr& s : expr::symbols(std::span(&model.parameters[i].expr, 1))) {
      const Declaration* other = names.find(s.symbol().name);
      if (other != nullptr && other->kind == NameKind::parameter) found.push_back(other->index);
    }
    return found;
  };
  const auto finish = [&](std::size_t i) {
    ordered.push_back(model.parameters[i]);
    return true;
  };
  DepthFirst walk(parameters.size(), needs, finish);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (names.find(parameters[i]->name)->broken) walk.mark_broken(i);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    report_circle(
        "parameter", walk.visit(i), [&](std::size_t k) { return parameters[k]->name; },
        [&](std::size_t k) { return parameters[k]->where; });
    if (walk.is_broken(i)) names.mark_broken(parameters[i]->name);
  }
  model.parameters = std::move(ordered);
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    if (names.find(model.parameters[i].name)->discrete) model.discretes.push_back(i);
    if (names.find(model.parameters[i].name)->input) model.inputs.push_back(i);
  }
}

void Assembly::lets_come_from(const LetSource& source) {
  let_sources.resize(lets.size(), source);
}

/// Which lets are vectors: arrays, and what is made of vectors, in any order.
void Assembly::find_vectors() {
  const auto is_vector = [this](std::string_view name) {
    const Declaration* found = names.find(name);
    return found != nullptr && found->kind == NameKind::vector;
  };
  for (const LetStatement* let : let_statements) {
    if (let->value.parts.size() != 1) names.mark_vector(let->name);
  }
  // Without arrays and bodies there is nothing that vectors could come from.
  if (bodies.empty() && std::none_of(let_statements.begin(), let_statements.end(),
                                     [&](const auto* let) { return is_vector(let->name); })) {
    return;
  }
  const expr::Scope scope{
      [](std::string_view name, int) -> expr::Result<Expr, std::string> {
        return expr::parameter(name);
      },
      [&](std::string_view name, int) -> std::optional<expr::Result<Vector, std::string>> {
        if (!is_vector(name)) return std::nullopt;
        return Vector{1, 1, 1};
      },
      [](std::string_view, const Vector&, int) -> expr::Result<Vector, std::string> {
        return Vector{1, 1, 1};
      },
      [&](std::string_view name) -> std::shared_ptr<const expr::Table> {
        const Declaration* found = names.find(name);
        return found == nullptr ? nullptr : found->table;
      }};
  // The text of a let that could be a vector.
  const auto text_of = [&](std::size_t i) -> const std::string* {
    const std::vector<Formula>& parts = let_statements[i]->value.parts;
    const bool is_text = parts.size() == 1 && parts.front().form == Formula::Form::text;
    return is_text ? &parts.front().text : nullptr;
  };
  const auto examine = [&](std::size_t i) {
    const std::string* text = text_of(i);
    if (text == nullptr) return true;
    const auto value = expr::parse_value(*text, scope);
    if (value && std::holds_alternative<Vector>(*value)) names.mark_vector(let_statements[i]->name);
    return true;
  };
  // Each after those whose names it contains, so that one look at each is enough; those in a circle
  // are an error whatever they are, and looked at once more in the order written.
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < let_statements.size(); ++i)
    numbers.emplace(let_statements[i]->name, i);
  const auto needs = [&](std::size_t i) {
    std::vector<std::size_t> found;
    const std::string* text = text_of(i);
    if (text == nullptr) return found;
    for (const std::string_view name : expr::names_in(*text)) {
      if (const auto other = numbers.find(name); other != numbers.end())
        found.push_back(other->second);
    }
    return found;
  };
  DepthFirst walk(let_statements.size(), needs, examine);
  for (std::size_t i = 0; i < let_statements.size(); ++i) walk.visit(i);
  for (std::size_t i = 0; i < let_statements.size(); ++i) {
    if (walk.is_broken(i)) examine(i);
  }
}

void Assembly::define_let(const LetStatement& said, DepthFirst& walk) {
  if (names.find(said.name)->kind != NameKind::vector) {
    const std::size_t let = *lets.find(said.name);
    if (const auto e =
            expression(said.value.parts.front(), places::let, LetUse::unchecked_marker)) {
      lets.define(let, *e);
    } else {
      walk.mark_broken(let);
    }
    return;
  }
  const auto v = vector(said.value, places::let, LetUse::unchecked_marker);
  const VectorLets& components = *lets.find_vector(said.name);
  for (std::size_t i = 0; i < 3; ++i) {
    if (v) {
      lets.define(components[i], (*v)[i]);
    } else {
      walk.mark_broken(components[i]);
    }
  }
}

void Assembly::assemble_lets() {
  find_vectors();
  for (const LetStatement* said : let_statements) {
    if (names.find(said->name)->kind == NameKind::vector) {
      lets.add_vector(said->name);
      lets_come_from({said->where, said->name,
                      [this, said] { vector(said->value, places::let, LetUse::marker); }});
    } else {
      lets.add(said->name);
      lets_come_from({said->where, said->name, [this, said] {
                        expression(said->value.parts.front(), places::let, LetUse::marker);
                      }});
    }
  }
  for (const BodyAtWork& body : bodies) {
    const BodyStatement& said = *body.said;
    lets.add_pose(said.name, said.kind != BodyKind::particle);
    lets_come_from({said.where, said.name, [this, &said] { pose_of(said, LetUse::marker); }});
  }
  DepthFirst walk(
      lets.size(), [this](std::size_t i) { return lets.uses(i); },
      [&](std::size_t i) { return complete_let(i); });
  for (const LetStatement* said : let_statements) define_let(*said, walk);
  for (BodyAtWork& body : bodies) define_pose(body, walk);
  // A body in a circle has many lets in it; it is told once.
  std::unordered_set<std::string> told;
  for (std::size_t i = 0; i < lets.size(); ++i) {
    const std::vector<std::size_t> circle = walk.visit(i);
    if (circle.empty() || !told.insert(let_sources[circle.front()].owner).second) continue;
    for (const std::size_t k : circle) told.insert(let_sources[k].owner);
    report_circle(
        "let", circle, [&](std::size_t k) { return lets.name(k); },
        [&](std::size_t k) { return let_sources[k].where; });
  }
  for (std::size_t i = 0; i < lets.size(); ++i) {
    if (walk.is_broken(i)) names.mark_broken(let_sources[i].owner);
  }
}

bool Assembly::complete_let(std::size_t let) {
  LetContent content;
  for (const Expr& e : lets.symbols_of(let)) {
    const expr::Symbol& s = e.symbol();
    if (const auto other = lets.find(s)) {
      const LetContent& inner = lets.content(*other);
      if (objection(lets.name(*other), s.order, inner, places::let)) {
        let_sources[let].complain();
        return false;
      }
      if (inner.coordinate_order >= 0) {
        content.coordinate_order =
            std::max(content.coordinate_order, inner.coordinate_order + s.order);
      }
      content.derivatives = std::max(content.derivatives, inner.derivatives + s.order);
      content.time = content.time || inner.time;
      if (!inner.ideal.empty()) content.ideal = inner.ideal;
      if (!inner.nonideal.empty()) content.nonideal = inner.nonideal;
      if (!inner.reaction.empty()) content.reaction = inner.reaction;
      continue;
    }
    if (s.kind == expr::SymbolKind::coordinate) {
      content.coordinate_order = std::max(content.coordinate_order, s.order);
      content.derivatives = std::max(content.derivatives, s.order);
    }
    if (s.kind == expr::SymbolKind::time) content.time = true;
    if (s.kind == expr::SymbolKind::ideal_force) content.ideal = "ideal." + s.name;
    if (s.kind == expr::SymbolKind::nonideal_force) content.nonideal = "nonideal." + s.name;
    if (is_reaction(s)) content.reaction = s.name;
  }
  lets.set_content(let, std::move(content));
  if (!lets.has_endless_number(let)) return true;
  complaints.add(
      let_sources[let].where,
      fmt::format("let {} contains a number of more than 19000 digits", in_quotes(lets.name(let))));
  return false;
}

void Assembly::report_circle(std::string_view what, const std::vector<std::size_t>& circle,
                             const std::function<std::string(std::size_t)>& name,
                             const std::function<Location(std::size_t)>& where) {
  if (circle.empty()) return;
  std::vector<std::string> along;
  for (const std::size_t i : circle) along.push_back(shortened(name(i), 60));
  const bool of_body = along.front().find('.') != std::string::npos;
  complaints.add(where(circle.front()),
                 fmt::format("{}{} depends on itself: {}", of_body ? "" : std::string(what) + " ",
                             in_quotes(along.front()), circle_text(along)));
}

}  // namespace dalembert::model
