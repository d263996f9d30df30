/// Simbody: a tree of pins, recursive forward dynamics, one pair of scalar constraints a closure.
/// Timed: positions and velocities written into the state, then everything up to accelerations.

#include <Simbody.h>

#include <memory>

#include "mechanism.hpp"

using namespace SimTK;
using namespace dalembert::bench;

namespace {

struct Simulator {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  std::vector<MobilizedBodyIndex> bodies;
  State state;
  Vector q, u;
};

/// A closure is an equation in x and one in y: z is left out, which the plane sees to.
void close(Simulator& s, const Closure& closure) {
  const auto body = [&](int link) -> MobilizedBody {
    if (link < 0) return s.matter.Ground();
    return s.matter.getMobilizedBody(s.bodies[static_cast<std::size_t>(link)]);
  };
  if (closure.second >= 0) {  // two planes, fixed in the second link, through its point
    MobilizedBody plane = body(closure.second), follower = body(closure.first);
    const Vec3 point(closure.on_first.x, closure.on_first.y, 0);
    Constraint::PointInPlane(plane, UnitVec3(1, 0, 0), closure.on_second.x, follower, point);
    Constraint::PointInPlane(plane, UnitVec3(0, 1, 0), closure.on_second.y, follower, point);
    return;
  }
  MobilizedBody ground = s.matter.Ground(), follower = body(closure.first);
  const Vec3 point(closure.on_first.x, closure.on_first.y, 0);
  Constraint::PointInPlane(ground, UnitVec3(1, 0, 0), closure.on_second.x, follower, point);
  Constraint::PointInPlane(ground, UnitVec3(0, 1, 0), closure.on_second.y, follower, point);
}

Prepared prepare(const Json& request) {
  const Mechanism mechanism = read_mechanism(request);
  const auto s = std::make_shared<Simulator>();
  Force::UniformGravity(s->forces, s->matter, Vec3(0, -mechanism.g, 0));
  for (const Link& link : mechanism.links) {
    const Vec3 centre(link.centre, 0, 0);
    // A thin rod along x, a little thick so that its inertia is that of a body.
    const Inertia central(1e-6 * link.inertia, link.inertia, link.inertia);
    const MassProperties properties(link.mass, centre,
                                    central.shiftFromMassCenter(-centre, link.mass));
    MobilizedBody parent = s->matter.Ground();
    if (link.parent >= 0) {
      parent = s->matter.getMobilizedBody(s->bodies[static_cast<std::size_t>(link.parent)]);
    }
    const MobilizedBody::Pin pin(parent, Transform(Vec3(link.at.x, link.at.y, 0)),
                                 Body::Rigid(properties), Transform());
    s->bodies.push_back(pin.getMobilizedBodyIndex());
  }
  for (const Closure& closure : mechanism.closures) close(*s, closure);
  s->state = s->system.realizeTopology();
  s->system.realizeModel(s->state);
  const auto n = static_cast<int>(mechanism.links.size());
  s->q = Vector(n);
  s->u = Vector(n);
  for (int i = 0; i < n; ++i) {
    s->q[i] = mechanism.joint_angle(static_cast<std::size_t>(i));
    s->u[i] = mechanism.joint_rate(static_cast<std::size_t>(i));
  }

  Prepared result;
  result.work = [s] {
    s->state.updQ() = s->q;
    s->state.updU() = s->u;
    s->system.realize(s->state, Stage::Acceleration);
    keep(s->state.getUDot()[0]);
  };
  result.work();
  result.values = link_accelerations(
      mechanism, [&](std::size_t i) { return s->state.getUDot()[static_cast<int>(i)]; });
  int major = 0, minor = 0, build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  result.notes["version"] =
      std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
  return result;
}

}  // namespace

int main() {
  return serve(prepare);
}
