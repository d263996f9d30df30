#pragma once
/// Builds a model in a program, in the notation of a model file:
///
///     System s("dumbbell");
///     auto [x, y, phi] = s.coordinates("x", "y", "phi");
///     auto m = s.parameter("m", 1.0), l = s.parameter("l", 0.5);
///     s.kinetic(m * (pow(dot(x), 2) + pow(dot(y), 2)) + ...);
///     s.constrain("knife edge", dot(x) * sin(phi) == dot(y) * cos(phi));
///     Model model = s.model();

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/model/kinematics.hpp"
#include "dalembert/model/model.hpp"
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

/// Whoever hands over something that is not a coordinate of this system where one is asked for gets
/// a std::invalid_argument at once; everything else that can be wrong is told by `validate`.
class System {
 public:
  explicit System(std::string name);

  Expr coordinate(std::string_view name);
  template <class... Names>
  std::array<Expr, sizeof...(Names)> coordinates(const Names&... names) {
    return {coordinate(names)...};
  }
  Expr parameter(std::string_view name, const Expr& value);

  System& description(std::string text);
  System& kinetic(const Expr& energy);
  System& potential(const Expr& energy);
  System& dissipation(const Expr& rayleigh);
  System& mass_matrix(const std::vector<std::vector<Expr>>& M);

  /// Bodies, particles and frames without mass. Their energies are added to those given; what is
  /// returned tells their geometry in the fixed frame. A quaternion whose coordinates have no
  /// initial value starts as 1, 0, 0, 0.
  Body body(const BodySpec& spec);
  Body particle(std::string name, const Expr& mass, const Vector& position, std::string frame = {});
  Body frame(std::string name, const Vector& position, const Turn& orientation,
             std::string parent = {});
  System& gravity(const Vector& acceleration);
  /// The place of a point at `place` in a body's axes, from its origin.
  static Vector point(const Body& body, const Vector& place);

  /// What joins bodies and acts on them. They become part of the model when `model` is called,
  /// which throws std::invalid_argument if one of them cannot be what it is asked to be. Joints
  /// come before springs, which may act along them.
  System& joint(const JointSpec& spec);
  System& spring(const SpringSpec& spec);
  System& point_force(const PointForceSpec& spec);
  /// A body's number, as these ask for it.
  std::size_t body_index(std::string_view name) const;

  /// The applied force along a coordinate (given as its symbol); several calls add up.
  System& force(const Expr& along, const Expr& value);
  System& constrain(std::string name, const expr::Equation& equation, double weight = 1);
  /// The component of C along a coordinate; several calls add up.
  System& virtual_work(const Expr& along, const Expr& value);
  /// Initial value of a position x or of a velocity dot(x); expressions of parameters and of other
  /// initial values.
  System& initial(const Expr& position_or_velocity, const Expr& value);
  System& adjust(Adjust how);
  /// Keeps a position x where it is when the start is adjusted, and its velocity too if that has an
  /// initial value; or a velocity dot(x) alone. Once or many times.
  System& hold(const Expr& position_or_velocity);
  /// Initial value of a constraint's multiplier, for the method `vakonomic`.
  System& mu(std::string constraint, const Expr& value);
  System& quasi_velocity(std::string name, const Expr& form);
  System& independent(const std::vector<Expr>& chosen);
  System& output(std::string name, const Expr& value);
  Simulation& simulation() { return model_.simulation; }

  /// How a body is drawn, and what is drawn beside bodies. Nothing of it changes the motion.
  System& shape(std::string_view body, const Solid& solid);
  View& view() { return model_.view; }

  /// The constraint force along a coordinate: the ideal one for virtual_work and output, the other
  /// for output.
  static Expr ideal(const Expr& along);
  static Expr nonideal(const Expr& along);

  /// The model so far. What is wrong with it is told by whoever uses it (`validate`, `compile`).
  Model model() const;

 private:
  std::size_t index_of(const Expr& symbol, int highest_order) const;
  Body add_body(const BodySpec& spec, BodyKind kind);
  static const std::string& coordinate_name(const Expr& along);

  Model model_;
  std::vector<Expr> forces_, virtual_work_, q0_, v0_;
  std::vector<bool> given_;  ///< whether a position has an initial value
  Vector gravity_;
  std::vector<JointSpec> joints_;
  std::vector<SpringSpec> springs_;
  std::vector<PointForceSpec> point_forces_;
  std::vector<bool> velocity_given_, hold_position_, hold_velocity_;
};

}  // namespace dalembert::model
