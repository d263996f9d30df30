#pragma once
/// How a motion changes with its parameters and its start, by the exact variational equations on
/// the constraints. With x = (q, v), S = dx/ds and p(s), x_0(s) what depends on s,
///
///     S' = f_x S + f_p dp/ds,     S(0) = dx_0/ds,     f(x, p) = (v, q''),
///
/// integrated beside the motion by the method of order 8, errors of both controlled. After each
/// step the state is projected onto the constraints, and the dependent rows of S follow from the
/// independent ones (flow/linear/chart.hpp), so that S keeps the constraints' derivatives:
///
///     phi_q S_q + phi_p dp/ds = 0,     psi_q S_q + A S_v + psi_p dp/ds = 0.
///
/// How parameters follow from others, and the start from them, is differentiated by Richardson's
/// extrapolation, to some 1e-12: a start may be the end of an iteration.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/expr/result.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/study/linear/local_system.hpp"

namespace dalembert::study {

struct SensitivityRequest {
  /// Parameters ("m") and initial values ("theta", "theta'").
  std::vector<std::string> names;
  std::map<std::string, std::string> settings = {};  ///< with which the motion was compiled
  flow::GivenValues given = {};                      ///< in place of the model's initial values
};

/// How much later something happens, by each of the names.
struct EventSensitivity {
  double t = 0;
  std::string name, kind;  ///< as in motion::EventRow
  std::vector<double> by;  ///< not numbers where it is not known
};

struct Sensitivities {
  std::vector<std::string> names;
  /// Positions, velocities, accelerations, then outputs.
  std::vector<std::string> quantities;
  std::vector<double> t;
  /// At each sample quantities x names, row by row.
  std::vector<double> values;
  std::vector<double> states;  ///< at each sample q, then v
  /// What happened, in order, of a model with events, contacts or friction that sticks.
  std::vector<EventSensitivity> events;
  bool complete = false;
  std::string reason;  ///< why it is not
  long steps = 0, rejected = 0;

  std::size_t width() const { return quantities.size() * names.size(); }
  std::span<const double> row(std::size_t sample) const {
    return std::span(values).subspan(sample * width(), width());
  }
  /// "d(x)/d(m)", in the order of a row.
  std::vector<std::string> columns() const;
};

/// Fails with a sentence where a name is unknown, the start cannot be found, or the model's motion
/// has no variational equations (instants). Samples and tolerances as in `options`; one that could
/// not be finished has the samples up to there. Allocates once a step.
expr::Result<Sensitivities, std::string> sensitivities(const Motion& motion,
                                                       const motion::SimulationOptions& options,
                                                       const SensitivityRequest& request);

/// How parameters move with some of them: others may follow (`--set` and expressions of the model).
struct ParameterRates {
  std::vector<std::size_t> parameters;  ///< that move, by index
  Eigen::MatrixXd rates;                ///< parameters x names
};
expr::Result<ParameterRates, std::string> parameter_rates(
    const Motion& motion, const std::map<std::string, std::string>& settings,
    const std::vector<std::string>& names);

}  // namespace dalembert::study
