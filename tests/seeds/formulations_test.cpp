// Every formulation of the textbooks run by its own linear system: states, trajectories, changes of
// coordinates, and the multiplier rule, which is another motion.
#include <numbers>

#include "seed.hpp"

namespace dalembert::formulations_test {
namespace {

// A formulation and m-inverse solve the same equations on different ways. Their systems have
// condition numbers below a few hundred where the split is as good as it is chosen to be, each
// expression is a sum of a few dozen rounded terms: 1e-16 * 300 * 30 = 1e-12, and a factor ten.
constexpr double state_tolerance = 1e-11;
constexpr double trajectory_tolerance = 1e-9;
// (q'', mu') from a 4 x 4 system of numbers of order one, against references of 32 digits.
constexpr double vakonomic_tolerance = 1e-13;

const char* const formulations[] = {"maggi",  "boltzmann-hamel", "transpositional", "central",
                                    "suslov", "voronets",        "gibbs-appell",    "gauss"};
const char* const need_linear_constraints[] = {"boltzmann-hamel", "transpositional", "central",
                                               "suslov", "voronets"};

const Seed seeds[] = {
    {"particle", "refs/u01_particle"},
    {"flat_body", "refs/g51_flat_body"},
    {"dumbbell", "refs/g52_dumbbell"},
    {"rolling_disk", "refs/g53_rolling_disk"},
    {"rotating_wire", "refs/rheonomic_rotating_wire"},
    {"appell_hamel", "refs/nonlinear_appell_hamel"},
    {"coulomb_helix", "refs/coulomb_helix"},
    {"two_masses", "refs/singular_mass_up06"},
    {"pendulum", "reduced/pendulum"},
    {"double_pendulum", "reduced/double_pendulum"},
    {"slider_crank", "reduced/slider_crank"},
    {"skate_on_incline", ""},
};

/// appell_hamel has a constraint that is not linear in the velocities.
bool applies(const std::string& model, const std::string& method) {
  return model != "appell_hamel" ||
         std::none_of(std::begin(need_linear_constraints), std::end(need_linear_constraints),
                      [&](const char* name) { return method == name; });
}

void expect_same(const Acceleration& r, const Acceleration& reference) {
  ASSERT_EQ(r.status, Status::ok) << r.problem;
  ASSERT_EQ(reference.status, Status::ok) << reference.problem;
  // Forces are differences of terms of the size of Q and of M q''.
  const double force = std::max({reference.Q.lpNorm<Eigen::Infinity>(),
                                 (reference.M * reference.qdd).lpNorm<Eigen::Infinity>(), 1e-3});
  EXPECT_LE(relative_error(r.qdd, reference.qdd, 1e-3), state_tolerance);
  EXPECT_LE(relative_error(r.ideal, reference.ideal, force), state_tolerance);
  EXPECT_LE(relative_error(r.nonideal, reference.nonideal, force), state_tolerance);
  EXPECT_EQ(r.rank, reference.rank);
  EXPECT_LE((r.M * r.qdd - r.Q - r.ideal - r.nonideal).norm(), state_tolerance * force);
}

class EveryFormulation : public testing::TestWithParam<Seed> {};

TEST_P(EveryFormulation, AgreesWithTheFundamentalEquationAtEveryState) {
  const std::string model = GetParam().model;
  const Motion reference = compile_seed(model);
  std::vector<State> states{initial_state(reference).value().state};
  if (!GetParam().data.empty()) {
    const nlohmann::json data = load_data(GetParam().data);
    if (data.contains("states")) {
      for (const auto& state : data["states"]) {
        states.push_back({state.contains("t") ? reference::number(state["t"]) : 0.0,
                          as_list(reference::vector(state["q"])),
                          as_list(reference::vector(state["qd"]))});
      }
    }
  }
  for (const char* method : formulations) {
    if (!applies(model, method)) continue;
    SCOPED_TRACE(method);
    const Motion motion = compile_seed(model, {{}, method});
    EXPECT_EQ(to_string(motion.method()), method);
    for (const State& s : states) {
      SCOPED_TRACE(s.t);
      expect_same(motion.acceleration(s.t, s.q, s.v), reference.acceleration(s.t, s.q, s.v));
    }
  }
}

TEST_P(EveryFormulation, RunsTheReferenceTrajectory) {
  if (GetParam().data.empty()) return;
  const nlohmann::json trajectory = load_data(GetParam().data)["trajectory"];
  for (const char* method : formulations) {
    if (!applies(GetParam().model, method)) continue;
    SCOPED_TRACE(method);
    const Motion motion = compile_seed(GetParam().model, {{}, method});
    SimulationOptions options = simulation_options(motion);
    options.rtol = 1e-12;
    options.atol = 1e-13;
    options.times = as_list(reference::vector(trajectory["t"]));
    options.duration = options.times.back();
    std::size_t row = 0;
    const auto check = [&](const char* key, std::span<const double> values) {
      if (!trajectory.contains(key)) return;
      EXPECT_LE(relative_error(as_vector(values), reference::vector(trajectory[key][row]), 1),
                trajectory_tolerance)
          << key << " at t = " << options.times[row];
    };
    const Summary summary =
        simulate(motion, initial_state(motion).value().state, options, [&](const Sample& sample) {
          check("q", sample.q);
          check("qd", sample.v);
          check("qdd", sample.qdd);
          check("Qc_ideal", sample.ideal);
          check("Qc_nonideal", sample.nonideal);
          EXPECT_TRUE(sample.mu.empty());
          ++row;
          return true;
        });
    EXPECT_TRUE(summary.complete) << summary.reason;
    EXPECT_EQ(row, options.times.size());
    EXPECT_LE(summary.largest_residual, 1e-12);
    EXPECT_LE(summary.relative_balance_error(), 1e-9);
    EXPECT_EQ(summary.rank_change_count, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, EveryFormulation, testing::ValuesIn(seeds),
                         [](const auto& seed) { return seed.param.model; });

// The model asks for y dependent on x, y' = x' tan(phi): of no use at phi = pi/2, which the motion
// passes.
TEST(Dumbbell, ChangesItsDependentCoordinateBeforeItBecomesSingular) {
  for (const char* method : {"suslov", "voronets", "maggi", "gauss"}) {
    SCOPED_TRACE(method);
    const Motion motion = compile_seed("dumbbell", {{}, method});
    SimulationOptions options = simulation_options(motion);
    options.duration = 2;
    double last_phi = 0;
    std::vector<std::pair<double, double>> phi;
    const Summary summary =
        simulate(motion, initial_state(motion).value().state, options, [&](const Sample& s) {
          last_phi = s.q[2];
          phi.emplace_back(s.t, s.q[2]);
          return true;
        });
    ASSERT_TRUE(summary.complete) << summary.reason;
    EXPECT_GT(last_phi, std::numbers::pi / 2);
    ASSERT_EQ(summary.switch_count, 1);
    EXPECT_EQ(summary.switches[0].from, std::vector<std::string>{"y"});
    EXPECT_EQ(summary.switches[0].to, std::vector<std::string>{"x"});
    EXPECT_FALSE(summary.switches[0].quasi_velocities);
    for (const auto& [t, angle] : phi) {
      if (t <= summary.switches[0].t) {
        EXPECT_LT(angle, std::numbers::pi / 2) << t;
      }
    }
  }
  // Quasi-velocities that serve everywhere need no change.
  for (const char* method : {"boltzmann-hamel", "transpositional", "central", "gibbs-appell"}) {
    SCOPED_TRACE(method);
    const Motion motion = compile_seed("dumbbell", {{}, method});
    const Summary summary =
        simulate(motion, initial_state(motion).value().state, simulation_options(motion),
                 [](const Sample&) { return true; });
    EXPECT_TRUE(summary.complete) << summary.reason;
    EXPECT_EQ(summary.switch_count, 0);
  }
}

// Without projection the redundant third constraint comes to count by its drift (theory 14.1).
TEST(SliderCrank, WithoutProjectionFormulationsStopWhereTheConstraintsAreLost) {
  for (const char* method : formulations) {
    SCOPED_TRACE(method);
    const Motion motion = compile_seed("slider_crank", {{}, method});
    SimulationOptions options = simulation_options(motion);
    options.project = Project::none;
    options.rtol = 1e-7;
    options.duration = 30;
    const Summary summary = simulate(motion, initial_state(motion).value().state, options,
                                     [](const Sample&) { return true; });
    EXPECT_FALSE(summary.complete);
    EXPECT_LE(summary.largest_residual, 1e-3);
    EXPECT_NE(summary.reason.find("where the rank is"), std::string::npos) << summary.reason;
  }
}

TEST(Ruledout, ConstraintNotLinearInTheVelocitiesIsSaidInOneLine) {
  for (const std::string method : need_linear_constraints) {
    const auto model = read_model(std::string(DALEMBERT_MODELS) + "/appell_hamel.toml").value();
    const auto motion = compile(model, {{}, method});
    ASSERT_FALSE(motion) << method;
    ASSERT_EQ(motion.error().diagnostics.size(), 1u);
    EXPECT_EQ(motion.error().diagnostics[0].message,
              method + ": constraint 'slope' is not linear in the velocities");
  }
}

TEST(Vakonomic, SkateAgreesWithTheReferences) {
  const nlohmann::json data = load_data("refs/vakonomic_contrast");
  const Motion motion = compile_seed("skate_on_incline", {{}, "vakonomic"});
  for (const auto& state : data["states"]) {
    const double phi = reference::number(state["phi"]), v = reference::number(state["v"]);
    const double mu = reference::number(state["mu"]);
    const Acceleration r = motion.acceleration(
        0, std::vector{0.0, 0.0, phi},
        std::vector{v * std::cos(phi), v * std::sin(phi), reference::number(state["phid"])},
        std::vector{mu});
    ASSERT_EQ(r.status, Status::ok) << r.problem;
    EXPECT_LE(relative_error(r.qdd, reference::vector(state["vakonomic_qdd"]), 1),
              vakonomic_tolerance);
    EXPECT_NEAR(r.mu_rate[0], reference::number(state["vakonomic_mudot"]), vakonomic_tolerance);
    EXPECT_EQ(r.mu[0], mu);
    EXPECT_LE((r.M * r.qdd - r.Q - r.ideal).norm(), vakonomic_tolerance);
    EXPECT_TRUE(std::isnan(r.multipliers[0]));  // those of mechanics have no place here
    const Eigen::VectorXd mechanical = reference::vector(state["nonholonomic_qdd"]);
    EXPECT_GT((r.qdd - mechanical).norm(), 1e-2);
  }
}

TEST(Vakonomic, SkateRunsWithMuAsAState) {
  const Motion motion = compile_seed("skate_on_incline", {{}, "vakonomic"});
  SimulationOptions options = simulation_options(motion);
  options.rtol = 1e-11;
  options.duration = 2;
  options.samples = 2001;
  std::vector<double> mu, rate, t;
  const Summary summary =
      simulate(motion, initial_state(motion).value().state, options, [&](const Sample& s) {
        t.push_back(s.t);
        mu.push_back(s.mu[0]);
        const Acceleration r = motion.acceleration(s.t, s.q, s.v, s.mu);
        rate.push_back(r.mu_rate[0]);
        EXPECT_LE(relative_error(as_vector(s.qdd), r.qdd, 1), state_tolerance);
        return true;
      });
  ASSERT_TRUE(summary.complete) << summary.reason;
  EXPECT_EQ(mu[0], 0.5);
  EXPECT_LE(summary.largest_residual, 1e-12);
  EXPECT_LE(summary.relative_balance_error(), 1e-9);
  // mu is the integral of mu': Simpson's rule on 2 ms is exact to h^4 max|mu'''''|/180 = 1e-9 here.
  double integral = 0;
  for (std::size_t i = 0; i + 2 < t.size(); i += 2)
    integral += (t[i + 2] - t[i]) / 6 * (rate[i] + 4 * rate[i + 1] + rate[i + 2]);
  EXPECT_NEAR(mu.back() - mu.front(), integral, 1e-8);
}

// (G5.25): the curvature terms vanish for integrable constraints, whatever mu is.
TEST(Vakonomic, IsTheMotionOfMechanicsWhereConstraintsAreHolonomic) {
  for (const char* model : {"pendulum", "double_pendulum", "rotating_wire", "two_masses"}) {
    SCOPED_TRACE(model);
    const Motion reference = compile_seed(model);
    const Motion motion = compile_seed(model, {{}, "vakonomic"});
    const State s = initial_state(motion).value().state;
    EXPECT_EQ(s.mu, std::vector<double>(motion.constraints(), 0.0));
    const std::vector<double> mu(motion.constraints(), 0.75);
    const Acceleration r = motion.acceleration(s.t, s.q, s.v, mu);
    const Acceleration expected = reference.acceleration(s.t, s.q, s.v);
    expect_same(r, expected);
    if (motion.constraints() == 1) {  // lambda = -mu'
      EXPECT_NEAR(r.mu_rate[0], -expected.multipliers[0], 1e-11);
    }
  }
}

}  // namespace
}  // namespace dalembert::formulations_test
