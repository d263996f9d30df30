#include "dalembert/study/plan.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dalembert/flow/state/initial_state.hpp"

namespace dalembert::study::plan_test {
namespace {

model::Model disk() {
  return model::read_model(DALEMBERT_MODELS "/rolling_disk.toml").value();
}

model::Model read(const std::string& text) {
  return model::read_model_text(text, "model.toml").value();
}

Plan plan_of(const model::Model& model, std::vector<std::string> variations,
             std::map<std::string, std::string> settings = {}, std::uint64_t seed = 0) {
  return make_plan(model, {std::move(settings), std::nullopt, std::move(variations), seed}).value();
}

std::string refusal(const model::Model& model, std::vector<std::string> variations,
                    std::map<std::string, std::string> settings = {}) {
  const auto plan = make_plan(model, {std::move(settings), std::nullopt, std::move(variations), 0});
  EXPECT_FALSE(plan);
  return plan ? "" : plan.error().diagnostics.front().message;
}

const std::string chain = R"(
coordinates = ["x", "y"]
[parameters]
c = "2*b"
b = "a + 1"
a = 1
free = 5
[let]
lever = "2*x"
[energy]
kinetic = "a*(x'^2 + y'^2)/2"
potential = "c*x^2/2"
[initial]
x = "b"
y = "lever + 1"
"x'" = "y*free"
[simulation]
duration = "3*c"
)";

TEST(Plan, ParametersThatAreWrittenInTermsOfAVariedOneFollowIt) {
  const Plan plan = plan_of(read(chain), {"a=[1, 4]"});
  const study::Run run = plan.prepare(1);
  ASSERT_EQ(run.problem, "");
  const auto& names = plan.motion().model().parameters;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double expected = names[i].name == "a"   ? 4
                            : names[i].name == "b" ? 5
                            : names[i].name == "c" ? 10
                                                   : 5;
    EXPECT_EQ(run.parameters[i], expected) << names[i].name;
  }
  EXPECT_EQ(run.start.q, (std::vector<double>{5, 11}));
  EXPECT_EQ(run.start.v, (std::vector<double>{55, 0}));
  EXPECT_TRUE(plan.duration_varies());
  EXPECT_FALSE(plan_of(read(chain), {"free=[1, 4]"}).duration_varies());
}

TEST(Plan, AVariedParameterInTheMiddleIsNoLongerFollowing) {
  const study::Run run = plan_of(read(chain), {"b=[7]"}).prepare(0);
  EXPECT_EQ(run.start.q, (std::vector<double>{7, 15}));
}

TEST(Plan, SettingsFollowVariedParametersToo) {
  const study::Run run = plan_of(read(chain), {"a=[10]"}, {{"free", "a^2"}}).prepare(0);
  EXPECT_EQ(run.start.q, (std::vector<double>{11, 23}));
  EXPECT_EQ(run.start.v[0], 23 * 100);
}

TEST(Plan, InitialValuesWrittenInTermsOfAVariedOneFollowIt) {
  const study::Run run = plan_of(read(chain), {"x=[3]", "y'=[-1]"}).prepare(0);
  EXPECT_EQ(run.start.q, (std::vector<double>{3, 7}));
  EXPECT_EQ(run.start.v, (std::vector<double>{35, -1}));
  const study::Run other = plan_of(read(chain), {"y=[100]"}).prepare(0);
  EXPECT_EQ(other.start.q, (std::vector<double>{2, 100}));
  EXPECT_EQ(other.start.v, (std::vector<double>{500, 0}));
}

TEST(Plan, AModelWithoutInitialValuesCanVaryThem) {
  const model::Model model = read("coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n");
  const study::Run run = plan_of(model, {"x'=[2, 3]", "x=[5]"}).prepare(1);
  EXPECT_EQ(run.start.q[0], 5);
  EXPECT_EQ(run.start.v[0], 3);
}

// A rolling disk rolls from any spin and heading: x' and y' follow. Two routes: what a sweep
// prepares, and the model with these numbers written into it.
TEST(Plan, StartsAreThoseOfTheModelWithTheValuesWrittenIn) {
  const Plan plan = plan_of(disk(), {"psi'=uniform(-5, -3)", "phi=uniform(-3, 3)", "r=[0.25, 0.5]"},
                            {{"m", "3"}}, 11);
  for (std::uint64_t i = 0; i < 20; ++i) {
    std::vector<double> values(3);
    plan.values(i, values);
    std::string text = disk().source->text;
    const auto put = [&](const std::string& old, const std::string& now) {
      ASSERT_NE(text.find(old), std::string::npos);
      text.replace(text.find(old), old.size(), now);
    };
    char number[64];
    std::snprintf(number, sizeof number, "\"psi'\" = %.17g\nphi = %.17g", values[0], values[1]);
    put("\"psi'\" = -5", number);
    std::snprintf(number, sizeof number, "r = %.17g", values[2]);
    put("r = 0.5", number);
    put("m = 2", "m = 3");
    const auto motion = motion::compile(read(text)).value();
    const motion::State expected = motion::initial_state(motion).value().state;
    const study::Run run = plan.prepare(i);
    ASSERT_EQ(run.problem, "");
    // Sines and cosines come from two libraries, each right to an ulp, and one of the routes
    // projects: a few roundings of numbers below 3.
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(run.start.q[k], expected.q[k], 8 * 0x1p-52 * 3);
      EXPECT_NEAR(run.start.v[k], expected.v[k], 8 * 0x1p-52 * 5);
    }
  }
}

TEST(Plan, ARunThatBreaksAConstraintSaysSo) {
  const study::Run run = plan_of(disk(), {"x'=[7]"}).prepare(0);
  EXPECT_NE(run.problem.find("the initial velocities break constraint 'rolling x'"),
            std::string::npos)
      << run.problem;
}

TEST(Plan, StartsAreAdjustedWhereTheModelAllowsIt) {
  std::string text = disk().source->text;
  text.replace(text.find("[initial]"), 9, "[initial]\nadjust = \"nearest\"");
  const study::Run run = plan_of(read(text), {"x'=[7]"}).prepare(0);
  ASSERT_EQ(run.problem, "");
  const auto& v = run.start.v;  // phi = 0: x' = -r psi'
  EXPECT_NEAR(v[3], -0.5 * v[2], 1e-14);
  EXPECT_NE(v[3], 7);
}

TEST(Plan, ValuesThatAreNotFiniteFailTheRunAndNoOther) {
  std::string text = chain;
  text.replace(text.find("\"2*b\""), 5, "\"1/(b - 2)\"");
  text.replace(text.find("a = 1"), 5, "a = 2");
  const Plan plan = plan_of(read(text), {"a=[1, 3]"});
  EXPECT_EQ(plan.prepare(0).problem, "parameter 'c' is inf; it must be finite");
  EXPECT_EQ(plan.prepare(1).problem, "");
}

TEST(Plan, Mistakes) {
  EXPECT_EQ(refusal(disk(), {}),
            "nothing varies: give --vary, as in --vary \"theta=uniform(0.8, 1.4)\"");
  EXPECT_EQ(refusal(disk(), {"thta=[1]"}),
            "--vary 'thta=[1]': unknown name 'thta'; did you mean 'theta'?");
  EXPECT_EQ(refusal(disk(), {"theta=[1]", "theta = [2]"}),
            "--vary 'theta = [2]': 'theta' varies already");
  EXPECT_EQ(refusal(disk(), {"m=[1]"}, {{"m", "2"}}),
            "--vary 'm=[1]': 'm' is given by --set too; it either varies or does not");
  EXPECT_EQ(refusal(disk(), {"theta''=[1]"}),
            "--vary 'theta''=[1]': unknown name 'theta'''; did you mean 'theta''?");
  EXPECT_EQ(refusal(disk(), {"m=[1]", "r=uniform(m, 2*m)"}),
            "--vary 'r=uniform(m, 2*m)': 'm' varies itself and cannot be used here");
  EXPECT_EQ(refusal(disk(), {"m=[theta]"}),
            "--vary 'm=[theta]': unknown name 'theta'; numbers and "
            "parameters may be used here");
  EXPECT_EQ(refusal(disk(), {"m=[1/(g - 9.8125)]"}),
            "--vary 'm=[1/(g - 9.8125)]': not a finite number");
  EXPECT_EQ(refusal(disk(), {"m=linspace(1,2,1e6)", "r=linspace(1,2,1e6)"}),
            "the lists make a grid of more than 1000000000 cells, which is the limit");
  EXPECT_EQ(refusal(disk(), {"m=[1]"}, {{"q", "1"}}).substr(0, 12), "--set q=1: u");
}

TEST(Plan, NumbersMayUseParametersThatDoNotVary) {
  const study::Run run = plan_of(disk(), {"m=[g, 2*r]"}, {{"r", "2"}}).prepare(1);
  EXPECT_EQ(run.parameters[0], 4);
}

TEST(Plan, AnEarlierMistakeDoesNotHideALaterOne) {
  const auto plan = make_plan(disk(), {{}, std::nullopt, {"m=[]", "r=[]"}, 0});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().diagnostics.size(), 2);
}

TEST(QuickStart, AgreesWithTheFullCheckWhereItAnswers) {
  for (const char* name : {"pendulum", "slider_crank", "rotating_wire", "dumbbell", "two_masses"}) {
    const auto model =
        model::read_model(std::string(DALEMBERT_MODELS "/") + name + ".toml").value();
    const motion::Motion motion = motion::compile(model).value();
    const motion::State expected = motion::initial_state(motion).value().state;
    const auto quick = QuickStart(motion)(motion.parameters());
    if (!quick) continue;
    for (std::size_t k = 0; k < motion.coordinates(); ++k) {
      EXPECT_NEAR(quick->q[k], expected.q[k], 8 * 0x1p-52 * (1 + std::abs(expected.q[k]))) << name;
      EXPECT_NEAR(quick->v[k], expected.v[k], 8 * 0x1p-52 * (1 + std::abs(expected.v[k]))) << name;
    }
  }
}

TEST(QuickStart, LeavesABrokenConstraintToOthers) {
  std::string text = disk().source->text;
  text.replace(text.find("\"-r*psi'*cos(phi)\""), 18, "2.5000000001");
  const motion::Motion motion = motion::compile(read(text)).value();
  EXPECT_FALSE(QuickStart(motion)(motion.parameters()));
}

}  // namespace
}  // namespace dalembert::study::plan_test
