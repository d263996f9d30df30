#include "dalembert/model/view_checks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "dalembert/model/complaints.hpp"
#include "dalembert/model/joint_geometry.hpp"

namespace dalembert::model {

using std::string_view_literals::operator""sv;

std::span<const std::string_view> keys_of_solid(SolidKind kind, BodyKind of) {
  static constexpr std::array round = {"radius"sv};
  static constexpr std::array along = {"radius"sv, "length"sv, "axis"sv};
  static constexpr std::array edges = {"size"sv};
  switch (kind) {
    case SolidKind::automatic:
      if (of == BodyKind::body) return {};
      return round;
    case SolidKind::none:
      return {};
    case SolidKind::sphere:
      return round;
    case SolidKind::disk:
    case SolidKind::cylinder:
    case SolidKind::rod:
      return along;
    case SolidKind::box:
    case SolidKind::ellipsoid:
      return edges;
  }
  return {};
}

namespace {

class DrawingCheck {
 public:
  DrawingCheck(const Model& model, const std::vector<double>& parameters)
      : model_(model), parameters_(parameters) {}

  std::vector<Diagnostic> run() {
    for (const Body& body : model_.bodies) check_solid(body);
    for (const ViewPoint& point : model_.view.points) {
      const std::string of = fmt::format("of point {}", in_quotes(point.name));
      if (point.radius) positive(*point.radius, "the radius " + of, point.where);
      if (point.mass) positive(*point.mass, "the mass " + of, point.where);
    }
    for (const ViewSegment& segment : model_.view.segments) {
      if (segment.radius) positive(*segment.radius, "the radius of a segment", segment.where);
    }
    if (model_.view.ground && !std::isfinite(value(*model_.view.ground)))
      found_.push_back({"the height of the ground is not finite", {}});
    return std::move(found_);
  }

 private:
  double value(const Expr& e) const {
    const std::optional<double> x = constant_value(e);
    return x ? *x : evaluate(e, model_, parameters_);
  }

  void positive(const Expr& e, std::string_view what, Location where) {
    const double x = value(e);
    if (x > 0 && std::isfinite(x)) return;
    found_.push_back(
        {fmt::format("{} must be positive and finite, and is {:.6g}", what, x), where});
  }

  void check_solid(const Body& body) {
    const Solid& solid = body.solid;
    const std::string of = fmt::format("of the shape of {}", in_quotes(body.name));
    if (solid.radius) positive(*solid.radius, "the radius " + of, solid.where);
    if (solid.length) positive(*solid.length, "the length " + of, solid.where);
    if (solid.size) {
      for (std::size_t i = 0; i < 3; ++i) positive((*solid.size)[i], "the size " + of, solid.where);
    }
    const double length = std::hypot(value(solid.axis.x), value(solid.axis.y), value(solid.axis.z));
    if (!(length > 0 && std::isfinite(length)))
      found_.push_back({fmt::format("the axis {} has no direction", of), solid.where});
  }

  const Model& model_;
  const std::vector<double>& parameters_;
  std::vector<Diagnostic> found_;
};

}  // namespace

std::vector<Diagnostic> check_drawing(const Model& model, const std::vector<double>& parameters) {
  return DrawingCheck(model, parameters).run();
}

}  // namespace dalembert::model
