// The record of each instant: what ended a piece of the motion, and the map that begins the next.

#include <gtest/gtest.h>

#include "instants_support.hpp"

namespace dalembert::motion {
namespace {

using namespace instants_support;

/// A puck that is thrown onto a rough floor, bounces, slides and comes to rest; a clock that
/// counts.
const std::string thrown = R"(
coordinates = ["x", "z"]
[discrete]
count = 3
[energy]
kinetic = "2*(x'^2 + z'^2)/2"
potential = "2*9.81*z"
[[contact]]
name = "floor"
gap = "z"
restitution = 0.01
impact = "poisson"
friction = 0.2
slip = "x'"
[[event]]
name = "tick"
every = 0.75
set = { count = "2*count" }
[initial]
z = 0.5
"x'" = 2
[simulation]
duration = 2
samples = 3
rtol = 1e-12
)";

TEST(InstantRecord, TellsGuardsAndResets) {
  const Motion motion = compiled(thrown);
  SimulationOptions options = simulation_options(motion);
  std::vector<Instant> instants;
  options.on_instant = [&](const Instant& instant) { instants.push_back(instant); };
  const Ran ran = run(motion, options, initial_state(motion).value().state);
  ASSERT_TRUE(ran.summary.complete);

  std::vector<const Instant*> clocks, slips;
  for (const Instant& instant : instants) {
    ASSERT_EQ(instant.guards.size(), 1U);
    const Guard guard = instant.guards.front();
    if (guard.kind == Guard::Kind::clock) clocks.push_back(&instant);
    if (guard.kind == Guard::Kind::slip) slips.push_back(&instant);
    // Velocities follow from the impulses of the resets alone, each from where the last one led.
    std::vector<double> v = instant.v_before;
    for (const Reset& reset : instant.resets) {
      if (reset.kind == Reset::Kind::event) continue;
      EXPECT_NEAR(reset.v[0], v[0], 1e-14);
      EXPECT_NEAR(reset.v[1], v[1], 1e-14);
      for (int i = 0; i < 2; ++i) v[static_cast<std::size_t>(i)] += reset.P[1 - i] / 2;
    }
    EXPECT_NEAR(instant.v_after[0], v[0], 1e-14);
    EXPECT_NEAR(instant.v_after[1], v[1], 1e-14);
  }

  const Instant& first = instants.front();
  EXPECT_EQ(first.guards.front().kind, Guard::Kind::gap);
  EXPECT_NEAR(first.q_before[1], 0, 1e-15);
  EXPECT_FALSE(first.modes_before[0].closed());
  EXPECT_FALSE(first.modes_after[0].closed());
  ASSERT_EQ(first.resets.size(), 1U);
  const Reset& impact = first.resets.front();
  EXPECT_EQ(impact.kind, Reset::Kind::impact);
  ASSERT_EQ(impact.phases.size(), 2U) << "compression and expansion";
  EXPECT_EQ(impact.phases[1][0].hold, flow::Hold::slide);
  EXPECT_TRUE(impact.phases[1][0].given);
  EXPECT_DOUBLE_EQ(impact.phases[1][0].d[0], 1);
  EXPECT_NEAR(impact.P[0], 2 * 1.01 * std::sqrt(9.81), 1e-12);
  EXPECT_NEAR(impact.P[1], -0.2 * impact.P[0], 1e-14);

  ASSERT_EQ(clocks.size(), 2U);
  EXPECT_EQ(clocks[0]->discretes_before, std::vector<double>{3});
  EXPECT_EQ(clocks[0]->discretes_after, std::vector<double>{6});
  EXPECT_EQ(clocks[0]->resets.front().event, 0U);

  ASSERT_EQ(slips.size(), 1U) << "it comes to rest";
  EXPECT_EQ(slips[0]->modes_before[0].hold, flow::Hold::slide);
  EXPECT_EQ(slips[0]->modes_after[0].hold, flow::Hold::stick);
  EXPECT_TRUE(slips[0]->resets.empty());
}

}  // namespace
}  // namespace dalembert::motion
