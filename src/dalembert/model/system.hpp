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
  System& mass_matrix(std::vector<std::vector<Expr>> M);

  /// The applied force along a coordinate (given as its symbol); several calls add up.
  System& force(const Expr& along, const Expr& value);
  System& constrain(std::string name, const expr::Equation& equation, double weight = 1);
  /// The component of C along a coordinate.
  System& virtual_work(const Expr& along, const Expr& value);
  /// Initial value of a position x or of a velocity dot(x); expressions of parameters and of other initial values.
  System& initial(const Expr& position_or_velocity, const Expr& value);
  System& adjust(Adjust how);
  System& quasi_velocity(std::string name, const Expr& form);
  System& independent(std::vector<Expr> chosen);
  System& output(std::string name, const Expr& value);
  Simulation& simulation() { return model_.simulation; }

  /// The constraint force along a coordinate, for virtual_work and output.
  static Expr ideal(const Expr& along);

  /// The model so far. What is wrong with it is told by whoever uses it (`validate`, `compile`).
  Model model() const;

 private:
  std::size_t index_of(const Expr& coordinate_symbol) const;

  Model model_;
  std::vector<std::vector<Expr>> mass_;
  std::vector<Expr> forces_, virtual_work_, q0_, v0_;
};

}  // namespace dalembert::model
