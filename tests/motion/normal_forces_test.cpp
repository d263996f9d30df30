// N_i = |p_i + sum_j N_j W_ij| by itself.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "dalembert/flow/friction.hpp"

namespace dalembert::motion::normal_forces_test {
namespace {

TEST(NormalForces, OneFrictionHasTheRootOfItsQuadraticEquation) {
  EXPECT_TRUE(rc::check([] {
    NormalForces f(1);
    for (int c = 0; c < 3; ++c) {
      f.p(0)(c) = *rc::gen::inRange(-100, 101) / 10.0;
      f.W(0, 0)(c) = *rc::gen::inRange(-57, 58) / 100.0;  // |W| < 0.99
    }
    RC_ASSERT(f.solve());
    RC_ASSERT(f.assured());
    const double N = f.values()(0);
    RC_ASSERT(N >= 0);
    const double right = (f.p(0) + N * f.W(0, 0)).norm();
    RC_ASSERT(std::abs(N - right) <= 1e-12 * (f.p(0).norm() + N));
  }));
}

TEST(NormalForces, ManyAreSolvedToRoundingWhereTheyContract) {
  EXPECT_TRUE(rc::check([] {
    const auto count = static_cast<std::size_t>(*rc::gen::inRange(2, 8));
    NormalForces f(count);
    for (std::size_t i = 0; i < count; ++i) {
      const int components = *rc::gen::inRange(1, 4);
      for (int c = 0; c < components; ++c) {
        f.p(i)(c) = *rc::gen::inRange(-100, 101) / 10.0;
        for (std::size_t j = 0; j < count; ++j)  // rows of K sum to less than 0.98
          f.W(i, j)(c) = *rc::gen::inRange(-560, 561) / 1000.0 / static_cast<double>(count);
      }
    }
    RC_ASSERT(f.solve());
    RC_ASSERT(f.assured());
    // Against plain iteration: 0.98^2000 < 1e-17.
    Eigen::VectorXd N = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(count));
    for (int k = 0; k < 2000; ++k) {
      Eigen::VectorXd next = N;
      for (std::size_t i = 0; i < count; ++i) {
        Eigen::Vector3d r = f.p(i);
        for (std::size_t j = 0; j < count; ++j) r += N(static_cast<Eigen::Index>(j)) * f.W(i, j);
        next(static_cast<Eigen::Index>(i)) = r.norm();
      }
      N = next;
    }
    // What rounding does to a residual grows by 1 / (1 - 0.98) in the solution.
    RC_ASSERT((N - f.values()).lpNorm<Eigen::Infinity>() <= 1e-11 * (1 + N.norm()));
  }));
}

/// N_1 = |1 - 0.5 N_2|, N_2 = |2 + 3 N_1|: the product of the couplings is 1.5 > 1. Raised by s
/// there is a solution N_1 = (1 - s) / (1 + 1.5 s^2) up to s = 1, where N_1 = 0; with 0.4 for 0.5
/// it is 0.2 / 2.2.
TEST(NormalForces, AreFollowedFromNoFrictionWhereUniquenessIsNotKnown) {
  NormalForces f(2);
  f.p(0)(0) = 1;
  f.p(1)(0) = 2;
  f.W(0, 1)(0) = -0.4;
  f.W(1, 0)(0) = 3;
  ASSERT_TRUE(f.solve());
  EXPECT_FALSE(f.assured());
  EXPECT_NEAR(f.values()(0), 0.2 / 2.2, 1e-14);
  EXPECT_NEAR(f.values()(1), 2 + 3 * 0.2 / 2.2, 1e-14);
}

/// N_1 = 1 + 2 s N_2, N_2 = 1 + s N_1 has N_1 = (1 + 2 s) / (1 - 2 s^2): none from s = 1/sqrt 2 on.
TEST(NormalForces, AreRefusedWhereTheBranchEnds) {
  NormalForces f(2);
  f.p(0)(0) = f.p(1)(0) = 1;
  f.W(0, 1)(0) = 2;
  f.W(1, 0)(0) = 1;
  EXPECT_FALSE(f.solve());
  EXPECT_EQ(f.culprit(), 2u);
  EXPECT_NEAR(f.measure(), std::sqrt(0.5), 1e-5);
  f.W(0, 0)(0) = -1.25;
  EXPECT_FALSE(f.solve());
  EXPECT_EQ(f.culprit(), 0u);
  EXPECT_EQ(f.measure(), 1.25);
}

}  // namespace
}  // namespace dalembert::motion::normal_forces_test
