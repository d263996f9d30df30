#pragma once
/// Models of a random mechanism: in absolute coordinates and, for trees of hinges and sliders, in
/// relative ones.

#include <Eigen/Geometry>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "random_mechanisms.hpp"

namespace dalembert::mechanisms {

inline expr::Vector vector(const Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

inline expr::Matrix matrix(const Matrix3d& M) {
  expr::Matrix result;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      result[i][j] = M(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  }
  return result;
}

inline std::string body_name(std::size_t i) {
  return "b" + std::to_string(i);
}
inline std::string joint_name(std::size_t i) {
  return "j" + std::to_string(i);
}

inline std::optional<std::size_t> numbered(int body) {
  return body < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(body));
}

inline model::JointSpec joint_spec(const Mechanism& m, std::size_t number) {
  const RandomJoint& j = m.joints[number];
  model::JointSpec spec;
  spec.name = joint_name(number);
  spec.kind = j.kind;
  spec.bodies = {numbered(j.first), numbered(j.second)};
  RandomBody ground;
  const std::array<const RandomBody*, 2> sides = {
      j.first < 0 ? &ground : &m.bodies[static_cast<std::size_t>(j.first)],
      &m.bodies[static_cast<std::size_t>(j.second)]};
  std::array<Matrix3d, 2> into = {};
  for (std::size_t k = 0; k < 2; ++k) {
    into[k] = sides[k]->rotation.transpose();
    spec.points[k] = vector(sides[k]->to_body(j.points[k]));
  }
  if (j.shaken.norm() > 0)
    spec.points[0] = spec.points[0].vector + expr::time() * vector(into[0] * j.shaken);
  const auto axes = [&] {
    for (std::size_t k = 0; k < 2; ++k) spec.axes[k] = vector(into[k] * j.axes[k]);
  };
  const auto references = [&] {
    for (std::size_t k = 0; k < 2; ++k) spec.references[k] = vector(into[k] * j.reference);
  };
  switch (j.kind) {
    case JointKind::hinge:
      axes();
      references();
      break;
    case JointKind::universal:
      axes();
      break;
    case JointKind::slider:
      axes();
      if (j.by_references) {
        references();
      } else {
        spec.axes[1] = spec.axes[0];
        spec.frames = std::array{matrix(into[0]), matrix(into[1])};
      }
      break;
    case JointKind::weld:
      spec.frames = std::array{matrix(into[0]), matrix(into[1])};
      break;
    case JointKind::point_on_line:
      spec.axes[0] = vector(into[0] * j.axes[0]);
      break;
    case JointKind::point_on_plane:
      spec.normal = vector(into[0] * j.axes[0]);
      break;
    case JointKind::distance:
      spec.length = model::Located{(j.points[1] - j.points[0]).norm(), {}};
      break;
    default:
      break;
  }
  if (j.motion) {
    const auto& [c0, c1, c2] = *j.motion;
    Expr motion = c0 + c1 * expr::time() + c2 * pow(expr::time(), 2);
    if (j.kind == JointKind::slider) motion += j.axes[0].dot(j.points[1] - j.points[0]);
    if (j.kind == JointKind::distance) motion += (j.points[1] - j.points[0]).norm();
    spec.length.reset();
    spec.motion = model::Located{motion, {}};
  }
  if (j.mu > 0) {
    model::FrictionSpec friction;
    friction.mu = {j.mu, {}};
    if (j.kind == JointKind::hinge || j.kind == JointKind::ball)
      friction.radius = model::Located{j.radius, {}};
    if (j.slip > 0) friction.slip = model::Located{j.slip, {}};
    spec.friction = friction;
  }
  return spec;
}

/// Springs, forces, gravity and what is left of the joints.
inline void add_loads(System& s, const Mechanism& m) {
  s.gravity(vector(m.gravity));
  for (const RandomSpring& spring : m.springs) {
    model::SpringSpec spec;
    spec.bodies = {numbered(spring.first), numbered(spring.second)};
    spec.points = {vector(spring.first_point), vector(spring.second_point)};
    spec.stiffness = model::Located{spring.stiffness, {}};
    if (spring.length > 0) spec.rest = model::Located{spring.length, {}};
    if (spring.damping > 0) spec.damping = model::Located{spring.damping, {}};
    s.spring(spec);
  }
  for (const RandomForce& force : m.forces) {
    model::PointForceSpec spec;
    spec.body = static_cast<std::size_t>(force.body);
    spec.point = vector(force.point);
    spec.force = vector(force.force);
    spec.torque = vector(force.torque);
    spec.in_body_axes = force.in_body_axes;
    s.point_force(spec);
  }
}

/// The velocity of a body's origin and its angular velocity, both in the fixed frame.
struct Twist {
  Vector3d velocity = Vector3d::Zero(), spin = Vector3d::Zero();
};

/// The rates of angles or of quaternion components with which a body turns at `spin`.
inline std::vector<double> turn_rates(const RandomBody& b, const Vector3d& spin) {
  if (b.axes.empty()) {
    const Eigen::Quaterniond e(b.turns[0], b.turns[1], b.turns[2], b.turns[3]);
    const Eigen::Quaterniond rate = Eigen::Quaterniond(0, spin.x(), spin.y(), spin.z()) * e;
    return {rate.w() / 2, rate.x() / 2, rate.y() / 2, rate.z() / 2};
  }
  Matrix3d axes, before = Matrix3d::Identity();
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const Vector3d letter = Vector3d::Unit(b.axes[i] - 'x');
    axes.col(k) = before * letter;
    before = before * Eigen::AngleAxisd(b.turns[i], letter).toRotationMatrix();
  }
  const Vector3d rates = axes.inverse() * spin;
  return {rates[0], rates[1], rates[2]};
}

/// Every body by position and orientation of its own; all joints are constraints. Starts with the
/// twists given (one a body) in the configuration chosen, or if there are none scattered about it
/// with random velocities; in both cases to be adjusted.
inline Model absolute(const Mechanism& m, const std::vector<Twist>& twists = {}) {
  System s("random mechanism");
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const RandomBody& b = m.bodies[i];
    model::BodySpec spec;
    spec.name = body_name(i);
    spec.mass = b.mass;
    spec.inertia = matrix(b.inertia);
    spec.center = vector(b.center);
    std::vector<double> at = {b.origin[0], b.origin[1], b.origin[2]};
    at.insert(at.end(), b.turns.begin(), b.turns.end());
    std::vector<double> rates;
    if (!twists.empty()) {
      const Twist& twist = twists[i];
      rates = turn_rates(b, twist.spin);
      rates.insert(rates.begin(), {twist.velocity[0], twist.velocity[1], twist.velocity[2]});
    }
    std::vector<Expr> turns;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const Expr q = s.coordinate(spec.name +
                                  (k < 3 ? std::string(1, "xyz"[k]) : "e" + std::to_string(k - 3)));
      s.initial(q, twists.empty() ? at[k] + m.scatter * random_number(-1, 1) : at[k]);
      s.initial(dot(q), twists.empty() ? random_number(-2, 2) : rates[k]);
      if (k < 3) {
        spec.position[k] = q;
      } else {
        turns.push_back(q);
      }
    }
    if (b.axes.empty()) {
      spec.quaternion = turns;
    } else {
      spec.orientation = model::turn_by_axes(b.axes, turns);
    }
    s.body(spec);
  }
  for (std::size_t i = 0; i < m.joints.size(); ++i) s.joint(joint_spec(m, i));
  add_loads(s, m);
  s.adjust(Adjust::nearest);
  return s.model();
}

/// A tree of hinges and sliders (the first joints, one a body) by one coordinate a joint, each body
/// in the frame of the one it hangs on; further joints are constraints. In the configuration
/// chosen, with random velocities, to be adjusted.
inline Model relative(const Mechanism& m) {
  System s("random mechanism");
  const RandomBody ground;
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const RandomBody& b = m.bodies[i];
    const RandomJoint& j = m.joints[i];
    const RandomBody& parent = j.first < 0 ? ground : m.bodies[static_cast<std::size_t>(j.first)];
    model::BodySpec spec;
    spec.name = body_name(i);
    spec.mass = b.mass;
    spec.inertia = matrix(b.inertia);
    spec.center = vector(b.center);
    if (j.first >= 0) spec.frame = body_name(static_cast<std::size_t>(j.first));
    const Expr q = s.coordinate("q" + std::to_string(i));
    const Vector3d axis = parent.rotation.transpose() * j.axes[0];
    Matrix3d turned = parent.rotation.transpose() * b.rotation;
    double at = 0;
    if (j.kind == JointKind::hinge) {
      at = j.at;
      turned = Eigen::AngleAxisd(-at, axis).toRotationMatrix() * turned;
      spec.orientation = model::turn_about(vector(axis), q) * model::Turn{matrix(turned)};
    } else {
      at = j.axes[0].dot(j.points[1] - j.points[0]);
      spec.orientation = model::Turn{matrix(turned)};
      spec.position = q * vector(axis);
    }
    spec.position = vector(parent.to_body(j.points[0])) + spec.position -
                    spec.orientation.rotation * vector(b.to_body(j.points[1]));
    s.initial(q, at);
    s.initial(dot(q), random_number(-2, 2));
    s.body(spec);
  }
  for (std::size_t i = m.bodies.size(); i < m.joints.size(); ++i) s.joint(joint_spec(m, i));
  add_loads(s, m);
  s.adjust(Adjust::nearest);
  return s.model();
}

}  // namespace dalembert::mechanisms
