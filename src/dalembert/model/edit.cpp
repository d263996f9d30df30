#include "dalembert/model/edit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dalembert/expr/graph.hpp"

namespace dalembert::model {

namespace {

/// Every formula of a draft, whatever it belongs to.
template <class Visit>
class Formulas {
 public:
  explicit Formulas(Visit visit) : visit_(std::move(visit)) {}

  void operator()(Draft& draft) {
    each(draft.parameters);
    for (LetStatement& let : draft.lets) all(let.value);
    all(draft.gravity);
    for (BodyStatement& body : draft.bodies) all(body);
    if (draft.energy)
      all(draft.energy->kinetic, draft.energy->potential, draft.energy->dissipation);
    for (auto& row : draft.mass_matrix) each(row);
    for (auto* list : {&draft.forces, &draft.virtual_work, &draft.quasi_velocities, &draft.outputs})
      each(*list);
    for (JointStatement& joint : draft.joints) all(joint);
    for (SpringStatement& spring : draft.springs)
      all(spring.points, spring.stiffness, spring.damping, spring.rest);
    for (PointForceStatement& force : draft.point_forces)
      all(force.point, force.force, force.torque);
    for (ConstraintStatement& constraint : draft.constraints) all(constraint);
    if (draft.initial) {
      each(draft.initial->values);
      each(draft.initial->mu);
    }
    all(draft.simulation.duration);
    all(draft.view.ground);
    for (auto& point : draft.view.points) all(point.at, point.radius, point.mass);
    for (auto& segment : draft.view.segments) all(segment.from, segment.to, segment.radius);
    for (auto& arrow : draft.view.arrows) all(arrow.at, arrow.vector);
  }

 private:
  template <class First, class Second, class... More>
  void all(First& first, Second& second, More&... more) {
    all(first);
    all(second, more...);
  }
  template <class T>
  void all(std::optional<T>& maybe) {
    if (maybe) all(*maybe);
  }
  template <class T, std::size_t N>
  void all(std::array<T, N>& several) {
    for (T& one : several) all(one);
  }
  template <class T>
  void each(std::vector<T>& list) {
    for (T& item : list) all(item);
  }
  void all(Formula& formula) { visit_(formula); }
  void all(VectorFormula& formula) { each(formula.parts); }
  void all(Definition& definition) { visit_(definition.value); }
  void all(Expr& e) {
    Formula formula(e);
    visit_(formula);
    e = formula.expr;
  }
  void all(Vector& v) {
    for (std::size_t i = 0; i < 3; ++i) all(v[i]);
  }
  void all(TurnStatement& turn) {
    each(turn.angles);
    all(turn.axis);
    for (auto& row : turn.turn.rotation.m) {
      for (Expr& e : row) all(e);
    }
    all(turn.turn.spin, turn.turn.gimbal);
    for (TurnStep& step : turn.turn.steps) {
      all(step.axis);
      each(step.angles);
    }
  }
  void all(Orientation& orientation) { each(orientation); }
  void all(InertiaStatement& inertia) { each(inertia.rows); }
  void all(SolidStatement& solid) { all(solid.radius, solid.length, solid.size, solid.axis); }
  void all(BodyStatement& body) {
    all(body.position, body.center, body.orientation, body.mass, body.inertia, body.solid);
  }
  void all(FrictionStatement& friction) { all(friction.mu, friction.radius, friction.slip); }
  void all(JointStatement& joint) {
    all(joint.points, joint.axes, joint.references, joint.frames, joint.normal, joint.semi_axes,
        joint.length, joint.motion, joint.radius, joint.friction);
  }
  void all(ConstraintStatement& constraint) { all(constraint.equation, constraint.right_side); }

  Visit visit_;
};

class Renaming {
 public:
  Renaming(std::string_view from, std::string_view to) : from_(from), to_(to) {}

  void operator()(Formula& formula) const {
    if (formula.form == Formula::Form::text) {
      std::string text = expr::renamed(formula.text, from_, to_);
      if (text == formula.text) return;
      // It stands nowhere in the source any more.
      formula.text = std::move(text);
      formula.offset = std::string::npos;
    } else if (formula.form == Formula::Form::expression) {
      formula.expr = renamed(formula.expr, from_, to_);
    }
  }

 private:
  std::string from_, to_;
};

/// The name of a statement: its own, or what it is called without one.
template <class Statement>
std::string name_of(const Statement& statement, std::string_view prefix, std::size_t number) {
  if constexpr (requires { statement.name->text; }) {
    return statement.name ? statement.name->text : fmt::format("{}{}", prefix, number);
  } else if constexpr (requires { statement.name; }) {
    return statement.name;
  } else {
    return statement.text;
  }
}

template <class Statement>
void set_name(Statement& statement, std::string_view name) {
  if constexpr (requires { statement.name->text; }) {
    statement.name = Word{std::string(name), statement.where};
  } else if constexpr (requires { statement.name; }) {
    statement.name = name;
  } else {
    statement.text = name;
  }
}

/// Calls `use` with the statements of a part, and what those without a name are called before their
/// number. Nothing where the draft has no such list.
template <class Use>
bool with_statements(Draft& draft, Part part, Use use) {
  switch (part) {
    case Part::coordinate:
      return draft.coordinates && use(draft.coordinates->items, "");
    case Part::parameter:
      return use(draft.parameters, "");
    case Part::let:
      return use(draft.lets, "");
    case Part::body:
      return use(draft.bodies, "");
    case Part::joint:
      return use(draft.joints, "");
    case Part::spring:
      return use(draft.springs, "");
    case Part::point_force:
      return use(draft.point_forces, "");
    case Part::force:
      return use(draft.forces, "");
    case Part::constraint:
      return use(draft.constraints, "constraint ");
    case Part::virtual_work:
      return use(draft.virtual_work, "");
    case Part::quasi_velocity:
      return use(draft.quasi_velocities, "");
    case Part::output:
      return use(draft.outputs, "");
    case Part::initial:
      return draft.initial && use(draft.initial->values, "");
    case Part::multiplier:
      return draft.initial && use(draft.initial->mu, "");
  }
  return false;
}

void rename_words(std::vector<Word>& words, const std::string& from, std::string_view to) {
  for (Word& word : words) {
    if (word.text == from) word.text = to;
  }
}

void rename_definitions(std::vector<Definition>& list, const std::string& from,
                        std::string_view to) {
  for (Definition& definition : list) {
    if (definition.name == from) definition.name = to;
  }
}

void rename_coordinate(Draft& draft, const std::string& from, const std::string& to) {
  rename_definitions(draft.forces, from, to);
  rename_definitions(draft.virtual_work, from, to);
  if (draft.independent) rename_words(draft.independent->items, from, to);
  if (!draft.initial) return;
  for (const std::string primes : {"", "'"}) {
    rename_definitions(draft.initial->values, from + primes, to + primes);
    if (draft.initial->hold) rename_words(draft.initial->hold->items, from + primes, to + primes);
  }
}

void rename_word(std::optional<Word>& word, const std::string& from, std::string_view to) {
  if (word && word->text == from) word->text = to;
}

void rename_body(Draft& draft, const std::string& from, std::string_view to) {
  for (BodyStatement& body : draft.bodies) rename_word(body.frame, from, to);
  for (JointStatement& joint : draft.joints) {
    for (std::optional<Word>& body : joint.bodies) rename_word(body, from, to);
  }
  for (SpringStatement& spring : draft.springs) {
    for (std::optional<Word>& body : spring.bodies) rename_word(body, from, to);
  }
  for (PointForceStatement& force : draft.point_forces) rename_word(force.body, from, to);
}

}  // namespace

Expr renamed(const Expr& e, std::string_view from, std::string_view to) {
  expr::ExprMap replacements;
  for (const Expr& symbol : expr::symbols(std::span(&e, 1))) {
    const expr::Symbol& s = symbol.symbol();
    if (s.name == from && s.kind != expr::SymbolKind::multiplier)
      replacements.emplace(symbol, expr::symbol({s.kind, s.order, std::string(to)}));
  }
  return replacements.empty() ? e : expr::substitute(e, replacements);
}

bool remove(Draft& draft, Part part, std::string_view name) {
  return with_statements(draft, part, [&](auto& statements, std::string_view prefix) {
    std::size_t number = 0;
    return std::erase_if(statements, [&](const auto& statement) {
             return name_of(statement, prefix, ++number) == name;
           }) > 0;
  });
}

bool rename(Draft& draft, Part part, std::string_view from, std::string_view to) {
  const std::string before(from), after(to);
  const bool found = with_statements(draft, part, [&](auto& statements, std::string_view prefix) {
    bool any = false;
    std::size_t number = 0;
    for (auto& statement : statements) {
      if (name_of(statement, prefix, ++number) != before) continue;
      set_name(statement, after);
      any = true;
    }
    return any;
  });
  if (!found) return false;
  switch (part) {
    case Part::coordinate:
      rename_coordinate(draft, before, after);
      break;
    case Part::body:
      rename_body(draft, before, after);
      break;
    case Part::joint:
      for (SpringStatement& spring : draft.springs) rename_word(spring.joint, before, after);
      break;
    case Part::constraint:
      if (draft.initial) rename_definitions(draft.initial->mu, before, after);
      return true;
    case Part::parameter:
    case Part::let:
      break;
    default:  // no expression knows these names
      return true;
  }
  Formulas<Renaming>(Renaming(before, after))(draft);
  return true;
}

}  // namespace dalembert::model
