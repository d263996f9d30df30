// Two cases that random mechanisms seldom or never draw.

#include <gtest/gtest.h>

#include "mechanism_states.hpp"

namespace dalembert::mechanisms::mechanism_cases_test {
namespace {

/// Where one component of a quaternion is close to zero, elimination in a fixed order leaves a last
/// pivot of M that is rounding divided by its square; it must not count as mass, nor as negative
/// mass.
TEST(Mechanism, SparseMatricesTakeQuaternionsCloseToEveryAxis) {
  for (int small = 0; small < 4; ++small) {
    for (const double size : {0.03, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 0.0}) {
      Mechanism m;
      RandomBody b;
      b.inertia << 1.1, 0.1, -0.2, 0.1, 0.7, 0.05, -0.2, 0.05, 0.9;
      b.center = {0.1, -0.2, 0.3};
      b.turns = {0.6, -0.5, 0.4, 0.48};
      b.turns[static_cast<std::size_t>(small)] = size;
      Eigen::Map<Eigen::Vector4d> e(b.turns.data());
      e.normalize();
      b.rotation = turned_by(b.axes, b.turns);
      m.bodies = {b};
      RandomJoint ball;
      ball.points = {Vector3d(0.3, 0.1, -0.4), Vector3d(0.3, 0.1, -0.4)};
      m.joints = {ball};
      m.gravity = {0, 0, -9.81};
      const Vector3d spin(1, -2, 0.5);
      const Model model = absolute(m, {{-spin.cross(ball.points[1]), spin}});
      CompileOptions options;
      options.storage = motion::Storage::sparse;
      const Motion motion = compile(model, options).value();
      const auto start = initial_state(motion);
      ASSERT_TRUE(start) << to_string(start.error());
      const Solved s(m, motion, start->state);
      ASSERT_EQ(s.found.problem, "") << "component " << small << " is " << size;
      EXPECT_EQ(s.found.rank, 4);
      Loads loads(s, m);
      loads.add_reactions(m);
      const BodyMotion& moving = s.bodies.front();
      EXPECT_LT((moving.mass * moving.acceleration - loads.of(0).force).norm(), 1e-11);
      EXPECT_LT((moving.moment_of_momentum_rate() - loads.of(0).moment).norm(), 1e-11);
    }
  }
}

/// Four bodies in free flight for 20 s: nothing outside acts, so momentum and its moment stay.
TEST(Mechanism, AFloatingTreeKeepsItsMomentForTwentySeconds) {
  Mechanism m;
  for (int i = 0; i < 4; ++i) {
    RandomBody b;
    b.mass = 1 + 0.5 * i;
    b.inertia << 0.5, 0.05 * i, 0.02, 0.05 * i, 0.6 + 0.05 * i, -0.03, 0.02, -0.03, 0.4;
    b.center = {0.05 * i, -0.1, 0.1};
    b.origin = {0.8 * i, 0.3 * (i % 2), -0.2 * i};
    const Eigen::Quaterniond e(Eigen::AngleAxisd(0.4 * i, Vector3d(1, 2, -1).normalized()));
    b.turns = {e.w(), e.x(), e.y(), e.z()};
    b.rotation = turned_by(b.axes, b.turns);
    m.bodies.push_back(b);
  }
  const std::array<JointKind, 3> kinds = {JointKind::ball, JointKind::hinge, JointKind::universal};
  for (int i = 1; i < 4; ++i) {
    RandomJoint j;
    j.kind = kinds[static_cast<std::size_t>(i - 1)];
    j.first = i == 3 ? 1 : i - 1;
    j.second = i;
    const auto place = (m.bodies[static_cast<std::size_t>(j.first)].origin +
                        m.bodies[static_cast<std::size_t>(i)].origin) /
                       2;
    j.points = {place, place};
    if (j.kind == JointKind::universal) j.axes[1] = Vector3d::UnitX();
    m.joints.push_back(j);
  }
  const std::vector<Twist> twists = {{{0.2, 0, -0.1}, {0.5, 1, -0.3}},
                                     {{-0.1, 0.3, 0}, {-0.4, 0.2, 1}},
                                     {{0, -0.2, 0.1}, {1, -0.5, 0.2}},
                                     {{0.1, 0.1, 0.1}, {0, 0.7, -0.8}}};
  const Motion motion = compile(absolute(m, twists)).value();
  SimulationOptions options = simulation_options(motion);
  options.duration = 20;
  options.samples = 21;
  options.rtol = 1e-12;
  options.atol = 1e-14;
  std::optional<Momentum> first;
  const Summary summary =
      simulate(motion, initial_state(motion).value().state, options, [&](const Sample& sample) {
        const State state = {
            sample.t, {sample.q.begin(), sample.q.end()}, {sample.v.begin(), sample.v.end()}};
        const Values value(motion.model(), state);
        std::vector<BodyMotion> bodies;
        for (std::size_t i = 0; i < m.bodies.size(); ++i)
          bodies.push_back(body_motion(motion.model().bodies[i], m.bodies[i], value, false));
        const Momentum now = momentum(bodies);
        if (!first) first = now;
        EXPECT_LT((now.linear - first->linear).norm(), 1e-10 * first->scale) << sample.t;
        EXPECT_LT((now.angular - first->angular).norm(), 1e-10 * first->scale) << sample.t;
        return true;
      });
  EXPECT_TRUE(summary.complete) << summary.reason;
}

}  // namespace
}  // namespace dalembert::mechanisms::mechanism_cases_test
