#include <fmt/format.h>

#include "dalembert/expr/graph.hpp"
#include "dalembert/model/assembly/places.hpp"
#include "dalembert/model/joint_rows.hpp"
#include "dalembert/model/vanishing.hpp"

namespace dalembert::model {

namespace {

/// v_i / sqrt(v^2 + slip^2).
std::vector<Expr> directed(const std::vector<Expr>& speeds, const Located& slip) {
  std::vector<Expr> squares;
  for (const Expr& v : speeds) squares.push_back(pow(v, 2));
  const Expr square = expr::sum(squares);
  std::vector<Expr> result;
  for (const Expr& v : speeds) result.push_back(v / sqrt(square + pow(slip.expr, 2)));
  return result;
}

/// mu, or mu r of what turns.
Expr strength_of(const Expr& mu, const FrictionSpec& friction, const Sliding& sliding) {
  return sliding.turns ? mu * friction.radius->expr : mu;
}

Expr reaction(const std::string& of) {
  return expr::parameter(std::string(reaction_prefix) + of);
}

FrictionWrench wrench_of(const Sliding& sliding, const std::vector<Expr>& components) {
  Vector total;
  for (std::size_t i = 0; i < components.size(); ++i)
    total = total + components[i] * sliding.directions[i];
  FrictionWrench result;
  (sliding.turns ? result.moment : result.force) = total;
  return result;
}

}  // namespace

std::string friction_name(std::string_view joint) {
  return fmt::format("{}.friction", joint);
}

std::string friction_name(std::string_view joint, std::size_t k) {
  return fmt::format("{}.friction.{}", joint, k + 1);
}

std::string normal_name(std::string_view joint) {
  return fmt::format("{}.normal", joint);
}

FrictionWrench friction_wrench(const JointSpec& spec, const Sliding& sliding) {
  const std::vector<Expr> along = directed(sliding.speeds, *spec.friction->slip);
  Vector total;
  for (std::size_t i = 0; i < along.size(); ++i) total = total + along[i] * sliding.directions[i];
  FrictionWrench result;
  (sliding.turns ? result.moment : result.force) =
      strength_of(-spec.friction->mu.expr, *spec.friction, sliding) * total;
  return result;
}

Friction friction_of(const Model& model, const JointSpec& spec, const Sliding& sliding) {
  Friction result;
  result.joint = spec.name;
  result.normal = sliding.normal;
  result.where = spec.friction->where;
  // In the sliding speeds themselves: the power of friction is the sum of its components along the
  // directions, times the speeds there.
  const std::vector<Expr> along = directed(sliding.speeds, *spec.friction->slip);
  const Expr strength = strength_of(-spec.friction->mu.expr, *spec.friction, sliding);
  Vector speed, force;
  for (std::size_t i = 0; i < along.size(); ++i) {
    speed[i] = sliding.speeds[i];
    force[i] = strength * along[i];
  }
  result.direction.assign(model.coordinates.size(), Expr(0));
  for (const auto& [k, e] : generalized_force(model, speed, force, {}, {})) result.direction[k] = e;
  return result;
}

std::optional<std::string> reduce_to_slips(Sliding& sliding) {
  const auto has_velocity = [](const Expr& e) {
    return expr::find_symbol(e,
                             [](const expr::Symbol& s) {
                               return s.kind == expr::SymbolKind::coordinate && s.order == 1;
                             })
        .has_value();
  };
  Sliding left = sliding;
  left.speeds.clear();
  left.directions.clear();
  for (std::size_t i = 0; i < sliding.speeds.size(); ++i) {
    const Expr& speed = sliding.speeds[i];
    if (is_identically_zero(speed)) continue;
    if (!has_velocity(speed))
      return "the speed along which it acts is prescribed, and what sticks needs a velocity of its "
             "own: give the friction a slip";
    left.speeds.push_back(speed);
    left.directions.push_back(sliding.directions[i]);
  }
  if (left.speeds.empty())
    return fmt::format("nothing can {} in it: leave out 'friction'",
                       sliding.turns ? "turn" : "slide");
  sliding = std::move(left);
  return std::nullopt;
}

DryFriction dry_friction_of(Model& model, const JointSpec& spec, const Sliding& sliding) {
  const FrictionSpec& said = *spec.friction;
  DryFriction result;
  result.name = friction_name(spec.name);
  result.joint = spec.name;
  result.where = said.where;
  result.normal = sliding.normal;
  for (const Expr& speed : sliding.speeds) result.slip.push_back({speed, said.where});
  const Expr N = reaction(normal_name(spec.name));
  result.limit = {strength_of(said.mu.expr, said, sliding) * N, said.mu.where};
  if (said.static_mu)
    result.static_limit =
        Located{strength_of(said.static_mu->expr, said, sliding) * N, said.static_mu->where};
  const auto use = [&](std::string name) {
    model.parameters.push_back({std::string(reaction_prefix) + name, Expr(0), said.where});
    model.used_reactions.push_back(std::move(name));
  };
  use(normal_name(spec.name));
  for (std::size_t k = 0; k < sliding.speeds.size(); ++k) use(friction_name(spec.name, k));
  return result;
}

FrictionWrench dry_friction_wrench(const JointSpec& spec, const Sliding& sliding) {
  std::vector<Expr> components;
  for (std::size_t k = 0; k < sliding.speeds.size(); ++k)
    components.push_back(reaction(friction_name(spec.name, k)));
  return wrench_of(sliding, components);
}

}  // namespace dalembert::model
