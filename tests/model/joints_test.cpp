// Joints as constraints: for each kind, between ground, moving bodies and frames, the multipliers
// of its rows do the virtual work of the force and moment that it claims; and so does friction.
#include <dalembert/model/joint.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "bodies_by_hand.hpp"
#include "complaints_of.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/graph.hpp"
#include "skew_joints.hpp"

namespace dalembert::model::joints_test {
namespace {

using by_hand::all_kinds;
using by_hand::skew;
using expr::Symbol;
using expr::SymbolKind;

/// Random numbers for all symbols, quaternions of unit length and their rates perpendicular.
class Draw {
 public:
  Draw(const Model& model, unsigned seed) : random_(seed) {
    for (const std::string& name : model.coordinates) {
      q_[name] = number();
      v_[name] = number();
    }
    for (const Body& body : model.bodies) {
      if (!q_.contains(body.name + "e0")) continue;
      double length = 0, along = 0;
      for (const char* part : {"e0", "e1", "e2", "e3"}) length += std::pow(q_[body.name + part], 2);
      for (const char* part : {"e0", "e1", "e2", "e3"}) {
        q_[body.name + part] /= std::sqrt(length);
        along += q_[body.name + part] * v_[body.name + part];
      }
      for (const char* part : {"e0", "e1", "e2", "e3"})
        v_[body.name + part] -= along * q_[body.name + part];
    }
    for (const Constraint& constraint : model.constraints) lambda_[constraint.name] = number();
    // What the coordinates keep does no work, whatever its force.
    for (const Joint& joint : model.joints) {
      for (const KeptRow& row : joint.kept) lambda_[row.factor().symbol().name] = number();
    }
    time_ = number();
  }

  double operator()(const Expr& e) const {
    return expr::evaluate(e, [this](const Symbol& s) {
      if (s.kind == SymbolKind::time) return time_;
      if (s.kind == SymbolKind::multiplier) return lambda_.at(s.name);
      if (s.kind == SymbolKind::parameter) return 0.7;
      if (s.kind == SymbolKind::auxiliary) return 1.0;  // what may slide does
      return (s.order == 0 ? q_ : v_).at(s.name);
    });
  }

  /// The change of e, an expression of positions, under the displacement dq = v at a fixed time.
  double change(const Expr& e) const {
    double total = 0;
    for (const auto& [name, rate] : v_)
      total += (*this)(expr::differentiate(e, expr::coordinate(name)))*rate;
    return total;
  }
  /// A dq for a constraint of positions or of velocities.
  double demand(const Constraint& constraint) const {
    if (level(constraint) == Level::position) return change(constraint.residual);
    double total = 0;
    for (const auto& [name, rate] : v_)
      total += (*this)(expr::differentiate(constraint.residual, expr::coordinate(name, 1)))*rate;
    return total;
  }

 private:
  double number() { return std::uniform_real_distribution<double>(-1, 1)(random_); }

  std::mt19937 random_;
  std::map<std::string, double> q_, v_, lambda_;
  double time_ = 0;
};

using Numbers3 = std::array<double, 3>;

Numbers3 values(const Draw& draw, const Vector& v) {
  return {draw(v.x), draw(v.y), draw(v.z)};
}
Numbers3 cross3(const Numbers3& a, const Numbers3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot3(const Numbers3& a, const Numbers3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// The virtual work of a force at a place and of a moment on a body, from how its origin and its
/// axes change: independent of its spin, which the joints use.
double work_on(const Draw& draw, const Model& model, std::optional<std::size_t> body,
               const Numbers3& place, const Numbers3& force, const Numbers3& moment) {
  if (!body) return 0;
  const Body& b = model.bodies[*body];
  Numbers3 shift{}, turn{};
  for (std::size_t i = 0; i < 3; ++i) shift[i] = draw.change(b.origin[i]);
  std::array<std::array<double, 3>, 3> W{};  // dR R^T
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k)
        W[i][j] += draw.change(b.rotation[i][k]) * draw(b.rotation[j][k]);
    }
  }
  turn = {W[2][1], W[0][2], W[1][0]};
  const Numbers3 origin = values(draw, b.origin);
  const Numbers3 arm = {place[0] - origin[0], place[1] - origin[1], place[2] - origin[2]};
  const Numbers3 lever = cross3(turn, arm);
  for (std::size_t i = 0; i < 3; ++i) shift[i] += lever[i];
  return dot3(force, shift) + dot3(moment, turn);
}

struct Pair {
  std::string name;
  std::function<std::array<std::optional<std::size_t>, 2>(Model&)> bodies;
};

const std::vector<Pair>& pairs() {
  using Two = std::array<std::optional<std::size_t>, 2>;
  static const std::vector<Pair> all = {
      {"ground and Euler angles",
       [](Model& m) { return Two{std::nullopt, by_hand::euler(m, "b")}; }},
      {"ground and quaternion",
       [](Model& m) { return Two{std::nullopt, by_hand::quaternion(m, "b")}; }},
      {"quaternion and ground",
       [](Model& m) { return Two{by_hand::quaternion(m, "a"), std::nullopt}; }},
      {"quaternion and Euler angles",
       [](Model& m) {
         const std::size_t a = by_hand::quaternion(m, "a");
         return Two{a, by_hand::euler(m, "b")};
       }},
      {"a frame and Euler angles",
       [](Model& m) {
         const Expr t = expr::time();
         const std::size_t a = by_hand::frame(m, "a", {t, sin(t), 1}, by_hand::rotation(1, 2 * t));
         return Two{a, by_hand::euler(m, "b")};
       }},
  };
  return all;
}

// Rounding: numbers of order one through some hundred operations.
constexpr double tolerance = 1e-12;

TEST(Joints, MultipliersDoTheWorkOfForceAndMoment) {
  for (const Pair& pair : pairs()) {
    for (JointSpec spec : all_kinds()) {
      Model model;
      spec.bodies = pair.bodies(model);
      const std::size_t before = model.constraints.size();
      ASSERT_EQ(complaint_lines(add_joint(model, spec)), "");
      ASSERT_GT(model.constraints.size(), before);
      const Joint& joint = model.joints.back();
      ASSERT_EQ(joint.constraints.size(), model.constraints.size() - before);
      for (unsigned seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE(pair.name + ", " + std::string(to_string(spec.kind)) + ", seed " +
                     std::to_string(seed));
        const Draw draw(model, seed);
        double work = 0;
        for (std::size_t i = before; i < model.constraints.size(); ++i) {
          const Constraint& row = model.constraints[i];
          work += draw(expr::multiplier(row.name)) * draw.demand(row);
        }
        const Numbers3 place = values(draw, joint.point), force = values(draw, joint.force),
                       moment = values(draw, joint.moment);
        // What holds points together acts on both bodies at one place only where they are: else
        // the first body's force has another line, at its own point. For the others the place is
        // one by construction.
        const bool together = spec.kind == JointKind::ball || spec.kind == JointKind::hinge ||
                              spec.kind == JointKind::universal || spec.kind == JointKind::weld;
        Numbers3 first_place = place;
        if (together && spec.bodies[0]) {
          const Body& a = model.bodies[*spec.bodies[0]];
          first_place = values(draw, a.origin + a.rotation * spec.points[0].vector);
        } else if (together) {
          first_place = values(draw, spec.points[0].vector);
        }
        const double second = work_on(draw, model, spec.bodies[1], place, force, moment);
        const double first = work_on(draw, model, spec.bodies[0], first_place, force, moment);
        EXPECT_NEAR(second - first, work, tolerance * (1 + std::abs(second) + std::abs(first)));
        EXPECT_GT(std::abs(work), 1e-6);
        if (spec.bodies[1]) {
          const Body& b = model.bodies[*spec.bodies[1]];
          const Numbers3 turned = values(draw, b.rotation * joint.body_force);
          const Numbers3 turned_moment = values(draw, b.rotation * joint.body_moment);
          for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_NEAR(turned[i], force[i], tolerance * 10);
            EXPECT_NEAR(turned_moment[i], moment[i], tolerance * 10);
          }
        }
      }
    }
  }
}

TEST(Joints, AnglesAndDisplacementsChangeAtTheirRates) {
  // Of a hinge the angle turns at w.a where its axes agree; so it is looked at there, with bodies
  // that can do nothing else: B turns by b about the axis of A, whatever A does.
  Model model;
  const std::size_t a = by_hand::quaternion(model, "a");
  const Expr angle = by_hand::coordinate(model, "angle"), s = by_hand::coordinate(model, "s");
  const Body A = model.bodies[a];
  const std::size_t b =
      by_hand::add(model, by_hand::rigid("b", A.origin + A.rotation * Vector{0, 0, s},
                                         A.rotation * by_hand::rotation(2, angle), 1, {1, 1, 1}));
  JointSpec hinge;
  hinge.name = "hinge";
  hinge.kind = JointKind::hinge;
  hinge.bodies = {a, b};
  hinge.axes = {Vector{0, 0, 2}, Vector{0, 0, 2}};
  ASSERT_EQ(complaint_lines(add_joint(model, hinge)), "");
  JointSpec slider = hinge;
  slider.name = "slider";
  slider.kind = JointKind::slider;
  ASSERT_EQ(complaint_lines(add_joint(model, slider)), "");
  for (unsigned seed = 1; seed < 4; ++seed) {
    const Draw draw(model, seed);
    const Joint &turns = model.joints[0], &slides = model.joints[1];
    EXPECT_NEAR(draw(turns.position[0]), draw(angle), tolerance);
    EXPECT_NEAR(draw(turns.rate[0]), draw(dot(angle)), tolerance);
    EXPECT_NEAR(draw(slides.position[0]), draw(s), tolerance);
    EXPECT_NEAR(draw(slides.rate[0]), draw(dot(s)), tolerance);
  }
}

FrictionSpec friction_for(JointKind kind) {
  FrictionSpec friction{{Expr(0.25), {}}, {}, {}, {}, {}};
  if (kind == JointKind::ball || kind == JointKind::hinge) friction.radius = Located{Expr(0.5), {}};
  return friction;
}

constexpr std::array kinds_that_rub = {JointKind::ball,           JointKind::hinge,
                                       JointKind::slider,         JointKind::point_on_line,
                                       JointKind::point_on_plane, JointKind::knife_edge};

/// What a joint's reaction gains by friction, at arbitrary numbers.
struct Gained {
  Numbers3 place, force, moment;
  Gained(const Draw& draw, const Joint& rough, const Joint& ideal)
      : place(values(draw, rough.point)),
        force(values(draw, rough.force - ideal.force)),
        moment(values(draw, rough.moment - ideal.moment)) {}
  /// Of a frame that moves by itself the virtual work leaves that motion out.
  double work(const Draw& draw, const Model& model, const JointSpec& spec) const {
    return work_on(draw, model, spec.bodies[1], place, force, moment) -
           work_on(draw, model, spec.bodies[0], place, force, moment);
  }
};

TEST(Joints, SmoothFrictionIsAForceOrMomentAgainstTheSliding) {
  for (const Pair& pair : pairs()) {
    for (const JointKind kind : kinds_that_rub) {
      JointSpec spec = skew(kind);
      spec.friction = friction_for(kind);
      spec.friction->slip = Located{Expr(0.125), {}};
      Model model;
      spec.bodies = pair.bodies(model);
      Model plain = model;
      ASSERT_EQ(complaint_lines(add_joint(model, spec)), "");
      spec.friction.reset();
      ASSERT_EQ(complaint_lines(add_joint(plain, spec)), "");
      ASSERT_EQ(model.frictions.size(), 1U);
      const Friction& friction = model.frictions.back();
      EXPECT_EQ(friction.joint, "j");
      for (unsigned seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE(pair.name + ", " + std::string(to_string(spec.kind)));
        const Draw draw(model, seed);
        double N = 0;
        for (const Expr& e : friction.normal) N = std::hypot(N, draw(e));
        double work = 0;
        for (std::size_t k = 0; k < model.coordinates.size(); ++k)
          work += draw(friction.direction[k]) * N * draw(expr::coordinate(model.coordinates[k], 1));
        const Gained gained(draw, model.joints.back(), plain.joints.back());
        EXPECT_NEAR(work, gained.work(draw, model, spec), tolerance * 10);
        const bool turns = kind == JointKind::ball || kind == JointKind::hinge;
        EXPECT_LT(std::sqrt(dot3(gained.force, gained.force) + dot3(gained.moment, gained.moment)),
                  0.25 * N * (turns ? 0.5 : 1));
        if (pair.name.find("frame") == std::string::npos) {
          EXPECT_LT(work, 0);
        }
      }
    }
  }
}

// Without a slip it is an element that sticks: its components do work on the slips, the reaction of
// the joint contains them, and mu N, or mu N r, limits them.
TEST(Joints, FrictionThatSticksIsAForceOrMomentAlongItsSlips) {
  for (const Pair& pair : pairs()) {
    for (const JointKind kind : kinds_that_rub) {
      JointSpec spec = skew(kind);
      spec.friction = friction_for(kind);
      spec.friction->static_mu = Located{Expr(0.375), {}};
      Model model;
      spec.bodies = pair.bodies(model);
      Model plain = model;
      SCOPED_TRACE(pair.name + ", " + std::string(to_string(kind)));
      ASSERT_EQ(complaint_lines(add_joint(model, spec)), "");
      const bool turns = kind == JointKind::ball || kind == JointKind::hinge;
      spec.friction.reset();
      ASSERT_EQ(complaint_lines(add_joint(plain, spec)), "");
      ASSERT_EQ(model.dry_frictions.size(), 1U);
      EXPECT_TRUE(model.frictions.empty());
      const DryFriction& friction = model.dry_frictions.back();
      EXPECT_EQ(friction.name, "j.friction");
      EXPECT_EQ(friction.joint, "j");
      const Expr N = expr::parameter("reaction.j.normal");
      EXPECT_TRUE(same(friction.limit.expr, N * Expr(turns ? 0.125 : 0.25)));
      EXPECT_TRUE(same(friction.static_limit->expr, N * Expr(turns ? 0.1875 : 0.375)));
      for (unsigned seed = 1; seed <= 3; ++seed) {
        const Draw draw(model, seed);
        double work = 0, square = 0;
        for (std::size_t c = 0; c < friction.slip.size(); ++c) {
          const double component = draw(expr::parameter("reaction." + friction_name("j", c)));
          square += component * component;
          for (const std::string& q : model.coordinates) {
            const Expr rate = expr::coordinate(q, 1);
            work += component * draw(expr::differentiate(friction.slip[c].expr, rate)) * draw(rate);
          }
        }
        const Gained gained(draw, model.joints.back(), plain.joints.back());
        EXPECT_NEAR(work, gained.work(draw, model, spec), tolerance * 10);
        EXPECT_NEAR(dot3(gained.force, gained.force) + dot3(gained.moment, gained.moment), square,
                    tolerance * 10 * (1 + square))
            << "the directions are unit and orthogonal";
      }
    }
  }
}

TEST(Joints, TheForceThatPressesIsTheOnePerpendicularToTheSliding) {
  for (const JointKind kind : {JointKind::slider, JointKind::point_on_line,
                               JointKind::point_on_plane, JointKind::knife_edge}) {
    Model model;
    JointSpec spec = skew(kind);
    spec.friction = friction_for(kind);
    spec.bodies = {by_hand::quaternion(model, "a"), by_hand::euler(model, "b")};
    ASSERT_EQ(complaint_lines(add_joint(model, spec)), "");
    Model plain = model;
    plain.joints.clear();
    plain.constraints.clear();
    spec.friction.reset();
    ASSERT_EQ(complaint_lines(add_joint(plain, spec)), "");
    const Draw draw(model, 5);
    double N = 0;
    for (const Expr& e : model.dry_frictions[0].normal) N = std::hypot(N, draw(e));
    const Numbers3 f = values(draw, plain.joints[0].force);
    EXPECT_NEAR(N, std::sqrt(dot3(f, f)), tolerance) << to_string(kind);
  }
}

TEST(Joints, RowsThatTheCoordinatesKeepAreLeftOut) {
  // A plane body hung up at the origin: turning about z and moving in the plane is all it can do.
  Model model;
  const Expr x = by_hand::coordinate(model, "x"), y = by_hand::coordinate(model, "y"),
             phi = by_hand::coordinate(model, "phi");
  JointSpec pin;
  pin.name = "pin";
  pin.kind = JointKind::hinge;
  pin.bodies[1] =
      by_hand::add(model, by_hand::rigid("b", {x, y, 0}, by_hand::rotation(2, phi), 1, {1, 1, 1}));
  pin.points[1] = Vector{-0.5, 0, 0};
  pin.axes = {Vector{0, 0, 1}, Vector{0, 0, 1}};
  ASSERT_EQ(complaint_lines(add_joint(model, pin)), "");
  EXPECT_EQ(model.joints[0].constraints, (std::vector<std::string>{"pin.x", "pin.y"}));
  EXPECT_TRUE(same(model.constraints[0].residual, x - cos(phi) / 2));
  EXPECT_TRUE(same(model.constraints[1].residual, y - sin(phi) / 2));
  EXPECT_TRUE(same(model.joints[0].force.x, expr::multiplier("pin.x")));
  ASSERT_EQ(model.joints[0].kept.size(), 3U);
  EXPECT_EQ(model.joints[0].kept[0].name, "pin.z");
  EXPECT_TRUE(same(model.joints[0].force.z, model.joints[0].kept[0].factor()));
  std::vector<std::string> names;
  for (const Named& reaction : model.reactions) names.push_back(reaction.name);
  EXPECT_EQ(names, (std::vector<std::string>{"pin.fx", "pin.fy", "pin.fz", "pin.mx", "pin.my",
                                             "pin.mz", "pin.bfx", "pin.bfy", "pin.bfz", "pin.bmx",
                                             "pin.bmy", "pin.bmz", "pin.angle", "pin.rate"}));
  // A second body on the first, its place by one angle more: of the joint between them nothing is
  // left, though that takes sin^2 + cos^2 = 1 to see.
  const Expr psi = by_hand::coordinate(model, "psi");
  const Body& b = model.bodies[0];
  JointSpec elbow = pin;
  elbow.name = "elbow";
  elbow.bodies = {
      0, by_hand::add(model, by_hand::rigid("c", b.origin + b.rotation * Vector{1, 0, 0},
                                            by_hand::rotation(2, phi + psi), 1, {1, 1, 1}))};
  elbow.points = {Vector{1, 0, 0}, Vector{}};
  const std::size_t before = model.constraints.size();
  ASSERT_EQ(complaint_lines(add_joint(model, elbow)), "");
  EXPECT_EQ(model.constraints.size(), before);
  EXPECT_TRUE(model.joints[1].constraints.empty());
  EXPECT_EQ(model.joints[1].kept.size(), 5U);
  elbow.name = "rough";
  elbow.points[1] = Vector{0, 0, 1};
  EXPECT_EQ(complaint_lines(add_joint(model, elbow)),
            "0:0+0 joint 'rough': the coordinates leave nothing that could keep its constraint "
            "'rough.z', which is not zero\n");
}

}  // namespace
}  // namespace dalembert::model::joints_test
