#pragma once
/// One motion, from its initial state to the end of the simulation, streamed to an observer: memory
/// does not grow with duration, and nothing is allocated once the first step has been taken.
///
/// Steps are taken by an explicit Runge-Kutta method of order 8, in a lane of the engine that
/// ensembles use (motion/lanes.hpp) wherever a tape can vouch for the motion, and with the same
/// bits; for stiff systems by backward differentiation formulas of orders 1 to 5 (CVODE). After
/// each accepted step the state is projected onto the constraints in the kinetic metric, positions
/// then velocities; the rank of the constraints, and with which coordinates a formulation goes on,
/// is decided there and held through the stages of the next step. The work of the applied, ideal,
/// non-ideal and other forces is integrated beside the state: in a lane as a quadrature, else as
/// part of y = (q, q', mu of `vakonomic`, works).

#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/flow/compiled.hpp"
#include "dalembert/flow/coordinate_switch.hpp"
#include "dalembert/flow/state/gimbal.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/motion/instants/instant.hpp"

namespace dalembert::motion {

using solve::to_string;

enum class Integrator {
  rk8,     ///< explicit, order 8: for all that is not stiff
  taylor,  ///< explicit, by Taylor series of an order that follows from rtol; by rk8 where no tape
           ///< of the motion can vouch for itself
  bdf,     ///< implicit, orders 1 to 5, with the exact Jacobian: for stiff systems
  automatic  ///< rk8 or taylor (motion/choice.hpp)
};
std::string_view to_string(Integrator integrator);  ///< "rk8", "taylor", "bdf", "auto"
/// Empty if none bears this name.
std::optional<Integrator> integrator_from_string(std::string_view name);

enum class Precision {
  standard,  ///< doubles
  extended   ///< long double, 64 bits on x86-64: reference runs (motion/extended_run.hpp)
};
std::string_view to_string(Precision precision);  ///< "double", "extended"
/// Empty if none bears this name.
std::optional<Precision> precision_from_string(std::string_view name);

struct SimulationOptions {
  double from = 0;       ///< s, when the motion starts: as the state it starts from
  double duration = 10;  ///< s, when it ends
  std::vector<double>
      times;  ///< when to sample, increasing, within [from, duration]; empty: `samples` even ones
  long samples = 501;  ///< at least 2
  double rtol = 1e-9;
  double atol = 1e-12;
  model::Project project = model::Project::both;
  long max_steps = 10'000'000;
  double max_step = std::numeric_limits<double>::infinity();  ///< s, no step is longer
  Integrator integrator = Integrator::rk8;
  Precision precision = Precision::standard;  ///< extended: by Taylor series, whatever `integrator`
  const std::atomic<bool>* stop =
      nullptr;              ///< set from elsewhere to end the motion after the current step
  bool event_rows = false;  ///< samples on both sides of every instant at which something happens
  bool doubts = true;       ///< whether to look for what Summary::doubts says
  InstantObserver on_instant = {};  ///< empty: no such record is made
  InstantObserver on_start = {};    ///< the same of what happens at the start
};

/// The options a model asks for.
SimulationOptions simulation_options(const Motion& motion);

/// The members of Sample in extended precision.
struct ExtendedSample {
  long double t;
  std::span<const long double> q, v, qdd;
  std::span<const long double> ideal, nonideal;
  std::span<const long double> residuals, rates;
  long double kinetic, potential;
  long double work_applied, work_ideal, work_nonideal, work_other;
  std::span<const long double> outputs;
  std::span<const long double> mu = {};
};

/// What the observer sees at one instant. Spans live until it returns.
struct Sample {
  double t;
  std::span<const double> q, v, qdd;         ///< n
  std::span<const double> ideal, nonideal;   ///< n: M q'' = Q + ideal + nonideal
  std::span<const double> residuals, rates;  ///< m, of the constraints
  double kinetic, potential;
  double work_applied, work_ideal, work_nonideal, work_other;  ///< since the start
  std::span<const double> outputs;                             ///< as Motion::outputs
  std::span<const double> mu = {};            ///< m for the method `vakonomic`, else none
  const ExtendedSample* extended = nullptr;   ///< the same, in a run of this precision
  std::span<const TouchSample> touches = {};  ///< contacts, then frictions, in the model's order
};

struct RankChange {
  double t;
  int from, to;
};

/// A configuration in which the position constraints are dependent, passed on the branch on which
/// the motion came (motion/singular_crossing.hpp).
struct SingularPassage {
  double t;
  int rank;        ///< of all constraints before and behind
  int rank_there;  ///< in the configuration itself
};

/// An output of the model that was not a finite number, and when that was first seen.
struct NotFinite {
  std::string name;
  double t;
};

/// What an explicit integrator saw of stiffness: steps kept short by stability, not by accuracy.
struct Stiffness {
  double t;    ///< when it was first certain
  long steps;  ///< how many steps were found so from then on
};

/// What happened at an instant: a row of events.csv. What does not apply is not a number.
struct EventRow {
  double t = 0;
  std::string name, kind;  ///< event, impact, close, open, stick, slip or stop
  double impulse = std::numeric_limits<double>::quiet_NaN();      ///< of an impact, along the gap
  double rate_before = std::numeric_limits<double>::quiet_NaN();  ///< of the gap
  double rate_after = std::numeric_limits<double>::quiet_NaN();
  double energy = std::numeric_limits<double>::quiet_NaN();  ///< that it added: not above zero
};

struct Summary {
  bool adjusted =
      false;  ///< whether the start had to be moved onto the constraints; told by the caller
  std::vector<Change> changes;  ///< then the largest, likewise
  bool complete = false;
  std::string reason;  ///< why it is not complete: where and why, in a sentence
  double t = 0;        ///< how far it came
  long steps = 0, rejected = 0, evaluations = 0, samples = 0;
  long taylor_steps = 0;             ///< of the steps, those by Taylor series
  std::optional<Integrator> chosen;  ///< in place of `automatic` ...
  std::string choice;                ///< ... and why, in half a sentence
  long jacobians = 0;                ///< of the implicit integrator
  std::optional<Stiffness> stiff;    ///< as rk8 saw it; empty if it did not
  /// The closest that a body described by three angles came to gimbal lock; empty if none was
  /// close.
  std::optional<GimbalApproach> gimbal;
  double seconds = 0;  ///< of computing
  int rank = 0;
  std::vector<RankChange> rank_changes;  ///< the first `most_rank_changes` of them
  long rank_change_count = 0;
  std::vector<SingularPassage> passages;  ///< the first `most_rank_changes` of them
  long passage_count = 0;
  std::vector<Switch> switches;  ///< of coordinates, the first `most_rank_changes` of them
  long switch_count = 0;
  double largest_residual =
      0;  ///< scaled, of positions and velocities, at samples and after projected steps
  double largest_drift = 0;  ///< the same before projection
  double balance_error = 0;  ///< largest |h(t) - h(0) - work| at a sample, in units of energy
  /// The largest of |T|, |V - V(0)| and the magnitudes of work; at least a thousand times what the
  /// tolerances make of the forces in play, so that rest is not measured by its own rounding.
  double energy_scale = 0;
  double relative_balance_error() const {
    return energy_scale > 0 ? balance_error / energy_scale : balance_error;
  }
  std::vector<NotFinite> not_finite;  ///< outputs of the model, each once
  /// What else must be known before the motion is trusted, in sentences (motion/doubts.hpp).
  std::vector<std::string> doubts;
  /// Since when the normal forces of several frictions were not known to be the only ones.
  std::optional<double> friction_not_assured;
  /// Whether each joint's reaction is the only one at the start; told by the caller, see
  /// motion/reactions.hpp.
  std::vector<bool> unique_reactions;
  double work_applied = 0, work_ideal = 0, work_nonideal = 0, work_other = 0;

  // Of a model with events, contacts or friction that sticks.
  bool has_instants = false;
  std::vector<EventRow> events;  ///< in order; the first `most_events` of them
  std::map<std::string, std::map<std::string, long>> event_counts;  ///< by name and kind, all
  double energy_lost = 0;                                           ///< by impacts and friction
};

inline constexpr std::size_t most_events = 1'000'000;
inline constexpr std::size_t most_rank_changes = 1000;

/// Receives samples in order; returns false to end the motion (the summary is then not complete).
using Observer = std::function<bool(const Sample&)>;
/// Called after each accepted step with the time reached.
using Progress = std::function<void(double t)>;

/// `start` as initial_state gives it; throws std::invalid_argument if its sizes are not those of
/// the motion.
Summary simulate(const Motion& motion, const State& start, const SimulationOptions& options,
                 const Observer& observer, const Progress& progress = {});

}  // namespace dalembert::motion
