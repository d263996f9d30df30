#pragma once
/// A run of an ensemble while its steps are not those of a lane: `solve` takes them
/// (motion/careful_stepper.hpp), or the implicit integrator.

#include <limits>
#include <vector>

#include "dalembert/motion/careful_stepper.hpp"
#include "dalembert/study/ensemble_flow.hpp"

namespace dalembert::study {

class CarriedRun {
 public:
  /// `work` must outlive it.
  CarriedRun(const EnsembleWork& work, std::size_t number, const std::vector<double>& parameters,
             const motion::State& start);

  /// From its start to its end, which is told to the receivers.
  void integrate();
  /// LaneClient::carry. Where the run is over, that is told to the receivers.
  bool carry(motion::Lanes& lanes, std::size_t lane, motion::LanePlace& place);

 private:
  void report(double largest_residual);

  const EnsembleWork& work_;
  std::size_t number_;
  motion::SimulationOptions options_;
  double t_seen_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> seen_;  ///< q, v and mu of the last sample
  motion::Observer observer_;
  motion::Progress progress_;
  motion::SimulationCore core_;
  motion::CarefulStepper stepper_;
};

/// A run of a motion with events, contacts or friction that sticks, from its start to its end.
void run_with_instants(const EnsembleWork& work, std::size_t number,
                       const std::vector<double>& parameters, const motion::State& start);

}  // namespace dalembert::study
