// The fundamental equation against reference data: 32-digit states of mechanical systems, exact
// rational systems, weighted least squares and singular mass matrices.

#include <dalembert/solve/fundamental.hpp>
#include "weighted_full.hpp"

#include "reference_data.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <string>

namespace dalembert::motion::fundamental_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using reference::load;
using reference::matrix;
using reference::number;
using reference::vector;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr Method kMethods[] = {Method::m_inverse, Method::scaled, Method::extended_dalembert,
                               Method::weighted, Method::multipliers};

FundamentalOptions with(Method method) {
  FundamentalOptions options;
  options.method = method;
  return options;
}

// |x - expected| relative to |expected|, or to scale where expected is nothing but the rounding of
// a zero.
double error(const VectorXd& x, const VectorXd& expected, double scale) {
  const double size = expected.norm() > 1e-30 ? expected.norm() : scale;
  return (x - expected).norm() / size;
}

class References : public testing::TestWithParam<const char*> {};

// These states have n <= 5, cond(M) < 50 and cond(Bh) < 2, so that n eps cond(M) cond(Bh) is 1e-13;
// allowed is ten times that.
TEST_P(References, EveryStateByEveryMethod) {
  const auto data = load(GetParam());
  for (const char* block : {"states", "offshell_states"}) {
    if (!data.contains(block)) continue;
    for (const auto& state : data[block]) {
      const MatrixXd M = matrix(state["M"]), A = matrix(state["A"]);
      const VectorXd Q = vector(state["Q"]), b = vector(state["b"]), C = vector(state["C"]);
      for (const Method method : kMethods) {
        SCOPED_TRACE(std::string(to_string(method)) + ", t = " + state["t"].get<std::string>());
        const FundamentalResult r = fundamental(M, Q, A, b, C, with(method));
        ASSERT_EQ(r.status, Status::ok);
        EXPECT_EQ(r.rank, state["rank_A"].get<int>());
        EXPECT_TRUE(r.consistent);
        const double force = Q.norm() + r.ideal.norm() + C.norm();
        EXPECT_LT(error(r.qdd, vector(state["qdd"]), 1), 1e-12);
        EXPECT_LT(error(r.ideal, vector(state["Qc_ideal"]), force), 1e-12);
        EXPECT_LT(error(r.nonideal, vector(state["Qc_nonideal"]), force), 1e-12);
        EXPECT_LT(error(r.lambda, vector(state["lambda_min_norm"]), 1), 1e-12);
        EXPECT_LT(error(r.a, vector(state["a_unconstrained"]), 1), 1e-12);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fundamental, References,
                         testing::Values("u01_particle", "g51_flat_body", "g52_dumbbell",
                                         "g53_rolling_disk", "rheonomic_rotating_wire",
                                         "nonlinear_appell_hamel", "coulomb_helix"),
                         [](const auto& test) { return std::string(test.param); });

// The answers are exact fractions; the inputs are small dyadic numbers, hence exact too. What is
// left is our rounding: n eps cond(M) cond(Bh), with singular values of the normalized rows Bh. In
// the last case A is 4×4 with rows that nearly depend on each other: cond(Bh) = 6.3e3, and it
// enters lambda = S^+ e a second time.
TEST(Fundamental, ExactRationalSystems) {
  const auto data = load("linear_algebra_exact");
  ASSERT_EQ(data["cases"].size(), 6);
  for (const auto& entry : data["cases"]) {
    const MatrixXd M = matrix(entry["M"]), A = matrix(entry["A"]);
    const VectorXd Q = vector(entry["Q"]), b = vector(entry["b"]), C = vector(entry["C"]);
    const MatrixXd A_M_plus = matrix(entry["A_M_plus"]);
    const int n = entry["n"].get<int>(), m = entry["m"].get<int>(), k = entry["rank"].get<int>();
    const MatrixXd R = M.llt().matrixL();
    MatrixXd Bh = R.triangularView<Eigen::Lower>().solve(A.transpose()).transpose();
    Bh.rowwise().normalize();
    const VectorXd sigma = Bh.jacobiSvd().singularValues();
    const double condition = sigma(0) / sigma(k - 1);
    const bool ill = condition > 100;
    EXPECT_EQ(ill, n == 4 && m == 4);
    const double tolerance = ill ? 8 * n * kEpsilon * condition : 1e-13;
    const double lambda_tolerance = ill ? tolerance * condition : 1e-13;
    for (const Method method : kMethods) {
      SCOPED_TRACE(std::string(to_string(method)) + ", n = " + std::to_string(n) +
                   ", m = " + std::to_string(m));
      const FundamentalResult r = fundamental(M, Q, A, b, C, with(method));
      ASSERT_EQ(r.status, Status::ok);
      EXPECT_EQ(r.rank, k);
      EXPECT_TRUE(r.consistent);
      EXPECT_LT(error(r.qdd, vector(entry["qdd"]), 1), tolerance);
      EXPECT_LT(error(r.ideal, vector(entry["Qc_ideal"]), 1), tolerance);
      EXPECT_LT(error(r.nonideal, vector(entry["Qc_nonideal"]), C.norm()), tolerance);
      EXPECT_LT(error(r.lambda, vector(entry["lambda_min_norm"]), 1), lambda_tolerance);

      Fundamental f(n, m, with(method));
      ASSERT_EQ(f.decide(M, A), Status::ok);
      ASSERT_EQ(f.solve_ideal(Q, b), Status::ok);
      EXPECT_LT(error(f.acceleration(), vector(entry["qdd_ideal"]), 1), tolerance);
      MatrixXd X(n, m);
      VectorXd x(n);
      for (int j = 0; j < m; ++j) {
        f.apply_m_inverse(VectorXd::Unit(m, j), x);
        X.col(j) = x;
      }
      EXPECT_LT((X - A_M_plus).norm(), tolerance * A_M_plus.norm());
    }
  }
}

// The diagonal block of the weights on the constraints, rows n to n+m-1 of W.
VectorXd constraint_weights(const MatrixXd& W, Eigen::Index n, Eigen::Index m) {
  return W.diagonal().segment(n, m);
}

bool couples_blocks(const MatrixXd& W, Eigen::Index n, Eigen::Index m) {
  MatrixXd rest = W;
  rest.topLeftCorner(n, n).setZero();
  rest.block(n, n, m, m).diagonal().setZero();
  rest.bottomRightCorner(W.rows() - n - m, W.rows() - n - m).setZero();
  return !rest.isZero();
}

// All of M, A, W have condition numbers below 30, so 1e-13 is 15 n eps cond.
TEST(Fundamental, WeightedLeastSquaresOfInconsistentConstraints) {
  const auto data = load("u97_weighted_inconsistent");
  const MatrixXd M = matrix(data["M"]), A = matrix(data["A"]), V = matrix(data["V"]);
  const VectorXd Q = vector(data["Q"]);
  const Eigen::Index n = M.rows(), m = A.rows();
  for (const auto& entry : data["cases"]) {
    const auto name = entry["name"].get<std::string>();
    SCOPED_TRACE(name);
    const MatrixXd W = matrix(entry["W"]);
    const VectorXd b = vector(entry["b"]), qdd = vector(entry["xdd"]), force = vector(entry["Fc"]);
    const double scale = entry.contains("V_scale") ? number(entry["V_scale"]) : 1;

    const WeightedFullResult full = weighted_full(M, Q, A, b, W, scale * V);
    ASSERT_EQ(full.status, Status::ok);
    EXPECT_LT(error(full.qdd, qdd, 1), 1e-13);
    EXPECT_LT(error(full.force, force, 1), 1e-13);
    EXPECT_LT((full.residual_17 - vector(entry["residual_17"])).norm(), 1e-13);
    EXPECT_LT((full.residual_18 - vector(entry["residual_18"])).norm(), 1e-13);
    EXPECT_LT((full.residual_19 - vector(entry["residual_19"])).norm(), 1e-13);

    const bool consistent = name.starts_with("consistent");
    if (couples_blocks(W, n, m) && !consistent) continue;
    FundamentalOptions options = with(Method::weighted);
    options.weights = constraint_weights(W, n, m);
    const FundamentalResult r = fundamental(M, Q, A, b, VectorXd(), options);
    ASSERT_EQ(r.status, Status::ok);
    EXPECT_EQ(r.consistent, consistent);
    EXPECT_LT(error(r.qdd, qdd, 1), 1e-13);
    EXPECT_LT(error(r.ideal, force, 1), 1e-13);
    EXPECT_NEAR(r.residual, vector(entry["residual_18"]).norm(), 1e-13);
    EXPECT_LT((A.transpose() * r.lambda - force).norm(), 1e-13 * force.norm());
    if (!W.isIdentity()) continue;
    for (const Method method : kMethods) {
      SCOPED_TRACE(to_string(method));
      const FundamentalResult same = fundamental(M, Q, A, b, VectorXd(), with(method));
      EXPECT_EQ(same.consistent, consistent);
      EXPECT_LT(error(same.qdd, qdd, 1), 1e-13);
      EXPECT_LT(error(same.ideal, force, 1), 1e-13);
    }
  }
}

// M has rank 2 of 3, M + A^T W A a condition number below 20.
TEST(Fundamental, SingularMassMatrix) {
  const auto data = load("singular_mass_up06");
  const MatrixXd M = matrix(data["M"]), A = matrix(data["A"]);
  const VectorXd b = vector(data["b"]);
  for (const auto& state : data["states"]) {
    for (const Method method : kMethods) {
      SCOPED_TRACE(to_string(method));
      const FundamentalResult r =
          fundamental(M, vector(state["Q"]), A, b, VectorXd(), with(method));
      ASSERT_EQ(r.status, Status::ok);
      EXPECT_TRUE(r.mass_singular);
      EXPECT_EQ(r.a.size(), 0);
      EXPECT_EQ(r.e.size(), 0);
      EXPECT_LT(error(r.qdd, vector(state["qdd"]), 1), 1e-13);
      EXPECT_LT(error(r.ideal, vector(state["Qc"]), 1), 1e-13);
      EXPECT_LT((A.transpose() * r.lambda - r.ideal).norm(), 1e-13 * r.ideal.norm());
    }
  }
}

TEST(Fundamental, SingularMassMatrixWithoutEnoughConstraintsIsUndetermined) {
  const auto data = load("singular_mass_up06");
  const MatrixXd M = matrix(data["M"]);
  MatrixXd other(1, 3);
  other << 1, 0, 0;
  ASSERT_EQ(data["counterexample"]["rank_M_A_bad"].get<int>(), 2);
  for (const MatrixXd& A : {MatrixXd(0, 3), other}) {
    const FundamentalResult r =
        fundamental(M, VectorXd::Ones(3), A, VectorXd::Zero(A.rows()), VectorXd());
    ASSERT_EQ(r.status, Status::mass_undetermined);
    const VectorXd& v = r.diagnosis.direction;
    EXPECT_NEAR(v.cwiseAbs().maxCoeff(), 1, kEpsilon);
    EXPECT_LT((M * v).norm() + (A * v).norm(), 100 * kEpsilon);
    const std::vector<std::string> names{"x1", "q1", "q2"};
    EXPECT_EQ(explain(r, names, {}).substr(0, 58),
              "the acceleration is not determined: along q1'' = 1, q2'' =");
  }
}

TEST(Fundamental, MethodNamesAreThoseOfTheContract) {
  for (const char* name :
       {"m-inverse", "scaled", "extended-dalembert", "weighted", "multipliers"}) {
    const auto method = method_from_string(name);
    ASSERT_TRUE(method) << name;
    EXPECT_EQ(to_string(*method), name);
  }
  EXPECT_FALSE(method_from_string("m_inverse"));
}

}  // namespace
}  // namespace dalembert::motion::fundamental_test
