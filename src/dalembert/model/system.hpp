#pragma once
/// Says a model in a program, in the notation of a model file:
///
///     System s("dumbbell");
///     auto [x, y, phi] = s.coordinates("x", "y", "phi");
///     auto m = s.parameter("m", 1.0), l = s.parameter("l", 0.5);
///     s.kinetic(m * (pow(dot(x), 2) + pow(dot(y), 2)) + ...);
///     s.constrain("knife edge", dot(x) * sin(phi) == dot(y) * cos(phi));
///     Model model = s.model();
///
/// What is said fills a draft, each statement with the line of the program that says it. Saying a
/// thing again under the same name replaces it, in its place; what has no name is given its number
/// for a name ("constraint 2", "2" for a spring). What was said can be read back, removed and
/// renamed.

#include <array>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/model/draft.hpp"
#include "dalembert/model/edit.hpp"
#include "dalembert/model/instant_specs.hpp"
#include "dalembert/model/point_force.hpp"
#include "dalembert/model/spring.hpp"

namespace dalembert::model {

/// A body for System::body: place and orientation in the frame of another body, or in the fixed
/// one.
struct BodySpec {
  std::string name;
  Expr mass;
  Matrix inertia = {};  ///< about the centre of mass, body axes; Matrix::diagonal for three moments
  Vector position = {};   ///< of the origin
  Turn orientation = {};  ///< turn_by_axes, turn_about, their products; not with `quaternion`
  std::vector<Expr> quaternion = {};  ///< four coordinates; the unit constraint is added
  std::string frame = {};             ///< the body it is given in; empty: the fixed frame
  Vector center = {};                 ///< of mass, from the origin, body axes
};

/// Whoever hands over something that is not a coordinate or a body of this system where one is
/// asked for gets a std::invalid_argument at once; everything else that can be wrong is told by
/// `validate`, `compile` and `assemble`.
class System {
 public:
  using Caller = std::source_location;

  explicit System(std::string name);

  Expr coordinate(std::string_view name, Caller at = Caller::current());
  template <class... Names>
  std::array<Expr, sizeof...(Names)> coordinates(const Names&... names) {
    return {coordinate(names, Caller())...};
  }
  /// The coordinates name[first] ... name[last] of a family, which are called th1, th2, ...
  std::vector<Expr> family(std::string_view name, long first, long last,
                           Caller at = Caller::current());
  Expr parameter(std::string_view name, const Expr& value, Caller at = Caller::current());
  /// A value that only events change; it stands where a parameter may.
  Expr discrete(std::string_view name, const Expr& start, Caller at = Caller::current());

  /// A parameter that is set from outside; `value` is its default.
  Expr input(std::string_view name, const Expr& value = 0, Caller at = Caller::current());
  /// A function F(s) through points, to be called: `F(x)`. Throws std::invalid_argument where
  /// there is none through them.
  class Function {
   public:
    explicit Function(std::shared_ptr<const expr::Table> table) : table_(std::move(table)) {}
    Expr operator()(const Expr& s) const { return expr::apply_table(table_, s); }
    double operator()(double s) const { return table_->value(s); }

   private:
    std::shared_ptr<const expr::Table> table_;
  };
  Function table(std::string name, const std::vector<double>& x, const std::vector<double>& y,
                 expr::Interpolation interpolation = expr::Interpolation::linear,
                 expr::Outside outside = expr::Outside::hold, Caller at = Caller::current());

  System& description(std::string text);
  System& kinetic(const Expr& energy, Caller at = Caller::current());
  System& potential(const Expr& energy, Caller at = Caller::current());
  /// L = T - V instead of both: the terms of a sum without velocities are -V, all others T.
  System& lagrangian(const Expr& L, Caller at = Caller::current());
  System& dissipation(const Expr& rayleigh, Caller at = Caller::current());
  System& mass_matrix(const std::vector<std::vector<Expr>>& M, Caller at = Caller::current());

  /// Bodies, particles and frames without mass. Their energies are added to those given; what is
  /// returned tells their geometry in the fixed frame. A quaternion whose coordinates have no
  /// initial value starts as 1, 0, 0, 0.
  Body body(const BodySpec& spec, Caller at = Caller::current());
  Body particle(std::string name, const Expr& mass, const Vector& position, std::string frame = {},
                Caller at = Caller::current());
  Body frame(std::string name, const Vector& position, const Turn& orientation,
             std::string parent = {}, Caller at = Caller::current());
  System& gravity(const Vector& acceleration, Caller at = Caller::current());
  /// The place of a point at `place` in a body's axes, from its origin.
  static Vector point(const Body& body, const Vector& place);

  /// What joins bodies and acts on them. Joints come before springs, which may act along them.
  System& joint(const JointSpec& spec, Caller at = Caller::current());
  System& spring(const SpringSpec& spec, Caller at = Caller::current());
  System& point_force(const PointForceSpec& spec, Caller at = Caller::current());
  /// A body's number, as these ask for it.
  std::size_t body_index(std::string_view name) const;

  /// The applied force along a coordinate (given as its symbol); several calls add up.
  System& force(const Expr& along, const Expr& value, Caller at = Caller::current());
  System& constrain(const std::string& name, const expr::Equation& equation, double weight = 1,
                    Caller at = Caller::current());
  /// A constraint that inputs enforce, in place of an ideal reaction.
  System& servo(const std::string& name, const expr::Equation& equation,
                const std::vector<Expr>& by, Caller at = Caller::current());
  /// What opens and closes, slides and sticks, and happens at instants.
  System& contact(const ContactSpec& spec, Caller at = Caller::current());
  System& friction(const DryFrictionSpec& spec, Caller at = Caller::current());
  System& event(const EventSpec& spec, Caller at = Caller::current());
  /// The component of C along a coordinate; several calls add up.
  System& virtual_work(const Expr& along, const Expr& value, Caller at = Caller::current());
  /// Initial value of a position x or of a velocity dot(x); expressions of parameters and of other
  /// initial values.
  System& initial(const Expr& position_or_velocity, const Expr& value,
                  Caller at = Caller::current());
  /// Initial angular velocity of a body, in its own axes; the rates of its orientation follow.
  System& initial_spin(std::string_view body, const Vector& omega, Caller at = Caller::current());
  System& adjust(Adjust how);
  /// Keeps a position x where it is when the start is adjusted, and its velocity too if that has an
  /// initial value; or a velocity dot(x) alone. Once or many times.
  System& hold(const Expr& position_or_velocity, Caller at = Caller::current());
  /// Initial value of a constraint's multiplier, for the method `vakonomic`.
  System& mu(std::string constraint, const Expr& value, Caller at = Caller::current());
  System& quasi_velocity(std::string name, const Expr& form, Caller at = Caller::current());
  System& independent(const std::vector<Expr>& chosen, Caller at = Caller::current());
  System& output(std::string name, const Expr& value, Caller at = Caller::current());
  Simulation& simulation() { return simulation_; }

  /// How a body is drawn, and what is drawn beside bodies. Nothing of it changes the motion.
  System& shape(std::string_view body, const Solid& solid, Caller at = Caller::current());
  View& view() { return view_; }

  /// The constraint force along a coordinate: the ideal one for virtual_work and output, the other
  /// for output.
  static Expr ideal(const Expr& along);
  static Expr nonideal(const Expr& along);
  /// The multiplier of a constraint while C acts, for output: M q'' = Q + C + A^T lambda.
  static Expr multiplier(std::string_view constraint);
  /// The magnitude of the force of a constraint, joint, contact or friction: for limits of
  /// friction, events and output.
  static Expr reaction(std::string_view of);

  /// Takes a statement back, or gives it another name, also where it is used: see model/edit.hpp.
  /// Throws std::invalid_argument where there is none of that name.
  System& remove(Part part, std::string_view name);
  System& rename(Part part, std::string_view from, std::string_view to);

  /// What has been said so far.
  Draft draft() const;
  /// The model so far. What is wrong with it is told by whoever uses it (`validate`, `compile`).
  Model model() const;

 private:
  const std::string& coordinate_of(const Expr& symbol, int highest_order) const;
  Body add_body(const BodySpec& spec, BodyKind kind, Location at);
  BodyPair pair_of(const std::array<std::optional<std::size_t>, 2>& bodies, Location at) const;
  const std::string& body_name(std::size_t body) const;
  InitialStatement& start();
  std::string settable_name(const Expr& target) const;
  static const std::string& coordinate_name(const Expr& along);

  Draft draft_;
  std::vector<Body> bodies_;  ///< their geometry, as they stand in the draft
  Simulation simulation_;
  View view_;
};

}  // namespace dalembert::model
