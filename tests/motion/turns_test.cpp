// Turns of hinges: an angle goes on beyond half a turn, in angles and in quaternions, by every
// integrator; springs and gears with it.
#include <dalembert/flow/state/turns.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dalembert/flow/evaluator.hpp"
#include "dalembert/motion/simulate.hpp"
#include "joints_support.hpp"

namespace dalembert::motion::turns_test {
namespace {

const std::string by_angle = R"(coordinates = ["th"]
[[body]]
name = "wheel"
mass = 1
inertia = [1, 1, 2]
position = [0, 0, 0]
orientation = { axes = "z", angles = ["th"] }
)";

const std::string by_quaternion = R"(coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"]
[[body]]
name = "wheel"
mass = 1
inertia = [1, 1, 2]
position = ["x", "y", "z"]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
)";

const std::string by_euler = R"(coordinates = ["x", "y", "z", "a", "b", "c"]
[[body]]
name = "wheel"
mass = 1
inertia = [1, 1, 2]
position = ["x", "y", "z"]
orientation = { axes = "zyx", angles = ["a", "b", "c"] }
)";

const std::string hinge = R"([[joint]]
name = "pin"
type = "hinge"
body = "wheel"
axis = [0, 0, 1]
)";

Motion compiled(const std::string& text) {
  return compile(model::read_model_text(text, "model.toml").value()).value();
}

/// A column of what is recorded.
std::vector<double> column(const Motion& motion, const std::string& name, double duration,
                           Integrator integrator = Integrator::rk8, double rtol = 1e-9,
                           Summary* summary = nullptr) {
  SimulationOptions options = simulation_options(motion);
  options.duration = duration;
  options.samples = 41;
  options.rtol = rtol;
  options.integrator = integrator;
  const auto& outputs = motion.outputs();
  const auto i = static_cast<std::size_t>(std::ranges::find(outputs, name, &model::Named::name) -
                                          outputs.begin());
  std::vector<double> values;
  const Summary end =
      simulate(motion, initial_state(motion).value().state, options, [&](const Sample& sample) {
        values.push_back(sample.outputs[i]);
        return true;
      });
  EXPECT_TRUE(end.complete) << end.reason;
  if (summary != nullptr) *summary = end;
  return values;
}

// J th'' = -k th with J = 2, k = 8: th = 10 sin(2 t), three half turns to either side.
TEST(Turns, ASpringGoesOnBeyondHalfATurn) {
  const std::string spring = hinge + "[[spring]]\njoint = \"pin\"\nstiffness = 8\n[initial]\n";
  for (const auto& [text, free] :
       {std::pair{by_angle + spring + "\"th'\" = 20\n", false},
        std::pair{by_quaternion + spring + "e0 = 1\n\"e3'\" = 10\n", true},
        std::pair{by_euler + spring + "\"a'\" = 20\n", true}}) {
    const Motion motion = compiled(text);
    EXPECT_EQ(motion.model().joints[0].near.empty(), !free);
    EXPECT_EQ(hinges_that_count(motion).size(), free ? 1u : 0u);
    for (const Integrator integrator : {Integrator::rk8, Integrator::bdf}) {
      Summary summary;
      const std::vector<double> angle = column(motion, "pin.angle", 5, integrator, 1e-9, &summary);
      ASSERT_EQ(angle.size(), 41u);
      // Local errors of rtol times 10 rad, over a hundred steps of rk8 and thousands of bdf.
      const double tolerance = integrator == Integrator::rk8 ? 1e-6 : 1e-4;
      for (std::size_t i = 0; i < angle.size(); ++i)
        EXPECT_NEAR(angle[i], 10 * std::sin(2 * 0.125 * static_cast<double>(i)), tolerance);
      EXPECT_LT(summary.balance_error, 1e-5 * summary.energy_scale);
    }
  }
}

// Loose tolerances would take a whole turn in a step.
TEST(Turns, AreNotLostInLongSteps) {
  const Motion motion = compiled(by_euler + hinge + "[initial]\n\"a'\" = 5\n");
  const std::vector<double> angle = column(motion, "pin.angle", 40, Integrator::rk8, 1e-3);
  for (std::size_t i = 0; i < angle.size(); ++i)
    EXPECT_NEAR(angle[i], 5 * static_cast<double>(i), 0.1);
}

TEST(Turns, GearsOfAnyRatioGoOnTurning) {
  const std::string wheel2_angle = R"([[body]]
name = "second"
mass = 1
inertia = [2, 2, 3]
position = [4, 0, 0]
orientation = { axes = "z", angles = ["ph"] }
)";
  const std::string wheel2_quaternion = R"([[body]]
name = "second"
mass = 1
inertia = [2, 2, 3]
position = [4, 0, 0]
orientation = { quaternion = ["f0", "f1", "f2", "f3"] }
)";
  const std::string gear = hinge + R"([[joint]]
name = "gear"
type = "hinge"
body = "second"
points = [[4, 0, 0], [0, 0, 0]]
axis = [0, 0, 1]
motion = "-1.3*pin.angle"
)";
  const auto with = [](std::string text, const std::string& more) {
    return text.insert(text.find(']'), more);
  };
  const std::string start = "[initial]\n\"e3'\" = 1\ne0 = 1\nf0 = 1\n\"f3'\" = -1.3\n";
  for (const std::string& text :
       {with(by_angle, ", \"ph\"") + wheel2_angle + gear +
            "[initial]\n\"th'\" = 2\n\"ph'\" = -2.6\n",
        with(by_quaternion, R"(, "f0", "f1", "f2", "f3")") + wheel2_quaternion + gear + start}) {
    const Motion motion = compiled(text);
    const std::vector<double> first = column(motion, "pin.angle", 10);
    const std::vector<double> second = column(motion, "gear.angle", 10);
    ASSERT_EQ(first.size(), 41u);
    ASSERT_EQ(second.size(), 41u);
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_NEAR(first[i], 0.5 * static_cast<double>(i), 1e-6);
      EXPECT_NEAR(second[i], -1.3 * first[i], 1e-8);
    }
  }
}

// An axis that time turns right round, in a coordinate plane and out of it: the angle follows
// without a jump, and its rate is its derivative.
TEST(Turns, AnAxisThatMovesTakesItsReferenceAlong) {
  for (const std::string axis :
       {R"x(["cos(t)", "sin(t)", 0])x", R"x([0, "cos(2*t)", "sin(2*t)"])x",
        R"x(["cos(t)", "0.8*sin(t)", "0.6*sin(t) + 0.2"])x", R"x(["sin(t)", "0.3", "cos(t)"])x"}) {
    const Motion motion = compiled(by_quaternion +
                                   "[[joint]]\nname = \"pin\"\ntype = \"hinge\"\nbody = "
                                   "\"wheel\"\naxis = " +
                                   axis + "\n[initial]\ne0 = 1\nadjust = \"nearest\"\n");
    const std::vector<double> angle = column(motion, "pin.angle", 8);
    const std::vector<double> rate = column(motion, "pin.rate", 8);
    for (std::size_t i = 1; i < angle.size(); ++i)
      EXPECT_NEAR(angle[i] - angle[i - 1], 0.2 * (rate[i] + rate[i - 1]) / 2, 0.05) << axis << i;
  }
}

}  // namespace
}  // namespace dalembert::motion::turns_test
