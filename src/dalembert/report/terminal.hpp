#pragma once
/// What a person sees in the terminal: short tables and one-screen summaries.

#include <string>
#include <vector>

#include "dalembert/motion/simulate.hpp"

namespace dalembert::report {

/// "Rolling disk · 5 coordinates · 2 constraints, nonholonomic, rank 2 · 3 degrees of freedom"
std::string headline(const motion::Motion& motion, int rank);

/// The values of a few coordinates along a motion whose length is known, thinned to the width of a
/// plot.
class Sparklines {
 public:
  Sparklines(const motion::Motion& motion, long samples);
  void add(const motion::Sample& sample);
  /// One line a coordinate: name, first value, plot, last value.
  std::string text() const;

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<double>> values_;
  long samples_, seen_ = 0;
};

/// The summary of a run, up to and without "wrote ...".
std::string run_text(const motion::Motion& motion, const motion::SimulationOptions& options,
                     const motion::Summary& summary, const Sparklines& plots);

/// The tables of `eval`.
std::string evaluation_text(const motion::Motion& motion, const motion::State& state,
                            const motion::Acceleration& acceleration,
                            const motion::Residuals& residuals);

}  // namespace dalembert::report
