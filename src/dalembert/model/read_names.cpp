// The sections that declare names: coordinates, parameters, lets.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/model/reader.hpp"

namespace dalembert::model {

void Reader::read_coordinates(const Entry* entry) {
  if (entry == nullptr) {
    complaints.add({1, 1, 1},
                   "no coordinates: give their names, as in coordinates = [\"x\", \"y\"]");
    names.mark_incomplete();
    return;
  }
  const Value& value = entry->value;
  if (!expect(value, Kind::array, "an array of names")) {
    names.mark_incomplete();
    return;
  }
  if (value.items.empty()) {
    complaints.add(value.where, "no coordinates: a system needs at least one");
    names.mark_incomplete();
  }
  for (const Value& item : value.items) {
    const std::string* name = string(item, "the name of a coordinate in quotes");
    if (name == nullptr) {
      names.mark_incomplete();
      continue;
    }
    if (*name == "adjust") {
      complaints.add(item.where,
                     "'adjust' is a word of [initial] and cannot be the name of a coordinate");
      names.mark_incomplete();
      continue;
    }
    const std::size_t number = model.coordinates.size();
    if (names.declare(*name, {NameKind::coordinate, number, content_place(item)}, complaints)) {
      model.coordinates.push_back(*name);
    }
  }
}

std::vector<const Entry*> Reader::declare(const Value& table, NameKind kind) {
  std::vector<const Entry*> declared;
  if (!expect(table, Kind::table, "a table")) names.mark_incomplete();
  for (const Entry& entry : table.entries) {
    if (is_misplaced(entry)) continue;
    if (names.declare(entry.key, {kind, declared.size(), entry.where}, complaints)) {
      declared.push_back(&entry);
    }
  }
  return declared;
}

void Reader::read_parameters(const std::vector<const Entry*>& declared) {
  for (const Entry* entry : declared) {
    const std::optional<Expr> value = expression(entry->value, places::parameter);
    if (!value) names.mark_broken(entry->key);
    model.parameters.push_back({entry->key, value.value_or(Expr(0)), content_place(entry->value)});
  }
  order_parameters(declared);
}

void Reader::order_parameters(const std::vector<const Entry*>& declared) {
  std::vector<Named> ordered;
  const auto needs = [this](std::size_t i) {
    std::vector<std::size_t> found;
    for (const Expr& s : expr::symbols(std::span(&model.parameters[i].expr, 1))) {
      found.push_back(names.find(s.symbol().name)->index);
    }
    return found;
  };
  const auto finish = [&](std::size_t i) {
    ordered.push_back(model.parameters[i]);
    return true;
  };
  DepthFirst walk(declared.size(), needs, finish);
  for (std::size_t i = 0; i < declared.size(); ++i) {
    if (names.find(declared[i]->key)->broken) walk.mark_broken(i);
  }
  for (std::size_t i = 0; i < declared.size(); ++i) {
    report_circle(
        "parameter", walk.visit(i), [&](std::size_t k) { return declared[k]->key; },
        [&](std::size_t k) { return declared[k]->where; });
    if (walk.is_broken(i)) names.mark_broken(declared[i]->key);
  }
  model.parameters = std::move(ordered);
}

void Reader::add_let(std::string name, LetSource from) {
  lets.add(std::move(name));
  let_sources.push_back(std::move(from));
}

/// Which lets are vectors: arrays, and what is made of vectors, in any order.
void Reader::find_vectors(const std::vector<const Entry*>& declared) {
  const auto is_vector = [this](std::string_view name) {
    const Declaration* found = names.find(name);
    return found != nullptr && found->kind == NameKind::vector;
  };
  for (const Entry* entry : declared) {
    if (entry->value.kind == Kind::array) names.mark_vector(entry->key);
  }
  // Without arrays and bodies there is nothing that vectors could come from.
  if (body_sources.empty() && std::none_of(declared.begin(), declared.end(),
                                           [&](const Entry* e) { return is_vector(e->key); })) {
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
      }};
  const auto examine = [&](std::size_t i) {
    const Entry& entry = *declared[i];
    if (entry.value.kind != Kind::string || is_vector(entry.key)) return true;
    const auto value = expr::parse_value(entry.value.text, scope);
    if (value && std::holds_alternative<Vector>(*value)) names.mark_vector(entry.key);
    return true;
  };
  // Each after those whose names it contains, so that one look at each is enough; those in a circle
  // are an error whatever they are, and looked at once more in the order written.
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < declared.size(); ++i) numbers.emplace(declared[i]->key, i);
  const auto needs = [&](std::size_t i) {
    std::vector<std::size_t> found;
    if (declared[i]->value.kind != Kind::string) return found;
    for (const std::string_view name : expr::names_in(declared[i]->value.text)) {
      if (const auto other = numbers.find(name); other != numbers.end())
        found.push_back(other->second);
    }
    return found;
  };
  DepthFirst walk(declared.size(), needs, examine);
  for (std::size_t i = 0; i < declared.size(); ++i) walk.visit(i);
  for (std::size_t i = 0; i < declared.size(); ++i) {
    if (walk.is_broken(i)) examine(i);
  }
}

void Reader::define_let(const Entry& entry, DepthFirst& walk) {
  if (names.find(entry.key)->kind != NameKind::vector) {
    const std::size_t let = *lets.find(entry.key);
    if (const auto e = expression(entry.value, places::let, LetUse::unchecked_marker)) {
      lets.define(let, *e);
    } else {
      walk.mark_broken(let);
    }
    return;
  }
  const auto v = vector(entry.value, places::let, LetUse::unchecked_marker);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t let = *lets.find(member(entry.key, body_center[i]));
    if (v) {
      lets.define(let, (*v)[i]);
    } else {
      walk.mark_broken(let);
    }
  }
}

void Reader::read_lets(const std::vector<const Entry*>& declared) {
  find_vectors(declared);
  for (const Entry* entry : declared) {
    model.lets.push_back({entry->key, entry->value.text});
    if (names.find(entry->key)->kind != NameKind::vector) {
      add_let(entry->key, {entry->where, entry->key, [this, entry] {
                             expression(entry->value, places::let, LetUse::marker);
                           }});
      continue;
    }
    for (const std::string_view component : body_center) {
      add_let(member(entry->key, component), {entry->where, entry->key, [this, entry] {
                                                vector(entry->value, places::let, LetUse::marker);
                                              }});
    }
  }
  for (const BodySource& written : body_sources) add_body_lets(written);
  DepthFirst walk(
      lets.size(), [this](std::size_t i) { return lets.uses(i); },
      [&](std::size_t i) { return complete_let(i); });
  for (const Entry* entry : declared) define_let(*entry, walk);
  for (BodySource& written : body_sources) define_body_lets(written, walk);
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

bool Reader::complete_let(std::size_t let) {
  LetContent content;
  for (const Expr& e : expr::symbols(std::span(&lets.written(let, 0), 1))) {
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
      continue;
    }
    if (s.kind == expr::SymbolKind::coordinate) {
      content.coordinate_order = std::max(content.coordinate_order, s.order);
      content.derivatives = std::max(content.derivatives, s.order);
    }
    if (s.kind == expr::SymbolKind::time) content.time = true;
    if (s.kind == expr::SymbolKind::ideal_force) content.ideal = "ideal." + s.name;
    if (s.kind == expr::SymbolKind::nonideal_force) content.nonideal = "nonideal." + s.name;
  }
  lets.set_content(let, std::move(content));
  if (!lets.has_endless_number(let)) return true;
  complaints.add(
      let_sources[let].where,
      fmt::format("let {} contains a number of more than 19000 digits", in_quotes(lets.name(let))));
  return false;
}

void Reader::report_circle(std::string_view what, const std::vector<std::size_t>& circle,
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
