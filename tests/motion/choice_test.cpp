// integrator = "auto": what it chooses, and that it is what was chosen.
#include "dalembert/motion/choice.hpp"

#include <gtest/gtest.h>

#include "bundled.hpp"

namespace dalembert::motion::choice_test {
namespace {

SimulationOptions options_at(double rtol) {
  SimulationOptions options;
  options.rtol = rtol;
  options.atol = rtol / 1000;
  options.duration = 1;
  options.samples = 3;
  options.integrator = Integrator::automatic;
  return options;
}

TEST(Choice, SmallTolerancesGoBySeriesAndLargeOnesDoNot) {
  const Motion motion = compile_bundled("gyroscope");
  EXPECT_EQ(choose_integrator(motion, options_at(1e-13)).integrator, Integrator::taylor);
  // It turns fast, and a step by series is worth two of rk8 there.
  EXPECT_EQ(choose_integrator(motion, options_at(1e-8)).integrator, Integrator::taylor);
  // Sums by the thousand: 44 steps in place of 70, each at three times the work.
  EXPECT_EQ(choose_integrator(compile_bundled("bicycle"), options_at(1e-9)).integrator,
            Integrator::rk8);
  const IntegratorChoice loose = choose_integrator(motion, options_at(1e-6));
  EXPECT_EQ(loose.integrator, Integrator::rk8);
  EXPECT_EQ(loose.reason, "series gain little from rtol 1e-07 upwards");
}

TEST(Choice, WithoutATapeItIsRk8) {
  CompileOptions compiling;
  compiling.method = "gauss";
  const Motion motion = compile_bundled("pendulum", compiling);
  EXPECT_EQ(choose_integrator(motion, options_at(1e-12)).reason, "no tape vouches for this motion");
}

/// Neither the start nor the parameters of a run move it.
TEST(Choice, ItIsOfTheModelAndNotOfARun) {
  const Motion motion = compile_bundled("double_pendulum");
  std::vector<double> parameters = motion.parameters();
  for (double& p : parameters) p *= 1.3;
  for (const double rtol : {1e-9, 1e-10, 1e-12}) {
    const IntegratorChoice own = choose_integrator(motion, options_at(rtol));
    const IntegratorChoice other =
        choose_integrator(motion.with_parameters(parameters), options_at(rtol));
    EXPECT_EQ(own.integrator, other.integrator);
    EXPECT_EQ(own.reason, other.reason);
  }
}

TEST(Choice, TheMotionIsThatOfWhatWasChosen) {
  const Motion motion = compile_bundled("rolling_disk");
  const State start = initial_state(motion).value().state;
  for (const double rtol : {1e-6, 1e-9, 1e-12}) {
    SimulationOptions options = options_at(rtol);
    std::vector<double> by_choice, by_name;
    const auto into = [](std::vector<double>& rows) {
      return [&rows](const Sample& sample) {
        rows.insert(rows.end(), sample.q.begin(), sample.q.end());
        return true;
      };
    };
    const Summary summary = simulate(motion, start, options, into(by_choice));
    ASSERT_TRUE(summary.chosen);
    EXPECT_EQ(*summary.chosen, choose_integrator(motion, options).integrator);
    EXPECT_FALSE(summary.choice.empty());
    options.integrator = *summary.chosen;
    EXPECT_FALSE(simulate(motion, start, options, into(by_name)).chosen);
    EXPECT_EQ(by_choice, by_name);
  }
}

}  // namespace
}  // namespace dalembert::motion::choice_test
