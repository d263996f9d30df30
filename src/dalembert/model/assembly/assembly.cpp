// The order of an assembly, and its mathematics.
#include "dalembert/model/assembly/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/model/families.hpp"
#include "dalembert/model/toml/literal.hpp"

namespace dalembert::model {

Assembly::Assembly(const Draft& said, Complaints before)
    : complaints(std::move(before)),
      without_indices(written_out(said, complaints)),
      draft(without_indices ? *without_indices : said),
      formula_places(draft) {
  model.source = draft.source;
  if (draft.incomplete) names.mark_incomplete();
}

void Assembly::run_names() {
  declare_names();
  assemble_parameters();
  assemble_lets();
  const std::size_t n = model.coordinates.size();
  for (auto* components :
       {&model.forces, &model.virtual_work, &model.initial.q, &model.initial.v}) {
    components->assign(n, Located{});
  }
  assemble_gravity();
  assemble_bodies();
}

void Assembly::run_initial() {
  run_names();
  assemble_initial();
}

void Assembly::run() {
  check_shows_text(draft.name, "the name of the model", "", model.name);
  check_shows_text(draft.description, "the description", "\t\r\n", model.description);
  run_names();
  assemble_energy();
  assemble_mass_matrix();
  add_bodies_to_energy();
  assemble_joints();
  assemble_components(draft.forces, places::force, model.forces);
  for (std::size_t i = 0; i < draft.point_forces.size(); ++i)
    assemble_point_force(draft.point_forces[i], i + 1);
  assemble_components(draft.virtual_work, places::virtual_work, model.virtual_work);
  assemble_constraints();
  check_multipliers_of_lets();
  assemble_instants();
  for (std::size_t i = 0; i < draft.springs.size(); ++i) assemble_spring(draft.springs[i], i + 1);
  assemble_named(draft.quasi_velocities, "a quasi-velocity", places::quasi_velocity,
                 model.quasi_velocities);
  assemble_independent();
  assemble_initial();
  assemble_mu();
  assemble_simulation();
  assemble_named(draft.outputs, "an output", places::output, model.outputs);
  if (model.simulation.multipliers) record_multipliers(model);
  declare_reactions();
  assemble_view();
}

void Assembly::judge() {
  if (model.coordinates.empty() || names.is_incomplete()) return;
  // What is missing as a whole is told where it would stand in a file.
  Location system;
  if (draft.source) {
    system = draft.energy        ? draft.energy->where
             : draft.coordinates ? draft.coordinates->key
                                 : Location{1, 1, 1};
  }
  for (Diagnostic& found : validate(model))
    complaints.add(found.where.line > 0 ? found.where : system, std::move(found.message));
}

void Assembly::check_shows_text(const Word& text, std::string_view what, std::string_view allowed,
                                std::string& target) {
  // What a file or a program is called is as it is.
  if (text.where.line == 0 || check_shows(text.text, what, allowed, text.where, complaints))
    target = text.text;
}

template <class Parse>
auto Assembly::parse(const Formula& formula, const Place& place, LetUse use, Parse parse_text)
    -> std::optional<std::decay_t<decltype(*parse_text({}, {}))>> {
  Lookup lookup(names, lets, joint_values, force_names, place, use, complaints);
  auto parsed = parse_text(formula.text, lookup.scope());
  if (parsed) {
    if (lookup.is_broken()) return std::nullopt;
    return *std::move(parsed);
  }
  const expr::ParseError& error = parsed.error();
  std::size_t end = std::min(error.end, formula.text.size());
  if (lookup.culprit_size() > 0) end = std::min(end, error.begin + lookup.culprit_size());
  const Location where = formula_places.within(formula, error.begin, end);
  // What is wrong for one value of an index may be so for all.
  if (formula.written && !told_places.emplace(where.line, where.column).second) return std::nullopt;
  complaints.add(where, error.message,
                 where.program == nullptr ? std::vector<std::string>{}
                                          : quoted(formula.text, std::min(error.begin, end),
                                                   std::max(end, error.begin)));
  return std::nullopt;
}

std::optional<std::string> Assembly::objection_to(const expr::Symbol& s, const Place& place) const {
  if (auto reason = objection(s, place)) return reason;
  const Declaration* known = names.find(s.name);
  if (s.kind == expr::SymbolKind::coordinate && !names.is_coordinate(s.name))
    return fmt::format("unknown coordinate {} in {}", in_quotes(s.name), place.name);
  if (s.kind == expr::SymbolKind::parameter &&
      (known == nullptr || known->kind != NameKind::parameter))
    return fmt::format("unknown parameter {} in {}", in_quotes(s.name), place.name);
  return std::nullopt;
}

std::optional<Expr> Assembly::with_joints(const Formula& formula, const Place& place, LetUse use) {
  // What the model as a whole is not asked about.
  constexpr std::array judged_here = {
      &places::number,     &places::mass,          &places::inertia,    &places::gravity,
      &places::body_point, &places::body_position, &places::orientation};
  if (use == LetUse::value && !names.is_incomplete() &&
      std::find(judged_here.begin(), judged_here.end(), &place) != judged_here.end()) {
    for (const Expr& e : expr::symbols(std::span(&formula.expr, 1))) {
      const auto reason = objection_to(e.symbol(), place);
      if (!reason) continue;
      complaints.add(formula.where, *reason);
      return std::nullopt;
    }
  }
  if (draft.joints.empty()) return formula.expr;
  expr::ExprMap values;
  Lookup lookup(names, lets, joint_values, force_names, place, use, complaints);
  for (const Expr& e : expr::symbols(std::span(&formula.expr, 1))) {
    const expr::Symbol& s = e.symbol();
    if (s.kind != expr::SymbolKind::auxiliary || s.name.find('.') == std::string::npos) continue;
    const expr::Result<Expr, std::string> value = lookup(s.name, s.order);
    if (lookup.is_broken()) return std::nullopt;
    if (!value) {
      complaints.add(formula.where, value.error());
      return std::nullopt;
    }
    values.emplace(e, *value);
  }
  return values.empty() ? formula.expr : expr::substitute(formula.expr, values);
}

std::optional<expr::Value> Assembly::number_or_vector(const Formula& formula, const Place& place,
                                                      LetUse use) {
  switch (formula.form) {
    case Formula::Form::refused:
      return std::nullopt;
    case Formula::Form::expression:
      return with_joints(formula, place, use);
    case Formula::Form::number:
      if (const auto number = exact_number(formula.text)) return Expr(*number);
      complaints.add(formula.where, fmt::format("{} must be finite", in_quotes(formula.text)));
      return std::nullopt;
    case Formula::Form::text:
      break;
  }
  return parse(formula, place, use, [](std::string_view text, const expr::Scope& scope) {
    return expr::parse_value(text, scope);
  });
}

std::optional<Expr> Assembly::expression(const Formula& formula, const Place& place, LetUse use) {
  const std::optional<expr::Value> e = number_or_vector(formula, place, use);
  if (!e) return std::nullopt;
  if (std::holds_alternative<Expr>(*e)) return std::get<Expr>(*e);
  complaints.add(formula.where, "expected a number, and this is a vector");
  return std::nullopt;
}

std::optional<Vector> Assembly::vector(const VectorFormula& formula, const Place& place,
                                       LetUse use) {
  if (formula.parts.size() == 1) {
    const std::optional<expr::Value> e = number_or_vector(formula.parts.front(), place, use);
    if (!e) return std::nullopt;
    if (std::holds_alternative<Vector>(*e)) return std::get<Vector>(*e);
    complaints.add(formula.where, "expected a vector, and this is a number");
    return std::nullopt;
  }
  Vector result;
  bool good = formula.parts.size() == 3;
  for (std::size_t i = 0; i < formula.parts.size(); ++i) {
    const std::optional<Expr> e = expression(formula.parts[i], place, use);
    good = good && e.has_value();
    if (e) result[i] = *e;
  }
  return good ? std::optional(result) : std::nullopt;
}

std::optional<std::vector<expr::Equation>> Assembly::equations(
    const ConstraintStatement& constraint) {
  const Formula& formula = *constraint.equation;
  if (formula.form == Formula::Form::expression) {
    const auto left = with_joints(formula, places::constraint, LetUse::value);
    const auto right = with_joints(Formula(constraint.right_side.value_or(Expr(0)), formula.where),
                                   places::constraint, LetUse::value);
    if (!left || !right) return std::nullopt;
    return std::vector{expr::Equation{*left, *right}};
  }
  if (formula.form != Formula::Form::text) return std::nullopt;
  return equations(formula, places::constraint);
}

std::optional<std::vector<expr::Equation>> Assembly::equations(const Formula& text,
                                                               const Place& place) {
  return parse(text, place, LetUse::value, [](std::string_view said, const expr::Scope& scope) {
    return expr::parse_equations(said, scope);
  });
}

std::optional<double> Assembly::number_in(const Formula& formula, std::string_view what) {
  const std::optional<Expr> e = expression(formula, places::number);
  if (!e) return std::nullopt;
  const double x = expr::evaluate(*e, [](const expr::Symbol&) { return std::nan(""); });
  if (std::isfinite(x)) return x;
  complaints.add(formula.where, fmt::format("{} must be finite", what));
  return std::nullopt;
}

std::optional<long> Assembly::whole_number(const Formula& formula, std::string_view what,
                                           long least, long most) {
  const std::optional<double> x = number_in(formula, what);
  if (!x) return std::nullopt;
  if (*x == std::floor(*x) && *x >= static_cast<double>(least) && *x <= static_cast<double>(most))
    return static_cast<long>(*x);
  complaints.add(formula.where,
                 fmt::format("{} must be a whole number from {} to {}", what, least, most));
  return std::nullopt;
}

std::optional<Located> Assembly::located(const std::optional<Formula>& formula, const Place& place,
                                         bool& good) {
  if (!formula) return std::nullopt;
  const std::optional<Expr> e = expression(*formula, place);
  good = good && e;
  return Located{e.value_or(Expr(1)), formula->where};
}

std::optional<LocatedVector> Assembly::located(const std::optional<VectorFormula>& formula,
                                               const Place& place, bool& good) {
  if (!formula) return std::nullopt;
  const std::optional<Vector> v = vector(*formula, place);
  good = good && v;
  return LocatedVector(v.value_or(Vector{}), formula->where);
}

std::string Assembly::title_of(const std::optional<Word>& name, std::string_view what,
                               std::string_view prefix, std::size_t number) {
  if (name && check_title(name->text, what, name->where, complaints)) return name->text;
  return fmt::format("{}{}", prefix, number);
}

VectorFormula::VectorFormula(const Vector& v, Location place)
    : parts{Formula(v[0], place), Formula(v[1], place), Formula(v[2], place)}, where(place) {}

Result<Model, ModelError> assemble(std::shared_ptr<const Draft> draft, Complaints complaints) {
  Assembly assembly(*draft, std::move(complaints));
  assembly.run();
  assembly.judge();
  if (!assembly.complaints.empty())
    return Failure{ModelError{draft->source, assembly.complaints.take()}};
  assembly.model.draft = std::move(draft);
  return std::move(assembly.model);
}

Result<Model, ModelError> assemble(const Draft& draft) {
  return assemble(std::make_shared<const Draft>(draft), {});
}

std::vector<Meaning> meanings(const Draft& draft) {
  Assembly assembly(draft, {});
  assembly.run_names();
  std::vector<Meaning> result;
  Lets& lets = assembly.lets;
  for (const std::string& name : assembly.names.all()) {
    switch (assembly.names.find(name)->kind) {
      case NameKind::coordinate:
        result.push_back({name, expr::coordinate(name)});
        break;
      case NameKind::parameter:
        result.push_back({name, expr::parameter(name)});
        break;
      case NameKind::let:
        result.push_back({name, lets.value(*lets.find(name), 0)});
        break;
      case NameKind::vector:
        result.push_back({name, lets.values(*lets.find_vector(name), 0)});
        break;
      case NameKind::joint:
        result.push_back({name, std::nullopt});
        break;
      case NameKind::body:
      case NameKind::table:
        break;
    }
  }
  return result;
}

}  // namespace dalembert::model
