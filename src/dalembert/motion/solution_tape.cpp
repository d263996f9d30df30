#include "dalembert/motion/solution_tape.hpp"

#include <utility>

#include "dalembert/motion/lean_equations.hpp"
#include "dalembert/motion/values.hpp"
#include "dalembert/motion/written_solution.hpp"

namespace dalembert::motion {

using codegen::Value;

std::optional<SolutionTape> solution_tape(const Motion& motion, const State& start,
                                          std::optional<std::vector<std::size_t>> rows) {
  auto lean = lean_equations(motion, start, std::move(rows));
  if (!lean) return std::nullopt;
  const mechanics::Equations& eq = lean->equations;
  codegen::TapeBuilder tape(state_symbols(eq), eq.parameters);
  codegen::Margin margin(tape);
  const WrittenSystem system(tape, eq, lean->rows, margin);
  const auto solution = system.solve(margin);
  std::vector<Value> v, outputs;
  for (const expr::Expr& e : eq.v) v.push_back(tape.lower(e));
  for (const auto* part : {&solution.qdd, &solution.ideal, &solution.nonideal})
    outputs.insert(outputs.end(), part->begin(), part->end());
  outputs.push_back(tape.lower(eq.applied_power));
  outputs.push_back(codegen::dot(tape, solution.ideal, v));
  outputs.push_back(codegen::dot(tape, solution.nonideal, v));
  outputs.push_back(tape.lower(eq.other_power));
  outputs.push_back(margin.doubt());
  return SolutionTape{tape.finish(outputs), std::move(lean->rows)};
}

}  // namespace dalembert::motion
