/// How many accelerations a second a graphics processor computes: q'' of the constrained model as
/// it stands, unreduced, with ideal and non-ideal forces and the energies, each from the one
/// before.
///
///     bench_accelerations_on_gpu MODEL.toml STATES TURNS
///
/// With DALEMBERT_GPU=record:DIR it writes what benches/repeat_on_gpu.py DIR --evaluations 1 needs.

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "dalembert/codegen/graphics.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/tapes/eliminated_system.hpp"
#include "dalembert/flow/tapes/short_equations.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/motion/steps/tape_sheet.hpp"

using namespace dalembert;

namespace {

template <typename T>
T or_throw(model::Result<T, model::ModelError> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return *std::move(result);
}

/// t q v -> q'' ideal nonideal (n each), kinetic, potential, doubt
codegen::Tape solution(const motion::ShortEquations& lean) {
  const mechanics::Equations& eq = lean.equations;
  codegen::TapeBuilder tape(motion::state_symbols(eq), eq.parameters);
  codegen::Margin margin(tape);
  motion::EliminatedSystem system(tape, eq, lean.rows, margin);
  const auto solved = system.solve(margin);
  std::vector<codegen::Value> outputs;
  for (const auto* part : {&solved.qdd, &solved.ideal, &solved.nonideal})
    outputs.insert(outputs.end(), part->begin(), part->end());
  outputs.push_back(tape.lower(eq.kinetic));
  outputs.push_back(tape.lower(eq.potential));
  outputs.push_back(margin.doubt());
  return tape.finish(outputs);
}

/// q v gathered turns 0 -> the same a moment later: v grows by h q'', q by h v, and `gathered` by
/// forces and energies, so that all are computed.
codegen::Iterated turns(const codegen::Tape& tape, std::size_t n, double count) {
  motion::TapeSheet s(tape.parameters, static_cast<std::uint32_t>(2 * n + 3));
  auto source = s.source(tape);
  const auto state = s.inputs(0, 2 * n);
  motion::TapeSheet::Row inputs{s.constant(0.0)};
  inputs.insert(inputs.end(), state.begin(), state.end());
  const auto found = s.copy(source, inputs);
  const auto h = s.constant(1e-6);
  motion::TapeSheet::Row next;
  for (std::size_t i = 0; i < n; ++i) next.push_back(s.fused(h, state[n + i], state[i]));
  for (std::size_t i = 0; i < n; ++i) next.push_back(s.fused(h, found[i], state[n + i]));
  auto gathered = s.input(2 * n);
  for (std::size_t i = n; i + 1 < found.size(); ++i) gathered = s.sum(gathered, found[i]);
  const auto done = s.sum(s.input(2 * n + 1), s.constant(1.0));
  s.demand(found.back(), s.constant(1.0));
  next.insert(next.end(),
              {gathered, done, s.input(2 * n + 2),
               s.choose(s.subtract(done, s.constant(count)), s.constant(1.0), s.constant(0.0))});
  return s.finish(next);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw std::runtime_error("bench_accelerations_on_gpu MODEL.toml STATES TURNS");
  const motion::Motion motion = or_throw(motion::compile(or_throw(model::read_model(argv[1]))));
  const auto start = or_throw(motion::initial_state(motion)).state;
  const auto lean = motion::short_equations(motion, start);
  if (!lean) throw std::runtime_error("the model has no written-out solution");
  const codegen::Tape tape = solution(*lean);
  const std::size_t n = motion.coordinates(), count = std::stoul(argv[2]);
  const double each = std::stod(argv[3]);
  auto made = codegen::iterate_on_graphics(turns(tape, n, each));
  if (!made) throw std::runtime_error(made.error());
  std::vector<double> parameters, x, status(count);
  for (const double p : motion.parameters()) parameters.insert(parameters.end(), count, p);
  for (const auto* part : {&start.q, &start.v}) {
    for (const double number : *part) {
      for (std::size_t i = 0; i < count; ++i)
        x.push_back(number * (1 + 1e-3 * static_cast<double>(i) / static_cast<double>(count)));
    }
  }
  x.resize((2 * n + 3) * count);
  codegen::Iteration& iteration = *made->front();
  if (const auto problem = iteration.run(parameters, x, {}, status))
    throw std::runtime_error(*problem);
  fmt::print(
      "{} operations, {} of them before the loop; {} on {}: {:.4g} s, {:.3g} accelerations/s\n",
      tape.code.size(), tape.prologue, count, iteration.device(), iteration.seconds(),
      static_cast<double>(count) * each / iteration.seconds());
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
