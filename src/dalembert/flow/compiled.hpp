#pragma once
/// A model compiled: everything about its motion that does not change while it moves. Immutable, so
/// one `Motion` may be used by many threads; each has its own `Evaluator`.
///
///     auto motion = compile(model).value();
///     Acceleration r = motion.acceleration(t, q, v);      // r.qdd, r.ideal, r.nonideal, r.rank

#include <Eigen/Core>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/mechanics/equations.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/solve/entry_solver.hpp"

namespace dalembert::flow {

using model::ModelError;
using model::Result;

struct State {
  double t = 0;
  std::vector<double> q;
  std::vector<double> v;
  std::vector<double> mu = {};  ///< m, by constraint, for the method `vakonomic`; else empty
};

/// One solution of  M q'' = Q + Q_ideal + Q_nonideal,  A q'' = b  with all that went into it.
/// Vectors are keyed by coordinate (n) or by constraint (m) in the order of the model.
struct Acceleration {
  Status status = Status::ok;
  std::string problem;  ///< why there is no solution, in a sentence; empty when there is one

  Eigen::MatrixXd M, A;  ///< empty where n + m > `most_shown`
  Eigen::VectorXd Q, b, C;
  Eigen::VectorXd qdd, ideal, nonideal;
  Eigen::VectorXd unconstrained;  ///< a = M^-1 Q; not a number when M is singular
  Eigen::VectorXd violation;      ///< e = b - A a; likewise
  Eigen::VectorXd multipliers;    ///< of Q_ideal, of minimum norm; not numbers for `vakonomic`
  /// While C acts: M q'' = Q + C + A^T lambda. Of minimum norm; not numbers for `vakonomic`.
  Eigen::VectorXd reactions;
  Eigen::VectorXd normal_forces;  ///< N of each friction of the model
  /// Whether the normal forces are known to be the only ones (flow/friction.hpp).
  bool friction_assured = true;
  /// `reaction.NAME`, in the order of InstantKernels::reactions; empty without instants, or where
  /// there are no accelerations.
  std::vector<double> named = {};
  std::size_t friction = 0;       ///< the one at fault if status is friction_undetermined
  Eigen::VectorXd mu, mu_rate;    ///< of `vakonomic`, m; else empty
  std::vector<bool> unique;       ///< whether each multiplier is unique
  std::vector<bool> conflicting;  ///< the constraints that contradict each other, if any
  int rank = 0;
  double residual = 0;  ///< |A q'' - b|
  bool consistent = true;
  bool mass_singular = false;
};

/// The largest n + m of which an Acceleration holds M and A.
inline constexpr std::size_t most_shown = 5000;

/// How far a state is from the constraints, one a constraint.
struct Residuals {
  std::vector<double>
      residual;              ///< left side minus right side as written; of level acceleration: 0
  std::vector<double> rate;  ///< its velocity-level form
  std::vector<double>
      scaled;  ///< |residual| / scale, 0 where the constraint is not of position level
  std::vector<double> scaled_rate;  ///< |rate| / scale, 0 where it is of acceleration level
};

struct CompileOptions {
  std::map<std::string, std::string> settings;  ///< parameters replaced, as in `--set`
  std::optional<std::string> method;            ///< instead of the model's
  Storage storage = Storage::automatic;         ///< of the matrices, see entry_solver.hpp
};

class AssemblyLibrary;
class Evaluator;
class FlowLibrary;
class FormulationLibrary;
class JacobianLibrary;
struct InstantKernels;
class TimeKinks;
class SolutionLibrary;
struct FrictionKernels;
struct HeldMotions;
struct JacobianKernels;
struct ModelFlow;
struct Start;
class Projector;

class Motion {
 public:
  const model::Model& model() const { return data_->model; }
  const mechanics::Equations& equations() const { return data_->equations; }
  const std::vector<double>& parameters() const { return *parameters_; }
  /// The same system with other values of its parameters, one for each; nothing is derived or
  /// compiled again.
  Motion with_parameters(std::vector<double> parameters) const;
  /// With the parameters it was compiled with.
  Motion as_compiled() const { return {data_, data_->parameters}; }
  Method method() const { return data_->method; }
  /// Of the fundamental equation, which beside a formulation decides rank and multipliers.
  const FundamentalOptions& fundamental_options() const { return data_->options; }

  std::size_t coordinates() const { return data_->model.coordinates.size(); }  ///< n
  std::size_t constraints() const { return data_->model.constraints.size(); }  ///< m
  std::vector<std::string> constraint_names() const;
  /// What is recorded at samples: the outputs of the model, then the reactions of its joints. By
  /// `vakonomic`, whose motion has none, the outputs only.
  const std::vector<model::Named>& outputs() const { return data_->outputs; }
  /// Whether one of these contains a multiplier.
  bool outputs_use_multipliers() const { return data_->outputs_use_multipliers; }
  /// Where steps must end because something depends on t alone (flow/tapes/time_kinks.hpp).
  const TimeKinks& time_kinks() const { return *data_->time_kinks; }
  /// Derivatives of the accelerations, derived when first asked for (flow/jacobian.hpp).
  const JacobianKernels& jacobian_kernels() const;
  /// The same system with the initial values that a start holds as constraints, made when first
  /// asked for (flow/state/assembly.hpp).
  HeldMotions held_motions(const Start& start) const;
  /// The motion of the model as y' = f(t, y), made when first asked for (flow/tapes/lane_flow.hpp);
  /// null if it has none. It serves all values of the parameters.
  const ModelFlow* flow() const;
  /// The tapes for events, contacts and friction that sticks (flow/instants); null if there are
  /// none.
  const InstantKernels* instants() const { return data_->instants.get(); }
  std::span<const Place> places_in_A() const { return data_->A_places; }
  /// The model with initial values made free (model::with_free_initial_values), made when first
  /// asked for.
  std::shared_ptr<const model::Model> freed_model(const std::vector<std::string>& names) const;

  /// Accelerations and constraint forces at any state, on the constraints or off them. Allocates;
  /// loops use an Evaluator. q and v have n entries, mu m for `vakonomic` and none else. Off the
  /// constraints a formulation that has put them in answers for a state on them.
  Acceleration acceleration(double t, std::span<const double> q, std::span<const double> v,
                            std::span<const double> mu = {}) const;
  Residuals residuals(double t, std::span<const double> q, std::span<const double> v) const;

  /// The initial state of the model as written, before any adjustment; fails where a value is not
  /// finite, and for `vakonomic` where the mu of a constraint on velocities is not given.
  Result<State, ModelError> written_initial_state() const;

 private:
  friend Result<Motion, ModelError> compile(model::Model model, const CompileOptions& options);
  friend class Evaluator;
  friend class Projector;

  struct Data {
    model::Model model;
    mechanics::Equations equations;
    Method method = Method::m_inverse;
    FundamentalOptions options;
    std::shared_ptr<FormulationLibrary> library;  ///< null if the method is_fundamental
    std::shared_ptr<JacobianLibrary> jacobian;
    std::shared_ptr<const TimeKinks> time_kinks;
    std::shared_ptr<AssemblyLibrary> assembly;
    std::shared_ptr<SolutionLibrary> solutions;
    std::shared_ptr<FlowLibrary> flow;
    std::vector<double> parameters;  ///< as compiled
    Storage storage = Storage::automatic;
    std::vector<Place> M_places, A_places;  ///< in the values of M, then of A, of a kernel
    codegen::Kernel dynamics;               ///< t q v -> M Q A b applied_power other_power [C]
    codegen::Kernel scales;                 ///< t q v -> Q_scale b_scale A_scale
    codegen::Kernel nonideal;     ///< t q v ideal -> C, where C depends on the ideal force
    codegen::Kernel constraints;  ///< t q v -> residual rate scale rate_scale, m each, then M, A
    std::shared_ptr<const FrictionKernels> friction;  ///< of joints; null if there is none
    std::shared_ptr<const InstantKernels> instants;   ///< null if there is none
    std::vector<model::Named> outputs;
    bool outputs_use_multipliers = false;
    /// The multipliers that each of the model's outputs names itself, by constraint.
    std::vector<std::pair<std::size_t, std::size_t>> named_multipliers;
    /// t q v q'' ideal nonideal multipliers -> kinetic potential h outputs
    codegen::Kernel observables;
  };
  Motion(std::shared_ptr<const Data> data, std::vector<double> parameters)
      : data_(std::move(data)),
        parameters_(std::make_shared<const std::vector<double>>(std::move(parameters))) {}
  std::shared_ptr<const Data> data_;
  std::shared_ptr<const std::vector<double>> parameters_;
};

/// From a model to its motion: validates, derives the equations, makes the kernels. All that is
/// wrong with the model is in the error. A formulation that the model rules out is an error at the
/// place of the method, if the initial state is on the constraints; else the first who evaluates
/// the motion learns it.
Result<Motion, ModelError> compile(model::Model model, const CompileOptions& options = {});

}  // namespace dalembert::flow
