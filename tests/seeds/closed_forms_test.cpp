// The worked examples against the formulas their authors print.
#include "seed.hpp"

namespace dalembert::closed_forms_test {
namespace {

constexpr double rounding = 1e-12;

TEST(FlatBody, ObeysGreenwoodsEquations) {
  // v' = l phi'^2 and I_p phi'' = -m l v phi' with v the speed along the edge (Greenwood,
  // example 5.1).
  const Motion motion = compile_seed("flat_body");
  const double m = 2, l = 0.5, I_p = 1.5, phi = 0.7, v = 1.3, w = -0.4;
  const Acceleration r = motion.acceleration(0, std::vector{0.1, 0.2, phi},
                                             std::vector{v * std::cos(phi), v * std::sin(phi), w});
  const double v_rate =
      r.qdd[0] * std::cos(phi) + r.qdd[1] * std::sin(phi);  // the terms in phi' cancel on the edge
  EXPECT_NEAR(v_rate, l * w * w, rounding);
  EXPECT_NEAR(r.qdd[2], -m * l * v * w / I_p, rounding);
}

TEST(Dumbbell, SpeedFollowsTheHyperbolicTangent) {
  const Motion motion = compile_seed("dumbbell");
  SimulationOptions options = simulation_options(motion);
  options.rtol = 1e-12;
  const InitialState start = initial_state(motion).value();
  const double phi0 = start.state.q[2];
  const double v0 = start.state.v[0] * std::cos(phi0) + start.state.v[1] * std::sin(phi0);
  const double E = v0 * v0 + start.state.v[2] * start.state.v[2] / 2;
  const double root = std::sqrt(E);
  const double c = std::atanh(v0 / root);
  simulate(motion, start.state, options, [&](const Sample& s) {
    const double v = s.v[0] * std::cos(s.q[2]) + s.v[1] * std::sin(s.q[2]);
    EXPECT_NEAR(v, root * std::tanh(root * s.t + c), 1e-10);
    return true;
  });
}

TEST(RollingDisk, ObeysTheCentralEquationsOfGreenwood) {
  // u1 = phi' sin(theta), u2 = theta', u3 = phi' cos(theta) + psi' (Greenwood 5.190-5.192).
  const Motion motion = compile_seed("rolling_disk");
  const double r = 0.5, g = 157.0 / 16;
  const double phi = 0.3, theta = 1.1, phid = 0.8, thetad = -0.2, psid = 3.5;
  const Acceleration a = motion.acceleration(
      0, std::vector{phi, theta, 0.4, 0.0, 0.0},
      std::vector{phid, thetad, psid, -r * psid * std::cos(phi), -r * psid * std::sin(phi)});
  const double s = std::sin(theta), c = std::cos(theta), cot = c / s;
  const double u1 = phid * s, u2 = thetad, u3 = phid * c + psid;
  const double u1_rate = a.qdd[0] * s + phid * thetad * c;
  const double u3_rate = a.qdd[0] * c - phid * thetad * s + a.qdd[2];
  EXPECT_NEAR(u1_rate, -u1 * u2 * cot + 2 * u2 * u3, rounding);
  EXPECT_NEAR(1.25 * a.qdd[1], 0.25 * u1 * u1 * cot - 1.5 * u1 * u3 - g / r * c, 10 * rounding);
  EXPECT_NEAR(u3_rate, 2.0 / 3 * u1 * u2, rounding);
}

TEST(Particle, ForcesAreThoseOfUdwadiaAndKalaba) {
  // U01.16 for Q_ideal and U01.17 for Q_nonideal at a state on the constraint.
  const Motion motion = compile_seed("particle");
  const double a0 = 0.125, x = 0.4, y = -0.3, z = 0.8, t = 1.5;
  const double xd = 0.7, zd = -0.6, yd = z * z * xd;
  const Acceleration r = motion.acceleration(t, std::vector{x, y, z}, std::vector{xd, yd, zd});
  const double fx = -x, fy = -y / 2, d = 1 + z * z * z * z;
  const double lambda = (2 * z * xd * zd + z * z * fx - fy) / d;
  const double speed = std::sqrt(xd * xd + yd * yd + zd * zd);
  EXPECT_NEAR(r.ideal[0], -z * z * lambda, rounding);
  EXPECT_NEAR(r.ideal[1], lambda, rounding);
  EXPECT_NEAR(r.ideal[2], 0, rounding);
  EXPECT_NEAR(r.nonideal[0], -a0 * speed / d * (xd + z * z * yd), rounding);
  EXPECT_NEAR(r.nonideal[1], -a0 * speed / d * (z * z * xd + z * z * z * z * yd), rounding);
  EXPECT_NEAR(r.nonideal[2], -a0 * speed * zd, rounding);
}

TEST(AppellHamel, FallsAtAConstantRate) {
  const Motion motion = compile_seed("appell_hamel");
  const Acceleration r =
      motion.acceleration(0, std::vector{0.0, 0.0, 0.0}, std::vector{0.375, 0.5, -1.25});
  EXPECT_NEAR(r.qdd[2], -(157.0 / 16) / 1.25, rounding);
}

TEST(SliderCrank, RedundantConstraintLeavesTheTotalForceUnique) {
  const Motion motion = compile_seed("slider_crank");
  const State start = initial_state(motion).value().state;
  const Acceleration r = motion.acceleration(start.t, start.q, start.v);
  EXPECT_LT(r.rank, static_cast<int>(motion.constraints()));
  EXPECT_TRUE(std::find(r.unique.begin(), r.unique.end(), false) != r.unique.end());
  EXPECT_LE((r.A.transpose() * r.multipliers - r.ideal).norm(), rounding * r.ideal.norm());
}

}  // namespace
}  // namespace dalembert::closed_forms_test
