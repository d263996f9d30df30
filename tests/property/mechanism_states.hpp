#pragma once
/// A random mechanism at one state: how its bodies move by the accelerations found, worked out from
/// the places of their points alone, and what acts on them, worked out by hand from the numbers of
/// the mechanism. Only reactions are taken from the library's word.

#include <Eigen/SVD>
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "dalembert/flow/instants/kernels.hpp"
#include "dalembert/model/assembly/places.hpp"
#include "dalembert/motion/reactions.hpp"
#include "mechanism_models.hpp"

namespace dalembert::mechanisms {

/// How a body moves; all in the fixed frame.
struct BodyMotion {
  double mass = 0;
  Vector3d center, velocity, acceleration;  ///< of mass
  Vector3d origin;
  Matrix3d rotation, inertia;
  Vector3d spin, spin_rate;

  Vector3d velocity_at(const Vector3d& place) const {
    return velocity + spin.cross(place - center);
  }
  Vector3d moment_of_momentum_rate() const {
    return inertia * spin_rate + spin.cross(inertia * spin);
  }
  double kinetic() const {
    return mass * velocity.squaredNorm() / 2 + spin.dot(inertia * spin) / 2;
  }
  static BodyMotion ground() {
    BodyMotion g;
    for (Vector3d* v : {&g.center, &g.velocity, &g.acceleration, &g.origin, &g.spin, &g.spin_rate})
      v->setZero();
    g.rotation.setIdentity();
    g.inertia.setZero();
    return g;
  }
};

/// Values of expressions at a state with its accelerations and reactions (while friction acts).
class Values {
 public:
  Values(const Model& model, const State& state, const Acceleration* found = nullptr,
         const Motion* motion = nullptr)
      : t_(state.t) {
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
      coordinates_[{model.coordinates[i], 0}] = state.q[i];
      coordinates_[{model.coordinates[i], 1}] = state.v[i];
      if (found != nullptr)
        coordinates_[{model.coordinates[i], 2}] = found->qdd[static_cast<Eigen::Index>(i)];
    }
    if (found == nullptr) return;
    for (std::size_t i = 0; i < model.constraints.size(); ++i)
      multipliers_[model.constraints[i].name] = found->reactions[static_cast<Eigen::Index>(i)];
    for (std::size_t k = 0; motion != nullptr && k < found->named.size(); ++k)
      reactions_[std::string(model::reaction_prefix) + motion->instants()->reactions[k].name] =
          found->named[k];
  }

  double operator()(const Expr& e) const {
    return expr::evaluate(e, [this](const expr::Symbol& s) {
      if (s.kind == expr::SymbolKind::time) return t_;
      if (s.kind == expr::SymbolKind::multiplier) return multipliers_.at(s.name);
      if (s.kind == expr::SymbolKind::parameter) return reactions_.at(s.name);
      return coordinates_.at({s.name, s.order});
    });
  }
  Vector3d operator()(const expr::Vector& v) const {
    return {(*this)(v.x), (*this)(v.y), (*this)(v.z)};
  }
  Matrix3d operator()(const expr::Matrix& m) const {
    Matrix3d result;
    for (int j = 0; j < 3; ++j) result.col(j) = (*this)(m.column(static_cast<std::size_t>(j)));
    return result;
  }

 private:
  double t_;
  std::map<std::pair<std::string, int>, double> coordinates_;
  std::map<std::string, double> multipliers_;
  std::map<std::string, double>
      reactions_;  ///< of friction that slides or sticks, by `reaction.NAME`
};

inline expr::Matrix rate_of(expr::Matrix m) {
  for (auto& row : m.m) {
    for (Expr& e : row) e = time_derivative(e);
  }
  return m;
}

inline Vector3d vector_of(const Matrix3d& skew) {
  return Vector3d(skew(2, 1) - skew(1, 2), skew(0, 2) - skew(2, 0), skew(1, 0) - skew(0, 1)) / 2;
}

/// R' = [w]x R and R'' = ([w']x + [w]x [w]x) R, whose last term is symmetric: the angular velocity
/// and its rate are the skew parts of R' R^T and R'' R^T. Without accelerations only positions and
/// velocities.
inline BodyMotion body_motion(const model::Body& body, const RandomBody& numbers,
                              const Values& value, bool accelerations = true) {
  BodyMotion b = BodyMotion::ground();
  b.mass = numbers.mass;
  b.rotation = value(body.rotation);
  b.origin = value(body.origin);
  b.center = b.origin + b.rotation * numbers.center;
  b.inertia = b.rotation * numbers.inertia * b.rotation.transpose();
  const expr::Matrix turning = rate_of(body.rotation);
  const expr::Vector speed = time_derivative(body.origin);
  const Matrix3d rate = value(turning);
  b.spin = vector_of(rate * b.rotation.transpose());
  b.velocity = value(speed) + rate * numbers.center;
  if (!accelerations) return b;
  const Matrix3d second = value(rate_of(turning));
  b.spin_rate = vector_of(second * b.rotation.transpose());
  b.acceleration = value(time_derivative(speed)) + second * numbers.center;
  return b;
}

/// What a joint exerts on its second body.
struct Wrench {
  Vector3d point, force, moment;
};

/// How many of the mechanisms drawn are of no use to a property.
struct Tally {
  int cases = 0, not_assembled = 0, badly_conditioned = 0;
  int discarded() const { return not_assembled + badly_conditioned; }
};

inline std::ostream& operator<<(std::ostream& out, const Tally& t) {
  return out << t.not_assembled << " not assembled and " << t.badly_conditioned
             << " badly conditioned of " << t.cases;
}

class Solved {
 public:
  Solved(const Mechanism& mechanism, const Motion& compiled, State at)
      : motion(compiled),
        state(std::move(at)),
        found(motion.acceleration(state.t, state.q, state.v)) {
    if (found.status != Status::ok) return;
    const Model& model = motion.model();
    const Values value(model, state, &found, &motion);
    for (std::size_t i = 0; i < mechanism.bodies.size(); ++i)
      bodies.push_back(body_motion(model.bodies[i], mechanism.bodies[i], value));
    for (const model::Joint& joint : model.joints)
      reactions.push_back({value(joint.point), value(joint.force), value(joint.moment)});
    for (const model::Body& body : model.bodies)
      gimbal = std::min(gimbal, std::abs(value(body.gimbal)));
  }

  const BodyMotion& body(int number) const {
    static const BodyMotion ground = BodyMotion::ground();
    return number < 0 ? ground : bodies[static_cast<std::size_t>(number)];
  }

  /// Rounding in the forces grows with the inverse of the smallest singular value of A with rows of
  /// unit length, and where angles are close to gimbal lock. A value of less than 1e-10 is a
  /// dependent row, one between is neither.
  bool well_conditioned() const {
    if (gimbal < 0.1) return false;
    if (found.A.rows() == 0) return true;
    Eigen::MatrixXd rows = found.A;
    for (Eigen::Index j = 0; j < rows.rows(); ++j) rows.row(j).normalize();
    const Eigen::VectorXd sigma = rows.jacobiSvd().singularValues();
    return std::none_of(sigma.begin(), sigma.end(), [](double s) { return s > 1e-10 && s < 1e-2; });
  }

  Motion motion;
  State state;
  Acceleration found;
  std::vector<BodyMotion> bodies;
  std::vector<Wrench> reactions;  ///< by joint
  double gimbal = 1;
};

/// At the initial state of the model; discards the case of a property where that is of no use.
inline Solved solve(const Mechanism& m, const Model& model, Tally& tally) {
  ++tally.cases;
  const Motion motion = compile(model).value();
  const auto start = initial_state(motion);
  if (!start) {
    ++tally.not_assembled;
    RC_DISCARD("cannot be assembled");
  }
  Solved solved(m, motion, start->state);
  RC_ASSERT(solved.found.problem == "");
  if (!solved.well_conditioned()) {
    ++tally.badly_conditioned;
    RC_DISCARD("badly conditioned");
  }
  return solved;
}

/// Force and moment about the centre of mass of a body.
struct Load {
  Vector3d force = Vector3d::Zero(), moment = Vector3d::Zero();
};

class Loads {
 public:
  Loads(const Solved& s, const Mechanism& m) : solved_(s), loads_(m.bodies.size()) {
    for (std::size_t i = 0; i < m.bodies.size(); ++i)
      add(static_cast<int>(i), s.bodies[i].center, m.bodies[i].mass * m.gravity, Vector3d::Zero());
    for (const RandomSpring& spring : m.springs) {
      const BodyMotion &A = s.body(spring.first), &B = s.body(spring.second);
      const Vector3d a = A.origin + A.rotation * spring.first_point;
      const Vector3d b = B.origin + B.rotation * spring.second_point;
      const Vector3d along = (b - a).normalized();
      const double rate = along.dot(B.velocity_at(b) - A.velocity_at(a));
      const double pull =
          spring.stiffness * ((b - a).norm() - spring.length) + spring.damping * rate;
      add(spring.first, a, pull * along, Vector3d::Zero());
      add(spring.second, b, -pull * along, Vector3d::Zero());
    }
    for (const RandomForce& f : m.forces) {
      const BodyMotion& b = s.body(f.body);
      const Matrix3d axes = f.in_body_axes ? b.rotation : Matrix3d::Identity();
      add(f.body, b.origin + b.rotation * f.point, axes * f.force, axes * f.torque);
    }
  }

  void add_reactions(const Mechanism& m) {
    for (std::size_t i = 0; i < m.joints.size(); ++i) {
      const Wrench& w = solved_.reactions[i];
      add(m.joints[i].second, w.point, w.force, w.moment);
      add(m.joints[i].first, w.point, -w.force, -w.moment);
    }
  }

  const Load& of(std::size_t body) const { return loads_[body]; }
  /// The sum of all magnitudes: what rounding is measured by.
  double scale() const { return scale_; }

 private:
  void add(int body, const Vector3d& place, const Vector3d& force, const Vector3d& moment) {
    const Vector3d turning = moment + (place - solved_.body(body).center).cross(force);
    scale_ += force.norm() + turning.norm();
    if (body < 0) return;
    Load& load = loads_[static_cast<std::size_t>(body)];
    load.force += force;
    load.moment += turning;
  }

  const Solved& solved_;
  std::vector<Load> loads_;
  double scale_ = 0;
};

/// Of gravity and springs.
inline double potential(const Mechanism& m, const std::vector<BodyMotion>& bodies) {
  double V = 0;
  for (const BodyMotion& b : bodies) V -= b.mass * m.gravity.dot(b.center);
  const BodyMotion ground = BodyMotion::ground();
  for (const RandomSpring& s : m.springs) {
    const BodyMotion& A = s.first < 0 ? ground : bodies[static_cast<std::size_t>(s.first)];
    const BodyMotion& B = bodies[static_cast<std::size_t>(s.second)];
    const double length =
        (B.origin + B.rotation * s.second_point - A.origin - A.rotation * s.first_point).norm();
    V += s.stiffness * (length - s.length) * (length - s.length) / 2;
  }
  return V;
}

struct Momentum {
  Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero();
  double scale = 0;  ///< sum of magnitudes
};

inline Momentum momentum(const std::vector<BodyMotion>& bodies) {
  Momentum p;
  for (const BodyMotion& b : bodies) {
    const Vector3d linear = b.mass * b.velocity, own = b.inertia * b.spin;
    p.linear += linear;
    p.angular += b.center.cross(linear) + own;
    p.scale += linear.norm() * (1 + b.center.norm()) + own.norm();
  }
  return p;
}

}  // namespace dalembert::mechanisms
