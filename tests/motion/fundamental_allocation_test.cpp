// factor and solve take no memory once the solver is constructed.

#include <dalembert/solve/fundamental.hpp>

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <string>

#include "allocation_counter.hpp"

namespace dalembert::motion::fundamental_allocation_test {
namespace {

#ifdef DALEMBERT_COUNTS_MALLOC

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Entries in [-1, 1] without structure, the same on every machine.
MatrixXd entries(int m, int n) {
  MatrixXd A(m, n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) A(i, j) = std::sin(1 + i * 37.0 + j * 101.0 + 13.0 * i * j);
  }
  return A;
}

struct Case {
  int n, m;
  bool singular, redundant;
};

class NoAllocation : public testing::TestWithParam<Case> {};

TEST_P(NoAllocation, InDecideFactorAndSolve) {
  const auto [n, m, singular, redundant] = GetParam();
  MatrixXd M = MatrixXd::Identity(n, n), A = entries(m, n);
  for (int i = 0; i + 1 < n; ++i) M(i, i + 1) = M(i + 1, i) = 0.25;
  if (singular) {
    M.row(0).setZero();
    M.col(0).setZero();
  }
  if (redundant) A.row(m - 1) = 2 * A.row(0);
  const VectorXd Q = VectorXd::Ones(n), C = VectorXd::LinSpaced(n, -1, 1),
                 b = A * VectorXd::LinSpaced(n, 0, 1);
  VectorXd x(n);
  for (const Method method : {Method::m_inverse, Method::scaled, Method::extended_dalembert,
                              Method::weighted, Method::multipliers}) {
    SCOPED_TRACE(to_string(method));
    FundamentalOptions options;
    options.method = method;
    options.weights = VectorXd::LinSpaced(m, 1, 2);
    Fundamental f(n, m, options);
    const long before = allocations_so_far();
    const Status decided = f.decide(M, A);
    const Status factored = f.factor(M, A);
    const Status ideal = f.solve_ideal(Q, b);
    const Status nonideal = f.solve_nonideal(C);
    f.apply_m_inverse(b, x);
    f.set_held(f.held());
    const long after = allocations_so_far();
    EXPECT_EQ(after - before, 0);
    EXPECT_EQ(decided, Status::ok);
    EXPECT_EQ(factored, Status::ok);
    EXPECT_EQ(ideal, Status::ok);
    EXPECT_EQ(nonideal, Status::ok);
    EXPECT_EQ(f.mass_singular(), singular);
    EXPECT_EQ(f.rank(), redundant ? m - 1 : m);
  }
}

TEST(NoAllocation, OnFailure) {
  MatrixXd M = MatrixXd::Identity(3, 3), A = MatrixXd::Zero(0, 3);
  M(2, 2) = -1;
  Fundamental f(3, 0);
  const long before = allocations_so_far();
  const Status indefinite = f.decide(M, A);
  M(2, 2) = 0;
  const Status undetermined = f.decide(M, A);
  const long after = allocations_so_far();
  EXPECT_EQ(after - before, 0);
  EXPECT_EQ(indefinite, Status::mass_indefinite);
  EXPECT_EQ(undetermined, Status::mass_undetermined);
}

TEST(NoAllocation, IsMeasured) {
  const long before = allocations_so_far();
  const VectorXd x = VectorXd::Ones(10);
  const long after = allocations_so_far();
  EXPECT_EQ(x.size(), 10);
  EXPECT_EQ(after - before, 1);
}

INSTANTIATE_TEST_SUITE_P(Sizes, NoAllocation,
                         testing::Values(Case{1, 0, false, false}, Case{5, 2, false, false},
                                         Case{5, 2, true, false}, Case{30, 20, false, true},
                                         Case{30, 20, true, true}, Case{150, 60, false, true}),
                         [](const auto& test) {
                           return "n" + std::to_string(test.param.n) + "m" +
                                  std::to_string(test.param.m) +
                                  (test.param.singular ? "Singular" : "") +
                                  (test.param.redundant ? "Redundant" : "");
                         });

#else

TEST(NoAllocation, IsMeasured) {
  GTEST_SKIP() << "malloc cannot be counted in this build";
}

#endif

}  // namespace
}  // namespace dalembert::motion::fundamental_allocation_test
