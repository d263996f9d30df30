#include "dalembert/flow/compiled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/formulation_library.hpp"
#include "dalembert/flow/friction.hpp"
#include "dalembert/flow/instants/kernels.hpp"
#include "dalembert/flow/jacobian.hpp"
#include "dalembert/flow/places.hpp"
#include "dalembert/flow/projection.hpp"
#include "dalembert/flow/state/assembly.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/state/touch_states.hpp"
#include "dalembert/flow/tapes/lane_flow.hpp"
#include "dalembert/flow/tapes/tape_solver.hpp"
#include "dalembert/flow/tapes/time_kinks.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/mechanics/kept_reactions.hpp"
#include "dalembert/mechanics/servo.hpp"
#include "dalembert/model/energy_of_bodies.hpp"
#include "dalembert/model/view_checks.hpp"
#include "dalembert/solve/entry_solver.hpp"

namespace dalembert::flow {

namespace {

using expr::Expr;
using mechanics::Entry;
using mechanics::Equations;
using model::Failure;

void append_values(std::vector<Expr>& list, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) list.push_back(entry.value);
}

codegen::Kernel kernel(const std::vector<Expr>& outputs, const std::vector<Expr>& inputs,
                       const Equations& eq) {
  return codegen::make_kernel(codegen::make_tape(outputs, inputs, eq.parameters));
}

codegen::Kernel dynamics_kernel(const Equations& eq) {
  std::vector<Expr> outputs;
  append_values(outputs, eq.M);
  append_values(outputs, eq.A);
  outputs.insert(outputs.end(), eq.Q.begin(), eq.Q.end());
  outputs.insert(outputs.end(), eq.b.begin(), eq.b.end());
  outputs.push_back(eq.applied_power);
  outputs.push_back(eq.other_power);
  if (!eq.C_uses_ideal_force) outputs.insert(outputs.end(), eq.C.begin(), eq.C.end());
  return kernel(outputs, state_symbols(eq), eq);
}

codegen::Kernel scales_kernel(const Equations& eq) {
  std::vector<Expr> outputs = eq.Q_scale;
  outputs.insert(outputs.end(), eq.b_scale.begin(), eq.b_scale.end());
  outputs.insert(outputs.end(), eq.A_scale.begin(), eq.A_scale.end());
  return kernel(outputs, state_symbols(eq), eq);
}

codegen::Kernel nonideal_kernel(const Equations& eq) {
  std::vector<Expr> inputs = state_symbols(eq);
  for (const Expr& q : eq.q) inputs.push_back(expr::ideal_force(q.symbol().name));
  return kernel(eq.C, inputs, eq);
}

codegen::Kernel constraints_kernel(const Equations& eq) {
  std::vector<Expr> outputs;
  for (const auto& row : eq.constraints) {
    outputs.push_back(row.level == model::Level::acceleration ? Expr(0) : row.residual);
  }
  for (const auto& row : eq.constraints) {
    outputs.push_back(row.level == model::Level::acceleration ? Expr(0) : row.rate);
  }
  for (const auto& row : eq.constraints) {
    outputs.push_back(row.level == model::Level::acceleration ? Expr(1) : row.scale);
  }
  for (const auto& row : eq.constraints) {
    outputs.push_back(row.level == model::Level::acceleration ? Expr(1) : row.rate_scale);
  }
  append_values(outputs, eq.M);
  append_values(outputs, eq.A);
  return kernel(outputs, state_symbols(eq), eq);
}

bool uses_multipliers(const Expr& e) {
  return expr::find_symbol(
             e, [](const expr::Symbol& s) { return s.kind == expr::SymbolKind::multiplier; })
      .has_value();
}

/// The multipliers of rows that are no joint's in the model's outputs: by output and constraint.
std::vector<std::pair<std::size_t, std::size_t>> named_multipliers(const model::Model& model) {
  std::unordered_map<std::string, std::size_t> rows;
  for (const std::size_t j : model::constraints_with_multipliers(model))
    rows.emplace(model.constraints[j].name, j);
  const auto each = [](std::span<const Expr> roots, auto use) {
    for (const Expr& s : expr::symbols(roots)) {
      if (s.symbol().kind == expr::SymbolKind::multiplier) use(s.symbol().name);
    }
  };
  std::vector<std::pair<std::size_t, std::size_t>> result;
  for (std::size_t i = 0; i < model.outputs.size(); ++i) {
    each(std::span(&model.outputs[i].expr, 1), [&](const std::string& name) {
      if (const auto row = rows.find(name); row != rows.end()) result.emplace_back(i, row->second);
    });
  }
  return result;
}

/// By the multiplier rule there are no reactions, and nothing may depend on them.
std::vector<model::Diagnostic> reaction_objections(const model::Model& model) {
  std::vector<model::Diagnostic> wrong;
  const auto named = named_multipliers(model);
  for (std::size_t i = 0; i < model.outputs.size(); ++i) {
    const model::Named& output = model.outputs[i];
    if (!uses_multipliers(output.expr)) continue;
    const bool lambda = std::ranges::any_of(named, [&](const auto& one) { return one.first == i; });
    wrong.push_back(
        {fmt::format("output '{}' needs {}, and by the method vakonomic there is none", output.name,
                     lambda ? "the multiplier of a constraint while forces act"
                            : "the reaction of a joint"),
         output.where});
  }
  for (const model::Friction& friction : model.frictions) {
    wrong.push_back({fmt::format("the friction of joint '{}' needs its reaction, and by the method "
                                 "vakonomic there is none",
                                 friction.joint),
                     friction.where});
  }
  return wrong;
}

/// What cannot go with events, contacts and friction that sticks.
std::vector<model::Diagnostic> instant_objections(const model::Model& model, Method method) {
  std::vector<model::Diagnostic> wrong;
  const std::string what = "motions with events, contacts and friction that sticks ";
  if (!is_fundamental(method))
    wrong.push_back(
        {fmt::format("{}are computed by the fundamental equation, and not by method {}: "
                     "use m-inverse",
                     what, to_string(method)),
         model.simulation.method_where});
  if (model.simulation.integrator == "taylor")
    wrong.push_back({what + "are integrated by rk8 or bdf, and not by taylor",
                     model.simulation.integrator_where});
  for (const model::Located& c : model.virtual_work) {
    if (expr::find_symbol(
            c.expr, [](const expr::Symbol& s) { return s.kind == expr::SymbolKind::ideal_force; }))
      wrong.push_back({what + "take the friction of a reaction from [[friction]], with limit = "
                              "\"mu*reaction.NAME\", and not from [virtual_work] with ideal.x",
                       c.where});
  }
  for (const model::Friction& friction : model.frictions)
    wrong.push_back({fmt::format("{}do not know the friction of joint '{}' yet: write it as "
                                 "[[friction]], with limit = \"mu*reaction.{}\"",
                                 what, friction.joint, friction.joint),
                     friction.where});
  return wrong;
}

codegen::Kernel observables_kernel(const Equations& eq, const std::vector<model::Named>& recorded) {
  std::vector<Expr> inputs = state_symbols(eq);
  for (const Expr& q : eq.q) inputs.push_back(expr::coordinate(q.symbol().name, 2));
  for (const Expr& q : eq.q) inputs.push_back(expr::ideal_force(q.symbol().name));
  for (const Expr& q : eq.q) inputs.push_back(expr::nonideal_force(q.symbol().name));
  for (const auto& row : eq.constraints) inputs.push_back(expr::multiplier(row.name));
  for (const auto& terms : eq.frictions) {
    for (const auto& sliding : terms.sliding) inputs.push_back(sliding.slides);
  }
  std::vector<Expr> outputs{eq.kinetic, eq.potential, eq.h};
  for (const model::Named& output : recorded) outputs.push_back(output.expr);
  return kernel(outputs, inputs, eq);
}

/// Puts laws in the place of the inputs that enforce constraints; `parameters` are without them
/// then. What comes back tells why that cannot be done.
std::vector<model::Diagnostic> enforce_by_inputs(model::Model& model, const CompileOptions& options,
                                                 std::vector<double>& parameters) {
  std::vector<bool> enforces(model.parameters.size(), false);
  for (const model::Constraint& constraint : model.constraints) {
    for (const std::string& name : constraint.by) {
      if (options.settings.contains(name))
        return {{fmt::format("input '{}' cannot be set: it follows from constraint '{}', which it "
                             "enforces",
                             name, constraint.name),
                 constraint.where}};
      const auto input = std::ranges::find(model.parameters, name, &model::Named::name);
      enforces[static_cast<std::size_t>(input - model.parameters.begin())] = true;
    }
  }
  if (std::ranges::find(enforces, true) == enforces.end()) return {};
  if (options.method.value_or(model.simulation.method) == "vakonomic")
    return {
        {"servo constraints are enforced by forces, and by the method vakonomic there are none "
         "for constraints",
         model.simulation.method_where}};
  if (auto wrong = mechanics::enforce_servo_constraints(model, parameters); !wrong.empty())
    return wrong;
  std::vector<double> rest;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!enforces[i]) rest.push_back(parameters[i]);
  }
  parameters = std::move(rest);
  return {};
}

/// The components of each quaternion are a group of coordinates.
std::vector<int> groups_of(const model::Model& model) {
  std::vector<int> groups;
  if (!model.quaternions.empty()) groups.assign(model.coordinates.size(), -1);
  for (std::size_t k = 0; k < model.quaternions.size(); ++k) {
    for (const std::size_t i : model.quaternions[k]) groups[i] = static_cast<int>(k);
  }
  return groups;
}

std::size_t size_of(const model::Model& model) {
  return model.coordinates.size() + model.constraints.size();
}

/// The method of that name, if there is one and it serves a model of this size. `asked`: by the
/// options, not by the model.
Result<Method, ModelError> find_method(const model::Model& model, const std::string& name,
                                       bool asked) {
  const auto error = [&](const std::string& message) {
    return Failure{
        model::error_in(model, message, asked ? model::Location{} : model.simulation.method_where)};
  };
  const auto method = method_from_string(name);
  if (!method) {
    const auto known = model::known_methods();
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string meant = expr::did_you_mean(name, names);
    const std::string message = fmt::format(
        "no method '{}'{}", name, meant.empty() ? "; there are " + method_names() : meant);
    if (asked) return Failure{ModelError{nullptr, {{message}}}};
    return error(message);
  }
  if (!is_fundamental(*method) && size_of(model) > most_on_full_matrices) {
    return error(
        fmt::format("method '{}' works on full matrices, for up to {} coordinates and constraints "
                    "together, and this model has {}; m-inverse has no such limit",
                    name, most_on_full_matrices, size_of(model)));
  }
  return *method;
}

FundamentalOptions fundamental_options(const model::Model& model, Method method) {
  FundamentalOptions options;
  options.method = fundamental_route(method);
  options.rank_tolerance = model.simulation.rank_tolerance;
  options.groups = groups_of(model);
  options.weights.resize(static_cast<Eigen::Index>(model.constraints.size()));
  for (std::size_t j = 0; j < model.constraints.size(); ++j)
    options.weights[static_cast<Eigen::Index>(j)] = model.constraints[j].weight;
  return options;
}

/// Why the model rules its formulation out, if it does, as the initial state tells. Whatever else
/// is wrong there is for others to tell.
std::optional<std::string> formulation_objection(const Motion& motion) {
  if (is_fundamental(motion.method())) return std::nullopt;
  GivenValues zero;
  if (!is_mechanical(motion.method())) {
    for (const std::string& name : motion.constraint_names()) zero.mu.emplace_back(name, 0.0);
  }
  const auto start = written_start(motion, zero);
  if (!start) return std::nullopt;
  const State& state = start->state;
  Projector projector(motion);
  projector.measure(state.t, state.q, state.v);
  const double off = std::max(projector.largest_scaled_residual(), projector.largest_scaled_rate());
  if (!(off <= initial_tolerance)) return std::nullopt;
  Evaluator evaluator(motion);
  if (evaluator.decide(state.t, state.q, state.v, state.mu) != Status::formulation_failed)
    return std::nullopt;
  return evaluator.explain_failure();
}

}  // namespace

std::vector<std::string> Motion::constraint_names() const {
  std::vector<std::string> names;
  for (const auto& constraint : data_->model.constraints) names.push_back(constraint.name);
  return names;
}

Result<Motion, ModelError> compile(model::Model model, const CompileOptions& options) {
  if (std::vector<model::Diagnostic> wrong = model::validate(model); !wrong.empty()) {
    return Failure{ModelError{model.source, std::move(wrong)}};
  }
  const bool with_instants = model::has_instants(model);
  std::vector<model::Named> instant_outputs;
  if (with_instants) instant_outputs = add_instant_outputs(model);
  auto parameters = model::parameter_values(model, options.settings);
  if (!parameters) return Failure{std::move(parameters).error()};
  if (auto wrong = enforce_by_inputs(model, options, *parameters); !wrong.empty())
    return Failure{ModelError{model.source, std::move(wrong)}};
  if (auto wrong = model::check_bodies(model, *parameters); !wrong.empty())
    return Failure{ModelError{model.source, std::move(wrong)}};
  if (auto wrong = model::check_drawing(model, *parameters); !wrong.empty())
    return Failure{ModelError{model.source, std::move(wrong)}};
  const std::string method_name = options.method.value_or(model.simulation.method);
  const auto method = find_method(model, method_name, options.method.has_value());
  if (!method) return Failure{method.error()};
  if (!is_mechanical(*method)) {
    if (auto wrong = reaction_objections(model); !wrong.empty())
      return Failure{ModelError{model.source, std::move(wrong)}};
  }
  if (with_instants) {
    if (auto wrong = instant_objections(model, *method); !wrong.empty())
      return Failure{ModelError{model.source, std::move(wrong)}};
  }
  if (auto wrong = mechanics::complete_reactions(model); !wrong.empty())
    return Failure{ModelError{model.source, std::move(wrong)}};
  if (!model.frictions.empty()) {  // what presses may have become something that is not linear
    if (auto wrong = model::validate(model); !wrong.empty())
      return Failure{ModelError{model.source, std::move(wrong)}};
  }

  auto data = std::make_shared<Motion::Data>();
  data->solutions = std::make_shared<SolutionLibrary>();
  data->method = *method;
  // A formulation works on matrices, and so does bdf, as far as they can be kept.
  const bool full = !is_fundamental(*method) || (model.simulation.integrator == "bdf" &&
                                                 size_of(model) <= most_on_full_matrices);
  data->storage = full ? Storage::dense : options.storage;
  data->options = fundamental_options(model, *method);
  data->equations = mechanics::lagrange(model);
  data->model = std::move(model);
  if (options.method) {
    data->model.simulation.method = method_name;
    data->model.simulation.method_where = {};
  }
  const Equations& eq = data->equations;
  std::uint32_t source = 0;
  for (const Entry& entry : eq.M) data->M_places.push_back({entry.row, entry.column, source++});
  for (const Entry& entry : eq.A) data->A_places.push_back({entry.row, entry.column, source++});
  data->dynamics = dynamics_kernel(eq);
  if (eq.C_uses_ideal_force) data->nonideal = nonideal_kernel(eq);
  data->constraints = constraints_kernel(eq);
  data->scales = scales_kernel(eq);
  if (!eq.frictions.empty())
    data->friction = std::make_shared<const FrictionKernels>(friction_kernels(eq));
  data->outputs = data->model.outputs;
  if (is_mechanical(*method)) {
    data->outputs.insert(data->outputs.end(), data->model.reactions.begin(),
                         data->model.reactions.end());
  }
  data->outputs.insert(data->outputs.end(), instant_outputs.begin(), instant_outputs.end());
  if (with_instants)
    data->instants =
        std::make_shared<const InstantKernels>(make_instant_kernels(data->model, data->outputs));
  data->outputs_use_multipliers = std::ranges::any_of(
      data->outputs, [](const model::Named& output) { return uses_multipliers(output.expr); });
  data->named_multipliers = named_multipliers(data->model);
  data->observables = observables_kernel(eq, data->outputs);
  data->jacobian = std::make_shared<JacobianLibrary>();
  data->time_kinks = std::make_shared<const TimeKinks>(eq);
  data->assembly = std::make_shared<AssemblyLibrary>();
  if (!is_fundamental(*method)) {
    data->library = std::make_shared<FormulationLibrary>(*mechanics::find_formulation(method_name),
                                                         data->model, eq);
  }
  data->flow = std::make_shared<FlowLibrary>();
  data->parameters = *parameters;
  Motion motion(std::move(data), *std::move(parameters));
  if (auto objection = formulation_objection(motion)) {
    return Failure{
        model::error_in(motion.model(), *objection, formulation_place(motion.model(), *objection))};
  }
  return motion;
}

const JacobianKernels& Motion::jacobian_kernels() const {
  return data_->jacobian->get(data_->equations);
}

HeldMotions Motion::held_motions(const Start& start) const {
  return data_->assembly->get(*this, start);
}

std::shared_ptr<const model::Model> Motion::freed_model(
    const std::vector<std::string>& names) const {
  return data_->assembly->freed(data_->model, names);
}

const ModelFlow* Motion::flow() const {
  if (instants() != nullptr) return nullptr;  // it knows nothing of contacts
  return data_->flow->get(Motion(data_, data_->parameters));
}

Motion Motion::with_parameters(std::vector<double> parameters) const {
  if (parameters.size() != this->parameters().size())
    throw std::invalid_argument("a motion needs a value for each of its parameters");
  return {data_, std::move(parameters)};
}

Acceleration Motion::acceleration(double t, std::span<const double> q, std::span<const double> v,
                                  std::span<const double> mu) const {
  if (q.size() != coordinates() || v.size() != coordinates()) {
    throw std::invalid_argument(
        fmt::format("a state of this motion has {} coordinates", coordinates()));
  }
  const bool mechanical = is_mechanical(method());
  if (mu.size() != (mechanical ? 0 : constraints())) {
    throw std::invalid_argument(
        mechanical ? "mu is a state of the method vakonomic only"
                   : fmt::format("the method vakonomic needs {} values of mu", constraints()));
  }
  Evaluator evaluator(*this);
  Acceleration result;
  result.status = evaluator.decide(t, q, v, mu);
  if (coordinates() + constraints() <= most_shown) {
    result.M = evaluator.calc_M();
    result.A = evaluator.calc_A();
  }
  result.Q = evaluator.Q();
  result.b = evaluator.b();
  result.C = evaluator.C();
  if (result.status != Status::ok) {
    result.problem = evaluator.explain_failure();
    if (evaluator.friction() != nullptr) result.friction = evaluator.friction()->culprit();
    return result;
  }
  EntrySolver& f = evaluator.solution();
  result.qdd = evaluator.acceleration();
  result.ideal = evaluator.ideal();
  result.nonideal = evaluator.nonideal();
  result.unconstrained = f.calc_unconstrained();
  result.violation = f.calc_violation();
  result.multipliers = f.calc_multipliers();
  result.reactions = evaluator.calc_multipliers();
  if (const JointFriction* friction = evaluator.friction()) {
    result.normal_forces = friction->normal_forces();
    result.friction_assured = friction->assured();
    result.slides.assign(friction->slides().begin(), friction->slides().end());
  }
  result.rank = f.rank();
  result.residual =
      is_fundamental(method()) ? f.residual() : (result.A * result.qdd - result.b).norm();
  result.consistent = !evaluator.contradictory();
  result.mass_singular = f.mass_singular();
  result.unique = f.calc_unique();
  result.conflicting = f.calc_conflicting();
  if (instants() != nullptr) {  // with what is closed and what sticks
    TouchStates touches = find_touch_states(*this, t, q, v);
    if (touches.problem.empty()) {
      result.qdd = std::move(touches.qdd);
      result.ideal = std::move(touches.ideal);
      result.nonideal = std::move(touches.nonideal);
      result.reactions = std::move(touches.reactions);
      result.multipliers = std::move(touches.multipliers);
    } else {
      constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
      for (Eigen::VectorXd* part :
           {&result.qdd, &result.ideal, &result.nonideal, &result.reactions, &result.multipliers})
        part->setConstant(unknown);
      result.problem = std::move(touches.problem);
    }
  }
  if (!mechanical) {
    result.mu = Eigen::Map<const Eigen::VectorXd>(mu.data(), static_cast<Eigen::Index>(mu.size()));
    result.mu_rate = evaluator.mu_rate();
    result.multipliers.setConstant(std::numeric_limits<double>::quiet_NaN());
    result.reactions.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  return result;
}

Residuals Motion::residuals(double t, std::span<const double> q, std::span<const double> v) const {
  Projector projector(*this);
  projector.measure(t, q, v);
  Residuals result;
  result.residual.assign(projector.residuals().begin(), projector.residuals().end());
  result.rate.assign(projector.rates().begin(), projector.rates().end());
  for (std::size_t j = 0; j < constraints(); ++j) {
    result.scaled.push_back(projector.scaled_residual(j));
    result.scaled_rate.push_back(projector.scaled_rate(j));
  }
  return result;
}

Result<State, ModelError> Motion::written_initial_state() const {
  auto start = written_start(*this);
  if (!start) return Failure{std::move(start).error()};
  return std::move(start->state);
}

}  // namespace dalembert::flow
