#include "dalembert/packing/reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace dalembert::packing {

namespace {

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

bool left_out(const PackedSystem& system, const std::string& name) {
  return std::ranges::find(system.left_out, name) != system.left_out.end() ||
         std::ranges::find(system.not_kept, name) != system.not_kept.end();
}

}  // namespace

std::string reference_results(const motion::Motion& motion, const PackedSystem& system) {
  std::string text = "\"time\"";
  for (std::size_t i = 0; i < system.n; ++i) text += "," + quoted(system.state_names[i]);
  for (const std::string& name : system.sample_names) text += "," + quoted(name);
  text += "\n";
  const auto start = motion::initial_state(motion);
  if (!start) return text;
  motion::SimulationOptions options = motion::simulation_options(motion);
  options.times.clear();
  options.samples = reference_rows;
  options.doubts = false;
  // Which outputs the system has, as it has them behind the energies.
  std::vector<std::size_t> recorded;
  for (std::size_t i = 0; i < motion.outputs().size(); ++i)
    if (!left_out(system, motion.outputs()[i].name)) recorded.push_back(i);
  motion::simulate(motion, start->state, options, [&](const motion::Sample& sample) {
    text += fmt::format("{}", sample.t);
    for (const auto& part : {sample.q, sample.v, sample.qdd, sample.ideal, sample.nonideal})
      text += fmt::format(",{}", fmt::join(part, ","));
    text += fmt::format(",{},{}", sample.kinetic, sample.potential);
    for (const std::size_t i : recorded) text += fmt::format(",{}", sample.outputs[i]);
    text += "\n";
    return true;
  });
  return text;
}

}  // namespace dalembert::packing
