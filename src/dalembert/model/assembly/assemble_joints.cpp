// Joints, springs and forces at points: from what is said to what add_joint and its like take. What
// a kind of joint takes and what that may be is decided there.
#include <fmt/format.h>

#include <algorithm>

#include "dalembert/model/assembly/assembly.hpp"
#include "dalembert/model/point_force.hpp"
#include "dalembert/model/spring.hpp"

namespace dalembert::model {

void Assembly::points_at(const std::optional<std::array<VectorFormula, 2>>& said,
                         const Place& place, bool& good, std::array<LocatedVector, 2>& points) {
  if (!said) return;
  for (std::size_t i = 0; i < 2; ++i) points[i] = *located((*said)[i], place, good);
}

std::optional<std::size_t> Assembly::body_named(const Word& name, bool& good) {
  if (name.text == ground) return std::nullopt;
  if (const auto found = body_numbers.find(name.text); found != body_numbers.end())
    return found->second;
  good = false;
  const Declaration* declaration = names.find(name.text);
  const bool reported = declaration != nullptr && declaration->kind == NameKind::body;
  if (!reported && !names.is_incomplete()) {
    std::vector<std::string> known = names.bodies();
    known.emplace_back(ground);
    complaints.add(name.where, fmt::format("{} is not a body{}", in_quotes(name.text),
                                           complaints.did_you_mean(name.text, known)));
  }
  return std::nullopt;
}

void Assembly::bodies_named(const BodyPair& said, std::array<std::optional<std::size_t>, 2>& found,
                            std::array<Location, 2>& where, bool& good) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (!said[i]) continue;
    where[i] = said[i]->where;
    found[i] = body_named(*said[i], good);
  }
}

void Assembly::assemble_joints() {
  for (const JointStatement* said : joints) {
    const std::size_t constraints = model.constraints.size(), reactions = model.reactions.size();
    if (!assemble_joint(*said)) names.mark_broken(said->name);
    for (std::size_t i = constraints; i < model.constraints.size(); ++i)
      force_names.constraints.push_back(model.constraints[i].name);
    for (std::size_t i = reactions; i < model.reactions.size(); ++i)
      joint_values.emplace(model.reactions[i].name, model.reactions[i].expr);
  }
}

bool Assembly::assemble_joint(const JointStatement& said) {
  const Place& geometry = places::joint_geometry;
  bool good = !said.refused;
  JointSpec spec;
  spec.name = said.name;
  spec.where = said.where;
  spec.kind = said.kind;
  bodies_named(said.bodies, spec.bodies, spec.bodies_where, good);
  points_at(said.points, geometry, good, spec.points);
  spec.axes[0] = located(said.axes[0], geometry, good);
  spec.axes[1] = said.one_axis ? spec.axes[0] : located(said.axes[1], geometry, good);
  for (std::size_t i = 0; i < 2; ++i)
    spec.references[i] = located(said.references[i], geometry, good);
  if (said.frames) {
    spec.frames_where = said.frames_where;
    spec.frames.emplace();
    for (std::size_t i = 0; i < 2; ++i) {
      BodyPose pose;
      good = add_orientation((*said.frames)[i], LetUse::value, pose) && good;
      (*spec.frames)[i] = pose.turn.rotation;
    }
  }
  spec.normal = located(said.normal, geometry, good);
  spec.length = located(said.length, geometry, good);
  spec.motion = located(said.motion, places::joint_motion, good);
  spec.shape = said.shape;
  spec.contact = said.contact;
  spec.radius = located(said.radius, geometry, good);
  spec.semi_axes = located(said.semi_axes, geometry, good);
  if (said.friction) {
    const FrictionStatement& friction = *said.friction;
    const Place& place = places::joint_friction;
    spec.friction =
        FrictionSpec{*located(friction.mu, place, good), located(friction.radius, place, good),
                     located(friction.slip, place, good), friction.where,
                     located(friction.static_mu, place, good)};
  }
  if (!good) return false;
  const std::vector<Diagnostic> found = add_joint(model, spec);
  for (const Diagnostic& diagnostic : found) complaints.add(diagnostic.where, diagnostic.message);
  return found.empty();
}

void Assembly::assemble_spring(const SpringStatement& said, std::size_t number) {
  bool good = !said.refused;
  SpringSpec spec;
  spec.name = title_of(said.name, "a spring", "", number);
  spec.where = said.where;
  if (said.joint) {
    spec.joint = said.joint->text;
    spec.joint_where = said.joint->where;
    // A joint that has been complained of is not unknown.
    const Declaration* declaration = names.find(said.joint->text);
    if (names.is_incomplete() ||
        (declaration != nullptr && declaration->kind == NameKind::joint && declaration->broken))
      good = false;
  } else {
    bodies_named(said.bodies, spec.bodies, spec.bodies_where, good);
    points_at(said.points, places::spring, good, spec.points);
  }
  spec.rest = located(said.rest, places::spring, good);
  spec.stiffness = located(said.stiffness, places::spring, good);
  spec.damping = located(said.damping, places::spring, good);
  if (!good) return;
  for (const Diagnostic& diagnostic : add_spring(model, spec))
    complaints.add(diagnostic.where, diagnostic.message);
}

void Assembly::assemble_point_force(const PointForceStatement& said, std::size_t number) {
  bool good = !said.refused;
  PointForceSpec spec;
  spec.name = title_of(said.name, "a force", "", number);
  spec.where = said.where;
  if (said.body) {
    spec.body_where = said.body->where;
    spec.body = body_named(*said.body, good).value_or(0);
  }
  if (const auto point = located(said.point, places::joint_geometry, good)) spec.point = *point;
  spec.force = located(said.force, places::force, good);
  spec.torque = located(said.torque, places::force, good);
  spec.in_body_axes = said.in_body_axes;
  if (!good) return;
  for (const Diagnostic& diagnostic : add_point_force(model, spec))
    complaints.add(diagnostic.where, diagnostic.message);
}

}  // namespace dalembert::model
