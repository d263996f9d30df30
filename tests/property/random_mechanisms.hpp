#pragma once
/// Random mechanisms in space: bodies in random places, joined there in random ways, so that the
/// places chosen are an assembled configuration whatever the joints and however many. From the same
/// data come models, see mechanism_models.hpp.

#include <rapidcheck.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "dalembert/dalembert.hpp"

namespace dalembert::mechanisms {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using model::JointKind;

/// Uniform on low..high, whatever the size of the test case.
inline int random_integer(int low, int high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
}

/// On a grid of a thousandth. Not shrunk: a smaller number is no simpler mechanism.
inline double random_number(double low, double high) {
  const int steps = static_cast<int>(std::lround((high - low) * 1000));
  return low +
         *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, steps + 1))) /
             1000.0;
}

inline bool one_in(int n) {
  return random_integer(0, n - 1) == n - 1;
}

inline Vector3d random_vector(double size) {
  return {random_number(-size, size), random_number(-size, size), random_number(-size, size)};
}

inline Vector3d random_direction() {
  const double height = random_number(-0.95, 0.95), angle = random_number(-3, 3);
  const double width = std::sqrt(1 - height * height);
  return {width * std::cos(angle), width * std::sin(angle), height};
}

/// A unit vector perpendicular to another.
inline Vector3d random_normal(const Vector3d& to) {
  const Vector3d e1 = to.unitOrthogonal(), e2 = to.cross(e1);
  const double angle = random_number(-3, 3);
  return std::cos(angle) * e1 + std::sin(angle) * e2;
}

inline Matrix3d random_rotation() {
  return Eigen::AngleAxisd(random_number(-3, 3), random_direction()).toRotationMatrix();
}

/// Where the body is in the configuration chosen, and how it is described there.
struct RandomBody {
  double mass = 1;
  Matrix3d inertia = Matrix3d::Identity();  ///< about the centre of mass, body axes
  Vector3d center = Vector3d::Zero();       ///< of mass, from the origin, body axes
  Vector3d origin = Vector3d::Zero();
  Matrix3d rotation = Matrix3d::Identity();
  std::string axes;           ///< three letters; empty: a quaternion
  std::vector<double> turns;  ///< three angles or four components: these make up `rotation`

  Vector3d to_body(const Vector3d& place) const { return rotation.transpose() * (place - origin); }
};

/// A joint of the configuration chosen: places and directions are those in the fixed frame there.
struct RandomJoint {
  JointKind kind = JointKind::ball;
  int first = -1, second = 0;  ///< -1: ground
  std::array<Vector3d, 2> points = {Vector3d::Zero(), Vector3d::Zero()};
  std::array<Vector3d, 2> axes = {Vector3d::UnitZ(), Vector3d::UnitZ()};  ///< or normals
  Vector3d reference = Vector3d::UnitX();                                 ///< across the axis
  bool by_references = false;  ///< slider: its orientation is told by references, not by frames
  double at = 0;               ///< hinge in relative coordinates: the angle there
  std::optional<std::array<double, 3>> motion;  ///< c0 + c1 t + c2 t^2 from where it is
  Vector3d shaken = Vector3d::Zero();           ///< the first point moves at this velocity
  double mu = 0, radius = 0.05, slip = 0;       ///< of friction
};

struct RandomSpring {
  int first = -1, second = 0;
  Vector3d first_point = Vector3d::Zero(), second_point = Vector3d::Zero();  ///< body axes
  double stiffness = 1, length = 0, damping = 0;
};

struct RandomForce {
  int body = 0;
  Vector3d point = Vector3d::Zero(), force = Vector3d::Zero(), torque = Vector3d::Zero();
  bool in_body_axes = false;
};

struct Mechanism {
  std::vector<RandomBody> bodies;
  std::vector<RandomJoint> joints;
  std::vector<RandomSpring> springs;
  std::vector<RandomForce> forces;
  Vector3d gravity = Vector3d::Zero();
  double scatter = 0;  ///< of positions about the configuration chosen
};

inline std::ostream& operator<<(std::ostream& out, const Mechanism& m) {
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const RandomBody& b = m.bodies[i];
    out << "body " << i << ": mass " << b.mass << ", "
        << (b.axes.empty() ? std::string("quaternion") : b.axes) << "\n";
  }
  for (const RandomJoint& j : m.joints) {
    out << to_string(j.kind) << " of " << j.first << " and " << j.second
        << (j.motion ? ", driven" : "") << (j.shaken.norm() > 0 ? ", shaken" : "")
        << (j.mu > 0 ? ", rough" : "") << "\n";
  }
  return out << m.springs.size() << " springs, " << m.forces.size() << " forces\n";
}

inline Matrix3d turned_by(const std::string& axes, const std::vector<double>& turns) {
  if (axes.empty())
    return Eigen::Quaterniond(turns[0], turns[1], turns[2], turns[3]).toRotationMatrix();
  Matrix3d R = Matrix3d::Identity();
  for (std::size_t i = 0; i < 3; ++i)
    R = R * Eigen::AngleAxisd(turns[i], Vector3d::Unit(axes[i] - 'x')).toRotationMatrix();
  return R;
}

/// Second moments s about three random axes make up the moments of inertia s_j + s_k, which is what
/// a body can have.
inline RandomBody random_body() {
  RandomBody b;
  b.mass = random_number(0.5, 3);
  const Vector3d s(random_number(0.05, 0.5), random_number(0.05, 0.5), random_number(0.05, 0.5));
  const Matrix3d P = random_rotation();
  const Matrix3d J = P * (s.sum() * Vector3d::Ones() - s).asDiagonal() * P.transpose();
  b.inertia = b.mass * (J + J.transpose()) / 2;
  if (one_in(2)) b.center = random_vector(0.3);
  b.origin = random_vector(1.5);
  if (one_in(2)) {
    const Eigen::Quaterniond e(random_rotation());
    b.turns = {e.w(), e.x(), e.y(), e.z()};
  } else {
    // Away from gimbal lock, which is at 0 for sequences such as zxz and at pi/2 for the others.
    const int first = random_integer(0, 2), second = (first + random_integer(1, 2)) % 3;
    const int third = (second + random_integer(1, 2)) % 3;
    for (const int letter : {first, second, third}) b.axes += static_cast<char>('x' + letter);
    const double middle = random_number(-1, 1) + (first == third ? std::numbers::pi / 2 : 0);
    b.turns = {random_number(-3, 3), middle, random_number(-3, 3)};
  }
  b.rotation = turned_by(b.axes, b.turns);
  return b;
}

/// Joined where they are: points that meet are chosen to meet there, and so on.
inline RandomJoint random_joint(JointKind kind, const std::vector<RandomBody>& bodies, int first,
                                int second) {
  RandomJoint j;
  j.kind = kind;
  j.first = first;
  j.second = second;
  const Vector3d a = random_direction(), across = random_normal(a);
  j.axes = {a, a};
  j.reference = across;
  j.points[1] = bodies[static_cast<std::size_t>(second)].origin + random_vector(0.8);
  j.points[0] = j.points[1];
  switch (kind) {
    case JointKind::universal:
      j.axes[1] = across;
      break;
    case JointKind::slider:
    case JointKind::point_on_line:
      j.points[0] += random_number(-1, 1) * a;
      break;
    case JointKind::point_on_plane:
      j.points[0] += random_number(-1, 1) * across;
      break;
    case JointKind::distance:
      j.points[0] += random_number(0.5, 1.5) * a;
      break;
    default:
      break;
  }
  j.by_references = one_in(2);
  j.at = random_number(-2, 2);
  return j;
}

inline JointKind random_kind(const std::vector<JointKind>& among) {
  return among[static_cast<std::size_t>(random_integer(0, static_cast<int>(among.size()) - 1))];
}

inline const std::vector<JointKind> all_kinds = {
    JointKind::ball,     JointKind::hinge,          JointKind::slider,        JointKind::universal,
    JointKind::distance, JointKind::point_on_plane, JointKind::point_on_line, JointKind::weld};

/// Each body hangs on an earlier one, or on the ground if there is one. Few bodies are more
/// frequent than many: what is wrong with joints is wrong with few.
inline Mechanism random_tree(int most, const std::vector<JointKind>& kinds, bool grounded = true) {
  Mechanism m;
  int bodies = 2;
  while (bodies < most && one_in(3)) ++bodies;
  for (int i = 0; i < bodies; ++i) {
    m.bodies.push_back(random_body());
    const int lowest = grounded ? -1 : 0;
    if (i <= lowest) continue;
    m.joints.push_back(
        random_joint(random_kind(kinds), m.bodies, random_integer(lowest, i - 1), i));
  }
  if (grounded) m.gravity = random_vector(10);
  m.scatter = 0.2;
  return m;
}

/// One more joint between two bodies, or a body and the ground.
inline void close_loop(Mechanism& m, const std::vector<JointKind>& kinds) {
  const int second = random_integer(1, static_cast<int>(m.bodies.size()) - 1);
  m.joints.push_back(
      random_joint(random_kind(kinds), m.bodies, random_integer(-1, second - 1), second));
}

inline void add_springs(Mechanism& m, bool grounded, bool damped) {
  const int count = random_integer(1, 2);
  for (int k = 0; k < count; ++k) {
    RandomSpring s;
    s.second = random_integer(1, static_cast<int>(m.bodies.size()) - 1);
    s.first = random_integer(grounded ? -1 : 0, s.second - 1);
    s.first_point = random_vector(0.8);
    s.second_point = random_vector(0.8);
    s.stiffness = random_number(1, 20);
    if (one_in(2)) s.length = random_number(0.2, 1);
    if (damped && one_in(2)) s.damping = random_number(0.1, 2);
    m.springs.push_back(s);
  }
}

inline void add_force(Mechanism& m) {
  RandomForce f;
  f.body = random_integer(0, static_cast<int>(m.bodies.size()) - 1);
  f.point = random_vector(0.8);
  f.force = random_vector(5);
  f.torque = random_vector(3);
  f.in_body_axes = one_in(2);
  m.forces.push_back(f);
}

}  // namespace dalembert::mechanisms
