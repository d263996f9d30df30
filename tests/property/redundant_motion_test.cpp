// Writing constraints twice, summed, or in other units changes neither the motion nor the total
// constraint force.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <Eigen/Core>

#include "dalembert/dalembert.hpp"

namespace dalembert::redundant_motion_test {
namespace {

Model bundled(const std::string& name) {
  return read_model(std::string(DALEMBERT_MODELS) + "/" + name + ".toml").value();
}

struct End {
  Eigen::VectorXd q, v, ideal, nonideal;
};

End end_of(const Model& model, double duration) {
  const Motion motion = compile(model).value();
  SimulationOptions options = simulation_options(motion);
  options.rtol = 1e-11;
  options.duration = duration;
  options.times = {duration};
  End end;
  const auto copy = [](std::span<const double> x) {
    return Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
  };
  const Summary summary =
      simulate(motion, initial_state(motion).value().state, options, [&](const Sample& s) {
        end = {copy(s.q), copy(s.v), copy(s.ideal), copy(s.nonideal)};
        return true;
      });
  EXPECT_TRUE(summary.complete) << summary.reason;
  EXPECT_LE(summary.largest_residual, 1e-12);
  return end;
}

double difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / (1 + b.lpNorm<Eigen::Infinity>());
}

/// The same constraints said again in other words: copies, multiples, sums, sums of multiples, in
/// any order.
Model restated(Model model) {
  const std::vector<model::Constraint> original = model.constraints;
  const int extra = *rc::gen::inRange(1, 4);
  for (int k = 0; k < extra; ++k) {
    Expr residual;
    for (const model::Constraint& c : original) {
      // Integers over powers of ten from 1e-4 to 1e4, so that scales differ by up to eight orders.
      const int numerator = *rc::gen::inRange(-9, 10);
      const int exponent = *rc::gen::inRange(-4, 5);
      residual += Expr(numerator) * pow(Expr(10), exponent) * c.residual;
    }
    if (residual.is_zero()) residual = original.front().residual;
    model.constraints.push_back({"restated " + std::to_string(k), residual, 1, {}});
  }
  const auto first = static_cast<std::size_t>(
      *rc::gen::inRange<int>(0, static_cast<int>(model.constraints.size())));
  std::swap(model.constraints.front(), model.constraints[first]);
  return model;
}

void check_restatements(const std::string& name, double duration) {
  const Model model = bundled(name);
  const End reference = end_of(model, duration);
  // Steps differ by rounding, errors by the tolerance times the growth along these short motions.
  constexpr double tolerance = 1e-8;
  EXPECT_TRUE(rc::check(name, [&] {
    const End end = end_of(restated(model), duration);
    RC_ASSERT(difference(end.q, reference.q) <= tolerance);
    RC_ASSERT(difference(end.v, reference.v) <= tolerance);
    RC_ASSERT(difference(end.ideal, reference.ideal) <= tolerance);
    RC_ASSERT(difference(end.nonideal, reference.nonideal) <= tolerance);
  }));
}

TEST(RestatedConstraints, GiveTheSameMotionOfTheRollingDisk) {
  check_restatements("rolling_disk", 2);
}

TEST(RestatedConstraints, GiveTheSameMotionOfThePendulum) {
  check_restatements("pendulum", 2);
}

TEST(RestatedConstraints, GiveTheSameMotionOfTheSliderCrank) {
  check_restatements("slider_crank", 0.5);
}

TEST(RestatedConstraints, GiveTheSameMotionWithFriction) {
  check_restatements("coulomb_helix", 2);
}

TEST(RestatedConstraints, GiveTheSameMotionWithASingularMassMatrix) {
  check_restatements("two_masses", 2);
}

TEST(RestatedConstraints, GiveTheSameMotionOfTheParticleWithDrag) {
  check_restatements("particle", 2);
}

}  // namespace
}  // namespace dalembert::redundant_motion_test
