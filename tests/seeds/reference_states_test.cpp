// Every reference state, from the model file to both constraint forces, by every method.
#include "seed.hpp"

namespace dalembert::reference_states_test {
namespace {

// The references are exact to 32 digits, so what is measured is our own rounding: evaluation of the
// expressions and a solve whose condition number is below a few hundred in all of these states.
constexpr double tolerance = 1e-12;

class ReferenceState : public testing::TestWithParam<Seed> {};

void compare(const Motion& motion, const nlohmann::json& state) {
  const auto q = as_list(reference::vector(state["q"]));
  const auto v = as_list(reference::vector(state["qd"]));
  const Acceleration r = motion.acceleration(reference::number(state["t"]), q, v);
  ASSERT_EQ(r.status, Status::ok) << r.problem;
  const Eigen::VectorXd qdd = reference::vector(state["qdd"]);
  const Eigen::VectorXd ideal = reference::vector(state["Qc_ideal"]);
  const Eigen::VectorXd nonideal = reference::vector(state["Qc_nonideal"]);
  const Eigen::VectorXd Q = reference::vector(state["Q"]);
  // Forces are differences of terms of the size of Q and M q''.
  const double force =
      std::max({Q.lpNorm<Eigen::Infinity>(), ideal.lpNorm<Eigen::Infinity>(), 1e-3});
  EXPECT_LE(relative_error(r.Q, Q, 1), tolerance);
  EXPECT_LE(relative_error(r.b, reference::vector(state["b"]), 1), tolerance);
  EXPECT_LE((r.M - reference::matrix(state["M"])).norm(), tolerance * r.M.norm());
  EXPECT_LE((r.A - reference::matrix(state["A"])).norm(), tolerance * r.A.norm());
  EXPECT_LE(relative_error(r.qdd, qdd, 1e-3), tolerance);
  EXPECT_LE(relative_error(r.ideal, ideal, force), tolerance);
  EXPECT_LE(relative_error(r.nonideal, nonideal, force), tolerance);
  EXPECT_LE(relative_error(r.multipliers, reference::vector(state["lambda_min_norm"]), force),
            tolerance);
  EXPECT_EQ(r.rank, state["rank_A"].get<int>());
  EXPECT_TRUE(r.consistent);
}

TEST_P(ReferenceState, AgreesByEveryMethod) {
  const nlohmann::json data = load_data(GetParam().data);
  for (const char* method : every_method) {
    SCOPED_TRACE(method);
    const Motion motion = compile_seed(GetParam().model, {{}, method});
    for (const auto& state : data["states"]) compare(motion, state);
    if (!data.contains("offshell_states")) continue;
    for (const auto& state : data["offshell_states"]) compare(motion, state);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ReferenceState, testing::ValuesIn(reference_seeds),
                         [](const auto& seed) { return seed.param.model; });

TEST(SingularMass, TwoMassesAgreeByEveryMethod) {
  const nlohmann::json data = load_data("refs/singular_mass_up06");
  for (const char* method : every_method) {
    SCOPED_TRACE(method);
    const Motion motion = compile_seed("two_masses", {{}, method});
    for (const auto& state : data["states"]) {
      const Acceleration r = motion.acceleration(0, as_list(reference::vector(state["q"])),
                                                 as_list(reference::vector(state["qd"])));
      ASSERT_EQ(r.status, Status::ok) << r.problem;
      EXPECT_TRUE(r.mass_singular);
      EXPECT_LE(relative_error(r.qdd, reference::vector(state["qdd"]), 1), tolerance);
      EXPECT_LE(relative_error(r.ideal, reference::vector(state["Qc"]), 1), tolerance);
    }
  }
}

TEST(NonholonomicSkate, AgreesWithTheReferenceOfTheVakonomicContrast) {
  const nlohmann::json data = load_data("refs/vakonomic_contrast");
  const Motion motion = compile_seed("skate_on_incline");
  for (const auto& state : data["states"]) {
    const double phi = reference::number(state["phi"]);
    const double v = reference::number(state["v"]);
    const Acceleration r = motion.acceleration(
        0, std::vector{0.0, 0.0, phi},
        std::vector{v * std::cos(phi), v * std::sin(phi), reference::number(state["phid"])});
    EXPECT_LE(relative_error(r.qdd, reference::vector(state["nonholonomic_qdd"]), 1e-3), tolerance);
    EXPECT_NEAR(r.multipliers[0], reference::number(state["nonholonomic_lambda"]), tolerance);
  }
}

}  // namespace
}  // namespace dalembert::reference_states_test
