#pragma once
/// Random states that satisfy the position constraints to many digits, for numerical comparison.

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/mechanics/equations.hpp"

namespace dalembert::mechanics {

/// Rational values for every symbol a question may contain.
struct Point {
  std::map<std::string, expr::Rational> positions;  ///< by coordinate
  std::map<std::string, expr::Rational> velocities;
  expr::Rational t;
  std::map<std::string, expr::Rational> parameters;
  std::map<std::string, expr::Rational>
      others;  ///< accelerations, auxiliaries, forces, as asked for
};

/// Near the reference state, moved off it at random, and back onto the constraints by Newton steps,
/// positions with phi(q, t) = 0, then velocities with psi(q, q', t) = 0: derivatives in double
/// precision, residuals and unknowns in `digits` digits, so every step wins some ten digits.
/// Nothing if that does not converge.
std::optional<Point> random_point(const model::Model& model, const Equations& eq,
                                  const expr::Values& reference, std::mt19937_64& random,
                                  int digits);

/// Numbers at such a state: where what holds only at the reference state (a rank that is lower
/// there) does not. The reference itself if none is found.
expr::Values generic_values(const model::Model& model, const Equations& eq,
                            const expr::Values& reference);

/// Where a formulation is best derived: at the given state, or, where the constraints have a lower
/// rank there than around it, at a generic one.
struct Reference {
  expr::Values values;
  std::size_t rank = 0;        ///< there
  std::size_t rank_given = 0;  ///< at the given state
};
/// `rank`: that at the given state, if it is known better than split_coordinates would find it.
Reference reference_near(const model::Model& model, const Equations& eq, const expr::Values& given,
                         std::optional<std::size_t> rank);

/// The value of a symbol at the point; symbols that are not in it yet get a random one.
std::function<expr::Rational(const expr::Symbol&)> values_of(Point& point, std::mt19937_64& random);

}  // namespace dalembert::mechanics
