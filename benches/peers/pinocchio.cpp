/// Pinocchio: a tree of revolute joints. The request names the algorithm:
///     aba, aba-world         articulated bodies in local or world coordinates, no closures
///     constraint-dynamics    sparse Cholesky factorisation of the whole system
///     lcaba                  articulated bodies with loops, linear in the links
/// The driver takes the fastest that computes the right accelerations. Timed: the call, positions
/// and velocities being at hand.

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>
#include <pinocchio/multibody.hpp>

#include <memory>
#include <stdexcept>

#include "mechanism.hpp"

namespace pin = pinocchio;
using namespace dalembert::bench;

namespace {

struct Simulator {
  pin::Model model;
  std::unique_ptr<pin::Data> data;
  std::vector<pin::RigidConstraintModel> closures;
  std::vector<pin::RigidConstraintData> closure_data;
  // Redundant rows (z of a plane closure) are met by a small compliance and iterated away.
  pin::ProximalSettings settings{1e-12, 1e-10, 50};
  Eigen::VectorXd q, v, tau;
};

pin::SE3 at(const Point& p) {
  return {Eigen::Matrix3d::Identity(), Eigen::Vector3d(p.x, p.y, 0)};
}

void build(Simulator& s, const Mechanism& mechanism) {
  s.model.gravity.linear() = Eigen::Vector3d(0, -mechanism.g, 0);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link& link = mechanism.links[i];
    const auto joint = s.model.addJoint(static_cast<pin::JointIndex>(link.parent + 1),
                                        pin::JointModelRZ(), at(link.at), std::to_string(i));
    const Eigen::Vector3d inertia(1e-6 * link.inertia, link.inertia, link.inertia);
    s.model.appendBodyToJoint(joint,
                              pin::Inertia(link.mass, Eigen::Vector3d(link.centre, 0, 0),
                                           Eigen::Matrix3d(inertia.asDiagonal())),
                              pin::SE3::Identity());
  }
  for (const Closure& c : mechanism.closures) {
    s.closures.emplace_back(pin::CONTACT_3D, s.model, static_cast<pin::JointIndex>(c.first + 1),
                            at(c.on_first), static_cast<pin::JointIndex>(c.second + 1),
                            at(c.on_second), pin::LOCAL);
  }
  for (const auto& closure : s.closures) s.closure_data.emplace_back(closure);
  s.data = std::make_unique<pin::Data>(s.model);
  const auto n = static_cast<Eigen::Index>(mechanism.links.size());
  s.q.resize(n);
  s.v.resize(n);
  s.tau.setZero(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    s.q[i] = mechanism.joint_angle(static_cast<std::size_t>(i));
    s.v[i] = mechanism.joint_rate(static_cast<std::size_t>(i));
  }
}

std::function<void()> choose(const std::string& algorithm, const std::shared_ptr<Simulator>& s) {
  if (algorithm == "aba" || algorithm == "aba-world") {
    if (!s->closures.empty()) throw std::runtime_error("aba knows no closures");
    const auto convention = algorithm == "aba" ? pin::Convention::LOCAL : pin::Convention::WORLD;
    return
        [s, convention] { keep(pin::aba(s->model, *s->data, s->q, s->v, s->tau, convention)[0]); };
  }
  if (algorithm == "constraint-dynamics") {
    pin::initConstraintDynamics(s->model, *s->data, s->closures, s->closure_data);
    return [s] {
      keep(pin::constraintDynamics(s->model, *s->data, s->q, s->v, s->tau, s->closures,
                                   s->closure_data, s->settings)[0]);
    };
  }
  if (algorithm == "lcaba") {
    pin::computeJointMinimalOrdering(s->model, *s->data, s->closures);
    return [s] {
      keep(pin::lcaba(s->model, *s->data, s->q, s->v, s->tau, s->closures, s->closure_data,
                      s->settings)[0]);
    };
  }
  throw std::runtime_error("no algorithm " + algorithm);
}

Prepared prepare(const Json& request) {
  const Mechanism mechanism = read_mechanism(request);
  const auto s = std::make_shared<Simulator>();
  build(*s, mechanism);
  Prepared result;
  s->settings.mu = request.value("mu", s->settings.mu);
  result.work = choose(request.at("algorithm"), s);
  result.work();
  result.values = link_accelerations(
      mechanism, [&](std::size_t i) { return s->data->ddq[static_cast<Eigen::Index>(i)]; });
  result.notes["version"] = PINOCCHIO_VERSION;
  result.notes["iterations"] = s->settings.iter;
  return result;
}

}  // namespace

int main() {
  return serve(prepare);
}
