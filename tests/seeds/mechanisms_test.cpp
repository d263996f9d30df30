// The mechanisms of models/ against what is published or known in closed form about them.
#include <dalembert/dalembert.hpp>
#include <dalembert/motion/reactions.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <string>
#include <vector>

namespace dalembert::mechanisms_test {
namespace {

Model bundled(const std::string& name) {
  return read_model(std::string(DALEMBERT_MODELS) + "/" + name + ".toml").value();
}

std::size_t index(const Model& model, const std::string& coordinate) {
  const auto found = std::find(model.coordinates.begin(), model.coordinates.end(), coordinate);
  EXPECT_NE(found, model.coordinates.end()) << coordinate;
  return static_cast<std::size_t>(found - model.coordinates.begin());
}

/// Every sample of a motion as a table of columns by name: t, coordinates, velocities, outputs and
/// reactions.
struct Table {
  std::map<std::string, std::vector<double>> columns;
  Summary summary;
  const std::vector<double>& operator[](const std::string& name) const { return columns.at(name); }
};

Table run(const Model& model) {
  const auto motion = compile(model).value();
  const auto start = initial_state(motion).value();
  Table table;
  table.summary =
      simulate(motion, start.state, simulation_options(motion), [&](const Sample& sample) {
        table.columns["t"].push_back(sample.t);
        for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
          table.columns[model.coordinates[i]].push_back(sample.q[i]);
          table.columns[model.coordinates[i] + "'"].push_back(sample.v[i]);
        }
        std::size_t k = 0;
        for (const auto* list : {&model.outputs, &model.reactions}) {
          for (const auto& output : *list)
            table.columns[output.name].push_back(sample.outputs[k++]);
        }
        table.columns["energy"].push_back(sample.kinetic + sample.potential);
        return true;
      });
  EXPECT_TRUE(table.summary.complete) << table.summary.reason;
  return table;
}

/// Energy that nothing takes away stays. A step errs by at most rtol of the state in the norm that
/// chooses it, and energy is of second order in the velocities: 2 rtol of it, added up over the
/// steps.
void expect_energy_is_kept(const Table& table, const Model& model) {
  const auto& energy = table["energy"];
  const double allowed = 2 * model.simulation.rtol * static_cast<double>(table.summary.steps) *
                         table.summary.energy_scale;
  for (const double e : energy) EXPECT_NEAR(e, energy.front(), allowed);
}

/// (lean'', steer'') of the bicycle rolling at speed v with these deviations from upright and their
/// rates; all other coordinates follow from the constraints.
Eigen::Vector2d bicycle_acceleration(Model model, double v, const Eigen::Vector4d& deviation) {
  const std::size_t lean = index(model, "lean"), steer = index(model, "steer");
  model.initial.q[lean].expr = deviation[0];
  model.initial.q[steer].expr = deviation[1];
  model.initial.v[lean].expr = deviation[2];
  model.initial.v[steer].expr = deviation[3];
  model.initial.adjust = Adjust::nearest;
  model.initial.hold = {"lean", "steer", "lean'", "steer'", "rear'"};

  motion::CompileOptions options;
  options.settings["v"] = std::to_string(v);
  const auto motion = compile(model, options).value();
  const State state = initial_state(motion).value().state;
  const Acceleration r = motion.acceleration(state.t, state.q, state.v);
  EXPECT_EQ(r.status, motion::Status::ok) << r.problem;
  return {r.qdd[static_cast<Eigen::Index>(lean)], r.qdd[static_cast<Eigen::Index>(steer)]};
}

/// The linearised equations M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 of Meijaard et al. 2007, (5.3),
/// with the matrices of their benchmark, and its eigenvalues (their Table 2). Differences of our
/// nonlinear accelerations over steps of 1e-4 carry a relative error of 1e-8 from the third
/// derivative and 1e-11 from rounding, on numbers of up to 500.
TEST(Bicycle, LinearisedIsThePublishedBenchmark) {
  Eigen::Matrix2d M, K0, K2, C1;
  M << 80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686;
  K0 << -80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618;
  K2 << 0, 76.59734589573222, 0, 2.65431523794604;
  C1 << 0, 33.86641391492494, -0.85035641456978, 1.68540397397560;
  const Model model = bundled("bicycle");
  for (const double v : {0.0, 5.0, 10.0}) {
    Eigen::Matrix4d ours = Eigen::Matrix4d::Zero(), published = ours;
    published.topRightCorner<2, 2>().setIdentity();
    ours.topRightCorner<2, 2>().setIdentity();
    published.bottomLeftCorner<2, 2>() = -M.inverse() * (9.81 * K0 + v * v * K2);
    published.bottomRightCorner<2, 2>() = -v * M.inverse() * C1;
    constexpr double h = 1e-4;
    for (int k = 0; k < 4; ++k) {
      const Eigen::Vector4d step = h * Eigen::Vector4d::Unit(k);
      ours.block<2, 1>(2, k) =
          (bicycle_acceleration(model, v, step) - bicycle_acceleration(model, v, -step)) / (2 * h);
    }
    EXPECT_LE((ours - published).cwiseAbs().maxCoeff(), 1e-6 * published.cwiseAbs().maxCoeff())
        << "v = " << v << "\n"
        << ours << "\n\n"
        << published;
    if (v != 5) continue;
    Eigen::Vector4cd found = ours.eigenvalues();
    std::vector<std::complex<double>> expected = {{-14.0783896927982, 0},
                                                  {-0.775341882195845, -4.46486771378823},
                                                  {-0.775341882195845, 4.46486771378823},
                                                  {-0.322866429004087, 0}};
    for (const std::complex<double>& wanted : expected) {
      double nearest = HUGE_VAL;
      for (const std::complex<double>& value : found)
        nearest = std::min(nearest, std::abs(value - wanted));
      EXPECT_LE(nearest, 1e-5 * std::abs(wanted)) << wanted;
    }
  }
}

/// Rolling freely within its range of stable speeds, the bicycle comes back upright and loses no
/// energy.
TEST(Bicycle, RightsItselfAndKeepsItsEnergy) {
  const Table table = run(bundled("bicycle"));
  const auto& lean = table["lean"];
  EXPECT_GT(*std::max_element(lean.begin(), lean.end()), 0.05);
  EXPECT_LT(std::abs(lean.back()), 0.02);
  expect_energy_is_kept(table, bundled("bicycle"));
  // The weight rests on the two wheels: z points down, the plane pushes up.
  const double weight = 94 * 9.81;
  EXPECT_NEAR(table["rear_contact.fz"].back() + table["front_contact.fz"].back(), -weight,
              1e-2 * weight);
}

/// The centre of a solid ball moves as z'' = i (2/7) W z', z = x + i y: put down at rest it stays;
/// pushed it circles at 2/7 of the table's rate.
TEST(Turntable, TheBallCirclesAtTwoSeventhsOfTheRate) {
  const Table table = run(bundled("ball_on_turntable"));
  const double W = 3.5;
  const double rate = 2 * W / 7;
  for (std::size_t k = 0; k < table["t"].size(); ++k) {
    const std::complex<double> start(0.5, 0), push(0.25, 0), i(0, 1);
    const std::complex<double> turned = std::exp(i * rate * table["t"][k]);
    const std::complex<double> place = start + push * (turned - 1.0) / (i * rate);
    EXPECT_NEAR(table["x"][k], place.real(), 1e-8);
    EXPECT_NEAR(table["y"][k], place.imag(), 1e-8);
    EXPECT_NEAR(table["contact.fz"][k], 0.5 * 9.8125, 1e-9);
  }
}

/// Spun against its will the rattleback turns back, and gains no energy by it.
TEST(Rattleback, TurnsBackOneWayOnly) {
  Model model = bundled("rattleback");
  const Table against = run(model);
  const auto& turning = against["turning"];
  EXPECT_LT(turning.front(), -4);
  EXPECT_GT(*std::max_element(turning.begin(), turning.end()), 2);
  expect_energy_is_kept(against, model);
  for (auto& parameter : model.parameters) {
    if (parameter.name == "spin") parameter.expr = 5;
  }
  model.simulation.duration.expr = 5;
  const std::vector<double> with = run(model)["turning"];
  EXPECT_GT(*std::min_element(with.begin(), with.end()), 0);
}

/// A heavy symmetric rotor in rings: angular momentum about the vertical and the rotor's own spin
/// momentum are kept, by equations nobody wrote.
TEST(Gyroscope, KeepsMomentumAboutTheVerticalAndSpin) {
  const Table table = run(bundled("gyroscope"));
  const auto& momentum = table["momentum_z"];
  for (const double p : momentum) EXPECT_NEAR(p, momentum.front(), 1e-10);
  for (std::size_t k = 0; k < table["t"].size(); ++k) {
    const double spin =
        table["spin'"][k] + table["precession'"][k] * std::cos(table["nutation"][k]);
    EXPECT_NEAR(spin, 200, 1e-9 * 200);
  }
}

/// The four-bar in space against the same linkage in the plane: closed form of the rocker's angle
/// for a given crank (Freudenstein), and one constraint in twenty more than the motion can use is
/// no obstacle.
TEST(FourBar, StaysAFourBar) {
  const Table table = run(bundled("four_bar"));
  EXPECT_EQ(table.summary.rank, 17);
  const double l1 = 0.5, l2 = 1.5, l3 = 1.25, d = 1.5;
  for (std::size_t k = 0; k < table["t"].size(); ++k) {
    const double a = table["a1"][k], c = table["a3"][k];
    const double dx = d + l3 * std::cos(c) - l1 * std::cos(a);
    const double dy = l3 * std::sin(c) - l1 * std::sin(a);
    EXPECT_NEAR(std::hypot(dx, dy), l2, 1e-10);
    EXPECT_NEAR(table["z2"][k], 0, 1e-10);
    EXPECT_NEAR(table["b2"][k], 0, 1e-10);
  }
  expect_energy_is_kept(table, bundled("four_bar"));
}

/// The legs of the platform have the lengths they are told, and their forces carry the plate:
/// sum of forces = m (a - g), from second differences of the height.
TEST(StewartPlatform, ItsLegsCarryThePlate) {
  Model model = bundled("stewart_platform");
  model.simulation.samples = 10001;
  const Table table = run(model);
  const double h = table["t"][1] - table["t"][0];
  for (std::size_t k = 500; k < 10000; k += 500) {
    double force = 0;
    for (int leg = 1; leg <= 6; ++leg) force += table["leg" + std::to_string(leg) + ".fz"][k];
    const auto& z = table["z'"];
    const double acceleration = (z[k + 1] - z[k - 1]) / (2 * h);
    EXPECT_NEAR(force, 20 * (acceleration + 9.8125), 1e-3 * 20 * 9.8125);
  }
}

/// Thirty constraints on thirty degrees of freedom, and it moves.
TEST(Bricard, MovesThoughItShouldNot) {
  const Table table = run(bundled("bricard"));
  EXPECT_EQ(table.summary.rank, 34);
  EXPECT_EQ(table.summary.rank_change_count, 0);
  EXPECT_LE(table.summary.largest_residual, 1e-10);
  expect_energy_is_kept(table, bundled("bricard"));
  const auto& y = table["corner_y"];
  EXPECT_LT(*std::min_element(y.begin(), y.end()), 0.5);
  const auto motion = compile(bundled("bricard")).value();
  const auto unique = motion::calc_unique_reactions(motion, initial_state(motion).value().state);
  EXPECT_EQ(std::count(unique.begin(), unique.end(), true), 0);
}

/// Three knife edges: no axle moves sideways, and the trailer follows its tractrix.
TEST(CarWithTrailer, NoAxleMovesSideways) {
  const Table table = run(bundled("car_with_trailer"));
  for (std::size_t k = 0; k < table["t"].size(); ++k) {
    const double heading = table["heading"][k];
    const double rate = table["heading'"][k], x = table["x'"][k], y = table["y'"][k];
    const double speed = x * std::cos(heading) + y * std::sin(heading);
    EXPECT_NEAR(-x * std::sin(heading) + y * std::cos(heading), 0, 1e-10);
    // The bicycle model of a car: heading' = v tan(steer)/wheelbase.
    EXPECT_NEAR(rate, speed * std::tan(table["steer"][k]) / 2.6, 1e-9);
    // The hitch lies behind the axle, so it swings out.
    // cos/length).
    const double angle = table["angle"][k];
    EXPECT_NEAR(table["angle'"][k],
                -speed * std::sin(angle) / 3 - rate * (1 + 0.8 * std::cos(angle) / 3), 1e-8);
  }
}

/// The chain keeps its energy, and angular momentum about the vertical through its hook.
TEST(Chain, KeepsEnergyAndMomentumAboutTheVertical) {
  Model model = bundled("chain");
  model.simulation.duration.expr = 1;
  Expr momentum = 0;
  for (const auto& body : model.bodies) {
    momentum += body.mass *
                (body.center_of_mass.x * body.velocity.y - body.center_of_mass.y * body.velocity.x);
    momentum += (body.rotation * (body.inertia * body.spin)).z;
  }
  model.outputs.push_back({"momentum", momentum, {}});
  const Table table = run(model);
  for (std::size_t k = 0; k < table["t"].size(); ++k) {
    EXPECT_NEAR(table["energy"][k], table["energy"][0], 1e-7);
    EXPECT_NEAR(table["momentum"][k], table["momentum"][0], 1e-8);
  }
}

}  // namespace
}  // namespace dalembert::mechanisms_test
