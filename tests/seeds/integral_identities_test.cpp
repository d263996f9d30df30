/// The integral principles along computed motions: for a varied path dq with A dq = 0 and closed
/// variations (d(dq)/dt = d(q')),
///
///     integral of (dT + dW) dt = dP at the end - dP at the start,     dP = sum_i dT/dq_i' dq_i,
///
/// (Greenwood problem 5.1), dW the work of the applied forces; ideal constraint forces do none.
/// Integrals by Gauss-Legendre quadrature on the samples of a run at rtol 1e-13: with 8 nodes in
/// each of 40 panels the quadrature error of these smooth integrands is below 1e-13, so what is
/// left is the error of the motion, some 1e-11.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "dalembert/dalembert.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/mechanics/formulations/parts.hpp"

namespace dalembert::integral_identities_test {
namespace {

constexpr std::array<double, 4> nodes = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                         0.9602898564975363};
constexpr std::array<double, 4> weights = {0.3626837833783620, 0.3137066458778873,
                                           0.2223810344533745, 0.1012285362903763};

struct Quadrature {
  std::vector<double> times{0.0};
  std::vector<double> weight{0.0};
};

Quadrature gauss_legendre(double duration, int panels) {
  Quadrature result;
  const double h = duration / panels;
  for (int panel = 0; panel < panels; ++panel) {
    for (int i = -4; i < 4; ++i) {
      const auto k = static_cast<std::size_t>(i < 0 ? -i - 1 : i);
      result.times.push_back(h * (panel + 0.5 + (i < 0 ? -0.5 : 0.5) * nodes[k]));
      result.weight.push_back(h / 2 * weights[k]);
    }
  }
  result.times.push_back(duration);
  result.weight.push_back(0);
  return result;
}

class IntegralIdentity : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, IntegralIdentity,
                         testing::Values("dumbbell", "rolling_disk", "flat_body", "rotating_wire",
                                         "skate_on_incline", "particle"),
                         [](const auto& model) { return std::string(model.param); });

TEST_P(IntegralIdentity, VariationOfTheActionIsThatOfTheMomentum) {
  const Motion motion =
      compile(read_model(std::string(DALEMBERT_MODELS) + "/" + GetParam() + ".toml").value())
          .value();
  const auto start = initial_state(motion).value();
  const auto& eq = motion.equations();
  const expr::Values at_start = motion::values_at(motion.model(), motion.parameters(), start.state);
  const auto setting = mechanics::prepare(
      motion.model(), eq, at_start,
      mechanics::split_coordinates(motion.model(), eq, at_start, {}, true), false);
  ASSERT_TRUE(setting);
  // A varied path: dq = Z (a_1(t), a_2(t), ...), the a smooth and not zero at the ends.
  std::vector<Expr> a;
  for (std::size_t r = 0; r < setting->r; ++r)
    a.push_back(expr::sin((static_cast<int>(r) + 1) * expr::time()) + expr::time() / 3 + 1);
  const std::vector<Expr> dq = mechanics::split_directions(*setting) * a;
  std::vector<Expr> dv;
  for (const Expr& e : dq) dv.push_back(expr::time_derivative(e));
  // C joins the applied forces where constraints are not ideal.
  std::vector<Expr> force = setting->applied;
  for (std::size_t i = 0; i < force.size(); ++i) force[i] += eq.C[i];
  const Expr integrand = mechanics::dot(expr::gradient(eq.kinetic, eq.q), dq) +
                         mechanics::dot(expr::gradient(eq.kinetic, eq.v), dv) +
                         mechanics::dot(force, dq);
  const Expr dP = mechanics::dot(expr::gradient(eq.kinetic, eq.v), dq);

  SimulationOptions options = simulation_options(motion);
  options.duration = 0.5;  // short of where the split of the knife edges turns singular
  options.rtol = 1e-13;
  options.atol = 1e-15;
  const Quadrature rule = gauss_legendre(options.duration, 40);
  options.times = rule.times;
  double integral = 0, first = 0, last = 0, size = 0;
  std::size_t row = 0;
  const Summary summary = simulate(motion, start.state, options, [&](const Sample& sample) {
    const State state{
        sample.t, {sample.q.begin(), sample.q.end()}, {sample.v.begin(), sample.v.end()}};
    const expr::Values values = motion::values_at(motion.model(), motion.parameters(), state);
    const double momentum = expr::evaluate(dP, values);
    if (row == 0) first = momentum;
    last = momentum;
    const double f = expr::evaluate(integrand, values);
    integral += rule.weight[row] * f;
    size += rule.weight[row] * std::abs(f);
    ++row;
    return true;
  });
  ASSERT_TRUE(summary.complete) << summary.reason;
  EXPECT_EQ(row, rule.times.size());
  EXPECT_NEAR(integral, last - first, 1e-10 * (1 + size)) << GetParam();
  EXPECT_GT(size, 0.1);  // something was integrated
}

}  // namespace
}  // namespace dalembert::integral_identities_test
