#pragma once
/// A model with joints solved at one state, and what its expressions are worth there.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <string>

#include "../model/bodies_by_hand.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/flow/compiled.hpp"
#include "dalembert/flow/state/initial_state.hpp"

namespace dalembert::motion {

using model::JointKind;
using model::JointSpec;
using model::Located;
using model::Location;
using model::Model;
using model::Vector;

/// Adds a joint, which must be welcome.
inline void join(Model& model, const JointSpec& spec) {
  for (const model::Diagnostic& found : add_joint(model, spec)) ADD_FAILURE() << found.message;
}

inline void gravity(Model& model, const Vector& g) {
  expr::Expr V = model.potential ? model.potential->expr : expr::Expr(0);
  for (std::size_t k = 0; k < model.bodies.size(); ++k) {
    const model::Body& body = model.bodies[k];
    V -= body.mass * dot(g, body.center_of_mass);
    model.loads.push_back({k, body.center_of_mass, body.mass * g, Vector{}});
  }
  model.potential = Located{V, {}};
}

inline void set(Model& model, const std::string& name, double q, double v = 0) {
  for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
    if (model.coordinates[i] != name) continue;
    model.initial.q[i].expr = q;
    model.initial.v[i].expr = v;
    return;
  }
  ADD_FAILURE() << "no coordinate " << name;
}

/// A quaternion turned by an angle about a unit axis, and turning about it.
inline void set_turn(Model& model, const std::string& body, const Eigen::Vector3d& axis,
                     double angle, double rate) {
  set(model, body + "e0", std::cos(angle / 2), -std::sin(angle / 2) * rate / 2);
  for (int i = 0; i < 3; ++i) {
    set(model, body + "e" + std::to_string(i + 1), std::sin(angle / 2) * axis[i],
        std::cos(angle / 2) * rate / 2 * axis[i]);
  }
}

class Solved {
 public:
  explicit Solved(const Model& model)
      : motion_(compile(model).value()),
        state_(start(motion_)),
        result_(motion_.acceleration(state_.t, state_.q, state_.v)) {
    EXPECT_EQ(result_.problem, "");
  }

  const Model& model() const { return motion_.model(); }
  const Motion& motion() const { return motion_; }
  const State& state() const { return state_; }
  const Acceleration& result() const { return result_; }

  /// Of anything, multipliers and accelerations included.
  double operator()(const expr::Expr& e) const {
    return expr::evaluate(e, [this](const expr::Symbol& s) {
      if (s.kind == expr::SymbolKind::time) return state_.t;
      if (s.kind == expr::SymbolKind::auxiliary) return 1.0;  // what may slide does
      if (s.kind == expr::SymbolKind::parameter) {
        for (std::size_t i = 0; i < model().parameters.size(); ++i) {
          if (model().parameters[i].name == s.name) return motion_.parameters()[i];
        }
      }
      if (s.kind == expr::SymbolKind::multiplier) {
        for (std::size_t i = 0; i < model().constraints.size(); ++i) {
          if (model().constraints[i].name == s.name)
            return result_.multipliers[static_cast<Eigen::Index>(i)];
        }
      }
      for (std::size_t i = 0; i < model().coordinates.size(); ++i) {
        if (model().coordinates[i] != s.name) continue;
        return s.order == 0   ? state_.q[i]
               : s.order == 1 ? state_.v[i]
                              : result_.qdd[static_cast<Eigen::Index>(i)];
      }
      ADD_FAILURE() << "unknown " << s.name;
      return 0.0;
    });
  }
  Eigen::Vector3d operator()(const Vector& v) const {
    return {(*this)(v.x), (*this)(v.y), (*this)(v.z)};
  }
  double acceleration(const std::string& name) const { return (*this)(expr::coordinate(name, 2)); }
  const model::Joint& joint(const std::string& name) const {
    for (const model::Joint& j : model().joints) {
      if (j.name == name) return j;
    }
    throw std::invalid_argument("no joint " + name);
  }

 private:
  static State start(const Motion& motion) {
    auto found = initial_state(motion);
    EXPECT_TRUE(found) << (found ? "" : to_string(found.error()));
    return found ? found->state : motion.written_initial_state().value();
  }

  Motion motion_;
  State state_;
  Acceleration result_;
};

}  // namespace dalembert::motion
