#pragma once
/// The one clock of samples: when rows are due.

#include "dalembert/motion/simulate.hpp"

namespace dalembert::motion {

/// As SimulationOptions say: at `times`, or at even distances with the last one at the end.
struct SampleTimes {
  const SimulationOptions& options;

  long count() const {
    return options.times.empty() ? options.samples : static_cast<long>(options.times.size());
  }
  double operator[](long i) const {
    if (!options.times.empty()) return options.times[static_cast<std::size_t>(i)];
    if (i == options.samples - 1) return options.duration;
    const double length = options.duration - options.from;
    return options.from +
           length * static_cast<double>(i) / static_cast<double>(options.samples - 1);
  }
};

}  // namespace dalembert::motion
