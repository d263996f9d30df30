#include "dalembert/flow/tapes/flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "dalembert/codegen/elimination.hpp"
#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/flow/projection.hpp"
#include "dalembert/flow/tapes/eliminated_system.hpp"
#include "dalembert/flow/tapes/reduced_flow.hpp"
#include "dalembert/flow/tapes/short_equations.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/solve/symmetric_eigen.hpp"

namespace dalembert::flow {

namespace {

using codegen::Margin;
using codegen::TapeBuilder;
using codegen::Value;
using expr::Expr;
using mechanics::Equations;
using model::Level;

/// Those of the constraints that have a form at this level: of positions, or of velocities too.
std::vector<std::size_t> rows_of_level(const Equations& eq, Level level) {
  std::vector<std::size_t> rows;
  for (std::size_t j = 0; j < eq.constraints.size(); ++j) {
    const Level own = eq.constraints[j].level;
    if (level == Level::position ? own == Level::position : own != Level::acceleration)
      rows.push_back(j);
  }
  return rows;
}

/// How small the pivots of A M^-1 A^T may become in a step, as parts of their diagonal entries. A
/// motion under constraints on positions may come to a singular configuration of theirs, and must
/// not step over it unawares: well before, its tape doubts. Constraints that are close to dependent
/// at the start are let come closer.
double least_pivot_in_step(const ShortEquations& equations) {
  constexpr double most = 0.02, part = 0.05;
  const auto k = static_cast<Eigen::Index>(equations.rows.size());
  Eigen::MatrixXd A(k, equations.at.A.cols());
  for (Eigen::Index i = 0; i < k; ++i)
    A.row(i) =
        equations.at.A.row(static_cast<Eigen::Index>(equations.rows[static_cast<std::size_t>(i)]));
  const SymmetricEigen mass = symmetric_eigen(equations.at.M);
  if (!mass.converged || !(mass.values[0] > 0)) return least_constraint_pivot;
  Eigen::MatrixXd B = A * mass.vectors;
  for (Eigen::Index i = 0; i < B.cols(); ++i) B.col(i) /= std::sqrt(mass.values[i]);
  for (Eigen::Index i = 0; i < k; ++i) B.row(i).normalize();
  const SymmetricEigen all = symmetric_eigen(B * B.transpose());
  if (!all.converged) return least_constraint_pivot;
  return std::clamp(part * all.values[0], least_constraint_pivot, most);
}

TapeBuilder::Constants constants_of(const FlowScope& scope) {
  return scope.extended ? TapeBuilder::Constants::exact : TapeBuilder::Constants::rounded;
}

/// The state symbols, and where works are integrated along, one for each of them.
std::vector<Expr> derivative_inputs(const Equations& eq, const FlowScope& scope) {
  std::vector<Expr> inputs = state_symbols(eq);
  if (!scope.extended) return inputs;
  for (const char* name : {"applied work", "ideal work", "non-ideal work", "other work"})
    inputs.push_back(expr::coordinate(name, 0));
  return inputs;
}

codegen::Tape derivative_tape(const ShortEquations& equations, const FlowScope& scope) {
  const Equations& eq = equations.equations;
  const std::vector<std::size_t>& rows = equations.rows;
  const bool on_positions = std::ranges::any_of(
      rows, [&](std::size_t j) { return eq.constraints[j].level == Level::position; });

  TapeBuilder tape(derivative_inputs(eq, scope), eq.parameters, constants_of(scope));
  Margin margin(tape);
  EliminatedSystem system(tape, eq, rows, margin,
                          on_positions ? least_pivot_in_step(equations) : least_constraint_pivot);
  if (equations.mended) system.judge_as_mended();
  const auto solution = system.solve(margin);
  std::vector<Value> outputs;
  for (const Expr& v : eq.v) outputs.push_back(tape.lower(v));
  outputs.insert(outputs.end(), solution.qdd.begin(), solution.qdd.end());
  if (scope.extended) {
    for (const Value power : powers(tape, eq, solution)) outputs.push_back(power);
  }
  outputs.push_back(margin.doubt());
  system.require_other_rows(solution, margin);
  outputs.push_back(margin.doubt());
  return tape.finish(outputs);
}

/// One Newton step towards the constraints of a level, x - A_M^+ residual, and how far off they
/// are.
codegen::Tape projection_tape(const Motion& motion, const Equations& eq, Level level,
                              const std::vector<std::size_t>& asked,
                              const std::vector<std::size_t>& rows, const FlowScope& scope) {
  if (asked.empty()) return {};
  const bool positions = level == Level::position;
  TapeBuilder tape(state_symbols(eq), eq.parameters, constants_of(scope));
  Margin margin(tape);
  const EliminatedSystem system(tape, eq, rows, margin);
  std::vector<Value> wanted;
  for (const std::size_t j : rows) {
    const auto& c = eq.constraints[j];
    wanted.push_back(tape.negate(tape.lower(positions ? c.residual : c.rate)));
  }
  std::vector<Value> outputs = system.correction(wanted);

  Value size = tape.constant(0);
  for (const Expr& x : positions ? eq.q : eq.v) size = tape.max(size, tape.abs(tape.lower(x)));
  size = tape.add(tape.constant(1), size);
  Value largest = tape.constant(0);
  for (const std::size_t j : asked) {
    const auto& c = eq.constraints[j];
    const auto row = system.A().row(j);
    const Value length = tape.sqrt(codegen::dot(tape, row, row));
    const Value floor = tape.multiply(tape.constant(residual_floor(motion, j)), size);
    const Value scale =
        tape.add(tape.lower(positions ? c.scale : c.rate_scale), tape.multiply(floor, length));
    const Value residual = tape.abs(tape.lower(positions ? c.residual : c.rate));
    // A residual of 0 is 0 of any scale, 0 included.
    const Value tiny = tape.constant(std::numeric_limits<double>::min());
    largest = tape.max(largest, tape.divide(residual, tape.max(scale, tiny)));
  }
  outputs.push_back(largest);
  outputs.push_back(margin.doubt());
  return tape.finish(outputs);
}

bool uses_multipliers(const Expr& e) {
  return std::ranges::any_of(expr::symbols(std::span(&e, 1)), [](const Expr& s) {
    return s.symbol().kind == expr::SymbolKind::multiplier;
  });
}

/// v q'' ideal nonideal, energies and outputs from y, whose velocities are all there or follow.
codegen::Tape sample_tape(const std::vector<model::Named>& recorded,
                          const ShortEquations& equations,
                          const std::optional<Reduction>& reduction, const FlowScope& scope) {
  const Equations& eq = equations.equations;
  const std::vector<std::size_t>& rows = equations.rows;
  const std::size_t n = eq.q.size();
  TapeBuilder tape(reduction ? reduction->inputs(eq) : state_symbols(eq), eq.parameters,
                   constants_of(scope));
  Margin margin(tape);
  if (reduction) reduction->define_velocities(tape, eq);
  EliminatedSystem system(tape, eq, rows, margin);
  if (equations.mended) system.judge_as_mended();
  const auto solution = system.solve(margin);
  std::vector<Value> outputs;
  for (std::size_t i = 0; i < n; ++i) outputs.push_back(tape.lower(eq.v[i]));
  for (const auto* part : {&solution.qdd, &solution.ideal, &solution.nonideal})
    outputs.insert(outputs.end(), part->begin(), part->end());
  for (std::size_t i = 0; i < n; ++i) {
    const std::string& name = eq.q[i].symbol().name;
    tape.define(expr::coordinate(name, 2), solution.qdd[i]);
    tape.define(expr::ideal_force(name), solution.ideal[i]);
    tape.define(expr::nonideal_force(name), solution.nonideal[i]);
  }
  for (std::size_t j = 0; j < rows.size(); ++j)
    tape.define(expr::multiplier(eq.constraints[rows[j]].name), solution.multipliers[j]);
  for (const Expr* e : {&eq.kinetic, &eq.potential, &eq.h}) outputs.push_back(tape.lower(*e));
  for (const model::Named& output : recorded) outputs.push_back(tape.lower(output.expr));
  for (std::size_t i = 0; i < n; ++i) outputs.push_back(system.M().row(i)[i]);
  outputs.push_back(margin.doubt());
  return tape.finish(outputs);
}

codegen::Tape powers_tape(const ShortEquations& equations,
                          const std::optional<Reduction>& reduction) {
  const Equations& eq = equations.equations;
  TapeBuilder tape(reduction ? reduction->inputs(eq) : state_symbols(eq), eq.parameters);
  Margin margin(tape);
  if (reduction) reduction->define_velocities(tape, eq);
  EliminatedSystem system(tape, eq, equations.rows, margin);
  if (equations.mended) system.judge_as_mended();
  std::vector<Value> outputs = powers(tape, eq, system.solve(margin));
  outputs.push_back(margin.doubt());
  return tape.finish(outputs);
}

/// The heights of rows on positions, one above those before it.
codegen::Tape heights_tape(const Equations& eq, const std::vector<std::size_t>& rows) {
  if (rows.empty()) return {};
  TapeBuilder tape(state_symbols(eq), eq.parameters);
  Margin margin(tape);
  std::vector<Value> outputs;
  for (const std::vector<Value>& height : EliminatedSystem(tape, eq, rows, margin).heights())
    outputs.insert(outputs.end(), height.begin(), height.end());
  return tape.finish(outputs);
}

}  // namespace

bool constraints_may_jump(const Equations& eq) {
  std::vector<Expr> roots;
  for (const auto& c : eq.constraints) roots.insert(roots.end(), {c.residual, c.rate});
  return std::ranges::any_of(expr::postorder(roots), [](const Expr& e) {
    const bool kinked =
        e.is(expr::Op::table) ||
        (expr::is_function(e.op()) && expr::function_info(e.op()).kinks != expr::Kinks::none);
    if (!kinked) return false;
    const std::vector<Expr> symbols = expr::symbols(std::span(&e, 1));
    const auto is_time = [](const Expr& s) { return s.symbol().kind == expr::SymbolKind::time; };
    return std::ranges::any_of(symbols, is_time) &&
           std::ranges::all_of(symbols, [&](const Expr& s) {
             return is_time(s) || s.symbol().kind == expr::SymbolKind::parameter;
           });
  });
}

codegen::Tape conditions_tape(const std::vector<model::Condition>& conditions,
                              const Equations& eq) {
  if (conditions.empty()) return {};
  std::vector<Expr> inputs{expr::time()};
  inputs.insert(inputs.end(), eq.q.begin(), eq.q.end());
  TapeBuilder tape(inputs, eq.parameters);
  Value doubt = tape.constant(0);
  for (const model::Condition& condition : conditions) {
    // 1 - sign(x): 0 of positive numbers, 1 of zero, 2 of negative ones. What is not a number
    // stays.
    const Value lack = tape.subtract(tape.constant(1), tape.sign(tape.lower(condition.value)));
    doubt = tape.max(doubt, condition.strict ? tape.multiply(tape.constant(2), lack) : lack);
  }
  return tape.finish(std::array{doubt});
}

std::optional<Flow> make_flow(const Motion& motion, const State& start, const FlowScope& scope) {
  // Lanes do not count the turns of hinges.
  if (!scope.turns && std::ranges::any_of(motion.model().joints, [](const model::Joint& joint) {
        return !joint.near.empty();
      }))
    return std::nullopt;
  if (constraints_may_jump(motion.equations())) return std::nullopt;
  const auto equations = short_equations(motion, start, {}, scope);
  if (!equations) return std::nullopt;
  // Of dependent rows the multipliers of minimum norm are asked for, which the tape has not.
  const bool shares_unknown =
      motion.outputs_use_multipliers() && equations->rows.size() < motion.constraints();
  if (shares_unknown && !scope.without_shares) return std::nullopt;
  const Equations& eq = equations->equations;
  Flow flow;
  flow.n = motion.coordinates();
  flow.form = "m-inverse";
  flow.derivative = derivative_tape(*equations, scope);
  std::optional<Reduction> reduction;
  if (!scope.extended) reduction = reduce(motion, start, equations->rows, equations->small);
  if (reduction && cost(reduction->derivative) >= cost(flow.derivative)) reduction.reset();
  if (reduction) {
    flow.reduced = true;
    flow.form = reduction->form;
    flow.derivative = reduction->derivative;
  }
  for (const Level level : {Level::position, Level::velocity}) {
    const std::vector<std::size_t> asked = rows_of_level(eq, level);
    const std::vector<std::size_t> own = independent_rows(motion, equations->at, asked);
    (level == Level::position ? flow.positions : flow.velocities) =
        projection_tape(motion, eq, level, asked, own, scope);
    if (level == Level::position && !scope.extended) flow.heights = heights_tape(eq, own);
  }
  flow.rates =
      codegen::make_tape(reduction ? reduction->rates : eq.v, state_symbols(eq), eq.parameters);
  flow.size = scope.extended ? flow.derivative.inputs - 1 : flow.n + flow.rates.outputs.size();
  std::vector<model::Named> recorded;
  for (std::size_t i = 0; i < motion.outputs().size(); ++i) {
    const model::Named& output = motion.outputs()[i];
    if (shares_unknown && uses_multipliers(output.expr)) continue;
    recorded.push_back(output);
    flow.recorded.push_back(i);
  }
  flow.sample = sample_tape(recorded, *equations, reduction, scope);
  if (!scope.extended) flow.powers = powers_tape(*equations, reduction);
  flow.conditions = conditions_tape(motion.model().conditions, eq);
  return flow;
}

}  // namespace dalembert::flow
