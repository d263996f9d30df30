#include "dalembert/flow/tapes/solution_tape.hpp"

#include <utility>

#include "dalembert/flow/tapes/eliminated_system.hpp"
#include "dalembert/flow/tapes/short_equations.hpp"
#include "dalembert/flow/values.hpp"

namespace dalembert::flow {

using codegen::Value;

std::optional<SolutionTape> solution_tape(const Motion& motion, const State& start,
                                          std::optional<std::vector<std::size_t>> rows) {
  auto short_form = short_equations(motion, start, std::move(rows));
  if (!short_form) return std::nullopt;
  const mechanics::Equations& eq = short_form->equations;
  codegen::TapeBuilder tape(state_symbols(eq), eq.parameters);
  codegen::Margin margin(tape);
  const EliminatedSystem system(tape, eq, short_form->rows, margin);
  const auto solution = system.solve(margin);
  std::vector<Value> outputs;
  for (const auto* part : {&solution.qdd, &solution.ideal, &solution.nonideal})
    outputs.insert(outputs.end(), part->begin(), part->end());
  for (const Value power : powers(tape, eq, solution)) outputs.push_back(power);
  outputs.push_back(margin.doubt());
  return SolutionTape{tape.finish(outputs), std::move(short_form->rows)};
}

}  // namespace dalembert::flow
