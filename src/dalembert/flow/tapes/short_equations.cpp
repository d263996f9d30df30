#include "dalembert/flow/tapes/short_equations.hpp"

#include <algorithm>
#include <utility>

#include "dalembert/codegen/elementary.hpp"
#include "dalembert/flow/tapes/eliminated_system.hpp"
#include "dalembert/flow/tapes/mended_mass.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/mechanics/matrix.hpp"

namespace dalembert::flow {

namespace {

using mechanics::Equations;

constexpr std::size_t most_coordinates = 64;  // beyond, straight code is no longer the shorter way
constexpr double most_simplified = 1000;      // cost of a tape: simplifying then takes milliseconds

/// M, Q, A, b and C in their short forms.
Equations shortened(Equations eq) {
  for (auto* entries : {&eq.M, &eq.A}) {
    for (mechanics::Entry& entry : *entries) entry.value = mechanics::shortened(entry.value);
  }
  for (auto* list : {&eq.Q, &eq.b, &eq.C}) mechanics::shorten(*list);
  return eq;
}

/// The whole solution as one tape, to see what it costs.
double solution_cost(const Equations& eq, const std::vector<std::size_t>& rows) {
  codegen::TapeBuilder tape(state_symbols(eq), eq.parameters);
  codegen::Margin margin(tape);
  const EliminatedSystem system(tape, eq, rows, margin);
  return cost(tape.finish(system.solve(margin).qdd));
}

}  // namespace

std::vector<std::size_t> independent_rows(const Motion& motion, const Acceleration& at,
                                          const std::vector<std::size_t>& asked) {
  Eigen::MatrixXd A(static_cast<Eigen::Index>(asked.size()), at.A.cols());
  for (std::size_t i = 0; i < asked.size(); ++i)
    A.row(static_cast<Eigen::Index>(i)) = at.A.row(static_cast<Eigen::Index>(asked[i]));
  FundamentalOptions options;
  options.rank_tolerance = motion.fundamental_options().rank_tolerance;
  Fundamental fundamental(static_cast<int>(at.M.rows()), static_cast<int>(asked.size()), options);
  if (fundamental.decide(at.M, A) != Status::ok) return {};
  std::vector<std::size_t> rows;
  for (int i = 0; i < fundamental.rank(); ++i)
    rows.push_back(
        asked[static_cast<std::size_t>(fundamental.held().order[static_cast<std::size_t>(i)])]);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::optional<ShortEquations> short_equations(const Motion& motion, const State& start,
                                              std::optional<std::vector<std::size_t>> rows,
                                              const FlowScope& scope) {
  if (motion.method() != Method::m_inverse || motion.coordinates() > most_coordinates ||
      !motion.equations().frictions.empty())
    return std::nullopt;
  ShortEquations short_form;
  short_form.at = motion.acceleration(start.t, start.q, start.v);
  if (short_form.at.status != Status::ok || !short_form.at.consistent ||
      (short_form.at.mass_singular && !scope.mended_mass))
    return std::nullopt;
  short_form.equations = motion.equations();
  std::vector<std::size_t> all(motion.constraints());
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = j;
  short_form.mended = scope.mended_mass;
  if (short_form.at.mass_singular && !mend_mass(short_form.equations, short_form.at, all))
    return std::nullopt;
  short_form.rows = rows ? *std::move(rows) : independent_rows(motion, short_form.at, all);
  if (static_cast<int>(short_form.rows.size()) != short_form.at.rank) return std::nullopt;
  const double as_derived = solution_cost(short_form.equations, short_form.rows);
  short_form.small = as_derived <= most_simplified;
  if (short_form.small) {
    Equations simplified = shortened(short_form.equations);
    if (solution_cost(simplified, short_form.rows) < as_derived)
      short_form.equations = std::move(simplified);
  }
  return short_form;
}

double cost(const codegen::Tape& tape) {
  double total = 0;
  for (std::size_t i = tape.prologue; i < tape.code.size(); ++i) {
    const codegen::Operation operation = tape.code[i].operation;
    const bool divides =
        operation == codegen::Operation::divide || operation == codegen::Operation::sqrt;
    total += divides ? 4 : codegen::is_elementary(operation) ? 12 : 1;
  }
  return total;
}

}  // namespace dalembert::flow
