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
#include "dalembert/model/model.hpp"

namespace dalembert::model {

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

  /// The applied force along a coordinate (given as its symbol); several calls add up.
  System& force(const Expr& along, const Expr& value);
  System& constrain(std::string name, const expr::Equation& equation, double weight = 1);
  /// The component of C along a coordinate; several calls add up.
  System& virtual_work(const Expr& along, const Expr& value);
  /// Initial value of a position x or of a velocity dot(x); expressions of parameters and of other
  /// initial values.
  System& initial(const Expr& position_or_velocity, const Expr& value);
  System& adjust(Adjust how);
  /// Initial value of a constraint's multiplier, for the method `vakonomic`.
  System& mu(std::string constraint, const Expr& value);
  System& quasi_velocity(std::string name, const Expr& form);
  System& independent(const std::vector<Expr>& chosen);
  System& output(std::string name, const Expr& value);
  Simulation& simulation() { return model_.simulation; }

  /// The constraint force along a coordinate: the ideal one for virtual_work and output, the other
  /// for output.
  static Expr ideal(const Expr& along);
  static Expr nonideal(const Expr& along);

  /// The model so far. What is wrong with it is told by whoever uses it (`validate`, `compile`).
  Model model() const;

 private:
  std::size_t index_of(const Expr& symbol, int highest_order) const;
  static const std::string& coordinate_name(const Expr& along);

  Model model_;
  std::vector<Expr> forces_, virtual_work_, q0_, v0_;
};

}  // namespace dalembert::model
