// Events, contacts and friction that sticks, against closed forms.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "seed.hpp"

namespace dalembert::instants_test {
namespace {

/// What is asked of event times at rtol 1e-12.
constexpr double exact = 1e-10;

using motion::EventRow;

struct Record {
  Summary summary;
  std::vector<double> t;
  std::vector<std::vector<double>> q, v, outputs;
  std::vector<std::string> names;  ///< of the outputs

  std::vector<EventRow> rows(std::string_view name, std::string_view kind) const {
    std::vector<EventRow> found;
    std::ranges::copy_if(summary.events, std::back_inserter(found),
                         [&](const EventRow& row) { return row.name == name && row.kind == kind; });
    return found;
  }
  double last(const std::string& name) const {
    const auto found = std::ranges::find(names, name);
    return outputs.back()[static_cast<std::size_t>(found - names.begin())];
  }
};

Record run(const std::string& model, double duration = 0,
           const std::map<std::string, std::string>& settings = {}) {
  CompileOptions compiling;
  compiling.settings = settings;
  const Motion motion = compile_seed(model, compiling);
  SimulationOptions options = simulation_options(motion);
  if (duration > 0) options.duration = duration;
  const State start = initial_state(motion).value().state;
  Record record;
  for (const auto& output : motion.outputs()) record.names.push_back(output.name);
  record.summary = simulate(motion, start, options, [&](const Sample& s) {
    record.t.push_back(s.t);
    record.q.emplace_back(s.q.begin(), s.q.end());
    record.v.emplace_back(s.v.begin(), s.v.end());
    record.outputs.emplace_back(s.outputs.begin(), s.outputs.end());
    return true;
  });
  EXPECT_TRUE(record.summary.complete) << record.summary.reason;
  EXPECT_LT(record.summary.relative_balance_error(), 1e-8);
  return record;
}

/// Simpson's rule; `f` is smooth.
template <class F>
double integral(double a, double b, F f) {
  constexpr int n = 4000;
  const double h = (b - a) / n;
  double sum = f(a) + f(b);
  for (int i = 1; i < n; ++i) sum += (i % 2 == 1 ? 4 : 2) * f(a + i * h);
  return sum * h / 3;
}

TEST(BouncingBall, ComesToRestWhereItsBouncesAddUp) {
  for (const double e : {0.7, 0.9}) {
    const Record r = run("bouncing_ball", 10, {{"e", std::to_string(e)}});
    const double g = 9.81, h = 1, fall = std::sqrt(2 * h / g);
    const auto closed = r.rows("floor", "close");
    ASSERT_EQ(closed.size(), 1U);
    EXPECT_NEAR(closed[0].t, fall * (1 + e) / (1 - e), exact);
    double t = fall, flight = 2 * e * fall;
    const auto impacts = r.rows("floor", "impact");
    ASSERT_GT(impacts.size(), 10U);
    for (std::size_t k = 0; k < 10; ++k) {
      EXPECT_NEAR(impacts[k].t, t, exact);
      EXPECT_NEAR(impacts[k].rate_before, -g * fall * std::pow(e, k), exact);
      EXPECT_NEAR(impacts[k].rate_after, g * fall * std::pow(e, k + 1), exact);
      EXPECT_NEAR(impacts[k].impulse, 0.1 * g * fall * std::pow(e, k) * (1 + e), exact);
      t += flight;
      flight *= e;
    }
    const double weight = 0.1 * g;
    EXPECT_NEAR(r.summary.energy_lost, weight * h, 1e-10);
    EXPECT_NEAR(r.last("reaction.floor"), weight, 1e-12);
    EXPECT_EQ(r.v.back()[0], 0.5);  // nothing has touched it along the floor
    for (std::size_t i = 0; i < r.t.size(); ++i)
      EXPECT_GE(r.q[i][1] - 0.05, r.t[i] > closed[0].t ? -1e-14 : -1e-12);
    EXPECT_NEAR(r.q.back()[1], 0.05, 1e-14);
  }
}

TEST(Belt, SticksAndSlipsInTheClosedPeriod) {
  const Record r = run("belt");
  const double delta = 0.5, v = 0.2, omega = 1;
  const double period =
      2 * delta / v + 2 / omega * (std::numbers::pi - std::atan(delta * omega / v));
  const auto slips = r.rows("belt", "slip"), sticks = r.rows("belt", "stick");
  ASSERT_EQ(slips.size(), 4U);
  ASSERT_EQ(sticks.size(), 4U);
  EXPECT_NEAR(slips[0].t, 1 / v, exact);
  for (std::size_t k = 1; k < slips.size(); ++k) {
    EXPECT_NEAR(slips[k].t - slips[k - 1].t, period, exact);
    EXPECT_NEAR(slips[k].t - sticks[k - 1].t, 2 * delta / v, exact);
  }
}

TEST(Brick, StopsAndDoesNotCreep) {
  const double alpha = 20 * std::numbers::pi / 180, g = 9.81, mu = 0.5;
  const double slowing = g * (mu * std::cos(alpha) - std::sin(alpha));
  const Record r = run("brick", 1e6);
  const auto stick = r.rows("incline", "stick");
  ASSERT_EQ(stick.size(), 1U);
  EXPECT_NEAR(stick[0].t, 1 / slowing, exact);
  EXPECT_NEAR(r.q[1][0], 1 / (2 * slowing), exact);
  for (std::size_t i = 2; i < r.q.size(); ++i) EXPECT_EQ(r.q[i], r.q[1]);
  // What holds it is the normal force and friction, together its weight.
  EXPECT_NEAR(r.last("reaction.incline"), 2 * g * std::cos(alpha), 1e-11);
}

TEST(Ladder, LeavesTheWallAtTwoThirdsOfItsHeight) {
  const Record r = run("ladder");
  const double start = 1.2, g = 9.81, l = 4;
  const double leaves = std::asin(2 * std::sin(start) / 3);
  // th = th0 - u^2 takes the root out of the start from rest.
  const double t = integral(0, std::sqrt(start - leaves), [&](double u) {
    if (u == 0) return 2 / std::sqrt(3 * g / l * std::cos(start));
    return 2 * u / std::sqrt(3 * g / l * (std::sin(start) - std::sin(start - u * u)));
  });
  const auto opens = r.rows("wall", "open");
  ASSERT_EQ(opens.size(), 1U);
  EXPECT_NEAR(opens[0].t, t, exact);
  const auto stop = r.rows("flat", "stop");
  ASSERT_EQ(stop.size(), 1U);
  EXPECT_EQ(r.summary.t, stop[0].t);
  // From there the middle goes on at its speed.
  const double rate = std::sqrt(3 * g / l * std::sin(start) / 3);
  EXPECT_NEAR(r.v.back()[0], l / 2 * std::sin(leaves) * rate, exact);
  EXPECT_TRUE(r.rows("floor", "open").empty());
}

TEST(BowlingBall, RollsAtFiveSeventhsOfItsSpeed) {
  const Record r = run("bowling_ball");
  const double v0 = 7, mu = 0.2, g = 9.81;
  const auto stick = r.rows("lane", "stick");
  ASSERT_EQ(stick.size(), 1U);
  EXPECT_NEAR(stick[0].t, 2 * v0 / (7 * mu * g), exact);
  EXPECT_NEAR(r.v.back()[0], 5 * v0 / 7, exact);
  EXPECT_NEAR(r.summary.energy_lost, 6 * v0 * v0 / 7, 1e-9);
  EXPECT_NEAR(r.last("work.friction"), -6 * v0 * v0 / 7, 1e-9);
}

TEST(RockingBlock, LosesWhatHousnerSays) {
  const Record r = run("rocking_block", 4);
  const double b = 0.15, h = 0.6, g = 9.81, alpha = std::atan(b / h), R = std::hypot(b, h);
  const double ratio = 1 - 1.5 * std::pow(std::sin(alpha), 2);
  std::vector<EventRow> impacts;
  for (const EventRow& row : r.summary.events) {
    if (row.kind == "impact") impacts.push_back(row);
  }
  ASSERT_GT(impacts.size(), 6U);
  // The landing corner comes down at 2 b w.
  const double w = std::sqrt(1.5 * g / R * (std::cos(alpha / 2) - std::cos(alpha)));
  EXPECT_NEAR(impacts[0].rate_before, -2 * b * w, exact);
  for (std::size_t k = 0; k + 1 < impacts.size(); ++k) {
    EXPECT_NEAR(impacts[k + 1].rate_before / impacts[k].rate_before, ratio, 1e-9);
    EXPECT_NE(impacts[k].name, impacts[k + 1].name);
  }
}

TEST(NewtonsCradle, PassesTheImpactFromBallToBall) {
  const Record r = run("newtons_cradle", 0.5);
  const auto& events = r.summary.events;
  ASSERT_EQ(events.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(events[k].name, "between " + std::to_string(k + 1));
    EXPECT_NEAR(events[k].rate_after, -events[k].rate_before, 1e-12);
  }
  EXPECT_LT(std::abs(r.summary.energy_lost), 1e-15);
  double highest = 0;
  for (const auto& q : r.q) highest = std::max(highest, q[4]);
  // A sample each 1/100 s misses the top by 1/2 w^2 th (dt/2)^2 at most; the gaps are 1e-5.
  EXPECT_NEAR(highest, 0.5, 1e-3);
}

TEST(RimlessWheel, TendsToItsGait) {
  const Record r = run("rimless_wheel", 12);
  const double m = 1, l = 0.5, J = m * l * l / 10, g = 9.81, slope = 0.1, a = std::numbers::pi / 8,
               I = J + m * l * l;
  const double eta = (J + m * l * l * std::cos(2 * a)) / I;
  const double gain = 4 * m * g * l * std::sin(a) * std::sin(slope) / I;
  std::vector<EventRow> impacts;
  for (const EventRow& row : r.summary.events) {
    if (row.kind == "impact") impacts.push_back(row);
  }
  ASSERT_GT(impacts.size(), 15U);
  double square = 4;  // w0^2
  for (const EventRow& impact : impacts) {
    const double w = -impact.rate_before / (2 * l * std::sin(a));
    EXPECT_NEAR(w * w, square + gain, 1e-9);
    square = eta * eta * (square + gain);
  }
  EXPECT_NEAR(square, eta * eta / (1 - eta * eta) * gain, 1e-4);
}

TEST(Escapement, TicksEvenlyAndSettlesToItsSwing) {
  const Record r = run("escapement");
  const double w0 = std::numbers::pi, zeta = 0.02, J = 0.5, E = 0.002;
  const double root = std::sqrt(1 - zeta * zeta), w = w0 * root;
  const auto ticks = r.rows("tick", "event");
  ASSERT_GT(ticks.size(), 10U);
  // th = th0 exp(-zeta w0 t) (cos(w t) + zeta/root sin(w t)) until the first one.
  const double first = (std::numbers::pi - std::atan(root / zeta)) / w;
  for (std::size_t k = 0; k < ticks.size(); ++k)
    EXPECT_NEAR(ticks[k].t, first + static_cast<double>(k) * std::numbers::pi / w, exact);
  EXPECT_EQ(r.last("ticks"), static_cast<double>(ticks.size()));
  // The speed in the middle, followed from tick to tick, gives that of the end.
  const double q = std::exp(-std::numbers::pi * zeta / root);
  double square = std::pow(0.05 * w0 / root * std::exp(-zeta * w0 * first) * root, 2);
  for (std::size_t k = 0; k + 1 < ticks.size(); ++k) square = q * q * (square + 2 * E / J);
  const double after = std::sqrt(square + 2 * E / J);
  const double since = r.t.back() - ticks.back().t;
  const double sign = ticks.size() % 2 == 1 ? -1 : 1;
  const double th = sign * after / w * std::exp(-zeta * w0 * since) * std::sin(w * since);
  EXPECT_NEAR(r.q.back()[0], th, exact);
}

TEST(Woodpecker, PecksWithThePeriodOfItsLimitCycle) {
  // Glocker's data; the simulation of Siconos with Newton's law has 0.1460 s and -0.5302 in the
  // jam.
  const Record r = run("woodpecker", 4);
  const auto pecks = r.rows("section", "event");
  ASSERT_GT(pecks.size(), 20U);
  EXPECT_NEAR(pecks.back().t - pecks[pecks.size() - 2].t, 0.1460, 5e-5);
  double least = 0;
  for (std::size_t i = 0; i < r.t.size(); ++i) {
    if (r.t[i] > 3) least = std::min(least, r.q[i][2]);
  }
  EXPECT_NEAR(least, -0.5302, 1e-3);
  const double fall = (r.q.back()[0] - r.q[r.q.size() / 2][0]) / 2 * 0.1460;
  EXPECT_NEAR(fall, -0.01945, 1e-3);
}

}  // namespace
}  // namespace dalembert::instants_test
