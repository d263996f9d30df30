#include "dalembert/packing/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/codegen/tape_builder.hpp"
#include "dalembert/codegen/tape_passes.hpp"
#include "dalembert/codegen/variational.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/expr.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/projection.hpp"
#include "dalembert/flow/state/singular_start.hpp"
#include "dalembert/flow/tapes/lane_flow.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/packing/names.hpp"

namespace dalembert::packing {

namespace {

using codegen::Tape;

/// Why a motion has no flow (flow::make_flow), as far as that can be told.
std::string why_no_flow(const motion::Motion& motion) {
  if (motion.coordinates() > 64)
    return fmt::format(
        "it has {} coordinates, and straight-line code without a linear solver is written for up "
        "to 64",
        motion.coordinates());
  if (!motion.equations().frictions.empty())
    return "its joints have friction, whose forces are found by iteration, and straight-line code "
           "has none";
  return "its equations cannot be written out from this start: the start is inconsistent or "
         "singular, the mass matrix is singular beyond what the constraints make up for, or a "
         "constraint may jump in time";
}

std::vector<double> evaluated(const Tape& tape, const std::vector<double>& parameters,
                              const std::vector<double>& inputs) {
  const codegen::Kernel kernel = codegen::interpreted(tape);
  codegen::Workspace workspace = kernel.workspace(parameters);
  std::vector<double> outputs(kernel.outputs());
  kernel.evaluate(workspace, inputs, outputs);
  return outputs;
}

/// Whether the tape of the derivative vouches for its numbers at the start.
bool vouches(const flow::Flow& flow, const motion::Motion& motion, const motion::State& start) {
  std::vector<double> inputs{start.t};
  inputs.insert(inputs.end(), start.q.begin(), start.q.end());
  std::vector<double> y = inputs;
  inputs.insert(inputs.end(), start.v.begin(), start.v.end());
  const std::vector<double> v = evaluated(flow.rates, motion.parameters(), inputs);
  y.insert(y.end(), v.begin(), v.end());
  const std::vector<double> rates = evaluated(flow.derivative, motion.parameters(), y);
  return rates[flow.size] <= 1 && rates[flow.size + 1] <= 1;
}

/// The flow as the program runs it, or in the widest scope where it runs none, or goes another way
/// at the start: an acceleration that is demanded to be zero, say, is judged there against the
/// others.
std::optional<flow::Flow> flow_of(const motion::Motion& motion, const motion::State& start) {
  const flow::ModelFlow* own = motion.flow();
  if (own != nullptr && vouches(own->flow, motion, start)) return own->flow;
  auto flow =
      flow::make_flow(motion, start, {.mended_mass = true, .turns = true, .without_shares = true});
  if (!flow) return std::nullopt;
  flow::Evaluator evaluator(motion);
  flow::Projector projector(motion);
  // Of the rows at a singular start a tape would know too few for the motion beside it.
  if (flow::singular_start_rank(motion, evaluator, projector, start)) return std::nullopt;
  return flow;
}

/// What of a flow a motion with contacts has: the tapes of its rows stand for the rest.
std::optional<flow::Flow> flow_beside_touches(const motion::Motion& motion) {
  flow::Flow flow;
  flow.n = motion.coordinates();
  flow.size = 2 * flow.n;
  flow.form = "m-inverse";
  const auto& equations = motion.equations();
  flow.rates =
      codegen::make_tape(equations.v, flow::state_symbols(equations), equations.parameters);
  flow.conditions = flow::conditions_tape(motion.model().conditions, equations);
  flow.recorded = pack_touches(motion).recorded;
  return flow;
}

/// The angles whose turns are counted, and the parameters they are nearest to.
void add_turns(PackedSystem& packed, const motion::Motion& motion) {
  const model::Model& model = motion.model();
  std::vector<expr::Expr> angles;
  for (const model::Joint& joint : model.joints) {
    if (joint.near.empty()) continue;
    angles.push_back(joint.position.front());
    const auto found = std::ranges::find(model.parameters, joint.near, &model::Named::name);
    packed.references.push_back(static_cast<std::size_t>(found - model.parameters.begin()));
  }
  if (!angles.empty())
    packed.angles = codegen::make_tape(angles, flow::state_symbols(motion.equations()),
                                       motion.equations().parameters);
}

/// The outputs named, without what they do not need.
Tape trimmed(Tape tape, std::vector<std::uint32_t> outputs) {
  tape.outputs = std::move(outputs);
  codegen::remove_unused(tape);
  return tape;
}

/// All outputs but the last `count`.
Tape without_last(const Tape& tape, std::size_t count) {
  std::vector<std::uint32_t> outputs = tape.outputs;
  outputs.resize(outputs.size() - count);
  return trimmed(tape, std::move(outputs));
}

/// t y -> v q'' ideal nonideal kinetic potential h outputs masses doubt, less h and masses.
Tape sample_of(const flow::Flow& flow) {
  const std::vector<std::uint32_t>& all = flow.sample.outputs;
  const std::size_t h = 4 * flow.n + 2, masses = all.size() - 1 - flow.n;
  std::vector<std::uint32_t> outputs;
  for (std::size_t i = 0; i < masses; ++i)
    if (i != h) outputs.push_back(all[i]);
  outputs.push_back(all.back());
  return trimmed(flow.sample, std::move(outputs));
}

bool is_parameter(const expr::Expr& e) {
  return e.symbol().kind == expr::SymbolKind::parameter;
}

/// Whether a parameter follows from others.
bool is_dependent(const model::Named& parameter) {
  const std::vector<expr::Expr> symbols = expr::symbols(std::span(&parameter.expr, 1));
  return std::ranges::any_of(symbols, is_parameter);
}

/// What the events of the model wait for and do.
void add_events(PackedSystem& packed, const motion::Motion& motion) {
  const model::Model& model = motion.model();
  const auto& equations = motion.equations();
  std::vector<expr::Expr> whens, rates, settings, periods;
  for (const model::Event& event : model.events) {
    PackedEvent one{event.name, event.direction, !event.when.has_value(), event.stop, {}};
    if (event.when) {
      whens.push_back(event.when->expr);
      rates.push_back(expr::dot(event.when->expr));
    } else {
      periods.push_back(event.every->expr);
    }
    for (const model::Event::Set& set : event.set) {
      one.sets.emplace_back(set.target, set.index);
      settings.push_back(set.value.expr);
    }
    packed.events.push_back(std::move(one));
  }
  whens.insert(whens.end(), rates.begin(), rates.end());
  std::vector<expr::Expr> state = flow::state_symbols(equations);
  packed.settings = codegen::make_tape(settings, state, equations.parameters);
  for (const std::string& name : model.coordinates) state.push_back(expr::coordinate(name, 2));
  packed.watched = codegen::make_tape(whens, state, equations.parameters);
  packed.periods = codegen::make_tape(periods, {}, equations.parameters);
  std::vector<expr::Expr> begun;
  for (const std::size_t i : model.discretes) {
    if (packed.parameters[i].free) continue;
    packed.begun_of.push_back(i);
    begun.push_back(model.parameters[i].expr);
  }
  packed.begun = codegen::make_tape(begun, {}, equations.parameters);
  packed.own_events = packed.events.size();
  if (!packed.touches) return;
  packed.watched = packed.touches->watched;
  packed.settings = packed.touches->settings;
  for (const std::string& name : packed.touches->names) {
    using Direction = model::Event::Direction;
    packed.events.push_back({name, Direction::falling, false, false, {}});
    packed.events.push_back({name + " friction", Direction::falling, false, false, {}});
  }
}

/// The inputs of the model, less those that parameters are stated in terms of: these are found once
/// for a set of parameters, and the inputs with them.
std::vector<std::size_t> inputs_of(const model::Model& model) {
  std::vector<std::size_t> inputs;
  for (const std::size_t i : model.inputs) {
    const std::string& name = model.parameters[i].name;
    const bool followed = std::ranges::any_of(model.parameters, [&](const model::Named& other) {
      const std::vector<expr::Expr> symbols = expr::symbols(std::span(&other.expr, 1));
      return std::ranges::any_of(
          symbols, [&](const expr::Expr& e) { return is_parameter(e) && e.symbol().name == name; });
    });
    if (!followed) inputs.push_back(i);
  }
  return inputs;
}

/// Inputs become inputs of all tapes but that of the parameters. A tape that is not there has none.
void free_inputs(PackedSystem& packed) {
  if (packed.inputs.empty()) return;
  const std::vector<std::uint32_t> inputs(packed.inputs.begin(), packed.inputs.end());
  for (Tape* tape : {&packed.derivative, &packed.sample, &packed.rates, &packed.positions,
                     &packed.velocities, &packed.conditions, &packed.initial, &packed.angles,
                     &packed.watched, &packed.settings, &packed.periods, &packed.begun})
    if (tape->parameters > 0) codegen::make_inputs(*tape, inputs);
  if (!packed.touches) return;
  for (Tape* tape : {&packed.touches->dynamics, &packed.touches->geometry, &packed.touches->laws,
                     &packed.touches->observables})
    if (tape->parameters > 0) codegen::make_inputs(*tape, inputs);
}

Tape dependent_tape(const motion::Motion& motion, const std::vector<PackedParameter>& parameters) {
  const auto& symbols = motion.equations().parameters;
  codegen::TapeBuilder tape({}, symbols);
  std::vector<codegen::TapeBuilder::Value> outputs;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].free || parameters[i].discrete) continue;
    const codegen::TapeBuilder::Value value = tape.lower(motion.model().parameters[i].expr);
    tape.define(symbols[i], value);
    outputs.push_back(value);
  }
  return tape.finish(outputs, codegen::TapeBuilder::Rounding::each);
}

void name_states(PackedSystem& packed, const motion::Motion& motion,
                 const std::vector<std::size_t>& recorded) {
  const std::vector<std::string>& coordinates = motion.model().coordinates;
  NameBook book;
  book.take("time");
  for (const PackedParameter& parameter : packed.parameters)
    if (!parameter.discrete && !parameter.internal)
      book.take(parameter.name);  // an output may bear its name
  const auto add = [&](std::vector<std::string>& names, const std::string& name) {
    names.push_back(book.take(name, "#"));
  };
  for (const std::string& x : coordinates) add(packed.state_names, x);
  for (const std::string& x : coordinates) add(packed.sample_names, x + "'");
  for (const std::string& x : coordinates) add(packed.sample_names, x + "''");
  for (const std::string& x : coordinates) add(packed.sample_names, "ideal." + x);
  for (const std::string& x : coordinates) add(packed.sample_names, "nonideal." + x);
  add(packed.sample_names, "energy.kinetic");
  add(packed.sample_names, "energy.potential");
  for (const std::size_t i : recorded) add(packed.sample_names, motion.outputs()[i].name);
  if (packed.reduced) {
    for (std::size_t i = packed.n; i < packed.states; ++i)
      add(packed.state_names, fmt::format("quasi.{}", i - packed.n + 1));
  } else {
    // Velocities are states too.
    packed.state_names.insert(packed.state_names.end(), packed.sample_names.begin(),
                              packed.sample_names.begin() + static_cast<std::ptrdiff_t>(packed.n));
  }
}

}  // namespace

model::Result<PackedSystem, model::ModelError> pack(const motion::Motion& motion,
                                                    const std::string& name) {
  const model::Model& model = motion.model();
  const auto refused = [&](const std::string& reason) {
    return model::Failure{model::error_in(model, "this model cannot be exported: " + reason)};
  };
  const bool touches = !model.contacts.empty() || !model.dry_frictions.empty();
  if (touches) {
    if (const auto why = why_no_touches(motion)) return refused(*why);
  } else if (!model.used_reactions.empty()) {
    return refused(
        fmt::format("it asks for reaction.{}, which exported code does not follow along the motion",
                    model.used_reactions.front()));
  }
  if (motion.method() != solve::Method::m_inverse)
    return refused(fmt::format("exported code follows m-inverse, and the method is {}",
                               solve::to_string(motion.method())));
  const auto start = motion::initial_state(motion);
  if (!start) return model::Failure{start.error()};
  const auto found = touches ? flow_beside_touches(motion) : flow_of(motion, start->state);
  if (!found) return refused(why_no_flow(motion));
  const flow::Flow& flow = *found;

  PackedSystem packed;
  packed.name = model.name.empty() ? name : model.name;
  packed.description = model.description;
  packed.prefix = identifier(name);
  packed.form = flow.form;
  packed.n = flow.n;
  packed.states = flow.size;
  packed.reduced = flow.reduced;
  if (touches) packed.touches = pack_touches(motion);
  packed.as_run = motion.flow() != nullptr && vouches(motion.flow()->flow, motion, start->state);
  const motion::SimulationOptions options = motion::simulation_options(motion);
  packed.duration = options.duration;
  packed.rtol = options.rtol;
  packed.atol = options.atol;
  packed.projects_positions = touches ? options.project == model::Project::both
                                      : !flow.reduced && !flow.positions.outputs.empty() &&
                                            options.project == model::Project::both;
  packed.projects_velocities = touches ? options.project != model::Project::none
                                       : !flow.reduced && !flow.velocities.outputs.empty() &&
                                             options.project != model::Project::none;
  packed.inputs = inputs_of(model);
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    // One that a setting replaced has its value from there.
    const double as_written = model::evaluate(model.parameters[i].expr, model, motion.parameters());
    const bool follows = is_dependent(model.parameters[i]) && as_written == motion.parameters()[i];
    const bool input = std::ranges::find(packed.inputs, i) != packed.inputs.end();
    const bool discrete = std::ranges::find(model.discretes, i) != model.discretes.end();
    packed.parameters.push_back({.name = model.parameters[i].name,
                                 .value = motion.parameters()[i],
                                 .free = !follows || input,
                                 .internal = model::is_internal(model.parameters[i]),
                                 .input = input,
                                 .discrete = discrete});
  }
  name_states(packed, motion, flow.recorded);
  for (std::size_t i = 0; i < motion.outputs().size(); ++i)
    if (std::ranges::find(flow.recorded, i) == flow.recorded.end())
      (touches ? packed.not_kept : packed.left_out).push_back(motion.outputs()[i].name);

  packed.derivative = flow.derivative;
  if (!touches) packed.sample = sample_of(flow);
  packed.rates = flow.rates;
  packed.positions = flow.positions;
  packed.velocities = flow.velocities;
  packed.conditions = flow.conditions;
  std::vector<expr::Expr> written;
  for (const auto* list : {&model.initial.q, &model.initial.v})
    for (const model::Located& value : *list) written.push_back(value.expr);
  packed.initial = codegen::make_tape(written, {}, motion.equations().parameters);
  add_events(packed, motion);
  packed.dependent = dependent_tape(motion, packed.parameters);
  add_turns(packed, motion);
  free_inputs(packed);
  std::vector<double> u;
  for (const std::size_t i : packed.inputs) u.push_back(motion.parameters()[i]);
  packed.written = evaluated(packed.initial, motion.parameters(), u);
  packed.start = start->state.q;
  packed.start.insert(packed.start.end(), start->state.v.begin(), start->state.v.end());
  std::vector<double> inputs{0};
  inputs.insert(inputs.end(), packed.start.begin(), packed.start.end());
  inputs.insert(inputs.end(), u.begin(), u.end());
  const std::vector<double> v = evaluated(packed.rates, motion.parameters(), inputs);
  packed.start_y = start->state.q;
  packed.start_y.insert(packed.start_y.end(), v.begin(), v.end());
  if (!touches && !vouches(flow, motion, start->state)) {
    return refused(
        "straight-line code cannot vouch for its numbers at this start, where constraints are "
        "close to dependent, or what one of them demands is lost in rounding");
  }
  if (!touches &&
      packed.derivative.code.size() + packed.sample.code.size() <= most_differentiated) {
    packed.turning = codegen::directional(without_last(packed.derivative, 2));
    packed.changing = codegen::directional(without_last(packed.sample, 1));
  }
  return packed;
}

}  // namespace dalembert::packing
