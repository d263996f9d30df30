// Projection in lanes against Projector, and against the constraint itself.
#include "dalembert/motion/steps/lane_projection.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dalembert/flow/projection.hpp"
#include "ensemble_runs.hpp"

namespace dalembert::motion::lane_projection_test {
namespace {

class Pendulum : public testing::TestWithParam<int> {
 protected:
  Pendulum()
      : motion(study::bundled("pendulum")),
        start(initial_state(motion).value().state),
        flow(make_flow(motion, start).value()) {}

  LaneProjector projector(model::Project project) const {
    return {codegen::interpreted(flow.positions, W),
            codegen::interpreted(flow.velocities, W),
            2,
            false,
            project,
            W,
            motion.parameters()};
  }

  /// A state off the constraints, by more in each lane than in the one before.
  codegen::AlignedVector states() const {
    codegen::AlignedVector y(4 * static_cast<std::size_t>(W));
    for (int l = 0; l < W; ++l) {
      const double angle = 0.3 + 0.5 * l, off = 1 + 1e-7 * std::pow(4, l);
      const double row[] = {off * std::sin(angle), -off * std::cos(angle),
                            off * std::cos(angle) + 1e-6 * (1 + l), off * std::sin(angle)};
      for (std::size_t i = 0; i < 4; ++i) y[i * static_cast<std::size_t>(W) + l] = row[i];
    }
    return y;
  }

  const int W = GetParam();
  Motion motion;
  State start;
  Flow flow;
};

TEST_P(Pendulum, AgreesWithTheProjectorOfOneRun) {
  LaneProjector lanes = projector(model::Project::both);
  codegen::AlignedVector y = states(), t(static_cast<std::size_t>(W), 0.0);
  const codegen::AlignedVector before = y;
  const LaneMasks all(static_cast<std::size_t>(W), -1);
  lanes.project(t.data(), y.data(), all.data());
  Projector one(motion);
  for (int l = 0; l < W; ++l) {
    EXPECT_TRUE(lanes.converged(l));
    EXPECT_LE(lanes.residual(l), projection_tolerance);
    std::vector<double> q(2), v(2);
    for (std::size_t i = 0; i < 2; ++i) {
      q[i] = before[i * static_cast<std::size_t>(W) + l];
      v[i] = before[(2 + i) * static_cast<std::size_t>(W) + l];
    }
    ASSERT_EQ(one.decide(0, q, v), Status::ok);
    ASSERT_TRUE(one.positions(0, q, v).converged);
    ASSERT_TRUE(one.velocities(0, q, v).converged);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(y[i * static_cast<std::size_t>(W) + l], q[i], 1e-11);
      EXPECT_NEAR(y[(2 + i) * static_cast<std::size_t>(W) + l], v[i], 1e-11);
    }
  }
}

TEST_P(Pendulum, LanesNotAskedForKeepEveryBit) {
  LaneProjector lanes = projector(model::Project::both);
  codegen::AlignedVector all_y = states(), y = all_y, t(static_cast<std::size_t>(W), 0.0);
  const codegen::AlignedVector before = y;
  const LaneMasks all(static_cast<std::size_t>(W), -1);
  lanes.project(t.data(), all_y.data(), all.data());
  LaneMasks some(static_cast<std::size_t>(W), 0);
  for (int l = 1; l < W; l += 2) some[l] = -1;
  lanes.project(t.data(), y.data(), some.data());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool asked = i % static_cast<std::size_t>(W) % 2 == 1;
    EXPECT_EQ(y[i], asked ? all_y[i] : before[i]);
  }
}

TEST_P(Pendulum, WhatIsNotToBeProjectedIsNot) {
  codegen::AlignedVector y = states(), t(static_cast<std::size_t>(W), 0.0);
  const codegen::AlignedVector before = y;
  const LaneMasks all(static_cast<std::size_t>(W), -1);
  LaneProjector none = projector(model::Project::none);
  EXPECT_FALSE(none.needed());
  none.project(t.data(), y.data(), all.data());
  EXPECT_EQ(y, before);
  LaneProjector velocity = projector(model::Project::velocity);
  velocity.project(t.data(), y.data(), all.data());
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (i < y.size() / 2) {
      EXPECT_EQ(y[i], before[i]);
    }
  }
  EXPECT_NE(y, before);
}

TEST_P(Pendulum, AStateWithoutGradientDoesNotConverge) {
  LaneProjector lanes = projector(model::Project::both);
  codegen::AlignedVector y(4 * static_cast<std::size_t>(W), 0.0),
      t(static_cast<std::size_t>(W), 0.0);
  const LaneMasks all(static_cast<std::size_t>(W), -1);
  lanes.project(t.data(), y.data(), all.data());
  EXPECT_FALSE(lanes.converged(0));
}

INSTANTIATE_TEST_SUITE_P(LaneProjection, Pendulum, testing::Values(1, 4, 8));

}  // namespace
}  // namespace dalembert::motion::lane_projection_test
