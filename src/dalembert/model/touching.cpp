#include "dalembert/model/touching.hpp"

#include <fmt/format.h>

#include "dalembert/expr/graph.hpp"
#include "dalembert/model/complaints.hpp"
#include "dalembert/model/joint_geometry.hpp"
#include "dalembert/model/vanishing.hpp"

namespace dalembert::model {

namespace {

/// A shape with its sizes, in body axes.
struct Form {
  TouchShape shape = TouchShape::point;
  Expr radius = 0, length = 0;
  Vector axis = {}, semi_axes = {}, size = {};
};

/// A place where a shape may touch a plane below it: c, and from there down.
struct Spot {
  Vector center;  ///< from the origin of the body, fixed axes
  Vector arm;     ///< from the center to where it touches
  Expr height;    ///< of the center above the plane then
};

class Touches {
 public:
  Touches(const Model& model, const TouchSpec& spec, const Vector& gravity)
      : model_(model), spec_(spec), gravity_(gravity), numbers_(model) {}

  Touching run() {
    find();
    if (!result_.wrong.empty()) result_.rows.clear();
    return std::move(result_);
  }

 private:
  void complain(Location where, std::string_view message) {
    result_.wrong.push_back({fmt::format("contact {}: {}", in_quotes(spec_.name), message),
                             where.line > 0 ? where : spec_.where});
  }

  const Body* body(std::size_t side) const {
    return spec_.bodies[side] ? &model_.bodies[*spec_.bodies[side]] : nullptr;
  }

  void find() {
    if (spec_.bodies[0] == spec_.bodies[1]) {
      complain(spec_.bodies_where[1],
               spec_.bodies[0] ? fmt::format("{} touches itself", in_quotes(body(0)->name))
                               : "the ground touches itself");
      return;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      if (body(i) != nullptr && body(i)->kind == BodyKind::particle &&
          !spec_.points[i].vector.is_zero()) {
        complain(spec_.points[i].where,
                 fmt::format("{} is a particle and has no orientation: its only point is itself",
                             in_quotes(body(i)->name)));
        return;
      }
    }
    const bool with_ground = body(0) == nullptr || body(1) == nullptr;
    if (with_ground || spec_.normal) {
      on_plane(side_of_plane());
    } else {
      between_spheres();
    }
  }

  std::size_t side_of_plane() const {
    if (body(0) == nullptr) return 0;
    if (body(1) == nullptr) return 1;
    return !spec_.shape && own_shape(*body(0)) && !own_shape(*body(1)) ? 1 : 0;
  }

  /// As the body is drawn.
  static std::optional<TouchShape> own_shape(const Body& body) {
    switch (body.solid.kind) {
      case SolidKind::sphere:
        return TouchShape::sphere;
      case SolidKind::disk:
        return TouchShape::disk;
      case SolidKind::ellipsoid:
        return TouchShape::ellipsoid;
      case SolidKind::box:
        return TouchShape::box;
      default:
        break;
    }
    if (body.kind != BodyKind::particle) return std::nullopt;
    return body.solid.radius ? TouchShape::sphere : TouchShape::point;
  }

  /// The shape that is said, or that of the body; what is wrong with it is complained of.
  std::optional<Form> form_of(const Body& body, Location where) {
    Form form;
    const auto own = own_shape(body);
    const auto shape = spec_.shape ? spec_.shape : own;
    if (!shape) {
      complain(where, fmt::format("it needs the shape of {}: point, sphere, disk, ellipsoid, "
                                  "capsule or box",
                                  in_quotes(body.name)));
      return std::nullopt;
    }
    form.shape = *shape;
    const bool turns = *shape != TouchShape::point && *shape != TouchShape::sphere;
    if (body.kind == BodyKind::particle && turns) {
      complain(where, fmt::format("{} is a particle and has no orientation: it touches as a point "
                                  "or a sphere",
                                  in_quotes(body.name)));
      return std::nullopt;
    }
    const bool same_shape = own == shape;  // then what is not said is drawn
    const auto need = [&](bool given, std::string_view title, std::string_view key) {
      if (!given) complain(where, fmt::format("{} needs '{}'", title, key));
      return given;
    };
    const auto positive = [&](const Expr& size, std::string_view what, Location at) {
      result_.conditions.push_back(
          {size, true,
           fmt::format("the {} of contact {} must be positive", what, in_quotes(spec_.name)), true,
           at});
    };
    const auto take_radius = [&](std::string_view title) {
      const bool drawn = same_shape && body.solid.radius;
      if (!need(spec_.radius || drawn, title, "radius")) return false;
      form.radius = spec_.radius ? spec_.radius->expr : *body.solid.radius;
      positive(form.radius, "radius", spec_.radius ? spec_.radius->where : body.solid.where);
      return true;
    };
    const auto take_axis = [&](std::string_view title) {
      const bool drawn = same_shape;
      if (!need(spec_.axis || drawn, title, "axis")) return false;
      form.axis = spec_.axis ? spec_.axis->vector : body.solid.axis;
      if (!vanishes(form.axis, numbers_)) return true;
      complain(spec_.axis ? spec_.axis->where : body.solid.where, "its axis must not be zero");
      return false;
    };
    const auto take_three = [&](const std::optional<LocatedVector>& said, std::string_view title,
                                std::string_view key, std::string_view what, Vector& target) {
      const bool drawn = same_shape && body.solid.size;
      if (!need(said || drawn, title, key)) return false;
      target = said ? said->vector : *body.solid.size;
      for (std::size_t i = 0; i < 3; ++i)
        positive(target[i], what, said ? said->where : body.solid.where);
      return true;
    };
    bool good = true;
    switch (*shape) {
      case TouchShape::point:
        break;
      case TouchShape::sphere:
        good = take_radius("a sphere");
        break;
      case TouchShape::disk:
        good = take_radius("a disk") && take_axis("a disk");
        break;
      case TouchShape::ellipsoid:
        good =
            take_three(spec_.semi_axes, "an ellipsoid", "semi_axes", "semi-axes", form.semi_axes);
        break;
      case TouchShape::capsule:
        good = take_radius("a capsule") && need(spec_.length.has_value(), "a capsule", "length") &&
               take_axis("a capsule");
        if (good) {
          form.length = spec_.length->expr;
          positive(form.length, "length", spec_.length->where);
        }
        break;
      case TouchShape::box:
        good = take_three(spec_.size, "a box", "size", "edges", form.size);
        break;
    }
    return good ? std::optional(form) : std::nullopt;
  }

  /// Of a plane without a normal.
  std::optional<Vector> against_gravity() {
    if (vanishes(gravity_, numbers_)) {
      complain(
          spec_.where,
          "it needs the normal of its plane, because there is no gravity to say which way is up");
      return std::nullopt;
    }
    // Along an axis it is a direction of numbers, whatever the parameter g is called.
    std::optional<std::size_t> only;
    for (std::size_t i = 0; i < 3; ++i) {
      if (gravity_[i].is_zero()) continue;
      if (only) return -gravity_;
      only = i;
    }
    Vector up;
    up[*only] = numbers_(gravity_[*only]) > 0 ? -1 : 1;
    return up;
  }

  void on_plane(std::size_t plane_side) {
    const std::size_t shaped = 1 - plane_side;
    if (body(plane_side) != nullptr && body(plane_side)->kind == BodyKind::particle) {
      complain(
          spec_.bodies_where[plane_side],
          fmt::format("{} is a particle and has no orientation, so no plane can be fixed in it",
                      in_quotes(body(plane_side)->name)));
      return;
    }
    const auto form = form_of(*body(shaped), spec_.bodies_where[shaped]);
    if (!form) return;
    const auto normal = spec_.normal ? std::optional(spec_.normal->vector) : against_gravity();
    if (!normal) return;
    if (vanishes(*normal, numbers_)) {
      complain(spec_.normal ? spec_.normal->where : spec_.where, "its normal must not be zero");
      return;
    }
    const Side plane = side_of(model_, spec_.bodies[plane_side]);
    const Side solid = side_of(model_, spec_.bodies[shaped]);
    const Triad in_plane = triad(*normal, nullptr, numbers_);
    const Vector n = plane.direction(in_plane.a);
    const Vector e1 = plane.direction(in_plane.e1), e2 = plane.direction(in_plane.e2);
    const Vector base = plane.point(spec_.points[plane_side].vector);
    std::vector<Spot> spots = spots_of(*form, solid, spec_.points[shaped].vector, n);
    std::vector<TouchRow> rows;
    for (const Spot& spot : spots) {
      const Vector center = solid.origin + spot.center;
      TouchRow row;
      row.gap = dot(n, center - base) - spot.height;
      if (is_repeated(rows, row.gap)) continue;
      const Vector v = solid.velocity_at(spot.center + spot.arm) -
                       plane.velocity_at(center + spot.arm - plane.origin);
      add_slips(row, {dot(e1, v), dot(e2, v)});
      rows.push_back(std::move(row));
    }
    take(std::move(rows));
  }

  /// Of a box in a plane motion two corners each are one.
  static bool is_repeated(const std::vector<TouchRow>& rows, const Expr& gap) {
    for (const TouchRow& row : rows) {
      if (same(row.gap, gap) || is_identically_zero(row.gap - gap)) return true;
    }
    return false;
  }

  static void add_slips(TouchRow& row, const std::array<Expr, 2>& slips) {
    for (const Expr& slip : slips) {
      const auto velocity = expr::find_symbol(slip, [](const expr::Symbol& s) {
        return s.kind == expr::SymbolKind::coordinate && s.order == 1;
      });
      if (velocity && !is_identically_zero(slip)) row.slip.push_back(slip);
    }
  }

  void take(std::vector<TouchRow> rows) {
    for (std::size_t i = 0; i < rows.size() && rows.size() > 1; ++i)
      rows[i].suffix = fmt::format(".{}", i + 1);
    result_.rows = std::move(rows);
  }

  std::vector<Spot> spots_of(const Form& form, const Side& solid, const Vector& center,
                             const Vector& n) {
    const Vector middle = solid.direction(center);
    switch (form.shape) {
      case TouchShape::point:
        return {{middle, {}, 0}};
      case TouchShape::sphere:
        return {{middle, -(form.radius * n), form.radius}};
      case TouchShape::disk: {
        const Vector a = solid.direction(unit(form.axis, numbers_));
        const Vector across = cross(n, a);
        const Expr sine = norm(across);
        return {{middle, -(form.radius / sine * cross(a, across)), form.radius * sine}};
      }
      case TouchShape::ellipsoid: {
        const Vector in_body = transpose(solid.rotation) * n;
        Vector stretched;
        for (std::size_t i = 0; i < 3; ++i) stretched[i] = pow(form.semi_axes[i], 2) * in_body[i];
        const Expr height = sqrt(dot(in_body, stretched));
        return {{middle, -(solid.rotation * stretched / height), height}};
      }
      case TouchShape::capsule: {
        const Vector half = form.length / 2 * unit(form.axis, numbers_);
        const Vector arm = -(form.radius * n);
        return {{solid.direction(center - half), arm, form.radius},
                {solid.direction(center + half), arm, form.radius}};
      }
      case TouchShape::box: {
        std::vector<Spot> corners;
        for (int k = 0; k < 8; ++k) {
          Vector corner = center;
          for (std::size_t i = 0; i < 3; ++i)
            corner[i] += ((k >> i) & 1 ? form.size[i] : -form.size[i]) / 2;
          corners.push_back({solid.direction(corner), {}, 0});
        }
        return corners;
      }
    }
    return {};
  }

  void between_spheres() {
    std::array<Form, 2> forms;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto form = form_of(*body(i), spec_.bodies_where[i]);
      if (!form) return;
      forms[i] = *form;
      if (form->shape != TouchShape::sphere && form->shape != TouchShape::point) {
        complain(spec_.bodies_where[i],
                 fmt::format("two bodies touch as spheres, and {} is a {}; a plane of the other "
                             "is given by 'normal'",
                             in_quotes(body(i)->name), to_string(form->shape)));
        return;
      }
    }
    const std::array<Side, 2> sides = {side_of(model_, spec_.bodies[0]),
                                       side_of(model_, spec_.bodies[1])};
    const std::array<Vector, 2> centers = {sides[0].direction(spec_.points[0].vector),
                                           sides[1].direction(spec_.points[1].vector)};
    const Vector d = sides[1].origin + centers[1] - sides[0].origin - centers[0];
    const Expr distance = norm(d);
    TouchRow row;
    row.gap = distance - forms[0].radius - forms[1].radius;
    const Vector e = d / distance;
    const Vector v = sides[1].velocity_at(centers[1] - forms[1].radius * e) -
                     sides[0].velocity_at(centers[0] + forms[0].radius * e);
    // Directions across the line of centers. In a plane motion its normal is one of them; else
    // they are undefined where the line is along the third axis.
    std::size_t axis = 2;
    for (std::size_t i = 0; i < 3; ++i) {
      if (is_identically_zero(d[i])) axis = i;
    }
    Vector k;
    k[axis] = 1;
    const Vector across = cross(k, e);
    const Expr sine = norm(across);
    const Vector t1 = is_identically_zero(e[axis]) ? across : across / sine;
    add_slips(row, {dot(t1, v), dot(cross(e, t1), v)});
    take({std::move(row)});
  }

  const Model& model_;
  const TouchSpec& spec_;
  const Vector& gravity_;
  Numbers numbers_;
  Touching result_;
};

}  // namespace

std::string_view to_string(TouchShape shape) {
  switch (shape) {
    case TouchShape::point:
      return "point";
    case TouchShape::sphere:
      return "sphere";
    case TouchShape::disk:
      return "disk";
    case TouchShape::ellipsoid:
      return "ellipsoid";
    case TouchShape::capsule:
      return "capsule";
    case TouchShape::box:
      return "box";
  }
  return "";
}

Touching touching(const Model& model, const TouchSpec& spec, const Vector& gravity) {
  return Touches(model, spec, gravity).run();
}

}  // namespace dalembert::model
