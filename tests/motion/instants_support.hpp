#pragma once
/// A model with events, contacts or friction that sticks, run from its text.

#include <dalembert/flow/state/initial_state.hpp>
#include <dalembert/motion/simulate.hpp>

#include <map>
#include <string>
#include <vector>

namespace dalembert::motion::instants_support {

using Settings = std::map<std::string, std::string>;

struct Row {
  double t;
  std::vector<double> q, v, qdd, outputs;
  double kinetic, potential;
};

struct Ran {
  Summary summary;
  std::vector<Row> rows;

  /// The times of the rows of one name and kind.
  std::vector<double> times(const std::string& name, const std::string& kind) const {
    std::vector<double> result;
    for (const EventRow& row : summary.events) {
      if (row.name == name && row.kind == kind) result.push_back(row.t);
    }
    return result;
  }
};

inline Motion compiled(const std::string& text, const Settings& settings = {}) {
  CompileOptions options;
  options.settings = settings;
  auto model = model::read_model_text(text, "model.toml");
  if (!model) throw std::runtime_error(model::to_string(model.error()));
  auto motion = compile(*std::move(model), options);
  if (!motion) throw std::runtime_error(model::to_string(motion.error()));
  return *std::move(motion);
}

inline Ran run(const Motion& motion, const SimulationOptions& options, const State& start) {
  Ran result;
  result.summary = simulate(motion, start, options, [&](const Sample& s) {
    result.rows.push_back({s.t,
                           {s.q.begin(), s.q.end()},
                           {s.v.begin(), s.v.end()},
                           {s.qdd.begin(), s.qdd.end()},
                           {s.outputs.begin(), s.outputs.end()},
                           s.kinetic,
                           s.potential});
    return true;
  });
  return result;
}

inline Ran run(const std::string& text, const Settings& settings = {}, bool event_rows = false) {
  const Motion motion = compiled(text, settings);
  SimulationOptions options = simulation_options(motion);
  options.event_rows = event_rows;
  return run(motion, options, initial_state(motion).value().state);
}

}  // namespace dalembert::motion::instants_support
