// Runs in extended precision: against closed forms by Arb, and against a reference of 40 digits.
#include <acb_elliptic.h>
#include <acb_modular.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bundled.hpp"
#include "dalembert/codegen/extended.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/motion/extended_run.hpp"
#include "dalembert/motion/request.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::motion::extended_test {
namespace {

using codegen::Extended;
using codegen::extended_epsilon;

Motion motion_of(const std::string& text) {
  return compile(model::read_model_text(text, "extended.toml").value()).value();
}

struct Last {
  Summary summary;
  std::vector<Extended> q, v, residuals;
  Extended energy_error = 0;
};

SimulationOptions extended_options(double duration) {
  SimulationOptions options;
  options.precision = Precision::extended;
  options.rtol = 1e-18;
  options.atol = 1e-21;
  options.duration = duration;
  options.samples = 11;
  return options;
}

Last run(const Motion& motion, double duration) {
  Last last;
  Extended first = 0;
  last.summary = simulate(motion, initial_state(motion).value().state, extended_options(duration),
                          [&](const Sample& sample) {
                            const ExtendedSample& s = *sample.extended;
                            last.q.assign(s.q.begin(), s.q.end());
                            last.v.assign(s.v.begin(), s.v.end());
                            last.residuals.assign(s.residuals.begin(), s.residuals.end());
                            if (s.t == 0) first = s.kinetic + s.potential;
                            last.energy_error = std::max(last.energy_error,
                                                         std::abs(s.kinetic + s.potential - first));
                            return true;
                          });
  return last;
}

/// The decimal, rounded once.
Extended decimal(const char* digits) {
  return std::strtold(digits, nullptr);
}

/// A ball of Arb.
struct Number {
  Number() { acb_init(value); }
  explicit Number(const char* digits) : Number() { arb_set_str(acb_realref(value), digits, bits); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  ~Number() { acb_clear(value); }
  Extended rounded() const {
    arf_t middle, part;
    arf_init(middle);
    arf_init(part);
    arf_set(middle, arb_midref(acb_realref(value)));
    Extended sum = 0;
    for (int i = 0; i < 3; ++i) {
      const double x = arf_get_d(middle, ARF_RND_NEAR);
      sum += x;
      arf_set_d(part, x);
      arf_sub(middle, middle, part, ARF_PREC_EXACT, ARF_RND_NEAR);
    }
    arf_clear(middle);
    arf_clear(part);
    return sum;
  }
  static constexpr slong bits = 300;
  acb_t value;
};

/// theta(t) of theta'' = -(g/l) sin(theta) from rest at alpha:
///     sin(theta/2) = k cd(w t, m),   w^2 = g/l,   k = sin(alpha/2),   m = k^2,
///     cd(u) = theta_3 theta_2(z) / (theta_2 theta_3(z)),   z = u / (2 K)   (DLMF 22.2.8).
Extended pendulum_angle(const char* alpha, const char* g, const char* l, const char* time) {
  constexpr slong bits = Number::bits;
  Number k(alpha), m, rest, K, tau, z(time), w(g), length(l), one("1"), zero;
  acb_mul_2exp_si(k.value, k.value, -1);
  acb_sin(k.value, k.value, bits);
  acb_sqr(m.value, k.value, bits);
  acb_sub(rest.value, one.value, m.value, bits);
  acb_elliptic_k(K.value, m.value, bits);
  acb_elliptic_k(tau.value, rest.value, bits);
  acb_div(tau.value, tau.value, K.value, bits);
  acb_mul_onei(tau.value, tau.value);
  acb_div(w.value, w.value, length.value, bits);
  acb_sqrt(w.value, w.value, bits);
  acb_mul(z.value, z.value, w.value, bits);
  acb_div(z.value, z.value, K.value, bits);
  acb_mul_2exp_si(z.value, z.value, -1);
  Number at[4], constant[4];
  acb_modular_theta(at[0].value, at[1].value, at[2].value, at[3].value, z.value, tau.value, bits);
  acb_modular_theta(constant[0].value, constant[1].value, constant[2].value, constant[3].value,
                    zero.value, tau.value, bits);
  Number cd;
  acb_mul(cd.value, constant[2].value, at[1].value, bits);
  acb_div(cd.value, cd.value, constant[1].value, bits);
  acb_div(cd.value, cd.value, at[2].value, bits);
  acb_mul(cd.value, cd.value, k.value, bits);
  acb_asin(cd.value, cd.value, bits);
  acb_mul_2exp_si(cd.value, cd.value, 1);
  return cd.rounded();
}

/// No number of it is a double: what is rounded on the way shows at 1e-17.
constexpr const char* swinging = R"toml(
coordinates = ["theta"]
[parameters]
l = 0.7
g = 9.81
[energy]
kinetic = "l^2*theta'^2/2"
potential = "-g*l*cos(theta)"
[initial]
theta = 1.2
)toml";

constexpr const char* held = R"toml(
coordinates = ["x", "y"]
[parameters]
l = 0.7
g = 9.81
alpha = 1.2
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "g*y"
[[constraint]]
name = "rod"
equation = "x^2 + y^2 = l^2"
[initial]
x = "l*sin(alpha)"
y = "-l*cos(alpha)"
)toml";

/// Rounding of some tens of steps, each of a few epsilon.
TEST(Extended, APendulumToItsEllipticFunctions) {
  if (!codegen::has_extended) GTEST_SKIP();
  const Extended theta = pendulum_angle("1.2", "9.81", "0.7", "5");
  const Last free = run(motion_of(swinging), 5);
  ASSERT_TRUE(free.summary.complete) << free.summary.reason;
  const Extended steps = static_cast<Extended>(free.summary.steps);
  EXPECT_LT(std::abs(free.q[0] - theta), 2 * extended_epsilon * steps);
  EXPECT_LT(free.energy_error, 20 * extended_epsilon * steps);

  const Last bound = run(motion_of(held), 5);
  ASSERT_TRUE(bound.summary.complete) << bound.summary.reason;
  const Extended l = decimal("0.7");
  EXPECT_LT(std::abs(bound.q[0] - l * std::sin(theta)), 2 * extended_epsilon * steps);
  EXPECT_LT(std::abs(bound.q[1] + l * std::cos(theta)), 2 * extended_epsilon * steps);
  EXPECT_LT(std::abs(bound.residuals[0]), 64 * extended_epsilon);
  EXPECT_GT(bound.summary.largest_drift, 0);
}

/// The rolling disk after two seconds, to 40 digits: mpmath 1.3 at 60 digits, 60 steps by Taylor
/// series of order 56 (82 of order 50 give the same 55 digits) of Newton's and Euler's equations of
/// a thin disk in the rates u of the model, which share nothing with the model's but the mechanics:
///     u1' = 2 u2 u3 - u1 u2 cot(theta),     u3' = 2/3 u1 u2,
///     5/4 u2' = u1^2 cot(theta) / 4 - 3/2 u1 u3 - (g/r) cos(theta).
TEST(Extended, ARollingDiskToFortyDigits) {
  if (!codegen::has_extended) GTEST_SKIP();
  const std::vector<const char*> should{
      "2.899668658756994947281195178757580747138", "1.029058768998624564658384004321044942141",
      "-11.20340525456213088778218893210336165837", "0.2490133718010515573619158892119470130285",
      "3.59561076746858464475908146651386410522"};
  const Last end = run(compile_bundled("rolling_disk"), 2);
  ASSERT_TRUE(end.summary.complete) << end.summary.reason;
  for (std::size_t i = 0; i < should.size(); ++i) {
    const Extended x = decimal(should[i]);
    EXPECT_LT(std::abs(end.q[i] - x), 40 * extended_epsilon * (1 + std::abs(x))) << i;
  }
  EXPECT_LT(end.summary.largest_residual, 1e-17);
  EXPECT_LT(end.energy_error, 1e-16);
}

/// An oscillator of irrational rate, forced and damped.
TEST(Extended, WorksAddUpToTheEnergy) {
  if (!codegen::has_extended) GTEST_SKIP();
  const Last end = run(motion_of(R"toml(
coordinates = ["x"]
[parameters]
w = "sqrt(2)"
[energy]
kinetic = "x'^2/2"
potential = "w^2*x^2/2"
[forces]
x = "cos(t/3) - 0.1*x'"
[initial]
x = "pi/10"
)toml"),
                       20);
  ASSERT_TRUE(end.summary.complete) << end.summary.reason;
  EXPECT_LT(end.summary.balance_error, 1e-17);
  EXPECT_GT(std::abs(end.summary.work_applied), 0.1);
}

std::string refusal(const std::string& text, SimulationRequest request = {}) {
  request.precision = "extended";
  const auto options = requested_options(request, motion_of(text));
  return options ? "" : options.error().sentence;
}

TEST(Extended, RefusesWhatGoesInDoubles) {
  if (!codegen::has_extended) GTEST_SKIP();
  SimulationRequest request;
  EXPECT_EQ(refusal(swinging), "");
  request.many = true;
  EXPECT_EQ(refusal(swinging, request),
            "precision extended: it is for single runs; sweeps compute in doubles");
  request = {};
  request.integrator = "bdf";
  EXPECT_EQ(refusal(swinging, request), "precision extended: it uses taylor, not bdf");
  request.integrator = "rk8";
  EXPECT_EQ(refusal(swinging, request), "precision extended: it uses taylor, not rk8");
  request = {};
  request.rtol = 1e-19;
  EXPECT_EQ(refusal(swinging, request),
            "precision extended: rtol 1e-19 is below what its rounding allows, 1e-18");
  const std::string force = std::string(swinging) + "[forces]\n";
  EXPECT_EQ(refusal(force + "theta = \"-abs(theta')\"\n"),
            "precision extended: its rates have kinks or jumps (abs, sign, min, max, floor, step, "
            "if), which are found in doubles");
  EXPECT_EQ(refusal(force + "theta = \"F(t)\"\n[[table]]\nname = \"F\"\nx = [0, 1]\ny = [0, 1]\n"),
            "precision extended: table 'F' has values in doubles");
  EXPECT_EQ(refusal(std::string(swinging) +
                    "[[event]]\nname = \"low\"\nwhen = \"theta = 0\"\nstop = true\n"),
            "precision extended: events, contacts and friction that sticks are found in doubles");
}

}  // namespace
}  // namespace dalembert::motion::extended_test
