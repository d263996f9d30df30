// What can be asked of a simulation: one answer for all who ask.
#include <dalembert/motion/request.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace dalembert::motion::request_test {
namespace {

Motion particle(const std::string& simulation = "duration = \"2*p\"\nsamples = 11\n") {
  const std::string text =
      "coordinates = [\"x\"]\n[parameters]\np = 1\n[energy]\nkinetic = \"x'^2/2\"\n"
      "[simulation]\n" +
      simulation;
  return compile(model::read_model_text(text, "model.toml").value()).value();
}

std::string refusal(const SimulationRequest& request, const Motion& motion = particle()) {
  const auto options = requested_options(request, motion);
  if (options) return "";
  const Refusal& why = options.error();
  return why.stands_alone ? why.sentence : std::string(to_string(why.option)) + ": " + why.sentence;
}

template <class T>
SimulationRequest with(std::optional<T> SimulationRequest::* option, T value) {
  SimulationRequest request;
  request.*option = std::move(value);
  return request;
}

constexpr double infinite = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(Request, WhatIsNotAskedForIsAsTheModelSays) {
  const auto options = requested_options({}, particle());
  ASSERT_TRUE(options);
  EXPECT_EQ(options->duration, 2);
  EXPECT_EQ(options->samples, 11);
  EXPECT_EQ(options->integrator, Integrator::rk8);
}

TEST(Request, WhatIsAskedForTakesTheModelsPlace) {
  SimulationRequest request;
  request.duration = 3;
  request.samples = 5;
  request.rtol = 1e-6;
  request.atol = 1e-7;
  request.max_steps = 100;
  request.integrator = "bdf";
  const auto options = requested_options(request, particle("times = [0, 1, 4]\n"));
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->times.empty());
  EXPECT_EQ(options->duration, 3);
  EXPECT_EQ(options->samples, 5);
  EXPECT_EQ(options->rtol, 1e-6);
  EXPECT_EQ(options->atol, 1e-7);
  EXPECT_EQ(options->max_steps, 100);
  EXPECT_EQ(options->integrator, Integrator::bdf);
}

TEST(Request, NumbersOutOfBoundsAreRefused) {
  for (const double wrong : {0.0, -1.0, infinite, not_a_number}) {
    EXPECT_EQ(refusal(with(&SimulationRequest::duration, wrong)), "duration: must be positive");
    EXPECT_EQ(refusal(with(&SimulationRequest::atol, wrong)), "atol: must be positive");
    EXPECT_EQ(refusal(with(&SimulationRequest::rtol, wrong)), "rtol: must be between 0 and 1");
  }
  EXPECT_EQ(refusal(with(&SimulationRequest::rtol, 1.0)), "rtol: must be between 0 and 1");
  for (const double wrong : {1.0, 2.5, 1e9 + 1, infinite, not_a_number}) {
    EXPECT_EQ(refusal(with(&SimulationRequest::samples, wrong)),
              "samples: must be a whole number from 2 to 1000000000");
  }
  for (const double wrong : {0.0, 1.5, 2e15, not_a_number}) {
    EXPECT_EQ(refusal(with(&SimulationRequest::max_steps, wrong)),
              "max_steps: must be a whole number from 1 to 1000000000000000");
  }
  SimulationRequest few = with(&SimulationRequest::samples, 201.0);
  few.most_samples = 200;
  EXPECT_EQ(refusal(few), "samples: must be a whole number from 2 to 200");
}

TEST(Request, TimesIncreaseAndEndTheMotion) {
  const auto times = [](std::vector<double> list) {
    return with(&SimulationRequest::times, std::move(list));
  };
  const auto options = requested_options(times({0.5, 2.5}), particle());
  ASSERT_TRUE(options);
  EXPECT_EQ(options->duration, 2.5);
  EXPECT_EQ(refusal(times({})), "times must not be empty");
  EXPECT_EQ(refusal(times({0})), "the last of the times must be positive");
  EXPECT_EQ(refusal(times({-1, 2})),
            "times must not be negative and must increase: times[0] is -1");
  EXPECT_EQ(refusal(times({0, 2, 1})),
            "times must not be negative and must increase: times[2] is 1 after 2");
  EXPECT_EQ(refusal(times({0, infinite})), "times[1] is not a finite number");
  SimulationRequest both = times({1, 2});
  both.samples = 5;
  EXPECT_EQ(refusal(both), "give samples or times, not both");
  SimulationRequest longer = times({0, 1});
  longer.duration = 3;
  EXPECT_EQ(requested_options(longer, particle())->duration, 3);
  longer.duration = 0.5;
  EXPECT_EQ(refusal(longer), "the last of the times, 1, is beyond the duration, 0.5");
}

TEST(Request, IntegratorsAreKnownByTheirNames) {
  EXPECT_EQ(refusal(with(&SimulationRequest::integrator, std::string("bfd"))),
            "integrator: no integrator 'bfd'; did you mean 'bdf'?");
  EXPECT_EQ(refusal(with(&SimulationRequest::integrator, std::string("euler"))),
            "integrator: no integrator 'euler'; there are rk8, taylor, bdf and auto");
}

TEST(Request, EventsGoByRk8OrBdf) {
  const Motion motion = particle("duration = 1\n[[event]]\nwhen = \"x = 1\"\nstop = true\n");
  EXPECT_EQ(
      refusal(with(&SimulationRequest::integrator, std::string("taylor")), motion),
      "motions with events, contacts and friction that sticks are integrated by rk8 or bdf, and "
      "not by taylor");
  for (const char* name : {"rk8", "bdf", "auto"})
    EXPECT_EQ(refusal(with(&SimulationRequest::integrator, std::string(name)), motion), "");
}

TEST(Request, ADurationThatParametersMakeNegativeIsRefusedAtItsPlace) {
  const auto options = requested_options({}, particle().with_parameters({-1}));
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().sentence, "the duration must be positive, not -2");
  EXPECT_TRUE(options.error().of_model);
  EXPECT_EQ(options.error().where.line, 7);
}

}  // namespace
}  // namespace dalembert::motion::request_test
