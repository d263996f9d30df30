#pragma once
/// A mechanical system as its author wrote it: plain data. `read_model` makes one from a TOML file,
/// `System` from a program; nothing after this room knows which. Mathematics is kept as expressions
/// of
///   * coordinate symbols: positions (order 0), velocities (1), accelerations (2),
///   * parameter symbols, time, and `ideal.x` / `nonideal.x`, the constraint force along coordinate
///   x.
/// Lets are gone: they have been put in where they were used.

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/expr/expr.hpp"
#include "dalembert/expr/result.hpp"
#include "dalembert/expr/table.hpp"
#include "dalembert/model/body.hpp"
#include "dalembert/model/diagnostic.hpp"
#include "dalembert/model/view.hpp"

namespace dalembert::model {

using expr::Expr;
using expr::Failure;
using expr::Result;

/// An expression and where it stands in the source.
struct Located {
  Expr expr;
  Location where = {};
};

struct Named {
  std::string name;
  Expr expr;
  Location where = {};
};

/// How far a constraint has been differentiated when it is written down; decides how often it must
/// be differentiated to reach A q'' = b: twice, once, not at all.
enum class Level { position = 0, velocity = 1, acceleration = 2 };

/// residual = 0, the left side minus the right side of the equation.
struct Constraint {
  std::string name;
  Expr residual;
  double weight = 1;  ///< positive, for the method `weighted`
  Location where = {};
  /// The inputs that enforce it, in place of an ideal reaction; none: it is ideal. Compiling puts
  /// laws in their place and leaves none (mechanics/servo.hpp).
  std::vector<std::string> by = {};
};

/// The highest order of a coordinate in the residual.
Level level(const Constraint& constraint);

/// What to do with an initial state that breaks a constraint.
enum class Adjust { none, nearest, velocity };

/// Initial positions and velocities: expressions of parameters alone, one a coordinate.
struct Initial {
  std::vector<Located> q;
  std::vector<Located> v;
  Adjust adjust = Adjust::none;
  std::vector<Named> mu;  ///< by constraint name, for the method `vakonomic`
  /// Held where they are when the rest is adjusted: coordinates ("theta") and velocities
  /// ("theta'").
  std::vector<std::string> hold;
  Location where = {};
};

/// What is projected onto the constraints after a step.
enum class Project { none, velocity, both };

struct Simulation {
  Located duration{Expr(10)};  ///< expression of parameters, s; with `times` the last of them
  int samples = 501;  ///< rows, evenly spaced over [0, duration], both ends included: at least 2
  std::vector<double> times;  ///< when given: the rows instead of `samples`, increasing, from 0 on
  double rtol = 1e-9;
  double atol = 1e-12;
  std::string method = "m-inverse";
  std::string integrator = "rk8";
  std::string precision = "double";
  Location method_where = {};
  Location integrator_where = {};
  Location precision_where = {};
  Project project = Project::both;
  double rank_tolerance = 1e-8;  ///< scaled, see solve/fundamental.hpp
  long max_steps = 10'000'000;   ///< a motion that needs more is given up
  double max_step = std::numeric_limits<double>::infinity();  ///< s, no step is longer
  bool multipliers = false;  ///< whether lambda of every constraint is among the outputs
};

/// Something that must be positive along the motion, and what to say where it is not.
struct Condition {
  Expr value;          ///< of positions, parameters and time
  bool strict = true;  ///< else zero will do
  std::string message;
  bool number = false;  ///< a number of the model rather than a place of its bodies
  Location where = {};
};

/// A component of a joint's reaction that neither multipliers nor the equations of its bodies tell.
struct UnknownReaction {
  std::string name;  ///< "pin.fx"
  std::string joint, component;
  std::string reason;  ///< a clause: "a loop of joints leaves it open"
};

/// Energies and forces as the author gave them, without what bodies, springs and forces at points
/// bring. No body is known on which they act.
struct ByHand {
  Expr kinetic = 0, potential = 0, dissipation = 0;
  std::optional<std::vector<Expr>> forces = {};  ///< absent: all of Model::forces
};

/// An instant of the motion at which something changes. Either `when` changes its sign, or a clock
/// strikes: at t = every, 2 every, ...
struct Event {
  enum class Direction : std::uint8_t { both, rising, falling };
  /// What becomes of a velocity, a position or a discrete value; from the values before the event.
  struct Set {
    enum class Target : std::uint8_t { position, velocity, discrete };
    Target target = Target::discrete;
    std::size_t index = 0;  ///< of the coordinate, or in Model::parameters
    Located value;
  };
  std::string name;
  std::optional<Located> when;  ///< left minus right; of q, q', t, parameters, reactions
  Direction direction = Direction::both;
  std::optional<Located> every;  ///< of parameters, s
  std::vector<Set> set;
  bool stop = false;  ///< the motion ends there, complete
  Location where = {};
};

inline constexpr std::array event_directions = {Event::Direction::both, Event::Direction::rising,
                                                Event::Direction::falling};
std::string_view to_string(Event::Direction direction);

enum class ImpactLaw : std::uint8_t { newton, poisson, energetic };
inline constexpr std::array impact_laws = {ImpactLaw::newton, ImpactLaw::poisson,
                                           ImpactLaw::energetic};
std::string_view to_string(ImpactLaw law);

/// Where the shapes of two bodies touch, or come nearest, in the fixed frame: of positions,
/// parameters and time. With forces N along the gap and R_k along the slips, N normal + R_k
/// slips[k] acts on the second of them at `point`, and the opposite on the first.
struct ContactPlace {
  Vector point = {}, normal = {};  ///< the normal of length 1
  std::vector<Vector> slips = {};  ///< of length 1, across each other; Contact::slip is along them
};

/// A constraint that opens and closes by itself: gap >= 0, force >= 0, gap force = 0, with Coulomb
/// friction along `slip` if there is some.
struct Contact {
  std::string name;
  Located gap;                   ///< of positions, parameters and time
  Located restitution{Expr(0)};  ///< 0 to 1; like the rest of parameters, q and t
  ImpactLaw impact = ImpactLaw::newton;
  /// Whether the law was chosen, which then holds for several contacts struck at once, too.
  bool impact_stated = false;
  std::optional<Located> friction;         ///< coefficient while it slides; absent: none
  std::optional<Located> static_friction;  ///< while it sticks; absent: the same
  std::vector<Located> slip;  ///< 1 or 2, affine in the velocities; none without friction
  Location where = {};
  std::optional<ContactPlace> place = {};  ///< none of a gap that was written
};

/// Dry friction that slides or sticks: |force| <= static_limit while slip = 0, else the force is
/// -limit slip / |slip|.
struct DryFriction {
  std::string name;
  std::vector<Located> slip;            ///< 1 or 2, of a joint up to 3; affine in the velocities
  Located limit;                        ///< of q, q', t, parameters, reactions
  std::optional<Located> static_limit;  ///< absent: the same
  Location where = {};
  /// Of a joint: its name, and up to three components of the force that presses its parts together,
  /// linear in multipliers, q'' and reactions. `reaction.JOINT.normal` is its magnitude, and
  /// `reaction.JOINT.friction.1` ... are the components of friction along `slip`.
  std::string joint = {};
  std::vector<Expr> normal = {};
};

/// The name of the friction of a joint among contacts and frictions, that of the force which
/// presses its parts together, and that of its component along slip k, for `reaction.NAME`.
std::string friction_name(std::string_view joint);
std::string normal_name(std::string_view joint);
std::string friction_name(std::string_view joint, std::size_t k);

struct Draft;  // model/draft.hpp

/// A constraint that inputs enforce, as it was compiled.
struct ServoConstraint {
  std::string name;
  std::vector<std::string> inputs;
  /// How often it was differentiated until inputs appeared that tell what they must be.
  int relative_degree = 0;
  /// That of differential-algebraic equations, the inputs among the unknowns.
  int index() const { return relative_degree + 1; }
};

struct Model {
  std::string name;
  std::string description;
  std::vector<std::string> coordinates;
  std::vector<Named> parameters;  ///< each an expression of those before it

  /// The unconstrained system, either by its energies ...
  std::optional<Located> kinetic;
  std::optional<Located> potential;
  std::optional<Located> dissipation;
  /// ... or by M(q,t), row by row; then `forces` is the whole of Q(q,q',t).
  std::vector<std::vector<Located>> mass_matrix;

  std::vector<Located> forces;  ///< one a coordinate
  std::vector<Constraint> constraints;
  std::vector<Located> virtual_work;  ///< C, one a coordinate
  std::vector<Named> quasi_velocities;
  std::vector<std::string> independent;
  Initial initial;
  Simulation simulation;
  std::vector<Named> outputs;

  std::vector<Body> bodies;
  /// The coordinates that are the components of a unit quaternion, by index.
  std::vector<std::array<std::size_t, 4>> quaternions;
  std::vector<Joint> joints;
  std::vector<Friction> frictions;  ///< beside virtual_work
  std::vector<Condition> conditions;
  /// The reactions of the joints, recorded behind the outputs: "NAME.fx" ... of expressions that
  /// may contain multipliers.
  std::vector<Named> reactions;

  /// What acts on single bodies: gravity, springs, forces at points. Their energies and generalized
  /// forces stand above.
  std::vector<Load> loads;
  std::optional<ByHand> by_hand;  ///< where bodies have brought their energies
  std::vector<UnknownReaction> unknown_reactions;
  /// What had to be assumed to tell reactions, sentences.
  std::vector<std::string> reaction_notes;

  /// Values that only events change: indices into `parameters`, which have their initial values.
  std::vector<std::size_t> discretes;
  /// Values that are set from outside: indices likewise. What is there is the default.
  std::vector<std::size_t> inputs;
  std::vector<std::shared_ptr<const expr::Table>> tables;
  std::vector<Event> events;
  std::vector<Contact> contacts;
  std::vector<DryFriction> dry_frictions;
  /// `reaction.NAME` where it is used: an internal parameter of that name stands for it, and the
  /// engine of motions with events keeps it up to date.
  std::vector<std::string> used_reactions;

  View view;  ///< what to draw beside bodies and joints

  /// After compiling: the constraints that inputs enforce, these inputs with their laws (of q, q',
  /// t and parameters), and the model as it was before.
  std::vector<ServoConstraint> servos;
  std::vector<Named> servo_inputs;
  std::shared_ptr<const Model> before_servos = {};

  std::shared_ptr<const Source> source;  ///< null for a model built by a program
  /// What was said, of which this is the meaning; null for a model put together by hand.
  std::shared_ptr<const Draft> draft = {};
  /// What is wrong with what a program said (System::model): `validate` tells it.
  std::vector<Diagnostic> refused = {};
};

/// Whether the motion needs the engine of motions with instants: events, contacts, friction that
/// sticks, or reactions told along.
inline bool has_instants(const Model& model) {
  return !model.events.empty() || !model.contacts.empty() || !model.dry_frictions.empty() ||
         !model.used_reactions.empty();
}

inline constexpr std::size_t largest_model_file = 8u << 20;  ///< bytes

/// Reads and validates a TOML model file. All errors that can be found are reported together.
Result<Model, ModelError> read_model(const std::string& path);

/// The same from text; `name` stands for the path in messages.
Result<Model, ModelError> read_model_text(std::string text, const std::string& name);

/// The same model with initial values made free: each name, of a coordinate ("theta") or of a
/// velocity ("theta'"), has a parameter appended to the others, in the order of the names, with
/// what was written as its value. Initial values said in terms of a free one follow it, if the
/// model has a draft; all else stays as it is in the model, whatever was changed in it since.
Model with_free_initial_values(const Model& model, std::span<const std::string> names);

/// The names that `Simulation::method`, `integrator` and `precision` may bear. Whether this program
/// can serve them is not decided here.
std::span<const std::string_view> known_methods();
std::span<const std::string_view> known_integrators();
std::span<const std::string_view> known_precisions();

/// The numbers of the constraints whose multipliers outputs may name: all but the rows of joints,
/// which have reactions instead.
std::vector<std::size_t> constraints_with_multipliers(const Model& model);

/// Adds `lambda.NAME` of each of these behind the outputs, but for those that are there already.
void record_multipliers(Model& model);

/// What the format's grammar cannot see and a program's model must satisfy as well: sizes agree,
/// names are unique and not reserved, each expression uses only what its place allows (no
/// accelerations in energies, no velocities in M or V, `ideal.x` only in C and outputs),
/// acceleration-level constraints are linear in the accelerations, a constraint holds at least one
/// coordinate, tolerances are positive ... Empty when all is well. Values that depend on parameters
/// are not looked at, as parameters may be set otherwise.
std::vector<Diagnostic> validate(const Model& model);

/// Whether a parameter is the program's own: it has a point in its name, as none that is written
/// has, is set by nobody, and is listed nowhere. See Joint::near.
bool is_internal(const Named& parameter);

/// Numbers for the parameters, in the order of model.parameters. `settings` replaces values by
/// expressions of other parameters or numbers (`--set m=2`); parameters that depend on a replaced
/// one follow. Fails on unknown names (with a suggestion), cycles, and values that are not finite.
Result<std::vector<double>, ModelError> parameter_values(
    const Model& model, const std::map<std::string, std::string>& settings = {});

/// The value of an expression of parameters alone.
double evaluate(const Expr& e, const Model& model, const std::vector<double>& parameters);

/// An error about this model, for the rooms that find more to complain of.
ModelError error_in(const Model& model, std::string message, Location where = {});

}  // namespace dalembert::model
