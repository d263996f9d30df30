#include <fmt/format.h>

#include <cmath>

#include "dalembert/expr/graph.hpp"
#include "dalembert/model/assembly/places.hpp"
#include "dalembert/model/complaints.hpp"
#include "dalembert/model/joint_rows.hpp"

namespace dalembert::model {

namespace {

enum class Axes { none, first, second, both };

/// What a kind of joint is asked by. What it needs and what it merely takes is decided below.
struct Takes {
  std::string_view title;
  Axes axes = Axes::none;
  bool references = false;
  bool frames = false;
  bool normal = false;
  bool length = false;
  bool motion = false;
  bool shape = false;
  std::string_view no_friction = {};  ///< why there is none
};

Takes takes(JointKind kind) {
  switch (kind) {
    case JointKind::ball:
      return {.title = "a ball joint"};
    case JointKind::hinge:
      return {.title = "a hinge", .axes = Axes::both, .references = true, .motion = true};
    case JointKind::slider:
      return {.title = "a slider",
              .axes = Axes::both,
              .references = true,
              .frames = true,
              .motion = true};
    case JointKind::universal:
      return {.title = "a universal joint",
              .axes = Axes::both,
              .no_friction =
                  "it turns about two axes, each with a bearing of its own: make it of "
                  "two hinges and a body between them"};
    case JointKind::weld:
      return {.title = "a weld", .frames = true, .no_friction = "nothing moves in it"};
    case JointKind::distance:
      return {.title = "a distance joint",
              .length = true,
              .motion = true,
              .no_friction = "no surfaces touch in it"};
    case JointKind::point_on_line:
      return {.title = "a point-on-line joint", .axes = Axes::first};
    case JointKind::point_on_plane:
      return {.title = "a point-on-plane joint", .normal = true};
    case JointKind::rolls:
      return {.title = "a rolling joint",
              .normal = true,
              .shape = true,
              .no_friction =
                  "what rolls does not slip, so its friction does no work; let a "
                  "point slide on a plane instead"};
    case JointKind::knife_edge:
      return {.title = "a knife edge", .axes = Axes::second, .normal = true};
  }
  return {};
}

class Checks {
 public:
  Checks(const Model& model, const JointSpec& spec)
      : model_(model), spec_(spec), takes_(takes(spec.kind)), numbers_(model) {}

  std::vector<Diagnostic> run() {
    check_bodies();
    if (!found_.empty()) return std::move(found_);
    check_axes();
    check_what_is_taken();
    check_shape();
    check_friction();
    check_contents();
    return std::move(found_);
  }

 private:
  void complain(Location where, std::string_view message) {
    found_.push_back({fmt::format("joint {}: {}", in_quotes(spec_.name), message),
                      where.line > 0 ? where : spec_.where});
  }

  void check_bodies() {
    for (const Joint& other : model_.joints) {
      if (other.name == spec_.name) complain(spec_.where, "there is another joint of this name");
    }
    if (spec_.name.empty()) complain(spec_.where, "its name must not be empty");
    for (std::size_t i = 0; i < 2; ++i) {
      if (spec_.bodies[i] && *spec_.bodies[i] >= model_.bodies.size()) {
        complain(spec_.bodies_where[i], "it joins a body that the model does not have");
        return;
      }
    }
    if (spec_.bodies[0] == spec_.bodies[1]) {
      complain(spec_.bodies_where[1],
               spec_.bodies[0] ? fmt::format("it joins {} with itself",
                                             in_quotes(model_.bodies[*spec_.bodies[0]].name))
                               : "it joins the ground with itself");
      return;
    }
    for (std::size_t i = 0; i < 2; ++i) check_particle(i);
  }

  void check_particle(std::size_t i) {
    if (!spec_.bodies[i] || model_.bodies[*spec_.bodies[i]].kind != BodyKind::particle) return;
    const std::string name = in_quotes(model_.bodies[*spec_.bodies[i]].name);
    switch (spec_.kind) {
      case JointKind::ball:
      case JointKind::distance:
        break;
      case JointKind::point_on_line:
      case JointKind::point_on_plane:
        if (i == 1) break;
        complain(spec_.bodies_where[i],
                 fmt::format("{} is a particle and has no orientation, so no {} can be fixed in "
                             "it; name it second",
                             name, spec_.kind == JointKind::point_on_line ? "line" : "plane"));
        return;
      default:
        complain(spec_.bodies_where[i],
                 fmt::format("{} is a particle and has no orientation, so {} cannot hold it", name,
                             takes_.title));
        return;
    }
    if (!spec_.points[i].vector.is_zero()) {
      complain(
          spec_.points[i].where,
          fmt::format("{} is a particle and has no orientation: its only point is itself", name));
    }
    if (spec_.friction && spec_.kind == JointKind::ball) {
      complain(
          spec_.friction->where,
          fmt::format("{} is a particle and has no orientation: nothing turns in the joint", name));
    }
  }

  void check_axes() {
    const bool disk = spec_.kind == JointKind::rolls && spec_.shape == Shape::disk;
    const Axes axes = disk ? Axes::second : takes_.axes;
    const auto& given = spec_.axes[1] ? spec_.axes[1] : spec_.axes[0];
    if (axes == Axes::none) {
      // Of a shape that is not known nothing can be said.
      if (given && !(takes_.shape && !spec_.shape))
        complain(given->where, fmt::format("{} takes no axis", title()));
      return;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      if (axes == (i == 0 ? Axes::second : Axes::first)) continue;
      if (!spec_.axes[i]) {
        complain(spec_.where, fmt::format("{} needs an axis", disk ? "a disk" : title()));
        return;
      }
      if (vanishes(spec_.axes[i]->vector, numbers_)) {
        complain(spec_.axes[i]->where, "its axis must not be zero");
        return;
      }
    }
    check_references();
  }

  void check_references() {
    if (!takes_.references) return;
    const auto& references = spec_.references;
    if (references[0].has_value() != references[1].has_value()) {
      complain((references[0] ? references[0] : references[1])->where,
               "it needs a reference in each body");
      return;
    }
    const bool same_axis = same(spec_.axes[0]->vector, spec_.axes[1]->vector);
    if (!references[0]) {
      if (spec_.kind == JointKind::hinge && spec_.motion && !same_axis)
        complain(spec_.motion->where,
                 "with an axis for each body its motion needs references, which define where the "
                 "angle is zero");
      if (spec_.kind == JointKind::slider && spec_.frames && !same_axis)
        complain(spec_.axes[1]->where,
                 "with frames it takes one axis, in the axes of the first body");
      return;
    }
    if (spec_.frames && takes_.frames)
      complain(references[0]->where, "it takes frames or references, not both");
    for (std::size_t i = 0; i < 2; ++i) {
      if (vanishes(cross(spec_.axes[i]->vector, references[i]->vector), numbers_))
        complain(references[i]->where, "a reference must not be zero or along the axis");
    }
  }

  std::string_view title() const { return takes_.title; }

  template <class T>
  void check_taken(const std::optional<T>& given, bool taken, std::string_view what) {
    if (given && !taken) complain(given->where, fmt::format("{} takes no {}", title(), what));
  }

  void check_what_is_taken() {
    for (const auto& reference : spec_.references)
      check_taken(reference, takes_.references, "references");
    if (spec_.frames && !takes_.frames)
      complain(spec_.frames_where, fmt::format("{} takes no frames", title()));
    check_taken(spec_.normal, takes_.normal, "normal");
    check_taken(spec_.length, takes_.length, "length");
    check_taken(spec_.motion, takes_.motion, "motion");
    if (takes_.normal) {
      if (!spec_.normal) {
        complain(spec_.where, fmt::format("{} needs a normal", title()));
      } else if (vanishes(spec_.normal->vector, numbers_)) {
        complain(spec_.normal->where, "its normal must not be zero");
      }
    }
    if (takes_.length) {
      if (!spec_.length && !spec_.motion)
        complain(spec_.where, fmt::format("{} needs a length", title()));
      if (spec_.length && spec_.motion)
        complain(spec_.motion->where, "its motion is its length: give one of them");
      check_positive(spec_.length, "its length", "; a ball joint holds two points together");
      check_positive(spec_.motion, "its length", "");
    }
  }

  void check_positive(const std::optional<Located>& value, std::string_view what,
                      std::string_view advice) {
    if (!value) return;
    const std::optional<double> number = constant_value(value->expr);
    if (number && !(*number > 0 && std::isfinite(*number)))
      complain(value->where,
               fmt::format("{} must be positive{}", what, *number == 0 ? advice : ""));
  }

  void check_shape() {
    if (!takes_.shape) {
      if (spec_.shape) complain(spec_.where, fmt::format("{} takes no shape", title()));
      check_taken(spec_.radius, false, "radius");
      check_taken(spec_.semi_axes, false, "semi_axes");
      return;
    }
    if (!spec_.shape) {
      complain(spec_.where, "a rolling joint needs a shape: sphere, disk or ellipsoid");
      return;
    }
    if (*spec_.shape == Shape::ellipsoid) {
      if (spec_.radius) complain(spec_.radius->where, "an ellipsoid has semi_axes, no radius");
      if (!spec_.semi_axes) {
        if (!spec_.radius) complain(spec_.where, "an ellipsoid needs semi_axes");
        return;
      }
      for (std::size_t i = 0; i < 3; ++i) {
        const std::optional<double> number = constant_value(spec_.semi_axes->vector[i]);
        if (number && !(*number > 0 && std::isfinite(*number))) {
          complain(spec_.semi_axes->where, "its semi_axes must be positive");
          break;
        }
      }
      return;
    }
    const std::string_view shape = *spec_.shape == Shape::disk ? "a disk" : "a sphere";
    if (spec_.semi_axes)
      complain(spec_.semi_axes->where, fmt::format("{} has a radius, no semi_axes", shape));
    if (!spec_.radius && !spec_.semi_axes)
      complain(spec_.where, fmt::format("{} needs a radius", shape));
    check_positive(spec_.radius, "its radius", "");
  }

  void check_friction() {
    if (!spec_.friction) return;
    const FrictionSpec& friction = *spec_.friction;
    if (!takes_.no_friction.empty()) {
      complain(friction.where,
               fmt::format("{} takes no friction: {}", title(), takes_.no_friction));
      return;
    }
    const std::optional<double> mu = constant_value(friction.mu.expr);
    if (mu && !(*mu >= 0 && std::isfinite(*mu)))
      complain(friction.mu.where, "mu must not be negative");
    const bool turns = spec_.kind == JointKind::hinge || spec_.kind == JointKind::ball;
    if (turns && !friction.radius) {
      complain(friction.where,
               fmt::format("the friction of {} needs a radius, that of the bearing", title()));
    }
    if (!turns && friction.radius)
      complain(friction.radius->where, fmt::format("the friction of {} takes no radius", title()));
    check_positive(friction.radius, "the radius of its friction", "");
    check_positive(friction.slip, "slip", "");
  }

  void check_content(const Expr& e, Location where, const Place& place) {
    for (const Expr& s : expr::symbols(std::span(&e, 1))) {
      if (const auto reason = objection(s.symbol(), place)) {
        complain(where, *reason);
        return;
      }
    }
  }
  void check_content(const LocatedVector& v, const Place& place) {
    const std::size_t before = found_.size();
    for (std::size_t i = 0; i < 3 && found_.size() == before; ++i)
      check_content(v.vector[i], v.where, place);
  }
  void check_content(const std::optional<Located>& e, const Place& place) {
    if (e) check_content(e->expr, e->where, place);
  }

  /// What the grammar of a file keeps out of these places a program may have put there.
  void check_contents() {
    const Place& geometry = places::joint_geometry;
    for (std::size_t i = 0; i < 2; ++i) {
      check_content(spec_.points[i], geometry);
      if (spec_.axes[i]) check_content(*spec_.axes[i], geometry);
      if (spec_.references[i]) check_content(*spec_.references[i], geometry);
    }
    if (spec_.frames) {
      for (const Matrix& frame : *spec_.frames) {
        const std::size_t before = found_.size();
        for (std::size_t k = 0; k < 3 && found_.size() == before; ++k)
          check_content({frame.column(k), spec_.frames_where}, geometry);
      }
    }
    if (spec_.normal) check_content(*spec_.normal, geometry);
    if (spec_.semi_axes) check_content(*spec_.semi_axes, geometry);
    check_content(spec_.length, geometry);
    check_content(spec_.radius, geometry);
    check_content(spec_.motion, places::joint_motion);
    if (!spec_.friction) return;
    check_content(spec_.friction->mu.expr, spec_.friction->mu.where, places::joint_friction);
    check_content(spec_.friction->radius, places::joint_friction);
    check_content(spec_.friction->slip, places::joint_friction);
  }

  const Model& model_;
  const JointSpec& spec_;
  Takes takes_;
  Numbers numbers_;
  std::vector<Diagnostic> found_;
};

}  // namespace

std::vector<Diagnostic> check_joint(const Model& model, const JointSpec& spec) {
  return Checks(model, spec).run();
}

}  // namespace dalembert::model
