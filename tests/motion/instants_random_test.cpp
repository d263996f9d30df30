// Random systems with random contacts: what must hold of any of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "instants_support.hpp"

namespace dalembert::motion::instants_random_test {
namespace {

using instants_support::compiled;
using instants_support::Ran;
using instants_support::run;

struct Case {
  int balls = 2;
  bool elastic = false, rough = false;
  unsigned seed = 0;
};

/// Balls in a plane, tied by springs, over a floor and beside a wall; some balls touch each other.
std::string text_of(const Case& given, bool backwards) {
  std::mt19937 random(given.seed);
  const auto draw = [&](double from, double to) {
    return fmt::format("{:.6f}", std::uniform_real_distribution<double>(from, to)(random));
  };
  std::string coordinates, kinetic = "0", potential = "0", initial;
  std::vector<std::string> contacts;
  for (int i = 0; i < given.balls; ++i) {
    const std::string x = fmt::format("x{}", i), y = fmt::format("y{}", i);
    coordinates += fmt::format("\"{}\", \"{}\", ", x, y);
    const std::string mass = draw(0.5, 2);
    kinetic += fmt::format(" + {}*({}'^2 + {}'^2)/2", mass, x, y);
    potential += fmt::format(" + {}*9.81*{}", mass, y);
    if (i > 0)
      potential +=
          fmt::format(" + {0}*((x{1} - x{2})^2 + (y{1} - y{2})^2)/2", draw(1, 20), i, i - 1);
    initial += fmt::format("{} = {}\n{} = {}\n\"{}'\" = {}\n\"{}'\" = {}\n", x,
                           fmt::format("{:.6f}", 1.3 * i), y, draw(0.6, 1.5), x, draw(-1, 1), y,
                           draw(-1, 1));
    const auto contact = [&](const std::string& name, const std::string& gap,
                             const std::string& slip) {
      const std::string e = given.elastic ? "1" : draw(0, 0.8), mu = draw(0.05, 0.6);
      std::string said = fmt::format(
          "[[contact]]\nname = \"{}\"\ngap = \"{}\"\nrestitution = {}\nimpact = \"poisson\"\n",
          name, gap, e);
      if (given.rough) said += fmt::format("friction = {}\nslip = \"{}\"\n", mu, slip);
      contacts.push_back(said);
    };
    contact(fmt::format("floor {}", i), fmt::format("{} - 0.5", y), x + "'");
    if (i == 0) contact("wall", "x0 + 0.9", "y0'");
    if (i > 0)
      contact(
          fmt::format("balls {}", i),
          fmt::format("sqrt((x{0} - x{1})^2 + (y{0} - y{1})^2) - 1", i, i - 1),
          fmt::format("((x{0} - x{1})*(y{0}' - y{1}') - (y{0} - y{1})*(x{0}' - x{1}'))", i, i - 1));
  }
  if (backwards) std::ranges::reverse(contacts);
  std::string all;
  for (const std::string& contact : contacts) all += contact;
  return fmt::format(
      "coordinates = [{}]\n[energy]\nkinetic = \"{}\"\npotential = \"{}\"\n{}[initial]\n{}"
      "[simulation]\nduration = 2\nsamples = 201\nrtol = 1e-11\n",
      coordinates, kinetic, potential, all, initial);
}

TEST(InstantsRandom, NothingPenetratesPullsOrGainsEnergy) {
  int complete = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Case given{2, false, seed % 3 != 0, seed};
    const Ran ran = run(text_of(given, false));
    complete += ran.summary.complete;
    if (!ran.summary.complete) {
      EXPECT_FALSE(ran.summary.reason.empty());
      EXPECT_NE(ran.summary.reason.find("t = "), std::string::npos) << ran.summary.reason;
    }
    for (const auto& row : ran.rows) {
      for (int i = 0; i < given.balls; ++i) {
        const auto k = static_cast<std::size_t>(2 * i);
        EXPECT_GE(row.q[k + 1] - 0.5, -1e-12) << "seed " << seed << " t " << row.t;
        if (i == 0) {
          EXPECT_GE(row.q[0] + 0.9, -1e-12) << "seed " << seed;
        } else {
          EXPECT_GE(std::hypot(row.q[k] - row.q[k - 2], row.q[k + 1] - row.q[k - 1]) - 1, -1e-12)
              << "seed " << seed << " t " << row.t;
        }
      }
      const std::size_t contacts = static_cast<std::size_t>(2 * given.balls);
      for (std::size_t c = 0; c < contacts; ++c) EXPECT_GE(row.outputs[c], -1e-9);
    }
    for (std::size_t i = 1; i < ran.rows.size(); ++i) {
      const double before = ran.rows[i - 1].kinetic + ran.rows[i - 1].potential;
      EXPECT_LE(ran.rows[i].kinetic + ran.rows[i].potential, before + 1e-8) << "seed " << seed;
    }
    std::map<double, double> energies;  // of what is struck at one instant together
    for (const EventRow& row : ran.summary.events) {
      if (row.kind == "impact") energies[row.t] += row.energy;
    }
    for (const auto& [t, energy] : energies) EXPECT_LE(energy, 1e-9) << "seed " << seed;
    EXPECT_LT(ran.summary.relative_balance_error(), 1e-8) << "seed " << seed;
  }
  EXPECT_GT(complete, 24);
}

TEST(InstantsRandom, TheOrderOfTheContactsDoesNotMatter) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Case given{2, false, seed % 2 == 0, seed};
    const Ran one = run(text_of(given, false)), other = run(text_of(given, true));
    EXPECT_EQ(one.summary.complete, other.summary.complete) << "seed " << seed;
    if (!one.summary.complete) continue;
    for (std::size_t k = 0; k < one.rows.back().q.size(); ++k)
      EXPECT_NEAR(one.rows.back().q[k], other.rows.back().q[k], 1e-7) << "seed " << seed;
    // Not how many events there are: where bounces end is a matter of rounding.
    EXPECT_NEAR(one.summary.energy_lost, other.summary.energy_lost, 1e-7) << "seed " << seed;
  }
}

TEST(InstantsRandom, ElasticMotionsReturn) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Motion motion = compiled(text_of({2, true, false, seed}, false));
    SimulationOptions options = simulation_options(motion);
    options.duration = 1;
    State start = initial_state(motion).value().state;
    const Ran there = run(motion, options, start);
    ASSERT_TRUE(there.summary.complete) << there.summary.reason;
    State back{0, there.rows.back().q, there.rows.back().v};
    for (double& v : back.v) v = -v;
    const Ran again = run(motion, options, back);
    ASSERT_TRUE(again.summary.complete) << again.summary.reason;
    for (std::size_t k = 0; k < start.q.size(); ++k) {
      EXPECT_NEAR(again.rows.back().q[k], start.q[k], 1e-7) << "seed " << seed;
      EXPECT_NEAR(again.rows.back().v[k], -start.v[k], 1e-6) << "seed " << seed;
    }
    EXPECT_NEAR(there.summary.energy_lost, 0, 1e-10);
  }
}

}  // namespace
}  // namespace dalembert::motion::instants_random_test
