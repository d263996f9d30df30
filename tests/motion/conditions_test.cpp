// What must be positive of a joint, and joints that would stand the wrong way round.
#include <dalembert/flow/state/conditions.hpp>
#include <dalembert/flow/state/initial_state.hpp>
#include <dalembert/motion/simulate.hpp>

#include <gtest/gtest.h>

#include <string>

namespace dalembert::motion::conditions_test {
namespace {

std::string with_joint(const std::string& joint, const std::string& initial = "") {
  return R"(coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"]
[parameters]
p = 1
[[body]]
name = "box"
mass = 1
inertia = [1, 1.5, 2]
position = ["x", "y", "z"]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
[[joint]]
name = "J"
body = "box"
)" + joint +
         "\n[initial]\nadjust = \"nearest\"\n" + initial + "[simulation]\nduration = 2\n";
}

Motion compiled(const std::string& text, const std::string& p = "1") {
  CompileOptions options;
  options.settings["p"] = p;
  return compile(model::read_model_text(text, "model.toml").value(), options).value();
}

std::string complaint(const std::string& text, const std::string& p = "1") {
  const auto start = initial_state(compiled(text, p));
  return start ? "" : start.error().diagnostics.front().message;
}

TEST(Conditions, ParametersMayNotMakeALengthARadiusOrAFrictionNegative) {
  const std::string distance = with_joint("type = \"distance\"\nlength = \"p\"", "x = 1\n");
  EXPECT_EQ(complaint(distance), "");
  EXPECT_EQ(complaint(distance, "-1"),
            "at the start, the length of joint 'J' must be positive, and is -1");
  const std::string rolls = with_joint(
      "type = \"rolls\"\nshape = \"sphere\"\nradius = \"p\"\nnormal = [0, 0, 1]", "z = 1\n");
  EXPECT_EQ(complaint(rolls), "");
  EXPECT_EQ(complaint(rolls, "-1"),
            "at the start, the radius of joint 'J' must be positive, and is -1");
  const std::string rough = with_joint(
      "type = \"hinge\"\naxis = [0, 0, 1]\nfriction = { mu = \"p\", radius = 0.1, slip = 0.01 }");
  EXPECT_EQ(complaint(rough, "0"), "");
  EXPECT_EQ(complaint(rough, "-0.5"),
            "at the start, the friction of joint 'J' must not be negative, and is -0.5");
  const std::string axis = with_joint("type = \"hinge\"\naxis = [0, \"p\", 0]");
  EXPECT_EQ(complaint(axis), "");
  EXPECT_EQ(complaint(axis, "0"),
            "at the start, the length of an axis of joint 'J' must be positive, and is 0");
}

TEST(Conditions, TimeMayNotEither) {
  const Motion motion =
      compiled(with_joint("type = \"distance\"\nlength = \"1 - t\"", "x = 1\n\"x'\" = -1\n"));
  const Summary summary = simulate(motion, initial_state(motion).value().state,
                                   simulation_options(motion), [](const Sample&) { return true; });
  EXPECT_FALSE(summary.complete);
  EXPECT_GE(summary.t, 1);
  EXPECT_LT(summary.t, 2);
  EXPECT_NE(summary.reason.find("the length of joint 'J' must be positive"), std::string::npos)
      << summary.reason;
}

TEST(Conditions, ADriveIsNotMetHalfATurnOff) {
  EXPECT_EQ(complaint(with_joint("type = \"hinge\"\naxis = [0, 0, 1]\nmotion = 0.5")), "");
  EXPECT_NE(
      complaint(with_joint("type = \"hinge\"\naxis = [0, 0, 1]\nmotion = 3")).find("half a turn"),
      std::string::npos);
  EXPECT_NE(complaint(with_joint("type = \"hinge\"\naxes = [[0, 0, 1], [0, 0, -1]]"))
                .find("point in opposite directions"),
            std::string::npos);
}

TEST(Conditions, SlidersAndWeldsDoNotHoldAThirdOfATurnOff) {
  EXPECT_EQ(complaint(with_joint("type = \"slider\"\naxis = [1, 0, 0]")), "");
  EXPECT_NE(complaint(with_joint("type = \"slider\"\naxes = [[1, 0, 0], [0, 1, 0]]"))
                .find("by a third or a half of a turn"),
            std::string::npos);
  EXPECT_NE(
      complaint(with_joint("type = \"weld\"\nframes = [{ axis = [1, 1, 1], angle = \"-2*pi/3\" }, "
                           "{ axes = \"z\", angles = [0] }]"))
          .find("by a third or a half of a turn"),
      std::string::npos);
}

TEST(Conditions, AStartAtARightAngleIsPutTogether) {
  EXPECT_EQ(complaint(with_joint("type = \"hinge\"\naxes = [[0, 0, 1], [1, 0, 0]]")), "");
  EXPECT_EQ(complaint(with_joint("type = \"universal\"\naxes = [[0, 0, 1], [0, 0, 1]]")), "");
}

TEST(Conditions, AZeroQuaternionIsNamed) {
  EXPECT_NE(complaint(with_joint("type = \"ball\"", "e0 = 0\n")).find("is zero at the start"),
            std::string::npos);
}

}  // namespace
}  // namespace dalembert::motion::conditions_test
