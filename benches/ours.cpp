/// dalembert's side of the bench: the worker (worker.hpp), and, with arguments, one cold start.
///
///     bench_ours                     answers requests; `task` of a request to prepare is
///         evaluate      accelerations by motion::Evaluator, dense or sparse as it chooses
///         kernel        accelerations, with the tape `sample` constraint forces and energies too,
///                       by one kernel in W lanes
///         exported      y' by the C code of `dalembert export`, from a shared library
///         motions       trajectories by study::run_ensemble
///         simulate      trajectories by motion::simulate, each with 501 rows
///     bench_ours cold MODEL STAGE    reads, derives and compiles once, as the first thing this
///                                    process does; STAGE is where to stop: derive, machine, series
///                                    or acceleration

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "dalembert/codegen/fewer_products.hpp"
#include "dalembert/codegen/kernel.hpp"
#include "dalembert/codegen/machine_program.hpp"
#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/tapes/flow.hpp"
#include "dalembert/flow/tapes/solution_tape.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/study/ensemble.hpp"
#include "worker.hpp"

using namespace dalembert;
using namespace dalembert::bench;

namespace {

template <typename T>
T or_throw(model::Result<T, model::ModelError> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return *std::move(result);
}

motion::Motion compile(const std::string& path) {
  return or_throw(motion::compile(or_throw(model::read_model(path))));
}

/// The state of the request, or the model's own.
motion::State state_of(const Json& request, const motion::Motion& motion) {
  if (!request.contains("q")) return or_throw(motion::initial_state(motion)).state;
  motion::State state;
  state.q = request.at("q").get<std::vector<double>>();
  state.v = request.at("v").get<std::vector<double>>();
  return state;
}

motion::Flow flow_of(const motion::Motion& motion, const motion::State& state) {
  auto flow = motion::make_flow(motion, state);
  if (!flow) throw std::runtime_error("no flow in straight code for this system");
  return *std::move(flow);
}

/// The part of a vector of coordinates that the request asks for: every `stride`-th, from `first`.
std::vector<double> chosen(const Json& request, std::span<const double> all) {
  std::vector<double> result;
  for (std::size_t i = request.value("first", 0U); i < all.size(); i += request.value("stride", 1U))
    result.push_back(all[i]);
  return result;
}

Prepared prepare_evaluate(const Json& request) {
  struct Held {
    motion::State state;
    motion::Evaluator evaluator;
    Held(const motion::Motion& motion, motion::State at)
        : state(std::move(at)), evaluator(motion) {}
  };
  const motion::Motion motion = compile(request.at("model"));
  const auto held = std::make_shared<Held>(motion, state_of(request, motion));
  if (held->evaluator.decide(0, held->state.q, held->state.v) != motion::Status::ok)
    throw std::runtime_error(held->evaluator.explain_failure());
  Prepared result;
  result.work = [held] {
    held->evaluator.evaluate(0, held->state.q, held->state.v);
    keep(held->evaluator.acceleration()[0]);
  };
  result.work();
  const auto& qdd = held->evaluator.acceleration();
  result.values = chosen(request, {qdd.data(), static_cast<std::size_t>(qdd.size())});
  return result;
}

/// y = (q, u) of a state, by the flow's own tape.
std::vector<double> flow_state(const motion::Flow& flow, const motion::Motion& motion,
                               const motion::State& state) {
  const codegen::Kernel rates = codegen::interpreted(flow.rates);
  codegen::Workspace workspace = rates.workspace(motion.parameters());
  std::vector<double> inputs{state.t}, u(rates.outputs());
  inputs.insert(inputs.end(), state.q.begin(), state.q.end());
  inputs.insert(inputs.end(), state.v.begin(), state.v.end());
  rates.evaluate(workspace, inputs, u);
  std::vector<double> y = state.q;
  y.insert(y.end(), u.begin(), u.begin() + static_cast<long>(flow.size - flow.n));
  return y;
}

Prepared prepare_kernel(const Json& request) {
  struct Held {
    codegen::Kernel kernel;
    codegen::Workspace workspace;
    std::vector<double> inputs, outputs;
  };
  const motion::Motion motion = compile(request.at("model"));
  const motion::State state = state_of(request, motion);
  const motion::Flow flow = flow_of(motion, state);
  const int lanes = request.value("lanes", 1);
  // Accelerations and forces, as an Evaluator finds them; or y' alone.
  const bool forces = request.at("tape") == "solution";
  const auto held = std::make_shared<Held>();
  const codegen::Tape tape =
      forces ? motion::solution_tape(motion, state, std::nullopt).value().tape : flow.derivative;
  held->kernel = codegen::make_kernel(tape, {lanes, codegen::Engine::machine});
  held->workspace = held->kernel.workspace(motion.parameters());
  std::vector<double> inputs = state.q;
  inputs.insert(inputs.end(), state.v.begin(), state.v.end());
  if (!forces) inputs = flow_state(flow, motion, state);
  inputs.insert(inputs.begin(), 0.0);
  for (const double x : inputs) held->inputs.insert(held->inputs.end(), std::size_t(lanes), x);
  held->outputs.resize(held->kernel.outputs() * static_cast<std::size_t>(lanes));

  Prepared result;
  result.items = lanes;
  result.work = [held] {
    held->kernel.evaluate(held->workspace, held->inputs, held->outputs);
    keep(held->outputs[0]);
  };
  result.work();
  const auto n = static_cast<long>(flow.n);
  std::vector<double> first;  // of the first lane
  for (std::size_t i = 0; i < held->outputs.size(); i += static_cast<std::size_t>(lanes))
    first.push_back(held->outputs[i]);
  // q'', with the ideal force behind it if asked for
  const auto begin = first.begin() + (forces ? 0 : n);
  result.values.assign(begin,
                       forces ? begin + 2 * n : first.begin() + static_cast<long>(flow.size));
  result.notes = {{"operations", held->kernel.operations()},
                  {"form", flow.form},
                  {"reduced", flow.reduced},
                  {"doubt", first.back()}};
  return result;
}

Prepared prepare_exported(const Json& request) {
  struct Held {
    void (*defaults)(void*);
    int (*derivative)(const void*, double, const double*, double*);
    std::vector<double> system, y, dydt;
  };
  const motion::Motion motion = compile(request.at("model"));
  const motion::State state = state_of(request, motion);
  const motion::Flow flow = flow_of(motion, state);
  void* library = dlopen(request.at("library").get<std::string>().c_str(), RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const std::string prefix = request.at("prefix");
  const auto held = std::make_shared<Held>();
  held->defaults =
      reinterpret_cast<void (*)(void*)>(dlsym(library, (prefix + "_defaults").c_str()));
  held->derivative = reinterpret_cast<int (*)(const void*, double, const double*, double*)>(
      dlsym(library, (prefix + "_derivative").c_str()));
  if (held->defaults == nullptr || held->derivative == nullptr) throw std::runtime_error(dlerror());
  held->system.resize(flow.derivative.registers() + 1000);  // more than its numbers
  held->defaults(held->system.data());
  held->y = flow_state(flow, motion, state);
  held->dydt.resize(flow.size);

  Prepared result;
  result.work = [held] {
    if (held->derivative(held->system.data(), 0, held->y.data(), held->dydt.data()) != 0)
      throw std::runtime_error("the exported code doubts its numbers");
    keep(held->dydt[0]);
  };
  result.work();
  result.values.assign(held->dydt.begin() + static_cast<long>(flow.n), held->dydt.end());
  return result;
}

Prepared prepare_motions(const Json& request) {
  struct Held {
    motion::Motion motion;
    std::vector<study::Run> runs;
    std::vector<std::size_t> numbers;
    std::vector<study::Outcome> outcomes;
    study::EnsembleOptions options;

    void run(double duration, std::size_t count) {
      options.simulation.duration = duration;
      study::run_ensemble(
          motion, std::span(numbers).first(count), [&](std::size_t i) { return runs[i]; }, {},
          [&](std::size_t i, const study::Outcome& outcome) { outcomes[i] = outcome; }, options);
    }
  };
  const motion::Motion motion = compile(request.at("model"));
  const auto held = std::make_shared<Held>(Held{motion, {}, {}, {}, {}});
  const Json& starts = request.at("starts");
  const auto count = request.value("runs", starts.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Json& start = starts[i % starts.size()];
    study::Run run;
    run.parameters = motion.parameters();
    run.start.q = start.at(0).get<std::vector<double>>();
    run.start.v = start.at(1).get<std::vector<double>>();
    held->numbers.push_back(i);
    held->runs.push_back(run);
  }
  held->outcomes.resize(count);
  held->options.simulation.rtol = request.at("rtol");
  held->options.simulation.atol = request.at("atol");
  held->options.simulation.integrator =
      motion::integrator_from_string(request.value("integrator", "rk8")).value();
  held->options.threads = request.value("threads", 1);
  held->options.lanes = request.at("lanes");
  held->options.engine = codegen::Engine::machine;

  Prepared result;
  result.items = static_cast<double>(count);
  const double duration = request.at("duration");
  result.work = [held, duration, count] { held->run(duration, count); };
  // One run that is over at once: what is left is to make the flow and to load its kernels.
  result.overhead = [held] { held->run(1e-9, 1); };
  result.work();
  const auto compared = request.at("compared").get<std::size_t>();
  double steps = 0, alone = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const study::Outcome& outcome = held->outcomes[i];
    if (!outcome.complete) throw std::runtime_error(outcome.reason);
    steps += static_cast<double>(outcome.steps) / result.items;
    alone += outcome.alone ? 1 : 0;
    if (i >= starts.size()) continue;
    result.values.insert(result.values.end(), outcome.q.begin(),
                         outcome.q.begin() + static_cast<long>(compared));
    result.values.insert(result.values.end(), outcome.v.begin(),
                         outcome.v.begin() + static_cast<long>(compared));
  }
  result.notes = {{"steps", steps}, {"alone", alone}};
  return result;
}

Prepared prepare_simulate(const Json& request) {
  const motion::Motion motion = compile(request.at("model"));
  motion::SimulationOptions options;
  options.duration = request.at("duration");
  options.rtol = request.at("rtol");
  options.atol = request.at("atol");
  options.integrator =
      motion::integrator_from_string(request.at("integrator").get<std::string>()).value();
  options.precision = motion::precision_from_string(request.value("precision", "double")).value();
  std::vector<motion::State> starts;
  if (!request.contains("starts")) starts.push_back(state_of(request, motion));
  for (const Json& start : request.value("starts", Json::array())) {
    motion::State& state = starts.emplace_back();
    state.q = start.at(0).get<std::vector<double>>();
    state.v = start.at(1).get<std::vector<double>>();
  }
  const auto compared = request.value("compared", motion.coordinates());
  const auto summary = std::make_shared<motion::Summary>();
  const auto simulate = [motion, options, summary](const motion::State& start) {
    motion::State end;
    *summary = motion::simulate(motion, start, options, [&](const motion::Sample& sample) {
      end.q.assign(sample.q.begin(), sample.q.end());
      end.v.assign(sample.v.begin(), sample.v.end());
      return true;
    });
    if (!summary->complete) throw std::runtime_error(summary->reason);
    return end;
  };
  Prepared result;
  result.items = static_cast<double>(starts.size());
  result.work = [simulate, starts] {
    for (const motion::State& start : starts) keep(simulate(start).q[0]);
  };
  for (const motion::State& start : starts) {
    const motion::State end = simulate(start);
    for (const auto* part : {&end.q, &end.v})
      result.values.insert(result.values.end(), part->begin(),
                           part->begin() + static_cast<long>(compared));
  }
  result.notes = {{"steps", summary->steps},
                  {"integrator", motion::to_string(summary->chosen.value_or(options.integrator))}};
  return result;
}

Prepared prepare(const Json& request) {
  const std::string task = request.at("task");
  if (task == "evaluate") return prepare_evaluate(request);
  if (task == "kernel") return prepare_kernel(request);
  if (task == "exported") return prepare_exported(request);
  if (task == "motions") return prepare_motions(request);
  if (task == "simulate") return prepare_simulate(request);
  throw std::runtime_error("no task " + task);
}

/// Times of one cold start, each from its beginning.
int cold(const std::string& path, const std::string& stage) {
  Json answer;
  const double start = seconds_now();
  const model::Model model = or_throw(model::read_model(path));
  answer["read"] = seconds_now() - start;
  if (stage == "derive") {
    const mechanics::Equations equations = mechanics::lagrange(model);
    keep(equations.M.size());
    answer["derive"] = seconds_now() - start;
    fmt::print("{}\n", answer.dump());
    return 0;
  }
  const motion::Motion motion = or_throw(motion::compile(model));
  answer["compile"] = seconds_now() - start;
  const motion::State state = or_throw(motion::initial_state(motion)).state;
  std::vector<double> values;
  if (stage == "machine") {
    const motion::Flow flow = flow_of(motion, state);
    answer["flow"] = seconds_now() - start;
    const std::atomic<bool> stop = false;
    const auto program = codegen::machine_program(flow.derivative, 1, codegen::Level::quick, stop);
    if (program == nullptr) throw std::runtime_error("no machine code can be made here");
    const codegen::Kernel kernel(std::make_shared<const codegen::Tape>(flow.derivative), program,
                                 1);
    codegen::Workspace workspace = kernel.workspace(motion.parameters());
    std::vector<double> inputs = flow_state(flow, motion, state);
    inputs.insert(inputs.begin(), 0.0);
    std::vector<double> outputs(kernel.outputs());
    kernel.evaluate(workspace, inputs, outputs);
    answer["machine"] = seconds_now() - start;
    answer["operations"] = kernel.operations();
    answer["values"] = std::vector(outputs.begin() + static_cast<long>(flow.n),
                                   outputs.begin() + static_cast<long>(flow.size));
  } else if (stage == "series") {
    const motion::Flow flow = flow_of(motion, state);
    const double before = seconds_now();
    const codegen::Series series = codegen::make_short_series(flow.derivative);
    if (codegen::machine_program(series, 1, codegen::Level::good) == nullptr)
      throw std::runtime_error("no machine code can be made here");
    answer["kernel"] = seconds_now() - before;
    answer["series"] = seconds_now() - start;
  } else {
    const motion::Acceleration r = motion.acceleration(state.t, state.q, state.v);
    answer["acceleration"] = seconds_now() - start;
    answer["values"] = std::vector<double>(r.qdd.begin(), r.qdd.end());
  }
  fmt::print("{}\n", answer.dump());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 1) return serve(prepare);
  try {
    if (count == 4 && std::string(words[1]) == "cold") return cold(words[2], words[3]);
  } catch (const std::exception& problem) {
    fmt::print("{}\n", Json{{"error", problem.what()}}.dump());
    return 0;
  }
  fmt::print(stderr, "usage: bench_ours [cold MODEL derive|machine|series|acceleration]\n");
  return 2;
}
