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
/// To second order the same is done once more, for motions without instants
/// (study/linear/variational_integration.hpp). How parameters and the start follow the names is
/// differentiated by extrapolation (study/linear/start_rates.hpp).

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/expr/result.hpp"
#include "dalembert/flow/linear/derivatives.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/study/linear/local_system.hpp"

namespace dalembert::study {

struct SensitivityRequest {
  /// Parameters ("m") and initial values ("theta", "theta'").
  std::vector<std::string> names;
  std::map<std::string, std::string> settings = {};  ///< with which the motion was compiled
  flow::GivenValues given = {};                      ///< in place of the model's initial values
  int order = 1;                                     ///< 2: with second derivatives of the state
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
  /// To second order, at each sample of q, then v: a number for each pair of names s <= r.
  std::vector<double> second;
  /// What happened, in order, of a model with events, contacts or friction that sticks.
  std::vector<EventSensitivity> events;
  bool complete = false;
  std::string reason;  ///< why it is not
  long steps = 0, rejected = 0;

  std::size_t width() const { return quantities.size() * names.size(); }
  std::span<const double> row(std::size_t sample) const {
    return std::span(values).subspan(sample * width(), width());
  }
  /// d^2 of a position or velocity, in the order of `states`, by two names.
  double second_by(std::size_t sample, std::size_t quantity, std::size_t s, std::size_t r) const;
  /// "d(x)/d(m)", in the order of a row.
  std::vector<std::string> columns() const;
};

/// What the motions of one model share: made when it is first needed, by any of many threads.
class SensitivityKernels {
 public:
  /// The tapes of the derivatives, outputs included, by these parameters and the state.
  const flow::DerivativeKernels& by(const Motion& motion,
                                    const std::vector<std::size_t>& parameters);

 private:
  std::mutex mutex_;
  std::map<std::vector<std::size_t>, std::unique_ptr<const flow::DerivativeKernels>> made_;
};

/// Why nothing can be differentiated by this name; none for parameters and initial values.
std::optional<std::string> objection_to_name(const Motion& motion, const std::string& name);
/// Why the motions of a model have no variational equations, if they have none.
std::optional<std::string> objection_to_sensitivities(const Motion& motion);
/// As Sensitivities::columns() before anything is integrated; without reactions.
std::vector<std::string> sensitivity_columns(const Motion& motion,
                                             const std::vector<std::string>& names);

/// Fails with a sentence where a name is unknown, the start cannot be found, or the model's motion
/// has no variational equations (instants). Samples and tolerances as in `options`; one that could
/// not be finished has the samples up to there. `shared`: for many motions of one model. Allocates
/// once a step.
expr::Result<Sensitivities, std::string> sensitivities(const Motion& motion,
                                                       const motion::SimulationOptions& options,
                                                       const SensitivityRequest& request,
                                                       SensitivityKernels* shared = nullptr);

/// Where a motion starts, and how that and the parameters move with the names of a request.
struct VariedStart {
  flow::State start;
  Eigen::MatrixXd rates;                ///< of all parameters, then of q and v: a column for a name
  std::vector<std::size_t> parameters;  ///< that move, by index
  /// The rows of the parameters that move, of a matrix such as `rates`.
  Eigen::MatrixXd parameter_rates(const Eigen::MatrixXd& of_all) const;
};
expr::Result<VariedStart, std::string> varied_start(const Motion& motion,
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
