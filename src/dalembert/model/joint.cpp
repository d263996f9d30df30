#include "dalembert/model/joint.hpp"

#include <fmt/format.h>

#include "dalembert/expr/graph.hpp"
#include "dalembert/model/complaints.hpp"
#include "dalembert/model/instants.hpp"
#include "dalembert/model/joint_rows.hpp"
#include "dalembert/model/vanishing.hpp"

namespace dalembert::model {

std::string_view to_string(Shape shape) {
  switch (shape) {
    case Shape::sphere:
      return "sphere";
    case Shape::disk:
      return "disk";
    case Shape::ellipsoid:
      return "ellipsoid";
  }
  return "";
}

namespace {

bool has_coordinate(const Expr& e) {
  return expr::find_symbol(
             e, [](const expr::Symbol& s) { return s.kind == expr::SymbolKind::coordinate; })
      .has_value();
}

/// Takes out the rows that the coordinates keep, and puts their factors for multipliers into the
/// normal force; says which rows nothing can keep.
std::vector<std::string> take_out_kept(JointRows& joint, std::vector<KeptRow>& taken,
                                       Location where) {
  std::vector<std::string> wrong;
  expr::ExprMap factors;
  std::erase_if(joint.rows, [&](const Row& row) {
    const Vanished vanished =
        row.kept ? Vanished{Vanishing::always} : vanishing(row.residual, row.parts);
    const bool kept = vanished.how == Vanishing::always || vanished.how == Vanishing::one_sided;
    if (vanished.how == Vanishing::one_sided) {
      joint.conditions.push_back(
          {vanished.side, false,
           fmt::format("the coordinates keep constraint {} on one side only, and the motion has "
                       "left it: leave them free",
                       in_quotes(row.name)),
           false, where});
    }
    if (vanished.how == Vanishing::almost) {
      wrong.push_back(
          fmt::format("its constraint {} is almost zero whatever the coordinates are, within 1e-6 "
                      "of its parts, as happens with numbers of few digits: write them exactly, "
                      "[1, 1, 0] for an axis [0.7071068, 0.7071068, 0] say",
                      in_quotes(row.name)));
      return false;
    }
    if (kept) {
      taken.push_back({row.name, row.force, row.moment});
      factors.emplace(expr::multiplier(row.name), taken.back().factor());
    }
    if (!kept && !has_coordinate(row.residual)) {
      wrong.push_back(fmt::format(
          "the coordinates leave nothing that could keep its constraint {}, which is not zero",
          in_quotes(row.name)));
    }
    return kept;
  });
  std::vector<Expr>& normal = joint.sliding.normal;
  normal = expr::substitute(normal, factors);
  return wrong;
}

bool transmits_moments(const JointSpec& spec) {
  switch (spec.kind) {
    case JointKind::hinge:
    case JointKind::slider:
    case JointKind::universal:
    case JointKind::weld:
      return true;
    case JointKind::ball:
      return spec.friction.has_value();
    default:
      return false;
  }
}

/// The names under which a joint is known in outputs and in what is recorded.
void add_reactions(Model& model, const Joint& joint, bool with_moments, bool with_body_axes) {
  const auto add = [&](std::string_view suffix, const Expr& e) {
    model.reactions.push_back({fmt::format("{}.{}", joint.name, suffix), e, joint.where});
  };
  const auto add_vector = [&](std::string_view prefix, const Vector& v) {
    for (std::size_t i = 0; i < 3; ++i) add(fmt::format("{}{}", prefix, "xyz"[i]), v[i]);
  };
  add_vector("f", joint.force);
  if (with_moments) add_vector("m", joint.moment);
  if (with_body_axes) {
    add_vector("bf", joint.body_force);
    if (with_moments) add_vector("bm", joint.body_moment);
  }
  if (joint.position.empty()) return;
  add(joint.kind == JointKind::hinge ? "angle" : "position", joint.position.front());
  add("rate", joint.rate.front());
}

/// What must be positive of a joint whatever the parameters and the time; what is a number has been
/// looked at already.
void add_conditions(Model& model, const JointSpec& spec, std::vector<Condition> geometry) {
  const std::string of = " of joint " + in_quotes(spec.name);
  const auto require = [&](const Expr& value, bool strict, std::string_view what, Location where) {
    if (value.is(expr::Op::constant)) return;
    model.conditions.push_back(
        {value, strict,
         fmt::format("{}{} must {}", what, of, strict ? "be positive" : "not be negative"), true,
         where});
  };
  const auto require_length = [&](const std::optional<LocatedVector>& v, std::string_view what) {
    if (v) require(dot(v->vector, v->vector), true, what, v->where);
  };
  if (spec.length) require(spec.length->expr, true, "the length", spec.length->where);
  if (spec.motion && spec.kind == JointKind::distance)
    require(spec.motion->expr, true, "the length", spec.motion->where);
  if (spec.radius) require(spec.radius->expr, true, "the radius", spec.radius->where);
  if (spec.semi_axes) {
    for (std::size_t i = 0; i < 3; ++i)
      require(spec.semi_axes->vector[i], true, "a semi-axis", spec.semi_axes->where);
  }
  for (const auto& axis : spec.axes) require_length(axis, "the length of an axis");
  require_length(spec.normal, "the length of the normal");
  if (spec.friction) {
    const FrictionSpec& f = *spec.friction;
    require(f.mu.expr, false, "the friction", f.mu.where);
    if (f.static_mu) {
      require(f.static_mu->expr, false, "the static friction", f.static_mu->where);
      const Expr above = f.static_mu->expr - f.mu.expr;
      if (!above.is(expr::Op::constant))
        model.conditions.push_back(
            {above, false,
             fmt::format("the static friction{} must not be below the sliding one", of), false,
             f.static_mu->where});
    }
    if (f.radius) require(f.radius->expr, false, "the radius of the friction", f.radius->where);
    if (f.slip) require(f.slip->expr, true, "the slip of the friction", f.slip->where);
  }
  for (Condition& condition : geometry) {
    if (!condition.value.is(expr::Op::constant)) model.conditions.push_back(std::move(condition));
  }
}

}  // namespace

std::vector<Diagnostic> add_joint(Model& model, const JointSpec& spec) {
  std::vector<Diagnostic> found = check_joint(model, spec);
  if (!found.empty()) return found;
  JointRows rows = joint_rows(model, spec);
  Joint joint;
  for (const std::string& message : take_out_kept(rows, joint.kept, spec.where))
    found.push_back({fmt::format("joint {}: {}", in_quotes(spec.name), message), spec.where});
  if (spec.kind == JointKind::knife_edge && rows.rows.empty()) {
    found.push_back({fmt::format("joint {}: nothing is left of a knife edge that points along the "
                                 "normal of its plane",
                                 in_quotes(spec.name)),
                     spec.where});
  }
  if (spec.friction && !spec.friction->slip) {
    std::optional<std::string> why = reduce_to_slips(rows.sliding);
    if (spec.motion)
      why =
          "its motion is prescribed, and what sticks needs a velocity of its own: give the "
          "friction "
          "a slip";
    if (why)
      found.push_back(
          {fmt::format("joint {}: {}", in_quotes(spec.name), *why), spec.friction->where});
  }
  if (!found.empty()) return found;

  add_conditions(model, spec, std::move(rows.conditions));
  joint.name = spec.name;
  joint.kind = spec.kind;
  const Side first = side_of(model, spec.bodies[0]), second = side_of(model, spec.bodies[1]);
  joint.bodies = {first.name, second.name};
  joint.point = rows.point;
  joint.axis = rows.axis;
  joint.position = rows.position;
  joint.rate = rows.rate;
  joint.near = rows.near;
  if (!joint.near.empty()) model.parameters.push_back({joint.near, Expr(0), spec.where});
  if (spec.motion) joint.motion = spec.motion->expr;
  joint.where = spec.where;
  for (const KeptRow& row : joint.kept) {
    joint.force = joint.force + row.factor() * row.force;
    joint.moment = joint.moment + row.factor() * row.moment;
  }
  for (const Row& row : rows.rows) {
    joint.constraints.push_back(row.name);
    const Expr lambda = expr::multiplier(row.name);
    joint.force = joint.force + lambda * row.force;
    joint.moment = joint.moment + lambda * row.moment;
    model.constraints.push_back({row.name, row.residual, 1, spec.where});
  }
  if (spec.friction && !spec.friction->slip) {
    const FrictionWrench wrench = dry_friction_wrench(spec, rows.sliding);
    joint.force = joint.force + wrench.force;
    joint.moment = joint.moment + wrench.moment;
    add_dry_friction(model, dry_friction_of(model, spec, rows.sliding));
  } else if (spec.friction) {
    model.frictions.push_back(friction_of(model, spec, rows.sliding));
    const FrictionWrench wrench = friction_wrench(spec, rows.sliding);
    std::vector<Expr> squares;
    for (const Expr& component : rows.sliding.normal) squares.push_back(pow(component, 2));
    const Expr N =
        squares.size() == 1 ? abs(rows.sliding.normal.front()) : sqrt(expr::sum(squares));
    joint.force = joint.force + N * wrench.force;
    joint.moment = joint.moment + N * wrench.moment;
  }
  const Matrix to_body = transpose(second.rotation);
  joint.body_force = to_body * joint.force;
  joint.body_moment = to_body * joint.moment;
  add_reactions(model, joint, transmits_moments(spec), !second.is_particle);
  model.joints.push_back(std::move(joint));
  return found;
}

}  // namespace dalembert::model
