#include "dalembert/report/page/scene_shapes.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "dalembert/solve/symmetric_eigen.hpp"

namespace dalembert::report {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using model::SolidKind;

/// Moments of inertia that differ by less than this part are taken for equal.
constexpr double alike = 0.02;
/// A cylinder is called a disk below this ratio of length to radius, a rod above the other.
constexpr double disk_ratio = 0.5, rod_ratio = 4;
/// Nothing whose sizes are ours to choose is drawn thinner than these parts of its largest length.
constexpr double thinnest = 0.02, thinnest_rod = 0.012;

double root(double x) {
  return x > 0 && std::isfinite(x) ? std::sqrt(x) : 0;
}

/// Mass and inertia as numbers; `known` if they could be those of a body with extent.
struct Matter {
  double mass = 0;
  Matrix3d inertia = Matrix3d::Zero();
  bool known = false;
};

Matter matter_of(const model::Body& body, const model::Model& model,
                 const std::vector<double>& parameters) {
  Matter result;
  if (body.kind != model::BodyKind::body) return result;
  result.mass = model::evaluate(body.mass, model, parameters);
  for (Eigen::Index i = 0; i < 3; ++i) {
    for (Eigen::Index j = 0; j < 3; ++j) {
      const auto row = static_cast<std::size_t>(std::max(i, j));
      const auto column = static_cast<std::size_t>(std::min(i, j));
      result.inertia(i, j) = model::evaluate(body.inertia[row][column], model, parameters);
    }
  }
  result.known = result.mass > 0 && std::isfinite(result.mass) && result.inertia.allFinite() &&
                 result.inertia.trace() > 0;
  return result;
}

/// Axes whose third is `z`, a unit vector; those of the body themselves where they serve: the
/// rotation by the least angle, R = I + W + W^2/(1 + c) with W a = (e_z x z) x a and c = e_z . z,
/// or half a turn about x.
Matrix3d axes_with_third(const Vector3d& z) {
  const double c = z[2];
  if (c < -1 + 1e-12) return Vector3d(1, -1, -1).asDiagonal();
  Matrix3d W = Matrix3d::Zero();
  W(0, 2) = z[0];
  W(1, 2) = z[1];
  W(2, 0) = -z[0];
  W(2, 1) = -z[1];
  return Matrix3d::Identity() + W + W * W / (1 + c);
}

/// r and l of the cylinder with moments Ia = m r^2/2 about its axis and It = m (3 r^2 + l^2)/12
/// across.
void fit_cylinder(DrawnShape& shape, double mass, double axial, double across) {
  if (shape.radius == 0) shape.radius = root(2 * axial / mass);
  if (shape.length == 0) shape.length = root(12 * across / mass - 3 * shape.radius * shape.radius);
}

/// With s_i the integral of x_i^2 dm, I_i = s_j + s_k: s_i = (I_j + I_k - I_i)/2.
Vector3d second_moments(const Vector3d& inertia) {
  return Vector3d::Constant(inertia.sum() / 2) - inertia;
}

DrawnShape from_inertia(const Matter& matter) {
  DrawnShape shape;
  shape.kind = ShapeKind::sphere;
  if (!matter.known) return shape;
  const motion::SymmetricEigen principal = motion::symmetric_eigen(matter.inertia);
  if (!principal.converged) return shape;
  const Vector3d moments = principal.values;  // increasing
  const double largest = moments[2];
  const Vector3d s = second_moments(moments);
  const bool same_low = moments[1] - moments[0] <= alike * largest;
  const bool same_high = moments[2] - moments[1] <= alike * largest;
  if (s.minCoeff() < -alike * largest || (same_low && same_high)) {
    shape.radius = root(moments.sum() / 3 * 5 / 2 / matter.mass);
    return shape;
  }
  if (same_low || same_high) {
    const Eigen::Index axis = same_low ? 2 : 0;
    const double across = (moments.sum() - moments[axis]) / 2;
    fit_cylinder(shape, matter.mass, std::max(moments[axis], 0.0), across);
    shape.kind = shape.length < disk_ratio * shape.radius  ? ShapeKind::disk
                 : shape.length > rod_ratio * shape.radius ? ShapeKind::rod
                                                           : ShapeKind::cylinder;
    shape.axes = axes_with_third(principal.vectors.col(axis));
    return shape;
  }
  shape.kind = ShapeKind::box;
  for (Eigen::Index i = 0; i < 3; ++i)
    shape.size[static_cast<std::size_t>(i)] = root(12 * s[i] / matter.mass);
  shape.axes = principal.vectors;
  if (shape.axes.determinant() < 0) shape.axes.col(2) *= -1;
  return shape;
}

ShapeKind kind_of(SolidKind kind) {
  switch (kind) {
    case SolidKind::sphere:
      return ShapeKind::sphere;
    case SolidKind::disk:
      return ShapeKind::disk;
    case SolidKind::cylinder:
      return ShapeKind::cylinder;
    case SolidKind::rod:
      return ShapeKind::rod;
    case SolidKind::box:
      return ShapeKind::box;
    case SolidKind::ellipsoid:
      return ShapeKind::ellipsoid;
    case SolidKind::automatic:
    case SolidKind::none:
      break;
  }
  return ShapeKind::none;
}

bool is_long(ShapeKind kind) {
  return kind == ShapeKind::disk || kind == ShapeKind::cylinder || kind == ShapeKind::rod;
}

}  // namespace

std::string_view to_string(ShapeKind kind) {
  constexpr std::array<std::string_view, 8> names{"none", "sphere", "disk",      "cylinder",
                                                  "rod",  "box",    "ellipsoid", "axes"};
  return names[static_cast<std::size_t>(kind)];
}

DrawnShape shape_of(const model::Body& body, const model::Model& model,
                    const std::vector<double>& parameters) {
  const model::Solid& solid = body.solid;
  const auto number = [&](const model::Expr& e) {
    const double x = model::evaluate(e, model, parameters);
    return std::isfinite(x) ? x : 0.0;
  };
  const auto length = [&](const std::optional<model::Expr>& e) {
    return e ? std::max(number(*e), 0.0) : 0.0;
  };
  const Matter matter = matter_of(body, model, parameters);
  DrawnShape shape;
  if (solid.kind == SolidKind::none) return shape;
  if (solid.kind == SolidKind::automatic) {
    if (body.kind == model::BodyKind::body) return from_inertia(matter);
    const bool particle = body.kind == model::BodyKind::particle;
    shape.kind = particle ? ShapeKind::sphere : ShapeKind::axes;
    shape.radius = length(solid.radius);
    return shape;
  }
  shape.kind = kind_of(solid.kind);
  shape.given = {solid.radius.has_value(), solid.length.has_value(), solid.size.has_value()};
  shape.radius = length(solid.radius);
  shape.length = length(solid.length);
  for (std::size_t i = 0; i < 3 && solid.size; ++i)
    shape.size[i] = std::max(number((*solid.size)[i]), 0.0);
  if (is_long(shape.kind)) {
    Vector3d axis(number(solid.axis.x), number(solid.axis.y), number(solid.axis.z));
    if (!(axis.norm() > 0)) axis = Vector3d::UnitZ();
    axis.normalize();
    shape.axes = axes_with_third(axis);
    if (!matter.known) return shape;
    const double axial = axis.dot(matter.inertia * axis);
    fit_cylinder(shape, matter.mass, axial, (matter.inertia.trace() - axial) / 2);
  } else if (matter.known && shape.kind == ShapeKind::sphere && shape.radius == 0) {
    shape.radius = root(matter.inertia.trace() / 3 * 5 / 2 / matter.mass);
  } else if (matter.known && !solid.size) {
    const Vector3d s = second_moments(matter.inertia.diagonal());
    const double factor = shape.kind == ShapeKind::box ? 12 : 5;
    for (std::size_t i = 0; i < 3; ++i)
      shape.size[i] = root(factor * s[static_cast<Eigen::Index>(i)] / matter.mass);
  }
  return shape;
}

DrawnShape complete(DrawnShape shape, double small) {
  const auto choose = [](double& length, double otherwise) {
    if (length == 0) length = otherwise;
  };
  // What the model says is drawn as it says.
  const DrawnShape::Given given = shape.given;
  const auto thicken = [](double& length, bool is_given, double least) {
    if (!is_given) length = std::max(length, least);
  };
  switch (shape.kind) {
    case ShapeKind::none:
      break;
    case ShapeKind::sphere:
      choose(shape.radius, small);
      break;
    case ShapeKind::axes:
      choose(shape.radius, 3 * small);
      break;
    case ShapeKind::disk:
      choose(shape.radius, 3 * small);
      thicken(shape.length, given.length, 2 * thinnest * shape.radius);
      break;
    case ShapeKind::cylinder:
      choose(shape.radius, shape.length > 0 ? shape.length / 4 : small);
      choose(shape.length, 4 * shape.radius);
      break;
    case ShapeKind::rod:
      choose(shape.length, shape.radius > 0 ? 20 * shape.radius : 6 * small);
      thicken(shape.radius, given.radius, thinnest_rod * shape.length);
      break;
    case ShapeKind::box:
    case ShapeKind::ellipsoid: {
      const double largest = *std::max_element(shape.size.begin(), shape.size.end());
      for (double& edge : shape.size) {
        if (largest == 0) edge = 2 * small;
        thicken(edge, given.size, thinnest * largest);
      }
      break;
    }
  }
  return shape;
}

double reach(const DrawnShape& shape) {
  const double diagonal = std::hypot(shape.size[0], shape.size[1], shape.size[2]);
  switch (shape.kind) {
    case ShapeKind::none:
      return 0;
    case ShapeKind::sphere:
    case ShapeKind::axes:
      return shape.radius;
    case ShapeKind::disk:
    case ShapeKind::cylinder:
    case ShapeKind::rod:
      return std::hypot(shape.radius, shape.length / 2);
    case ShapeKind::box:
      return diagonal / 2;
    case ShapeKind::ellipsoid:
      return *std::max_element(shape.size.begin(), shape.size.end());
  }
  return 0;
}

double reach_along(const DrawnShape& shape, const Eigen::Vector3d& u) {
  const Vector3d size(shape.size[0], shape.size[1], shape.size[2]);
  switch (shape.kind) {
    case ShapeKind::disk:
    case ShapeKind::cylinder:
    case ShapeKind::rod:
      return shape.radius * std::hypot(u[0], u[1]) + shape.length / 2 * std::abs(u[2]);
    case ShapeKind::box:
      return size.cwiseProduct(u).cwiseAbs().sum() / 2;
    case ShapeKind::ellipsoid:
      return size.cwiseProduct(u).norm();
    case ShapeKind::axes:
      return 0;
    case ShapeKind::none:
    case ShapeKind::sphere:
      break;
  }
  return reach(shape);
}

}  // namespace dalembert::report
