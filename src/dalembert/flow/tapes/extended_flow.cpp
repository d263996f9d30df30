#include "dalembert/flow/tapes/extended_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "dalembert/codegen/tape_builder.hpp"
#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/rational.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/values.hpp"

namespace dalembert::flow {

namespace {

using codegen::TapeBuilder;
using Value = codegen::TapeBuilder::Value;
using expr::Expr;
using expr::Rational;
using model::Failure;

constexpr int exact_digits = 60;

/// What of a model rules extended precision out, as far as its text tells.
std::optional<std::string> objection_of_model(const Motion& motion) {
  if (!codegen::has_extended) return "long double is no wider than double on this machine";
  const model::Model& m = motion.model();
  if (model::has_instants(m))
    return "events, contacts and friction that sticks are found in doubles";
  if (motion.method() != Method::m_inverse)
    return fmt::format("method {} is computed in doubles: use m-inverse",
                       to_string(motion.method()));
  if (!m.frictions.empty())
    return fmt::format("the friction of joint '{}' is found in doubles", m.frictions.front().joint);
  for (const model::Joint& joint : m.joints) {
    if (!joint.near.empty())
      return fmt::format("the turns of joint '{}' are counted in doubles", joint.name);
  }
  return std::nullopt;
}

codegen::Tape constraints_tape(const mechanics::Equations& eq) {
  TapeBuilder tape(state_symbols(eq), eq.parameters, TapeBuilder::Constants::exact);
  std::vector<Value> outputs;
  for (const bool rates : {false, true}) {
    for (const auto& row : eq.constraints) {
      const Expr& e = rates ? row.rate : row.residual;
      outputs.push_back(row.level == model::Level::acceleration ? tape.constant(0) : tape.lower(e));
    }
  }
  return tape.finish(outputs);
}

/// The parameters as numbers, each an expression without symbols.
class Definitions {
 public:
  explicit Definitions(const Motion& motion) : motion_(motion) {}

  /// An expression of parameters, with their numbers in it.
  Expr closed(const Expr& e) { return expr::substitute(e, known_); }

  /// As written, where that is what the double was found from.
  void define(std::size_t i, bool as_written) {
    const model::Named& parameter = motion_.model().parameters[i];
    known_.emplace(expr::parameter(parameter.name),
                   as_written ? closed(parameter.expr)
                              : Expr(expr::rational_from_double(motion_.parameters()[i])));
  }

 private:
  const Motion& motion_;
  expr::ExprMap known_;
};

/// The values of expressions without symbols, to `exact_digits`.
std::vector<std::optional<Rational>> values_of(const std::vector<Expr>& list) {
  std::vector<std::optional<Rational>> values;
  for (const auto& found : expr::evaluate_precisely(
           list, [](const expr::Symbol&) { return Rational(0); }, exact_digits)) {
    const bool narrow =
        found &&
        found->radius <= 1e-24 * std::max(std::abs(expr::to_double(found->middle)), 1e-280);
    values.push_back(narrow ? std::optional(found->middle) : std::nullopt);
  }
  return values;
}

}  // namespace

Extended to_extended(const Rational& r) {
  Extended sum = 0;
  Rational rest = r;
  for (int part = 0; part < 3 && rest != 0; ++part) {
    const double x = expr::to_double(rest);
    sum += x;
    if (!std::isfinite(x)) break;
    rest -= Rational(x);
  }
  return sum;
}

Result<ExtendedFlow, std::string> make_extended_flow(const Motion& motion, const State& start) {
  if (auto objection = objection_of_model(motion)) return Failure{*std::move(objection)};
  FlowScope scope;
  scope.extended = true;
  auto flow = make_flow(motion, start, scope);
  if (!flow)
    return Failure{std::string(
        "no tape vouches for the motion: its mass matrix is singular or changes its rank, it is "
        "very large, a constraint may jump in t, or an output asks for shares of dependent "
        "constraints")};
  ExtendedFlow result{*std::move(flow), constraints_tape(motion.equations())};
  for (const codegen::Tape* tape :
       {&result.flow.derivative, &result.flow.positions, &result.flow.velocities,
        &result.flow.sample, &result.constraints}) {
    if (!tape->tables.empty())
      return Failure{fmt::format("table '{}' has values in doubles", tape->tables.front()->name())};
  }
  if (codegen::has_kinks(result.flow.derivative, result.flow.size, true))
    return Failure{std::string(
        "its rates have kinks or jumps (abs, sign, min, max, floor, step, if), which are found in "
        "doubles")};
  return result;
}

ExactStart exact_start(const Motion& motion, const State& start) {
  const model::Model& m = motion.model();
  const std::vector<double>& parameters = motion.parameters();
  ExactStart exact;
  Definitions definitions(motion);
  std::vector<Expr> list;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    definitions.define(i, model::evaluate(m.parameters[i].expr, m, parameters) == parameters[i]);
    list.push_back(definitions.closed(expr::parameter(m.parameters[i].name)));
  }
  // Is it where the model says it starts? Projected there, perhaps, as it was.
  bool of_model = false;
  std::optional<Start> written;
  if (auto found = written_start(motion)) {
    written = *std::move(found);
    written->state.t = start.t;
    const auto state = initial_state(motion, *written);
    of_model = state && !state->adjusted && state->state.q == start.q && state->state.v == start.v;
  }
  const auto add_initial = [&](const std::vector<model::Located>& expressions,
                               const std::vector<double>& values,
                               const std::vector<double>* as_written) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool same = of_model || (as_written != nullptr && (*as_written)[i] == values[i]);
      list.push_back(same ? definitions.closed(expressions[i].expr)
                          : Expr(expr::rational_from_double(values[i])));
    }
  };
  add_initial(m.initial.q, start.q, written ? &written->state.q : nullptr);
  add_initial(m.initial.v, start.v, written ? &written->state.v : nullptr);

  const std::vector<std::optional<Rational>> values = values_of(list);
  std::size_t next = 0;
  const auto take = [&](double otherwise, const std::string& name, std::vector<Extended>& to) {
    const std::optional<Rational>& value = values[next++];
    if (!value) exact.rounded.push_back(name);
    to.push_back(value ? to_extended(*value) : Extended(otherwise));
  };
  for (std::size_t i = 0; i < parameters.size(); ++i)
    take(parameters[i], fmt::format("parameter '{}'", m.parameters[i].name), exact.parameters);
  for (std::size_t i = 0; i < start.q.size(); ++i)
    take(start.q[i], fmt::format("the initial value of {}", m.coordinates[i]), exact.q);
  for (std::size_t i = 0; i < start.v.size(); ++i)
    take(start.v[i], fmt::format("the initial value of {}'", m.coordinates[i]), exact.v);
  return exact;
}

}  // namespace dalembert::flow
