#pragma once
/// Geometry that joints, springs and point forces share: where the points of a body are and how
/// they move, unit vectors, right-handed triads, and what a force does along the coordinates.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/model/model.hpp"

namespace dalembert::model {

/// A body, or the ground, as a joint sees it.
struct Side {
  std::string name = std::string(ground);
  bool is_particle = false;
  bool is_ground = true;
  Vector origin = {};
  Matrix rotation = Matrix::identity();
  Vector spin = {};  ///< fixed axes

  /// Where a point given in body axes is; a direction in fixed axes.
  Vector point(const Vector& p) const { return origin + rotation * p; }
  Vector direction(const Vector& u) const { return rotation * u; }
  /// The velocity of the body's matter at a distance from its origin, both in fixed axes.
  Vector velocity_at(const Vector& arm) const;
};

Side side_of(const Model& model, std::optional<std::size_t> body);

/// Numbers for expressions of parameters and time: parameters as the model gives them, one for
/// anything but these and time. Not finite where the expression is not.
class Numbers {
 public:
  explicit Numbers(const Model& model) : model_(model) {}
  double operator()(const Expr& e, double t = 0);

 private:
  const Model& model_;
  std::optional<std::vector<double>> values_;
};

/// v / |v|, or v itself where its length is one for all values of its symbols.
Vector unit(const Vector& v, Numbers& numbers);

/// Unit vectors e1, e2, a, right-handed, with a along an axis and e1 along the part of a reference
/// perpendicular to it. Without a reference the coordinate direction that is farthest from an axis
/// of numbers, taken in cyclic order, serves: x, y for z; y, z for x; z, x for y. Of an axis with
/// symbols in it e1 is defined whatever they are, but for single directions that it does not pass
/// with the model's own parameters, and is a smooth function of time.
struct Triad {
  Vector e1, e2, a;
};
Triad triad(const Vector& axis, const Vector* reference, Numbers& numbers);

/// Whether a vector has no direction with the model's own parameters.
bool vanishes(const Vector& v, Numbers& numbers);

/// The value of an expression without symbols.
std::optional<double> constant_value(const Expr& e);

/// Along each coordinate, f.dv/dq'_k + m.dw/dq'_k, of a force f on what moves at v and a moment m
/// on what turns at w: the nonzero ones, by the number of the coordinate.
std::vector<std::pair<std::size_t, Expr>> generalized_force(const Model& model, const Vector& v,
                                                            const Vector& f, const Vector& w,
                                                            const Vector& m);

}  // namespace dalembert::model
