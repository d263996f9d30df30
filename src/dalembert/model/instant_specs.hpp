#pragma once
/// Events, contacts and friction that sticks, as a program says them: System::event, contact and
/// friction.

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/expr/parse.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/model/touching.hpp"

namespace dalembert::model {

/// As in Event. One of `when` and `every`.
struct EventSpec {
  std::string name = {};  ///< empty: "event N"
  std::optional<expr::Equation> when = {};
  Event::Direction direction = Event::Direction::both;
  std::optional<Expr> every = {};
  /// Positions x, velocities dot(x) and discrete values, with what they become.
  std::vector<std::pair<Expr, Expr>> set = {};
  bool stop = false;
};

/// As in Contact. With `bodies` instead of gap and slip: as in TouchSpec.
struct ContactSpec {
  std::string name = {};  ///< empty: "contact N"
  std::optional<Expr> gap = {};
  Expr restitution = 0;
  std::optional<ImpactLaw> impact = {};  ///< absent: newton, for one contact at a time
  std::optional<Expr> friction = {}, static_friction = {};
  std::vector<Expr> slip = {};
  std::optional<std::array<std::string, 2>> bodies = {};  ///< names, or "ground"
  std::optional<std::array<Vector, 2>> points = {};
  std::optional<Vector> normal = {};
  std::optional<TouchShape> shape = {};
  std::optional<Expr> radius = {}, length = {};
  std::optional<Vector> axis = {}, semi_axes = {}, size = {};
};

/// As in DryFriction.
struct DryFrictionSpec {
  std::string name = {};  ///< empty: "friction N"
  std::vector<Expr> slip;
  Expr limit;
  std::optional<Expr> static_limit = {};
};

}  // namespace dalembert::model
