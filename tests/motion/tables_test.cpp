// Forces given by tables: steps end at their nodes, so that every motion is that of the closed
// form.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/tapes/time_kinks.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/motion/request.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::motion::tables_test {
namespace {

/// A unit mass on a line from rest; `F` goes through the points.
Motion pushed(const std::vector<double>& x, const std::vector<double>& y, const std::string& kind,
              const std::string& force = "F(t)", double duration = 10) {
  return compile(model::read_model_text(
                     fmt::format("name = \"pushed\"\ncoordinates = [\"x\"]\n"
                                 "[[table]]\nname = \"F\"\nx = [{}]\ny = [{}]\n"
                                 "interpolation = \"{}\"\n[energy]\nkinetic = \"x'^2/2\"\n"
                                 "[forces]\nx = \"{}\"\n[simulation]\nduration = {}\nsamples = 5\n",
                                 fmt::join(x, ", "), fmt::join(y, ", "), kind, force, duration),
                     "pushed.toml")
                     .value())
      .value();
}

struct End {
  Summary summary;
  double x = 0, v = 0;
};

End end_of(const Motion& motion, SimulationOptions options, State start) {
  End end;
  end.summary = simulate(motion, start, options, [&](const Sample& s) {
    end.x = s.q[0];
    end.v = s.v[0];
    return true;
  });
  return end;
}

End end_of(const Motion& motion, Integrator integrator = Integrator::rk8) {
  SimulationOptions options = simulation_options(motion);
  options.integrator = integrator;
  return end_of(motion, options, initial_state(motion).value().state);
}

/// x and v at the end where the acceleration is linear between points and held behind the last.
std::pair<double, double> by_hand(const std::vector<double>& t, const std::vector<double>& a,
                                  double end, bool hold) {
  double x = 0, v = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const bool last = i + 1 == t.size();
    const double h = (last ? end : t[i + 1]) - t[i];
    const double slope = last || hold ? 0 : (a[i + 1] - a[i]) / h;
    x += v * h + a[i] * h * h / 2 + slope * h * h * h / 6;
    v += a[i] * h + slope * h * h / 2;
  }
  return {x, v};
}

// Steps end at the nodes and an eighth-order method integrates cubics exactly: only rounding is
// left.
constexpr double rounding = 1e-13;

TEST(MotionByTables, LinearAndHeldForcesGiveTheClosedForm) {
  const std::vector<double> t{0, 0.3, 0.31, 2.7, 6.02}, a{1, -4, 90, 2, -1};
  for (const bool hold : {false, true}) {
    const Motion motion = pushed(t, a, hold ? "hold" : "linear");
    const auto [x, v] = by_hand(t, a, 10, hold);
    for (const Integrator integrator : {Integrator::rk8, Integrator::taylor}) {
      const End end = end_of(motion, integrator);
      EXPECT_TRUE(end.summary.complete) << end.summary.reason;
      EXPECT_NEAR(end.x, x, rounding * 1000) << to_string(integrator) << (hold ? " hold" : "");
      EXPECT_NEAR(end.v, v, rounding * 100) << to_string(integrator) << (hold ? " hold" : "");
    }
  }
}

TEST(MotionByTables, ANarrowPulseIsNotSteppedOver) {
  for (const std::string kind : {"linear", "cubic", "spline"}) {
    const Motion motion = pushed({0, 7, 7.0001, 7.0002, 7.0003, 10}, {0, 0, 1e4, 1e4, 0, 0}, kind);
    const End end = end_of(motion);
    // The area of the table, by its own polynomials: Simpson's rule is exact on each piece.
    const auto& F = *motion.model().tables[0];
    double area = 0;
    for (std::size_t i = 0; i + 1 < F.nodes().size(); ++i) {
      const double from = F.nodes()[i], to = F.nodes()[i + 1];
      area += (to - from) / 6 *
              (F.value(from) + 4 * F.value((from + to) / 2) + F.value(std::nextafter(to, from)));
    }
    EXPECT_NEAR(end.v, area, 1e-8 * std::max(1.0, std::abs(area))) << kind;
    if (kind != "spline") {  // which swings far around it
      EXPECT_GT(end.v, 1) << kind;
    }
  }
}

TEST(MotionByTables, TenThousandPointsAreTenThousandPieces) {
  std::vector<double> t, a;
  for (int i = 0; i < 10000; ++i) {
    t.push_back(i * 1e-3);
    a.push_back(std::round(1000 * std::sin(40 * t.back())) / 1000);
  }
  const End end = end_of(pushed(t, a, "linear"));
  const auto [x, v] = by_hand(t, a, 10, false);
  EXPECT_TRUE(end.summary.complete);
  EXPECT_TRUE(end.summary.doubts.empty()) << end.summary.doubts.front();
  EXPECT_NEAR(end.v, v, 1e-11);
  EXPECT_NEAR(end.x, x, 1e-10);
}

TEST(MotionByTables, NodesAreMetThroughFunctionsOfTime) {
  // F of 3 - t/2 runs backwards through the table.
  const Motion motion = pushed({0, 1, 1.01, 1.02, 3}, {0, 0, 50, 0, 0}, "linear", "F(3 - t/2)", 6);
  const End end = end_of(motion);
  EXPECT_NEAR(end.v, 2 * 0.5, 1e-9);
}

TEST(MotionByTables, ASpringByATableKeepsItsEnergy) {
  const Motion motion = pushed({-2, -1, 0, 1, 2}, {6, 2, 0, -2, -6}, "spline", "F(x)", 20);
  SimulationOptions options = simulation_options(motion);
  State start = initial_state(motion).value().state;
  start.v[0] = 1;
  const End end = end_of(motion, options, start);
  EXPECT_TRUE(end.summary.complete) << end.summary.reason;
  // V is the integral of -F: by Simpson's rule on many panels.
  const auto& F = *motion.model().tables[0];
  double potential = 0;
  const int panels = 2000;
  for (int i = 0; i < panels; ++i) {
    const double h = end.x / panels, from = i * h;
    potential -= h / 6 * (F.value(from) + 4 * F.value(from + h / 2) + F.value(from + h));
  }
  EXPECT_NEAR(end.v * end.v / 2 + potential, 0.5, 1e-8);
}

TEST(MotionByTables, OutsideOfATableWithoutEndsTheMotionSaysSo) {
  model::Model model = model::read_model_text(
                           "coordinates = [\"x\"]\n[[table]]\nname = \"F\"\nx = [0, 1]\n"
                           "y = [1, 1]\noutside = \"error\"\n[energy]\nkinetic = \"x'^2/2\"\n"
                           "[forces]\nx = \"F(x)\"\n[simulation]\nduration = 10\n",
                           "m.toml")
                           .value();
  const Motion motion = compile(std::move(model)).value();
  const End end = end_of(motion);
  EXPECT_FALSE(end.summary.complete);
  EXPECT_NEAR(end.summary.t, std::sqrt(2.0), 1e-3);
  EXPECT_NE(end.summary.reason.find("table 'F' goes from 0 to 1"), std::string::npos)
      << end.summary.reason;
}

TEST(MotionFromAnyTime, IsThePartOfTheWholeMotion) {
  const std::vector<double> t{0, 1, 2.5, 4}, a{0, 2, -1, 1};
  const Motion motion = pushed(t, a, "linear", "F(t) - x");
  SimulationRequest whole;
  whole.duration = 5;
  whole.samples = 6;
  State middle;
  simulate(motion, initial_state(motion).value().state, *requested_options(whole, motion),
           [&](const Sample& s) {
             if (s.t == 2) middle = {s.t, {s.q[0]}, {s.v[0]}, {}};
             return true;
           });
  const End end =
      end_of(motion, *requested_options(whole, motion), initial_state(motion).value().state);
  SimulationRequest rest;
  rest.from = 2;
  rest.duration = 3;
  rest.samples = 4;
  const SimulationOptions options = *requested_options(rest, motion);
  EXPECT_EQ(options.duration, 5);
  std::vector<double> times;
  End later;
  later.summary = simulate(motion, middle, options, [&](const Sample& s) {
    times.push_back(s.t);
    later.x = s.q[0];
    later.v = s.v[0];
    return true;
  });
  EXPECT_EQ(times, (std::vector<double>{2, 3, 4, 5}));
  EXPECT_NEAR(later.x, end.x, 1e-9);
  EXPECT_NEAR(later.v, end.v, 1e-9);
}

}  // namespace
}  // namespace dalembert::motion::tables_test
