#pragma once
/// Random states that satisfy the position constraints to many digits, for numerical comparison.

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "dalembert/mechanics/formulations/kinematics.hpp"

namespace dalembert::mechanics {

/// Rational values for every symbol a question may contain.
struct Point {
  std::map<std::string, expr::Rational> positions;  ///< by coordinate
  expr::Rational t;
  std::map<std::string, expr::Rational> parameters;
  std::map<std::string, expr::Rational>
      others;  ///< velocities, accelerations, auxiliaries, as asked for
};

/// Near the reference state, moved off it at random, and back onto the constraints phi(q, t) = 0 by
/// Newton steps: derivatives in double precision, residuals and positions in `digits` digits, so
/// every step wins some ten digits. Nothing if that does not converge.
std::optional<Point> random_point(const Setting& s, std::mt19937_64& random, int digits);

/// The value of a symbol at the point; symbols that are not in it yet get a random one.
std::function<expr::Rational(const expr::Symbol&)> values_of(Point& point, std::mt19937_64& random);

}  // namespace dalembert::mechanics
