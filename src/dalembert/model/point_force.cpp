#include "dalembert/model/point_force.hpp"

#include <fmt/format.h>

#include "dalembert/expr/graph.hpp"
#include "dalembert/model/assembly/places.hpp"
#include "dalembert/model/complaints.hpp"
#include "dalembert/model/joint_geometry.hpp"

namespace dalembert::model {

std::vector<Diagnostic> add_point_force(Model& model, const PointForceSpec& spec) {
  std::vector<Diagnostic> found;
  const auto complain = [&](Location where, std::string_view message) {
    found.push_back({fmt::format("force {}: {}", in_quotes(spec.name), message),
                     where.line > 0 ? where : spec.where});
  };
  const auto check = [&](const LocatedVector& v, const Place& place) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (const Expr& s : expr::symbols(std::span(&v.vector[i], 1))) {
        if (const auto reason = objection(s.symbol(), place)) return complain(v.where, *reason);
      }
    }
  };
  if (spec.body >= model.bodies.size()) {
    complain(spec.body_where, "it acts on a body that the model does not have");
    return found;
  }
  const Side side = side_of(model, spec.body);
  if (!spec.force && !spec.torque) complain(spec.where, "it needs a force or a torque");
  if (side.is_particle) {
    const std::string reason =
        fmt::format("{} is a particle and has no orientation", in_quotes(side.name));
    if (spec.torque) complain(spec.torque->where, reason + ": no torque acts on it");
    if (spec.in_body_axes) complain(spec.where, reason + ": give the force in world axes");
    if (!spec.point.vector.is_zero())
      complain(spec.point.where, reason + ": its only point is itself");
  }
  check(spec.point, places::joint_geometry);
  if (spec.force) check(*spec.force, places::force);
  if (spec.torque) check(*spec.torque, places::force);
  if (!found.empty()) return found;

  Vector force = spec.force ? spec.force->vector : Vector{};
  Vector torque = spec.torque ? spec.torque->vector : Vector{};
  if (spec.in_body_axes) {
    force = side.direction(force);
    torque = side.direction(torque);
  }
  if (model.forces.size() < model.coordinates.size()) model.forces.resize(model.coordinates.size());
  if (model.by_hand && !model.by_hand->forces) {
    model.by_hand->forces.emplace();
    for (const Located& along : model.forces) model.by_hand->forces->push_back(along.expr);
  }
  model.loads.push_back({spec.body, side.point(spec.point.vector), force, torque});
  const Vector v = side.velocity_at(side.direction(spec.point.vector));
  for (const auto& [k, e] : generalized_force(model, v, force, side.spin, torque)) {
    model.forces[k].expr += e;
    if (model.forces[k].where.line == 0) model.forces[k].where = spec.where;
  }
  return found;
}

}  // namespace dalembert::model
