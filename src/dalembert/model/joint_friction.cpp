#include <fmt/format.h>

#include "dalembert/model/joint_rows.hpp"

namespace dalembert::model {

namespace {

/// v_i / |v|: zero at rest, like the sign of a single speed.
std::vector<Expr> directed(const std::vector<Expr>& speeds, const std::optional<Located>& slip) {
  std::vector<Expr> squares;
  for (const Expr& v : speeds) squares.push_back(pow(v, 2));
  const Expr square = expr::sum(squares);
  std::vector<Expr> result;
  for (const Expr& v : speeds) {
    if (slip) {
      result.push_back(v / sqrt(square + pow(slip->expr, 2)));
    } else if (speeds.size() == 1) {
      result.push_back(sign(v));
    } else {
      // Far below any speed that matters, and far above what underflows when squared.
      const Expr at_rest = 1e-30;
      result.push_back(v / max(sqrt(square), at_rest));
    }
  }
  return result;
}

/// -mu, or -mu r of what turns.
Expr strength_of(const FrictionSpec& friction, const Sliding& sliding) {
  const Expr strength = -friction.mu.expr;
  return sliding.turns ? strength * friction.radius->expr : strength;
}

}  // namespace

Expr slides(std::string_view joint, std::size_t component) {
  return expr::auxiliary(fmt::format("{} slides {}", joint, component + 1));
}

FrictionWrench friction_wrench(const JointSpec& spec, const Sliding& sliding) {
  std::vector<Expr> speeds = sliding.speeds;
  if (!spec.friction->slip) {
    for (std::size_t i = 0; i < speeds.size(); ++i) speeds[i] *= slides(spec.name, i);
  }
  const std::vector<Expr> along = directed(speeds, spec.friction->slip);
  Vector total;
  for (std::size_t i = 0; i < along.size(); ++i) total = total + along[i] * sliding.directions[i];
  FrictionWrench result;
  (sliding.turns ? result.moment : result.force) = strength_of(*spec.friction, sliding) * total;
  return result;
}

Friction friction_of(const Model& model, const JointSpec& spec, const Sliding& sliding) {
  Friction result;
  result.joint = spec.name;
  result.normal = sliding.normal;
  result.where = spec.friction->where;
  // In the sliding speeds themselves: the power of friction is the sum of its components along the
  // directions, times the speeds there.
  const std::vector<Expr> along = directed(sliding.speeds, spec.friction->slip);
  const Expr strength = strength_of(*spec.friction, sliding);
  Vector speed, force;
  for (std::size_t i = 0; i < along.size(); ++i) {
    speed[i] = sliding.speeds[i];
    force[i] = strength * along[i];
  }
  result.direction.assign(model.coordinates.size(), Expr(0));
  for (const auto& [k, e] : generalized_force(model, speed, force, {}, {})) result.direction[k] = e;
  if (!spec.friction->slip) {
    result.speeds = sliding.speeds;
    result.strength = strength;
  }
  return result;
}

}  // namespace dalembert::model
