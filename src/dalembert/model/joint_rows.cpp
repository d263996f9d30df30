#include "dalembert/model/joint_rows.hpp"

#include <fmt/format.h>

#include <array>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/model/complaints.hpp"
#include "dalembert/model/hinge_angle.hpp"
#include "dalembert/model/vanishing.hpp"

namespace dalembert::model {

namespace {

/// The rows of one joint as they are put together. All vectors in the fixed frame.
class Rows {
 public:
  Rows(const Model& model, const JointSpec& spec)
      : spec_(spec),
        numbers_(model),
        first_(side_of(model, spec.bodies[0])),
        second_(side_of(model, spec.bodies[1])),
        p_(second_.point(spec.points[1].vector)),
        d_(p_ - first_.point(spec.points[0].vector)) {
    result_.point = p_;
  }

  JointRows run() {
    switch (spec_.kind) {
      case JointKind::ball:
        coincide();
        turning({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {force("x"), force("y"), force("z")});
        break;
      case JointKind::hinge:
        hinge();
        break;
      case JointKind::slider:
        slider();
        break;
      case JointKind::universal:
        coincide();
        result_.axis = axis(0);
        direction_row("cross", axis(0), axis(1));
        break;
      case JointKind::weld:
        coincide();
        if (spec_.frames) {
          lock((*spec_.frames)[0], (*spec_.frames)[1]);
        } else {
          lock(Matrix::identity(), Matrix::identity());
        }
        break;
      case JointKind::distance:
        distance();
        break;
      case JointKind::point_on_line:
        along(first_triad());
        break;
      case JointKind::point_on_plane:
        point_on_plane();
        break;
      case JointKind::knife_edge:
        knife_edge();
        break;
      case JointKind::rolls:
        return rolling_rows(first_, second_, spec_, numbers_);
    }
    return std::move(result_);
  }

 private:
  std::string name(std::string_view suffix) const {
    return suffix.empty() ? spec_.name : spec_.name + "." + std::string(suffix);
  }
  Expr force(std::string_view suffix) const { return expr::multiplier(name(suffix)); }

  void force_row(std::string_view suffix, const Expr& residual, const Vector& u,
                 std::vector<Expr> parts = {}) {
    result_.rows.push_back({name(suffix), residual, u, {}, false, std::move(parts)});
  }
  /// d.u = 0
  void place_row(std::string_view suffix, const Vector& u) {
    force_row(suffix, dot(d_, u), u, {dot(p_, u), dot(p_ - d_, u)});
  }
  /// u_A.v_B = 0 of unit vectors: the rate is (w_B - w_A).(v x u).
  void direction_row(std::string_view suffix, const Vector& u, const Vector& v) {
    result_.rows.push_back({name(suffix), dot(u, v), {}, cross(v, u), false, {Expr(1)}});
  }

  /// The unit axis of a body, fixed frame.
  Vector axis(std::size_t which) {
    return (which == 0 ? first_ : second_).direction(unit(spec_.axes[which]->vector, numbers_));
  }
  Triad body_triad(std::size_t which) {
    const auto& reference = spec_.references[which];
    return triad(spec_.axes[which]->vector, reference ? &reference->vector : nullptr, numbers_);
  }
  static Triad turned(const Side& side, const Triad& t) {
    return {side.direction(t.e1), side.direction(t.e2), side.direction(t.a)};
  }
  Triad first_triad() { return turned(first_, body_triad(0)); }

  /// At the second body's point, against the first body's matter there.
  Vector relative_velocity() const {
    return second_.velocity_at(second_.direction(spec_.points[1].vector)) -
           first_.velocity_at(p_ - first_.origin);
  }
  Vector relative_spin() const { return second_.spin - first_.spin; }

  /// What friction works against; without friction nobody asks.
  void turning(std::vector<Vector> axes, std::vector<Expr> normal) {
    if (!spec_.friction) return;
    for (const Vector& a : axes) result_.sliding.speeds.push_back(dot(relative_spin(), a));
    result_.sliding.directions = std::move(axes);
    result_.sliding.turns = true;
    result_.sliding.normal = std::move(normal);
  }
  void sliding(std::vector<Vector> directions, std::vector<Expr> normal) {
    if (!spec_.friction) return;
    const Vector v = relative_velocity();
    for (const Vector& u : directions) result_.sliding.speeds.push_back(dot(v, u));
    result_.sliding.directions = std::move(directions);
    result_.sliding.normal = std::move(normal);
  }

  void coincide() {
    place_row("x", {1, 0, 0});
    place_row("y", {0, 1, 0});
    place_row("z", {0, 0, 1});
  }

  void hinge() {
    const Triad A = first_triad(), B = turned(second_, body_triad(1));
    coincide();
    result_.axis = A.a;
    direction_row("tilt1", A.e1, B.a);
    direction_row("tilt2", A.e2, B.a);
    const Expr y = dot(B.e1, A.e2), x = dot(B.e1, A.e1);
    if (const auto angle = smooth_angle(y, x)) {
      result_.position = {*angle};
    } else {
      result_.near = spec_.name + ".near";
      result_.position = {angle_near(y, x, expr::parameter(result_.near))};
    }
    // What the joint's own directions do in time turns the angle too.
    result_.rate = {directions_move()
                        ? (x * time_derivative(y) - y * time_derivative(x)) / (x * x + y * y)
                        : dot(relative_spin(), A.a)};
    require(dot(A.a, B.a),
            "the axes of joint {} point in opposite directions, which its constraints cannot "
            "distinguish from the intended position: start closer, or reverse one of the axes");
    if (spec_.motion) {
      const Expr& m = spec_.motion->expr;
      direction_row("drive", cos(m) * A.e2 - sin(m) * A.e1, B.e1);
      require(dot(cos(m) * A.e1 + sin(m) * A.e2, B.e1),
              "the angle of joint {} is half a turn away from its motion, which its constraint "
              "cannot distinguish from the intended angle: start closer");
    }
    const Vector f = {force("x"), force("y"), force("z")};
    turning({A.a}, {dot(f, A.e1), dot(f, A.e2)});
  }

  /// x_A.y_B = y_A.z_B = z_A.x_B = 0 with the columns of two rotations in the bodies' axes.
  void lock(const Matrix& in_first, const Matrix& in_second) {
    constexpr std::array<std::string_view, 3> suffix = {"xy", "yz", "zx"};
    for (std::size_t k = 0; k < 3; ++k) {
      direction_row(suffix[k], first_.direction(in_first.column(k)),
                    second_.direction(in_second.column((k + 1) % 3)));
      require(
          dot(first_.direction(in_first.column(k)), second_.direction(in_second.column(k))),
          "the bodies of joint {} are turned against each other by a third or a half of a turn, "
          "which its constraints cannot distinguish from the intended position: start closer");
    }
  }

  /// That a cosine which the constraints leave one of a few values, of which 1 is meant, be 1, or
  /// else this sentence.
  void require(const Expr& cosine, std::string_view message) {
    result_.conditions.push_back({cosine - Expr(expr::Rational(1, 2)), true,
                                  fmt::format(fmt::runtime(message), in_quotes(spec_.name)), false,
                                  spec_.where});
  }

  bool directions_move() const {
    const auto moves = [](const std::optional<LocatedVector>& v) {
      return v && !time_derivative(v->vector).is_zero();
    };
    return moves(spec_.axes[0]) || moves(spec_.axes[1]) || moves(spec_.references[0]) ||
           moves(spec_.references[1]);
  }

  void slider() {
    const Triad in_first = body_triad(0);
    if (spec_.frames) {
      lock((*spec_.frames)[0], (*spec_.frames)[1]);
    } else if (same(spec_.axes[0]->vector, spec_.axes[1]->vector) && !spec_.references[0]) {
      lock(Matrix::identity(), Matrix::identity());
    } else {
      const Triad in_second = body_triad(1);
      const auto columns = [](const Triad& t) {
        return transpose(
            Matrix{{{{t.e1.x, t.e1.y, t.e1.z}, {t.e2.x, t.e2.y, t.e2.z}, {t.a.x, t.a.y, t.a.z}}}});
      };
      lock(columns(in_first), columns(in_second));
    }
    const Triad A = turned(first_, in_first);
    along(A);
    const Expr displacement = dot(d_, A.a);
    result_.position = {displacement};
    result_.rate = {time_derivative(displacement)};
    if (spec_.motion) force_row("drive", displacement - spec_.motion->expr, A.a);
  }

  void along(const Triad& A) {
    result_.axis = A.a;
    place_row("side1", A.e1);
    place_row("side2", A.e2);
    sliding({A.a}, {force("side1"), force("side2")});
  }

  void distance() {
    const Expr& length = (spec_.motion ? spec_.motion : spec_.length)->expr;
    force_row("", dot(d_, d_) - pow(length, 2), 2 * d_);
  }

  void point_on_plane() {
    const Triad A = turned(first_, triad(spec_.normal->vector, nullptr, numbers_));
    result_.axis = A.a;
    place_row("", A.a);
    sliding({A.e1, A.e2}, {force("")});
  }

  void knife_edge() {
    const Vector n = first_.direction(unit(spec_.normal->vector, numbers_));
    const Vector forward = axis(1);
    const Vector side = cross(n, forward);
    result_.axis = forward;
    force_row("", dot(side, relative_velocity()), side);
    if (is_identically_zero(dot(n, forward))) {
      sliding({forward}, {force("")});
    } else {
      const Expr length = norm(side);
      sliding({cross(side, n) / length}, {length * force("")});
    }
  }

  const JointSpec& spec_;
  Numbers numbers_;
  Side first_, second_;
  Vector p_, d_;
  JointRows result_;
};

}  // namespace

JointRows joint_rows(const Model& model, const JointSpec& spec) {
  return Rows(model, spec).run();
}

}  // namespace dalembert::model
