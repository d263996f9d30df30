// Bodies, particles, frames, and gravity.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dalembert/model/assembly/assembly.hpp"
#include "dalembert/model/energy_of_bodies.hpp"

namespace dalembert::model {

namespace {

std::string_view section_of(BodyKind kind) {
  switch (kind) {
    case BodyKind::particle:
      return "particle";
    case BodyKind::body:
      return "body";
    case BodyKind::frame:
      return "frame";
  }
  return {};
}

}  // namespace

void Assembly::declare_bodies() {
  for (const BodyStatement& said : draft.bodies) {
    if (said.name == ground) {
      complaints.add(said.where, "'ground' is the fixed frame and cannot be the name of a body");
      names.mark_incomplete();
    } else if (names.declare(said.name, {NameKind::body, bodies.size(), said.where}, complaints)) {
      bodies.push_back({&said, {}, said.refused});
    } else {
      body_refused = true;
    }
  }
  for (BodyAtWork& body : bodies) {
    if (!body.said->frame || body.said->frame->text == ground) continue;
    const auto& [parent, where] = *body.said->frame;
    const Declaration* declaration = names.find(parent);
    if (declaration == nullptr || declaration->kind != NameKind::body) {
      body.broken = true;
      if (!names.is_incomplete())
        complaints.add(where, fmt::format("{} is not a body{}", in_quotes(parent),
                                          complaints.did_you_mean(parent, names.bodies())));
    } else if (bodies[declaration->index].said->kind == BodyKind::particle) {
      body.broken = true;
      complaints.add(where,
                     fmt::format("{} is a particle: it has no axes that {} could be given in",
                                 in_quotes(parent), in_quotes(body.said->name)));
    } else {
      body.frame = parent;
    }
  }
}

bool Assembly::add_quaternion(const TurnStatement& said, LetUse use, BodyPose& pose) {
  std::array<Expr, 4> e;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto component = expression(said.angles[i], places::orientation, use);
    if (!component) return false;
    e[i] = *component;
  }
  if (std::any_of(e.begin(), e.end(),
                  [this](const Expr& c) { return lets.contains_coordinate(c); })) {
    if (!pose.only_gimbal) pose.turn = pose.turn * turn_by_quaternion(e);
    pose.quaternions.push_back(e);
    return true;
  }
  // It does not move, so that nothing else keeps its length.
  const Vector v{e[1], e[2], e[3]};
  const Expr square = e[0] * e[0] + dot(v, v);
  if (square.is_zero()) {
    complaints.add(said.where, "a quaternion must not be zero");
    return false;
  }
  if (use == LetUse::value && !square.is(expr::Op::constant)) {
    model.conditions.push_back(
        {square, true, "the length of a quaternion must be positive", true, said.where});
  }
  if (!square.is_one()) {
    for (Expr& component : e) component = component / sqrt(square);
  }
  if (!pose.only_gimbal) pose.turn = pose.turn * turn_by_quaternion(e);
  return true;
}

bool Assembly::add_turn(const TurnStatement& said, LetUse use, BodyPose& pose) {
  switch (said.form) {
    case TurnStatement::Form::refused:
      return false;
    case TurnStatement::Form::given:
      pose.turn = pose.turn * said.turn;
      return true;
    case TurnStatement::Form::quaternion:
      return add_quaternion(said, use, pose);
    case TurnStatement::Form::axes:
    case TurnStatement::Form::axis:
      break;
  }
  std::optional<Vector> direction;
  if (said.form == TurnStatement::Form::axis) {
    direction = vector(said.axis, places::body_point, use);
    if (!direction) return false;
  }
  std::vector<Expr> angles;
  for (const Formula& angle : said.angles) {
    const auto e = expression(angle, places::orientation, use);
    if (!e) return false;
    angles.push_back(*e);
  }
  if (!direction) {
    pose.turn = pose.turn * (pose.only_gimbal ? gimbal_by_axes(said.letters, angles)
                                              : turn_by_axes(said.letters, angles));
    return true;
  }
  if (direction->is_zero()) {
    complaints.add(said.where, "an axis needs a direction: this one is zero");
    return false;
  }
  if (!pose.only_gimbal)
    pose.turn = pose.turn * turn_about(*direction / norm(*direction), angles[0]);
  return true;
}

bool Assembly::add_orientation(const Orientation& orientation, LetUse use, BodyPose& pose) {
  return std::all_of(orientation.begin(), orientation.end(),
                     [&](const TurnStatement& turn) { return add_turn(turn, use, pose); });
}

std::optional<BodyPose> Assembly::pose_of(const BodyStatement& said, LetUse use, bool only_gimbal) {
  BodyPose pose;
  pose.only_gimbal = only_gimbal;
  bool good = true;
  const auto add = [&](const std::optional<VectorFormula>& formula, const Place& place,
                       Vector& target) {
    if (!formula) return;
    const auto v = vector(*formula, place, use);
    good = good && v.has_value();
    if (v) target = *v;
  };
  add(said.position, places::body_position, pose.position);
  add(said.center, places::body_point, pose.center);
  if (said.orientation) good = add_orientation(*said.orientation, use, pose) && good;
  return good ? std::optional(pose) : std::nullopt;
}

void Assembly::define_pose(BodyAtWork& body, DepthFirst& walk) {
  const BodyStatement& said = *body.said;
  const PoseLets& own = *lets.find_pose(said.name);
  if (!said.position && body.frame.empty() && said.kind != BodyKind::frame) {
    complaints.add(said.where, fmt::format("{} {} needs a position", section_of(said.kind),
                                           in_quotes(said.name)));
    body.broken = true;
  }
  const auto pose = pose_of(said, LetUse::unchecked_marker);
  if (pose) body.quaternions = pose->quaternions.size();
  body.broken = body.broken || !pose;
  if (body.broken) {
    names.mark_broken(said.name);
    for (std::size_t i = own.origin[0]; i < lets.size() && let_sources[i].owner == said.name; ++i)
      walk.mark_broken(i);
    return;
  }
  Turn outer;
  Vector origin = pose->position;
  if (!body.frame.empty()) {
    const PoseLets& parent = *lets.find_pose(body.frame);
    outer.spin = lets.markers(parent.spin);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) outer.rotation[i][j] = lets.marker(parent.rotation[i][j]);
    }
    origin = lets.markers(parent.origin) + outer.rotation * pose->position;
  }
  const Turn turn = outer * pose->turn;
  for (std::size_t i = 0; i < 3; ++i) {
    lets.define(own.origin[i], origin[i]);
    Expr center = lets.marker(own.origin[i]);
    for (std::size_t j = 0; j < 3 && own.oriented; ++j) {
      lets.define(own.rotation[i][j], turn.rotation[i][j]);
      center += lets.marker(own.rotation[i][j]) * pose->center[j];
    }
    lets.define(own.center[i], center);
    if (own.oriented) lets.define(own.spin[i], turn.spin[i]);
  }
}

void Assembly::assemble_mass(const BodyStatement& said, Body& body) {
  if (!said.mass) {
    complaints.add(said.where,
                   fmt::format("{} {} has no mass: give it one, or describe a place without mass "
                               "by [[frame]]",
                               section_of(said.kind), in_quotes(said.name)));
    return;
  }
  body.mass_where = said.mass->where;
  if (const auto m = expression(*said.mass, places::mass)) body.mass = *m;
}

void Assembly::assemble_inertia(const BodyStatement& said, Body& body) {
  if (!said.inertia) {
    complaints.add(said.where,
                   fmt::format("body {} has no inertia: give three principal moments or a 3x3 "
                               "matrix, or describe a mass without extent by [[particle]]",
                               in_quotes(said.name)));
    return;
  }
  const std::vector<VectorFormula>& rows = said.inertia->rows;
  body.inertia_where = said.inertia->where;
  if (rows.size() == 1) {
    if (const auto moments = vector(rows.front(), places::inertia))
      body.inertia = Matrix::diagonal(*moments);
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = vector(rows[i], places::inertia);
    if (!row) return;
    for (std::size_t j = 0; j < 3; ++j) body.inertia[i][j] = (*row)[j];
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (same(body.inertia[i][j], body.inertia[j][i])) continue;
      complaints.add(rows[i].where,
                     fmt::format("the inertia of {} is not symmetric: row {}, column {} differs "
                                 "from row {}, column {}",
                                 in_quotes(said.name), i + 1, j + 1, j + 1, i + 1));
      return;
    }
  }
}

void Assembly::assemble_bodies() {
  for (const BodyAtWork& at_work : bodies) {
    const BodyStatement& said = *at_work.said;
    if (at_work.broken || names.find(said.name)->broken) continue;
    // Once more, now that the content of lets is known, to see what may not stand there; how the
    // body is turned stands in its lets.
    const auto pose = pose_of(said, LetUse::value, true);
    if (!pose) {
      names.mark_broken(said.name);
      continue;
    }
    Body body;
    body.name = said.name;
    body.kind = said.kind;
    body.frame = at_work.frame;
    body.where = said.where;
    const PoseLets& in_space = *lets.find_pose(said.name);
    body.origin = lets.values(in_space.origin, 0);
    body.center_of_mass = lets.values(in_space.center, 0);
    body.velocity = lets.values(in_space.center, 1);
    if (in_space.oriented) {
      body.spin = lets.values(in_space.spin, 0);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j)
          body.rotation[i][j] = lets.value(in_space.rotation[i][j], 0);
      }
    }
    body.center = pose->center;
    body.gimbal = pose->turn.gimbal;
    body.gimbal_axes = pose->turn.gimbal_axes;
    if (body.kind != BodyKind::frame) assemble_mass(said, body);
    if (body.kind == BodyKind::body) assemble_inertia(said, body);
    body.solid.where = said.where;
    if (said.solid) assemble_solid(*said.solid, body);
    if (pose->quaternions.size() != at_work.quaternions) {
      complaints.add(said.where,
                     fmt::format("the quaternion of {} does not move, though it is made of what "
                                 "belongs to a body further down: name that body first, or give an "
                                 "axis and an angle",
                                 in_quotes(said.name)));
      continue;
    }
    for (std::size_t k = 0; k < pose->quaternions.size(); ++k) {
      const auto& e = pose->quaternions[k];
      std::string name = said.name + ".unit";
      if (k > 0) name += fmt::format(" {}", k + 1);
      model.constraints.push_back({name, unit_residual(e), 1, said.where});
      force_names.constraints.push_back(name);
      std::array<std::size_t, 4> scalars{};
      const bool plain = std::all_of(e.begin(), e.end(), [](const Expr& c) {
        return c.is(expr::Op::symbol) && c.symbol().kind == expr::SymbolKind::coordinate;
      });
      if (!plain) continue;
      for (std::size_t i = 0; i < 4; ++i) scalars[i] = names.find(e[i].symbol().name)->index;
      model.quaternions.push_back(scalars);
    }
    body_numbers.emplace(body.name, model.bodies.size());
    model.bodies.push_back(std::move(body));
  }
}

void Assembly::assemble_gravity() {
  if (!draft.gravity) return;
  gravity = vector(*draft.gravity, places::gravity).value_or(Vector{});
  if (acts_along_y(gravity)) model.view.up = 'y';
  if (bodies.empty() && !body_refused && !names.is_incomplete())
    complaints.add(draft.gravity->where,
                   "gravity acts on bodies and particles, and there are none");
}

void Assembly::add_bodies_to_energy() {
  if (bodies.empty() && !body_refused) return;
  const bool only_frames =
      !body_refused && std::all_of(bodies.begin(), bodies.end(), [](const BodyAtWork& body) {
        return body.said->kind == BodyKind::frame;
      });
  if (!model.mass_matrix.empty() && !only_frames) {
    complaints.add(bodies.empty() ? Location{} : bodies.front().said->where,
                   "bodies and mass_matrix exclude each other: bodies bring their own inertia");
    model.mass_matrix.clear();
  }
  add_energy_of_bodies(model, gravity);
  // A body that has been complained of would have brought a kinetic energy.
  const bool complete = model.bodies.size() == bodies.size() && !body_refused;
  if (!complete && !model.kinetic) model.kinetic = Located{};
}

}  // namespace dalembert::model
