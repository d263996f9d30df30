/// What accelerations of many states cost beside the bare kernel: study::Accelerations on rows
/// against the kernels it could not do without, on lanes that are filled already.
///
///     bench_accelerations MODEL.toml STATES     prints JSON, nanoseconds a state by one thread:
///         solution     the kernel of q'' alone, in W lanes, on the same states
///         flow         the kernel of the ensemble, Flow::derivative, likewise; where it is
///                      reduced it answers for states on the constraints only
///         rows         study::Accelerations, rows in and rows out
///
/// benches/python_acceleration.py compares Python with these.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/tapes/eliminated_system.hpp"
#include "dalembert/flow/tapes/flow.hpp"
#include "dalembert/flow/tapes/short_equations.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/study/states/accelerations.hpp"
#include "timing.hpp"

using namespace dalembert;
using namespace dalembert::bench;

namespace {

template <typename T>
T or_throw(model::Result<T, model::ModelError> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return *std::move(result);
}

/// The shortest of some turns, in seconds.
double shortest(const std::function<void()>& work) {
  double best = 1e300;
  for (int turn = 0; turn < 25; ++turn) best = std::min(best, time_slice(work, 1));
  return best;
}

codegen::Tape solution_only(const motion::ShortEquations& lean) {
  codegen::TapeBuilder tape(motion::state_symbols(lean.equations), lean.equations.parameters);
  codegen::Margin margin(tape);
  const motion::EliminatedSystem system(tape, lean.equations, lean.rows, margin);
  std::vector<codegen::Value> outputs = system.solve(margin).qdd;
  outputs.push_back(margin.doubt());
  return tape.finish(outputs);
}

/// A kernel on N states whose inputs lie in lanes: [block][input][lane].
double time_kernel(const codegen::Tape& tape, const std::vector<double>& rows, std::size_t states,
                   const std::vector<double>& parameters) {
  const int lanes = codegen::widest_lanes();
  const auto W = static_cast<std::size_t>(lanes);
  const codegen::Kernel kernel = codegen::make_kernel(tape, {lanes, codegen::Engine::machine});
  codegen::Workspace workspace = kernel.workspace(parameters);
  const std::size_t inputs = kernel.inputs(), outputs = kernel.outputs();
  const std::size_t row = rows.size() / states;
  codegen::AlignedVector in(states / W * W * inputs), out(states / W * W * outputs);
  for (std::size_t s = 0; s < states / W * W; ++s) {
    for (std::size_t i = 0; i < inputs; ++i)
      in[(s / W * inputs + i) * W + s % W] = rows[s * row + i];
  }
  return shortest([&] {
    for (std::size_t block = 0; block < states / W; ++block)
      kernel.evaluate(workspace, std::span(in).subspan(block * inputs * W, inputs * W),
                      std::span(out).subspan(block * outputs * W, outputs * W));
    keep(out[0]);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto states = static_cast<std::size_t>(std::atoll(argv[2]));
  const motion::Motion motion = or_throw(motion::compile(or_throw(model::read_model(argv[1]))));
  const motion::State start = or_throw(motion::initial_state(motion)).state;
  const std::size_t n = motion.coordinates();
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> shift(-0.3, 0.3);
  std::vector<double> t(states, 0.0), q(states * n), v(states * n), a(states * n);
  std::vector<double> rows(states * (1 + 2 * n));
  for (std::size_t s = 0; s < states; ++s) {
    for (std::size_t i = 0; i < n; ++i) {
      q[s * n + i] = rows[s * (1 + 2 * n) + 1 + i] = start.q[i] + shift(generator);
      v[s * n + i] = rows[s * (1 + 2 * n) + 1 + n + i] = start.v[i] + shift(generator);
    }
  }
  const auto lean = motion::short_equations(motion, start);
  const auto flow = motion::make_flow(motion, start);
  if (!lean || !flow) throw std::runtime_error("no straight code for this system");
  const auto per_state = [&](double seconds) {
    return 1e9 * seconds / static_cast<double>(states);
  };
  const double solution =
      per_state(time_kernel(solution_only(*lean), rows, states, motion.parameters()));
  const double derivative =
      per_state(time_kernel(flow->derivative, rows, states, motion.parameters()));
  const study::Accelerations accelerations(motion);
  const study::StateRows in{states, {t.data(), 1}, {q.data(), n}, {v.data(), n}};
  const auto solve = [&](int threads) {
    accelerations.solve(in, {.acceleration = a.data()}, {threads, nullptr});
    keep(a[0]);
  };
  const double warm = seconds_now();
  while (seconds_now() < warm + 2) solve(1);  // machine code comes once it has paid
  const double by_rows = per_state(shortest([&] { solve(1); }));
  const double shared = per_state(shortest([&] { solve(0); }));
  fmt::print(
      "{{\"n\": {}, \"reduced\": {}, \"solution\": {:.3f}, \"flow\": {:.3f}, \"rows\": {:.3f}, "
      "\"rows_shared\": {:.3f}}}\n",
      n, flow->reduced, solution, derivative, by_rows, shared);
}
