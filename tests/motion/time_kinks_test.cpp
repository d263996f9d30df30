// Forces that act for a short time in a long motion: steps end where the equations say so.
#include "dalembert/flow/tapes/time_kinks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "bundled.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::motion::time_kinks_test {
namespace {

constexpr double pi = std::numbers::pi;

/// A unit mass on a line, at rest at first, and a force on it.
Motion pushed(const std::string& force, const std::string& duration = "30",
              const std::string& more = "") {
  return compile(model::read_model_text(
                     fmt::format("name = \"pushed\"\ncoordinates = [\"x\"]\n{2}\n"
                                 "[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"{0}\"\n"
                                 "[simulation]\nduration = {1}\nsamples = 4\n",
                                 force, duration, more),
                     "pushed.toml")
                     .value())
      .value();
}

struct End {
  Summary summary;
  double x = 0, v = 0;
};

End end_of(const Motion& motion, SimulationOptions options) {
  End end;
  end.summary =
      simulate(motion, initial_state(motion).value().state, options, [&](const Sample& s) {
        end.x = s.q[0];
        end.v = s.v[0];
        return true;
      });
  return end;
}

End end_of(const Motion& motion, Integrator integrator = Integrator::rk8) {
  SimulationOptions options = simulation_options(motion);
  options.integrator = integrator;
  return end_of(motion, options);
}

StepEnds ends_of(const Motion& motion, double end) {
  StepEnds ends;
  StepEndFinder(motion.time_kinks()).find(motion.parameters(), 0, end, false, ends);
  return ends;
}

std::size_t kinks_in(const StepEnds& ends) {
  return static_cast<std::size_t>(std::count_if(ends.all.begin(), ends.all.end(),
                                                [](const StepEnd& e) { return e.is_kink(); }));
}

/// What max(0, sin t - c)/(1 - c) gives in each period: with a = acos c, 2 (sin a - a c)/(1 - c).
double crest(double c) {
  const double a = std::acos(c);
  return 2 * (std::sin(a) - a * c) / (1 - c);
}

/// (2n)! / (2^n n!)^2, so that cos^2n has the impulse pi times it in each half period.
double central_binomial(int n) {
  double result = 1;
  for (int i = 1; i <= n; ++i) result *= (2.0 * i - 1) / (2.0 * i);
  return result;
}

struct Pulse {
  const char* force;
  const char* duration;
  double impulse;
};

/// Each alone gives the velocity at the end, by hand.
const std::vector<Pulse> pulses = {
    {"max(0, 1 - abs(t - 7)/0.2)", "30", 0.2},
    {"(sign(t - 3.3) - sign(t - 3.5))/2", "30", 0.2},
    {"(sign(t - 3.3) - sign(t - 3.5))/2", "3.5", 0.2},  // the kink is the end
    {"(1 - sign(t - 0.2))/2", "30", 0.2},
    {"sign(t)", "2", 2},  // the kink is the start
    {"max(0, 1 - ((t - 700.123)/0.003)^2)", "1000", 0.004},
    {"min(1, max(0, 100*t - 4200)) - min(1, max(0, 100*t - 4220))", "300", 0.2},
    {"max(0, sin(t) - 0.999)/0.001", "20", 3 * crest(0.999)},
    {"abs(sin(t))", "62.83185307179586", 40},
    {"step(t - 3.3) - step(t - 3.5)", "30", 0.2},
    {"if(t < 0.2, 1, 0)", "30", 0.2},
    {"if(t >= 3.3, if(t <= 3.5, 1, 0), 0)", "30", 0.2},
    {"clamp(5 - t, 0, 1)", "30", 4.5},
    {"floor(t)", "10", 45},
    {"floor(10 - t)", "10", 45},
    {"t - floor(t)", "100", 50},
    {"-floor(sin(t))", "62.83185307179586", 10 * pi},
    {"step(sin(t))", "62.83185307179586", 10 * pi},
    {"floor(t/700) - floor(t/700.01)", "1000", 0.01},
    {"atan2(sin(t), cos(t))", "60", std::pow(60 - 20 * pi, 2) / 2},
    {"exp(-((t - 7)/0.01)^2)", "1000", 0.01 * std::sqrt(pi)},
    {"exp(-((t - 500)/0.01)^2)", "1000", 0.01 * std::sqrt(pi)},
    {"sin(t) + exp(-((t - 31.4159)/0.01)^2)*100", "62.83185307179586", std::sqrt(pi)},
    {"cos(t)^2000", "51.8362787842316", 16.5 * pi* central_binomial(1000)},
    {"1/cosh((t - 77.7)/0.001)^2", "100", 0.002},
    {"(tanh(1000*(t - 9)) - tanh(1000*(t - 9.02)))/2", "300", 0.02},
    {"0.01/((t - 123)^2 + 0.01^2)", "1000", std::atan2(877, 0.01) + std::atan2(123, 0.01)},
};

TEST(TimeKinks, AShortForceInALongMotionIsIntegratedRight) {
  for (const Pulse& pulse : pulses) {
    const double impulse = pulse.impulse;
    const Motion motion = pushed(pulse.force, pulse.duration);
    const End explicit_end = end_of(motion);
    ASSERT_TRUE(explicit_end.summary.complete) << explicit_end.summary.reason;
    // A tolerance of 1e-9 a step, of some hundred steps.
    EXPECT_NEAR(explicit_end.v, impulse, 1e-7 * (1 + impulse)) << pulse.force;
    EXPECT_TRUE(explicit_end.summary.doubts.empty()) << pulse.force;
    EXPECT_LT(explicit_end.summary.steps, 3000) << pulse.force;
    const End implicit_end = end_of(motion, Integrator::bdf);
    ASSERT_TRUE(implicit_end.summary.complete) << implicit_end.summary.reason;
    // Of lower order: more steps, each with its error.
    EXPECT_NEAR(implicit_end.v, impulse, 1e-5 * (1 + impulse)) << pulse.force;
  }
}

TEST(TimeKinks, AJumpOfAForceCostsNoRejectedSteps) {
  const End end = end_of(pushed("(sign(t - 3.3) - sign(t - 3.5))/2"));
  EXPECT_LE(end.summary.rejected, 2);
  EXPECT_NEAR(end.x, 0.2 * 0.2 / 2 + 0.2 * 26.5, 1e-9);
}

TEST(TimeKinks, AStepEndsBesideEachKinkAndNoneIsMissing) {
  const auto near = [](const StepEnds& ends, std::size_t i, double t) {
    EXPECT_LT(ends.all[i].before, t);
    EXPECT_GT(ends.all[i].behind, t);
    EXPECT_LT(ends.all[i].behind - ends.all[i].before, 4e-15 * (1 + t));
  };
  const StepEnds tent = ends_of(pushed("max(0, 1 - abs(t - 7)/0.2)"), 30);
  ASSERT_EQ(tent.all.size(), 3U);
  near(tent, 0, 6.8);
  near(tent, 1, 7);
  near(tent, 2, 7.2);
  const StepEnds narrow = ends_of(pushed("max(0, 1 - ((t - 700.123)/1e-6)^2)"), 1000);
  ASSERT_EQ(narrow.all.size(), 2U);
  EXPECT_NEAR(narrow.all[0].before, 700.123 - 1e-6, 1e-12);
  const StepEnds waves = ends_of(pushed("abs(sin(t))"), 100);
  EXPECT_EQ(kinks_in(waves), 32U);  // 0, pi, ... 31 pi
  EXPECT_FALSE(waves.unknown_from);
}

TEST(TimeKinks, AStepEndsBesideEachJumpOfAFloor) {
  const StepEnds rising = ends_of(pushed("floor(t)"), 10);
  EXPECT_EQ(kinks_in(rising), 10U);  // 1, 2, ... 10
  for (std::size_t k = 0; k < 9; ++k) {
    const auto t = static_cast<double>(k + 1);
    EXPECT_LT(rising.all[k].before, t);
    EXPECT_GT(rising.all[k].behind, t);
    EXPECT_LT(rising.all[k].behind - rising.all[k].before, 4e-15 * (1 + t));
  }
  // Far from zero u itself is coarse: a jump is where the computed u passes a whole number.
  const StepEnds coarse = ends_of(pushed("floor(3*t + 1e6)"), 2);
  ASSERT_EQ(kinks_in(coarse), 6U);
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(coarse.all[k].before, static_cast<double>(k + 1) / 3, 1e-10);
  EXPECT_EQ(kinks_in(ends_of(pushed("floor(1.9*sin(t))"), 6)), 5U);  // 1, 0, -1 and back
  EXPECT_TRUE(ends_of(pushed("floor(sin(t)/3 + 0.5)"), 100).all.empty());
  EXPECT_TRUE(ends_of(pushed("floor(10000*t)", "30"), 30).unknown_from);
  // Where u has no value it passes nothing: 5, then 6, 9, 14 and 21.
  const StepEnds rooted = ends_of(pushed("if(t < 5, 0, floor(sqrt(t - 5)))"), 22);
  EXPECT_EQ(kinks_in(rooted), 5U);
  EXPECT_FALSE(rooted.unknown_from);
}

TEST(TimeKinks, AConditionOnTimeMayChooseFromTheState) {
  const Motion motion = pushed("if(t < 5, -x, 0)", "7", "[initial]\n\"x'\" = 1\n");
  EXPECT_EQ(kinks_in(ends_of(motion, 7)), 1U);
  const End end = end_of(motion);
  EXPECT_LE(end.summary.rejected, 2);
  EXPECT_NEAR(end.v, std::cos(5.0), 1e-8);
  EXPECT_NEAR(end.x, std::sin(5.0) + 2 * std::cos(5.0), 1e-8);
  EXPECT_TRUE(pushed("if(x < 5, -x, 0)").time_kinks().empty());
}

TEST(TimeKinks, ParametersAndLetsMoveThem) {
  const Motion motion = pushed("p*F", "30",
                               "[parameters]\nF = 2\nt1 = 3.3\nw = 0.2\n"
                               "[let]\np = \"(sign(t - t1) - sign(t - t1 - w))/2\"");
  EXPECT_NEAR(end_of(motion).v, 0.4, 1e-10);
  const Motion later = motion.with_parameters({5, 20, 0.01});
  EXPECT_NEAR(end_of(later).v, 0.05, 1e-10);
  EXPECT_NEAR(ends_of(later, 30).all.front().before, 20, 1e-12);
}

TEST(TimeKinks, WhatDoesNotDependOnTimeAloneHasNone) {
  EXPECT_TRUE(pushed("max(0, x) - abs(x') + t^2").time_kinks().empty());
  EXPECT_TRUE(pushed("3*t - 2").time_kinks().empty());
  EXPECT_TRUE(ends_of(pushed("x*sign(x - t)"), 30).all.empty());
}

TEST(TimeKinks, AWaveThatIsSeenEverywhereBoundsNoStep) {
  for (const char* force :
       {"sin(t)", "sin(2*pi*t)", "cos(50*t + 1)", "sin(0.1*t)*x", "sqrt(sin(t)^2 + cos(t)^2)"})
    EXPECT_TRUE(ends_of(pushed(force), 1000).all.empty()) << force;
}

TEST(TimeKinks, TooManyAreSaidToBe) {
  const Motion motion = pushed("abs(sin(100000*t))", "1");
  const StepEnds ends = ends_of(motion, 1);
  EXPECT_LE(ends.all.size(), most_step_ends);
  ASSERT_TRUE(ends.unknown_from);
  EXPECT_NEAR(*ends.unknown_from, most_step_ends * pi / 100000, 0.05);
  SimulationOptions options = simulation_options(motion);
  options.max_steps = 10;
  const End end = end_of(motion, options);
  ASSERT_EQ(end.summary.doubts.size(), 1U);
  EXPECT_NE(end.summary.doubts[0].find("limit the steps by max_step"), std::string::npos);
}

TEST(TimeKinks, RowsAtAKinkAndAroundItAreGivenOnce) {
  const Motion motion = pushed("sign(t - 3)", "6");
  SimulationOptions options = simulation_options(motion);
  options.times = {0, 1, std::nextafter(3.0, 0), 3, std::nextafter(3.0, 6), 4, 6};
  for (const Integrator integrator : {Integrator::rk8, Integrator::bdf}) {
    options.integrator = integrator;
    std::vector<double> times, speeds;
    simulate(motion, initial_state(motion).value().state, options, [&](const Sample& s) {
      times.push_back(s.t);
      speeds.push_back(s.v[0]);
      return true;
    });
    EXPECT_EQ(times, options.times);
    for (std::size_t i = 0; i < times.size(); ++i)
      EXPECT_NEAR(speeds[i], std::abs(times[i] - 3) - 3, 1e-8);
  }
}

TEST(TimeKinks, NoBundledModelIsDoubted) {
  for (const std::string& name : bundled_names()) {
    const Motion motion = compile_bundled(name);
    EXPECT_FALSE(ends_of(motion, simulation_options(motion).duration).unknown_from) << name;
  }
}

TEST(PulseWatch, ARowAtWhichSomethingUnseenActsIsTold) {
  // Passed at 100 m/s: 0.01 s of a motion of which nothing else bounds the steps.
  const Motion motion = pushed("1e3*exp(-(x - 1000)^2)", "30", "[initial]\n\"x'\" = 100\n");
  SimulationOptions options = simulation_options(motion);
  options.times = {5, 10, 20, 30};
  const End end = end_of(motion, options);
  ASSERT_EQ(end.summary.doubts.size(), 1U);
  EXPECT_EQ(end.summary.doubts[0].find("at t = 10 a force acts"), 0U) << end.summary.doubts[0];
  options.max_step = 0.05;
  const End bounded = end_of(motion, options);
  EXPECT_TRUE(bounded.summary.doubts.empty());
  // Its work: v^2/2 grows by 1e3 sqrt(pi).
  EXPECT_NEAR(bounded.v, std::sqrt(1e4 + 2e3 * std::sqrt(pi)), 1e-6);
}

TEST(PulseWatch, NoBundledModelIsDoubted) {
  for (const std::string& name : bundled_names()) {
    const Motion motion = compile_bundled(name);
    SimulationOptions options = simulation_options(motion);
    for (const double rtol : {1e-4, 1e-9}) {
      options.rtol = rtol;
      options.duration = std::min(options.duration, 5.0);
      options.times.clear();
      options.samples = 301;
      const Summary summary = simulate(motion, initial_state(motion).value().state, options,
                                       [](const Sample&) { return true; });
      for (const std::string& doubt : summary.doubts)
        EXPECT_EQ(doubt.find("may have been missed"), std::string::npos) << name << ": " << doubt;
    }
  }
}

TEST(MaxStep, NoStepIsLonger) {
  const Motion motion = pushed("1", "30");
  SimulationOptions options = simulation_options(motion);
  for (const Integrator integrator : {Integrator::rk8, Integrator::bdf}) {
    options.integrator = integrator;
    options.max_step = std::numeric_limits<double>::infinity();
    EXPECT_LT(end_of(motion, options).summary.steps, 100);
    options.max_step = 0.25;
    std::vector<double> times;
    const State start = initial_state(motion).value().state;
    simulate(
        motion, start, options, [](const Sample&) { return true; },
        [&](double t) { times.push_back(t); });
    double before = 0;
    for (const double t : times) {
      EXPECT_LE(t - before, 0.25 * (1 + 1e-12));
      before = t;
    }
    EXPECT_EQ(before, 30);
    EXPECT_GE(times.size(), 120U);
  }
}

}  // namespace
}  // namespace dalembert::motion::time_kinks_test
