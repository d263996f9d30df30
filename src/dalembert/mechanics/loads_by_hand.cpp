#include "dalembert/mechanics/loads_by_hand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/model/joint_geometry.hpp"

namespace dalembert::mechanics {

using expr::Expr;
using expr::Symbol;
using expr::SymbolKind;
using model::Vector;

namespace {

constexpr double rounding = 1e-8;  // of sums whose terms may be large and cancel

bool is_constant(const Vector& v) {
  return std::ranges::none_of(expr::symbols(std::array{v.x, v.y, v.z}), [](const Expr& s) {
    return s.symbol().kind == SymbolKind::coordinate || s.symbol().kind == SymbolKind::time;
  });
}

class Finder {
 public:
  Finder(const model::Model& model, const BodyLinks& links) : model_(model), links_(links) {}

  HandLoads run() {
    const model::ByHand& hand = *model_.by_hand;
    const std::size_t n = model_.coordinates.size();
    for (std::size_t k = 0; k < n; ++k) {
      const std::string& name = model_.coordinates[k];
      const Expr q = expr::coordinate(name), v = expr::coordinate(name, 1);
      if (!model_.mass_matrix.empty() || contains(hand.kinetic, name))
        leave_open(k, fmt::format("[energy] gives '{}' an inertia that belongs to no body", name));
      const Expr applied = hand.forces
                               ? (*hand.forces)[k]
                               : (k < model_.forces.size() ? model_.forces[k].expr : Expr(0));
      law(k, applied, fmt::format("the force along '{}'", name));
      law(k, -expr::differentiate(hand.dissipation, v),
          fmt::format("the dissipation along '{}'", name));
      if (k < model_.virtual_work.size())
        law(k, model_.virtual_work[k].expr, fmt::format("the virtual work along '{}'", name));
      strict(k, -expr::differentiate(hand.potential, q),
             fmt::format("the potential energy of [energy] acts along '{}' and does not say on "
                         "which body; write gravity or [[spring]] instead",
                         name));
    }
    constraints();
    gears();
    const std::vector<bool> complete = add_up();
    for (std::size_t k = 0; k < n; ++k) {
      if (!complete[k])
        leave_open(k, fmt::format("more acts along '{}' than the loads on bodies and what is "
                                  "written by hand",
                                  model_.coordinates[k]));
    }
    return std::move(result_);
  }

 private:
  static bool contains(const Expr& e, const std::string& coordinate) {
    return expr::find_symbol(e,
                             [&](const Symbol& s) {
                               return s.kind == SymbolKind::coordinate && s.name == coordinate;
                             })
        .has_value();
  }

  void leave_open(std::size_t coordinate, const std::string& why) {
    for (const std::size_t body : links_.moved_by(coordinate)) result_.open.try_emplace(body, why);
  }

  /// A force, a dissipation, virtual work: such as motors and dampers exert.
  void law(std::size_t k, const Expr& along, const std::string& subject) {
    if (along.is_zero()) return;
    if (const auto motor = links_.motor_of(k)) {
      const model::Joint& joint = model_.joints[motor->joint];
      const Vector acting = (motor->sign * along) * *joint.axis;
      const bool turns = joint.kind == model::JointKind::hinge;
      for (std::size_t side = 0; side < 2; ++side) {
        const std::size_t node = links_.nodes(motor->joint)[side];
        if (node == 0) continue;
        const Vector on = side == 1 ? acting : -acting;
        result_.loads.push_back(
            {node - 1, joint.point, turns ? Vector{} : on, turns ? on : Vector{}});
      }
      note(fmt::format("{} is taken to be that of a motor in joint '{}'", subject, joint.name));
      return;
    }
    if (const auto turned = links_.turned_by(k)) {
      push(*turned, k, along, true);
      note(fmt::format("{} is taken to be a couple on '{}'", subject, model_.bodies[*turned].name));
      return;
    }
    const std::optional<std::size_t> body = apply(k, along, false);
    if (body) {
      if (*body < model_.bodies.size())
        note(fmt::format("{} is taken to act on '{}' at its centre of mass", subject,
                         model_.bodies[*body].name));
      return;
    }
    leave_open(
        k, fmt::format("{} does not say on which body it acts; write [[force]] instead", subject));
  }

  /// A potential, a constraint: forces that may have any direction and place, but for coordinates
  /// which tell all of it.
  void strict(std::size_t k, const Expr& along, const std::string& why) {
    if (!along.is_zero() && !apply(k, along, true)) leave_open(k, why);
  }

  /// As a force at the centre of mass of the only body that moves, or a couple; the body's number,
  /// or that of all bodies where none moves.
  std::optional<std::size_t> apply(std::size_t k, const Expr& along, bool fixed_direction) {
    const std::vector<std::size_t> moved = links_.moved_by(k);
    if (moved.empty()) return model_.bodies.size();
    if (moved.size() > 1) return std::nullopt;
    for (const bool turns : {false, true}) {
      if (!links_.moves_apart(k, moved.front(), turns)) continue;
      if (fixed_direction && !is_constant(direction(moved.front(), k, turns))) return std::nullopt;
      push(moved.front(), k, along, turns);
      return moved.front();
    }
    return std::nullopt;
  }

  /// The velocity, or the angular velocity, of a body while a coordinate moves at 1.
  Vector direction(std::size_t body, std::size_t k, bool turns) const {
    const model::Body& b = model_.bodies[body];
    const Expr v = expr::coordinate(model_.coordinates[k], 1);
    const Vector rate = turns ? b.rotation * b.spin : b.velocity;
    return {expr::differentiate(rate.x, v), expr::differentiate(rate.y, v),
            expr::differentiate(rate.z, v)};
  }

  void push(std::size_t body, std::size_t k, const Expr& along, bool turns) {
    const Vector u = direction(body, k, turns);
    const Vector acting = (along / dot(u, u)) * u;
    result_.loads.push_back({body, model_.bodies[body].center_of_mass, turns ? Vector{} : acting,
                             turns ? acting : Vector{}});
  }

  /// Those that neither a joint nor a quaternion has brought.
  void constraints() {
    std::unordered_set<std::string> known;
    for (const model::Joint& joint : model_.joints)
      known.insert(joint.constraints.begin(), joint.constraints.end());
    const auto of_quaternion = [&](const model::Constraint& constraint) {
      return std::ranges::any_of(model_.bodies, [&](const model::Body& body) {
        return constraint.name.starts_with(body.name + ".unit");
      });
    };
    for (const model::Constraint& constraint : model_.constraints) {
      if (known.contains(constraint.name) || of_quaternion(constraint)) continue;
      const int order = static_cast<int>(model::level(constraint));
      for (std::size_t k = 0; k < model_.coordinates.size(); ++k) {
        const Expr slope = expr::differentiate(constraint.residual,
                                               expr::coordinate(model_.coordinates[k], order));
        strict(k, expr::multiplier(constraint.name) * slope,
               fmt::format("constraint '{}' acts along '{}' and does not say on which body; write "
                           "[[joint]] instead",
                           constraint.name, model_.coordinates[k]));
      }
    }
  }

  /// A drive whose motion depends on coordinates acts along these too.
  void gears() {
    for (const model::Joint& joint : model_.joints) {
      if (!joint.motion) continue;
      for (std::size_t k = 0; k < model_.coordinates.size(); ++k) {
        if (contains(*joint.motion, model_.coordinates[k]))
          leave_open(k, fmt::format("the motion of joint '{}' acts along '{}' too", joint.name,
                                    model_.coordinates[k]));
      }
    }
  }

  /// Whether the loads of bodies and what is written by hand make up all that acts along each
  /// coordinate, as they must unless someone has changed the model since; at states drawn at
  /// random.
  std::vector<bool> add_up() const {
    const model::ByHand& hand = *model_.by_hand;
    const std::size_t n = model_.coordinates.size();
    std::vector<Expr> q, v;
    for (const std::string& name : model_.coordinates) {
      q.push_back(expr::coordinate(name));
      v.push_back(expr::coordinate(name, 1));
    }
    std::vector<std::vector<Expr>> terms(n);
    const auto subtract = [&](const std::vector<Expr>& along) {
      for (std::size_t k = 0; k < n; ++k) terms[k].push_back(-along[k]);
    };
    if (model_.potential) subtract(expr::gradient(model_.potential->expr - hand.potential, q));
    if (model_.dissipation)
      subtract(expr::gradient(model_.dissipation->expr - hand.dissipation, v));
    for (std::size_t k = 0; hand.forces && k < n; ++k)
      terms[k].push_back(model_.forces[k].expr - (*hand.forces)[k]);
    for (const model::Load& load : model_.loads) {
      const model::Body& body = model_.bodies[load.body];
      const Vector spin = body.rotation * body.spin;
      const Vector moving = body.velocity + cross(spin, load.point - body.center_of_mass);
      for (const auto& [k, e] :
           model::generalized_force(model_, moving, load.force, spin, load.torque))
        terms[k].push_back(-e);
    }
    std::vector<bool> result(n, true);
    for (const unsigned draw : {1U, 2U}) {
      for (std::size_t k = 0; k < n; ++k) {
        double sum = 0, size = 0;
        for (const double x : drawn(terms[k], draw)) {
          sum += x;
          size += std::abs(x);
        }
        if (std::abs(sum) > rounding * size) result[k] = false;
      }
    }
    // Off unit length a quaternion stretches its body, and forces do work in that.
    for (const auto& quaternion : model_.quaternions) {
      for (const std::size_t k : quaternion) result[k] = true;
    }
    return result;
  }

  static std::vector<double> drawn(const std::vector<Expr>& terms, unsigned draw) {
    std::vector<double> result;
    for (const Expr& term : terms) {
      result.push_back(expr::evaluate(term, [&](const Symbol& s) {
        return 0.25 + static_cast<double>(expr::symbol(s).hash() % 1009 * draw % 1009) / 1009;
      }));
    }
    return result;
  }

  void note(std::string sentence) { result_.notes.push_back(std::move(sentence)); }

  const model::Model& model_;
  const BodyLinks& links_;
  HandLoads result_;
};

}  // namespace

HandLoads find_hand_loads(const model::Model& model, const BodyLinks& links) {
  return Finder(model, links).run();
}

}  // namespace dalembert::mechanics
