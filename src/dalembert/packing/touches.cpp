#include "dalembert/packing/touches.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dalembert/codegen/tape_passes.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/flow/instants/kernels.hpp"
#include "dalembert/flow/projection.hpp"
#include "dalembert/flow/tapes/flow.hpp"
#include "dalembert/model/assembly/places.hpp"

namespace dalembert::packing {

namespace {

using codegen::Tape;

/// A tape of some parameters as one of all `count`: the i-th is then the `bound[i]`-th.
Tape widened(Tape tape, const std::vector<std::size_t>& bound, std::size_t count) {
  const auto constants = static_cast<std::uint32_t>(tape.constants.size());
  const std::uint32_t behind = constants + tape.parameters;
  const auto more = static_cast<std::uint32_t>(count) - tape.parameters;
  const auto moved = [&](std::uint32_t r) {
    if (r < constants) return r;
    return r < behind ? constants + static_cast<std::uint32_t>(bound[r - constants]) : r + more;
  };
  for (codegen::Instruction& one : tape.code)
    one = {one.operation, moved(one.a), moved(one.b), moved(one.c)};
  for (std::uint32_t& output : tape.outputs) output = moved(output);
  tape.parameters += more;
  return tape;
}

std::string pairs(const std::vector<mechanics::Entry>& entries) {
  std::vector<std::string> texts;
  for (const mechanics::Entry& entry : entries)
    texts.push_back(fmt::format("{{{}, {}}}", entry.row, entry.column));
  return texts.empty() ? "{0, 0}" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string list(const std::vector<std::string>& texts, const char* none) {
  return texts.empty() ? none : fmt::format("{}", fmt::join(texts, ", "));
}

/// The works of friction and impacts since the start, which exported code does not keep.
bool uses_works(const expr::Expr& e) {
  return expr::find_symbol(e, [](const expr::Symbol& s) { return s.name.starts_with("work."); })
      .has_value();
}

bool uses_reactions(const expr::Expr& e) {
  return expr::find_symbol(e, [](const expr::Symbol& s) { return model::is_reaction(s); })
      .has_value();
}

/// As rows.c numbers them.
int number_of(model::ImpactLaw law) {
  switch (law) {
    case model::ImpactLaw::newton:
      return 0;
    case model::ImpactLaw::poisson:
      return 1;
    case model::ImpactLaw::energetic:
      return 2;
  }
  return 0;
}

int number_of(flow::ReactionSource::Kind kind) {
  switch (kind) {
    case flow::ReactionSource::Kind::constraint:
      return 0;
    case flow::ReactionSource::Kind::element:
      return 1;
    case flow::ReactionSource::Kind::joint:
      return 2;
    case flow::ReactionSource::Kind::row:  // of joints whose friction sticks, which are refused
      break;
  }
  return 0;
}

std::map<std::string, std::string> tables(const motion::Motion& motion,
                                          const flow::InstantKernels& k) {
  const model::Model& model = motion.model();
  std::vector<std::string> levels, floors, discretes, elements, reactions;
  for (std::size_t j = 0; j < k.constraints; ++j) {
    const model::Level level = k.equations.constraints[j].level;
    levels.emplace_back(level == model::Level::position   ? "0"
                        : level == model::Level::velocity ? "1"
                                                          : "2");
  }
  for (std::size_t j = 0; j < k.rows; ++j)
    floors.push_back(j < k.constraints ? fmt::format("{}", flow::residual_floor(motion, j)) : "0");
  for (const std::size_t i : k.discretes) discretes.push_back(fmt::format("{}", i));
  for (const flow::TouchElement& element : k.elements) {
    const bool contact = element.is_contact();
    const auto law = contact ? model.contacts[element.index].impact : model::ImpactLaw::newton;
    const bool stated = contact && model.contacts[element.index].impact_stated;
    elements.push_back(fmt::format(
        "{{{}, {}, {}, {}, {}, {}}}", contact ? fmt::format("{}", element.gap) : "-1", element.slip,
        element.slips, number_of(law), stated ? 1 : 0, element.limit_of_reactions ? 1 : 0));
  }
  for (const flow::ReactionSource& source : k.reactions)
    reactions.push_back(
        fmt::format("{{{}, {}, {}}}", number_of(source.kind), source.index, source.by_row ? 1 : 0));
  return {{"CONSTRAINTS", fmt::format("{}", k.constraints)},
          {"CONTACTS", fmt::format("{}", k.contacts)},
          {"MASSES", fmt::format("{}", k.equations.M.size())},
          {"ENTRIES", fmt::format("{}", k.equations.A.size())},
          {"REACTIONS", fmt::format("{}", k.reactions.size())},
          {"DISCRETE_COUNT", fmt::format("{}", k.discretes.size())},
          {"MASS_PLACES", pairs(k.equations.M)},
          {"ENTRY_PLACES", pairs(k.equations.A)},
          {"LEVELS", list(levels, "0")},
          {"FLOORS", list(floors, "0")},
          {"DISCRETE_PLACES", list(discretes, "0")},
          {"ELEMENTS", list(elements, "{-1, 0, 0, 0, 0, 0}")},
          {"REACTION_TABLE", list(reactions, "{0, 0, 0}")}};
}

}  // namespace

flow::InstantKernels row_kernels(const motion::Motion& motion) {
  return motion.instants() != nullptr
             ? *motion.instants()
             : flow::make_instant_kernels(motion.model(), motion.outputs());
}

std::optional<std::string> why_no_touches(const motion::Motion& motion,
                                          const flow::InstantKernels& k) {
  const auto of_row = [](const flow::ReactionSource& source) {
    return source.kind == flow::ReactionSource::Kind::row;
  };
  if (!motion.equations().frictions.empty() || std::ranges::any_of(k.reactions, of_row) ||
      std::ranges::any_of(motion.model().dry_frictions,
                          [](const model::DryFriction& f) { return !f.joint.empty(); }))
    return "its joints have friction, which exported code does not know";
  if (flow::constraints_may_jump(k.equations)) return "a constraint, gap or slip may jump in time";
  if (k.rows > 64)
    return fmt::format(
        "its constraints, contacts and slips are {} rows, and exported code is written "
        "for up to 64",
        k.rows);
  return std::nullopt;
}

PackedTouches pack_touches(const motion::Motion& motion, const flow::InstantKernels& k,
                           const std::optional<std::vector<std::size_t>>& recorded) {
  const std::size_t count = motion.model().parameters.size();
  PackedTouches touches;
  touches.dynamics = widened(k.dynamics.tape(), k.bound, count);
  touches.geometry = widened(k.geometry.tape(), k.bound, count);
  touches.laws = widened(k.laws.tape(), k.bound, count);
  Tape watched = k.watched.tape();  // exported code knows no marks
  watched.outputs.resize(watched.outputs.size() - k.marks.size());
  codegen::remove_unused(watched);
  touches.watched = widened(std::move(watched), k.bound, count);
  touches.settings = widened(k.settings.tape(), k.bound, count);
  touches.forces = widened(k.forces.tape(), k.bound, count);
  touches.joint_forces = k.joint_forces.size();
  touches.limits = std::ranges::any_of(k.elements, &flow::TouchElement::limit_of_reactions);
  for (const model::Event& event : motion.model().events) {
    touches.asks_reactions =
        touches.asks_reactions || (event.when && uses_reactions(event.when->expr));
    for (const model::Event::Set& set : event.set)
      touches.sets_by_reactions = touches.sets_by_reactions || uses_reactions(set.value.expr);
  }
  Tape observables = k.observables.tape();
  std::vector<std::uint32_t> outputs{observables.outputs[0], observables.outputs[1]};
  for (std::size_t i = 0; i < motion.outputs().size(); ++i) {
    if (recorded ? std::ranges::find(*recorded, i) == recorded->end()
                 : uses_works(motion.outputs()[i].expr))
      continue;
    touches.recorded.push_back(i);
    outputs.push_back(observables.outputs[3 + i]);
  }
  observables.outputs = outputs;
  codegen::remove_unused(observables);
  touches.observables = widened(std::move(observables), k.bound, count);
  for (const flow::TouchElement& element : k.elements) touches.names.push_back(element.name);
  touches.rows = k.rows;
  touches.gaps = tables(motion, k);
  return touches;
}

}  // namespace dalembert::packing
