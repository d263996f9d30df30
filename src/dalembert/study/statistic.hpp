#pragma once
/// Numbers that sum up a run: `max(theta)`, `rms(ideal.x)`, taken over its samples.

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "dalembert/flow/compiled.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/study/ensemble.hpp"

namespace dalembert::study {

enum class Reduction { min, max, mean, rms, final };

struct Statistic {
  std::string name;  ///< "max(theta)"
  Reduction reduction = Reduction::final;
  std::size_t column = 0;      ///< of sample_columns, or of Sensitivities::columns()
  bool of_derivative = false;  ///< the latter: of a run's variational equations
  bool implied = false;        ///< beside --sensitivity, without being asked for by itself
};

/// What a sample holds, in order: t, positions, velocities x', accelerations x'', ideal.x ...,
/// nonideal.x ..., energy.kinetic, energy.potential, Motion::outputs.
std::vector<std::string> sample_columns(const motion::Motion& motion);
/// One row of numbers, one a column.
void write_row(const EnsembleSample& sample, std::span<double> row);

/// Fails with all that is wrong with texts such as "max(theta)". `derivatives`: names of columns
/// "d(x)/d(m)" that are there too.
model::Result<std::vector<Statistic>, model::ModelError> read_statistics(
    const motion::Motion& motion, std::span<const std::string> texts,
    std::span<const std::string> derivatives = {});

/// One statistic of one run, sample by sample in the order of time. A value that is not a number
/// makes the statistic none.
struct Accumulator {
  double value = 0;
  long count = 0;

  void add(Reduction reduction, double x);
  double result(Reduction reduction) const;
};

}  // namespace dalembert::study
