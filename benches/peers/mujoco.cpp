/// MuJoCo: a tree of hinges. Timed: positions and velocities copied in, then mj_forward with
/// contacts, constraints and all else that the model does not need switched off. Closures are not
/// offered: MuJoCo's equality constraints are soft by design, so that it would compute other
/// accelerations.

#include <mujoco/mujoco.h>

#include <memory>
#include <stdexcept>

#include "mechanism.hpp"

using namespace dalembert::bench;

namespace {

struct Simulator {
  mjModel* model = nullptr;
  mjData* data = nullptr;
  std::vector<double> q, v;
  ~Simulator() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }
};

mjModel* compile(const Mechanism& mechanism) {
  mjSpec* spec = mj_makeSpec();
  spec->compiler.autolimits = 0;
  std::vector<mjsBody*> bodies;
  for (const Link& link : mechanism.links) {
    mjsBody* parent = link.parent < 0 ? mjs_findBody(spec, "world")
                                      : bodies[static_cast<std::size_t>(link.parent)];
    mjsBody* body = mjs_addBody(parent, nullptr);
    body->pos[0] = link.at.x;
    body->pos[1] = link.at.y;
    body->explicitinertial = 1;
    body->mass = link.mass;
    body->ipos[0] = link.centre;
    body->inertia[0] = 1e-6 * link.inertia;
    body->inertia[1] = body->inertia[2] = link.inertia;
    mjsJoint* hinge = mjs_addJoint(body, nullptr);
    hinge->type = mjJNT_HINGE;
    hinge->axis[0] = hinge->axis[1] = 0;
    hinge->axis[2] = 1;
    bodies.push_back(body);
  }
  spec->option.gravity[0] = spec->option.gravity[2] = 0;
  spec->option.gravity[1] = -mechanism.g;
  spec->option.disableflags = mjDSBL_CONTACT | mjDSBL_CONSTRAINT | mjDSBL_SENSOR;
  mjModel* model = mj_compile(spec, nullptr);
  const std::string problem = model == nullptr ? mjs_getError(spec) : "";
  mj_deleteSpec(spec);
  if (model == nullptr) throw std::runtime_error(problem);
  return model;
}

Prepared prepare(const Json& request) {
  const Mechanism mechanism = read_mechanism(request);
  if (!mechanism.closures.empty()) throw std::runtime_error("its closures are soft");
  const auto s = std::make_shared<Simulator>();
  s->model = compile(mechanism);
  s->data = mj_makeData(s->model);
  if (s->data == nullptr) throw std::runtime_error("no memory");
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    s->q.push_back(mechanism.joint_angle(i));
    s->v.push_back(mechanism.joint_rate(i));
  }

  Prepared result;
  result.work = [s] {
    std::copy(s->q.begin(), s->q.end(), s->data->qpos);
    std::copy(s->v.begin(), s->v.end(), s->data->qvel);
    mj_forward(s->model, s->data);
    keep(s->data->qacc[0]);
  };
  result.work();
  result.values = link_accelerations(mechanism, [&](std::size_t i) { return s->data->qacc[i]; });
  result.notes["version"] = mj_versionString();
  return result;
}

}  // namespace

int main() {
  return serve(prepare);
}
