// What the fundamental equation decides, refuses and reports: rank, held decisions, contradictions,
// failing statuses.

#include <dalembert/solve/fundamental.hpp>
#include "weighted_full.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace dalembert::motion::fundamental_status_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<std::string> kCoordinates{"x", "y", "z"};
const std::vector<std::string> kConstraints{"rod", "guide", "guide2"};

MatrixXd rows(std::initializer_list<std::initializer_list<double>> values) {
  MatrixXd X(static_cast<Eigen::Index>(values.size()),
             static_cast<Eigen::Index>(values.begin()->size()));
  Eigen::Index i = 0;
  for (const auto& row : values) {
    Eigen::Index j = 0;
    for (const double value : row) X(i, j++) = value;
    ++i;
  }
  return X;
}

VectorXd numbers(std::initializer_list<double> values) {
  VectorXd x(static_cast<Eigen::Index>(values.size()));
  Eigen::Index i = 0;
  for (const double value : values) x(i++) = value;
  return x;
}

const MatrixXd kNone(0, 3);
const VectorXd kNothing(0);

TEST(FundamentalDecision, WithoutConstraintsTheMotionIsFree) {
  const FundamentalResult r =
      fundamental(rows({{2}}), numbers({3}), MatrixXd(0, 1), kNothing, numbers({1}));
  ASSERT_EQ(r.status, Status::ok);
  EXPECT_DOUBLE_EQ(r.qdd(0),
                   2);  // with no constraint every displacement is virtual: C acts in full
  EXPECT_DOUBLE_EQ(r.nonideal(0), 1);
  EXPECT_EQ(r.ideal(0), 0);
  EXPECT_EQ(r.rank, 0);
  EXPECT_EQ(r.residual, 0);
}

TEST(FundamentalDecision, OneCoordinateOneConstraint) {
  const FundamentalResult r =
      fundamental(rows({{2}}), numbers({3}), rows({{4}}), numbers({8}), numbers({1}));
  ASSERT_EQ(r.status, Status::ok);
  EXPECT_DOUBLE_EQ(r.qdd(0), 2);
  EXPECT_DOUBLE_EQ(r.ideal(0), 1);
  EXPECT_DOUBLE_EQ(r.lambda(0), 0.25);
  EXPECT_DOUBLE_EQ(r.e(0), 2);
  EXPECT_EQ(r.nonideal(0), 0);
}

TEST(FundamentalDecision, NonidealForceMayDependOnTheIdealOne) {
  Fundamental f(2, 1);
  ASSERT_EQ(f.decide(MatrixXd::Identity(2, 2), rows({{0, 1}})), Status::ok);
  ASSERT_EQ(f.solve_ideal(numbers({0, -10}), numbers({0})), Status::ok);
  EXPECT_DOUBLE_EQ(f.ideal()(1), 10);
  EXPECT_EQ(f.acceleration()(0), 0);
  for (const double mu : {0.5, 0.25}) {
    ASSERT_EQ(f.solve_nonideal(numbers({-mu * f.ideal()(1), 7})), Status::ok);
    EXPECT_DOUBLE_EQ(f.acceleration()(0), -10 * mu);
    EXPECT_NEAR(f.acceleration()(1), 0, 10 * kEpsilon);
    EXPECT_DOUBLE_EQ(f.nonideal()(0), -10 * mu);
    EXPECT_NEAR(f.nonideal()(1), 0, 10 * kEpsilon);
    EXPECT_EQ(f.ideal_acceleration()(0), 0);
  }
}

TEST(FundamentalDecision, DependentRowsAreNamedWithTheirCoefficients) {
  const MatrixXd A = rows({{1, 1, 0}, {0, 1, -1}, {0, 2, -2}});
  const FundamentalResult r = fundamental(MatrixXd::Identity(3, 3), numbers({1, 2, 4}), A,
                                          numbers({0, 1, 2}), VectorXd::Zero(3));
  ASSERT_EQ(r.status, Status::ok);
  EXPECT_EQ(r.rank, 2);
  EXPECT_EQ(r.unique, (std::vector<bool>{true, false, false}));
  ASSERT_EQ(r.dependencies.size(), 1);
  EXPECT_EQ(r.dependencies[0].row, 2);
  ASSERT_EQ(r.dependencies[0].terms.size(), 1);
  EXPECT_EQ(r.dependencies[0].terms[0].row, 1);
  EXPECT_NEAR(r.dependencies[0].terms[0].coefficient, 2, 10 * kEpsilon);
  EXPECT_NEAR(r.lambda(2), 2 * r.lambda(1),
              10 * kEpsilon);  // minimum norm: in proportion to the rows
  EXPECT_TRUE(r.consistent);
  EXPECT_EQ(explain(r, kCoordinates, kConstraints), "");
}

TEST(FundamentalDecision, RowOfZerosIsRedundantAndCarriesNoForce) {
  const MatrixXd A = rows({{0, 0, 0}, {0, 3, 0}});
  const FundamentalResult r = fundamental(MatrixXd::Identity(3, 3), numbers({1, 2, 4}), A,
                                          numbers({0, 3}), VectorXd::Zero(3));
  ASSERT_EQ(r.status, Status::ok);
  EXPECT_EQ(r.rank, 1);
  EXPECT_EQ(r.unique, (std::vector<bool>{false, true}));
  EXPECT_EQ(r.lambda(0), 0);
  EXPECT_TRUE(r.consistent);
  EXPECT_TRUE(r.dependencies.at(0).terms.empty());
}

// Kahan's matrix: all pivots of QR exceed 1e-2, the smallest singular value is below 1e-9.
TEST(FundamentalDecision, SmallSingularValuesThatPivotsHideAreFound) {
  const int n = 60;
  const double s = std::sin(1.2), c = std::cos(1.2);
  MatrixXd A = MatrixXd::Identity(n, n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < j; ++i) A(j, i) = -c;
  }
  for (int i = 0; i < n; ++i) A.col(i) *= std::pow(s, i);
  const double smallest = A.jacobiSvd().singularValues()(n - 1);
  ASSERT_LT(smallest, 1e-9);
  ASSERT_GT(std::pow(s, n - 1), 1e-2);
  Fundamental f(n, n);
  ASSERT_EQ(f.decide(MatrixXd::Identity(n, n), A), Status::ok);
  EXPECT_EQ(f.rank(), n - 1);
  FundamentalOptions strict;
  strict.rank_tolerance = 1e-13;
  Fundamental g(n, n, strict);
  ASSERT_EQ(g.decide(MatrixXd::Identity(n, n), A), Status::ok);
  EXPECT_EQ(g.rank(), n);
  EXPECT_NEAR(g.smallest_singular_value(), smallest, 0.1 * smallest);
}

// A row and g(q) times it, g not constant: exactly dependent on the manifold, off it by the drift
// delta, with right-hand sides that then differ by O(delta) as well. A rank decided anew off the
// manifold turns that into an O(1) acceleration.
TEST(FundamentalDecision, HeldRankKeepsTheAccelerationSmooth) {
  const MatrixXd M = MatrixXd::Identity(3, 3);
  const VectorXd Q = numbers({1, -2, 3});
  const auto A = [](double delta) { return rows({{1, 2, 0}, {2, 4, delta}}); };
  const auto b = [](double delta) { return numbers({1, 2 + 5 * delta}); };
  Fundamental held(3, 2), anew(3, 2);
  ASSERT_EQ(held.decide(M, A(0)), Status::ok);
  ASSERT_EQ(held.solve_ideal(Q, b(0)), Status::ok);
  EXPECT_EQ(held.rank(), 1);
  const VectorXd start = held.acceleration();
  for (const double delta : {1e-2, 1e-4, 1e-6}) {
    ASSERT_EQ(held.factor(M, A(delta)), Status::ok);
    ASSERT_EQ(held.solve_ideal(Q, b(delta)), Status::ok);
    EXPECT_EQ(held.rank(), 1);
    EXPECT_LT((held.acceleration() - start).norm(), 10 * delta);
    ASSERT_EQ(anew.decide(M, A(delta)), Status::ok);
    ASSERT_EQ(anew.solve_ideal(Q, b(delta)), Status::ok);
    EXPECT_EQ(anew.rank(), 2);
    EXPECT_GT((anew.acceleration() - start).norm(), 0.1);
  }
}

TEST(FundamentalDecision, DecisionsCanBeHandedToAnotherSolver) {
  const MatrixXd A = rows({{0, 1, 0}, {1, 0, 1}, {0, 2, 0}}), M = MatrixXd::Identity(3, 3);
  Fundamental first(3, 3), second(3, 3);
  ASSERT_EQ(first.decide(M, A), Status::ok);
  second.set_held(first.held());
  ASSERT_EQ(second.factor(M, A), Status::ok);
  EXPECT_EQ(second.rank(), 2);
  EXPECT_EQ(second.held().order, first.held().order);
  MatrixXd moved = A;
  moved(2, 2) = 1e-3;
  ASSERT_EQ(second.factor(M, moved), Status::ok);
  EXPECT_EQ(second.rank(), 2);
}

TEST(FundamentalDecision, FactorDecidesWhereNothingIsHeld) {
  Fundamental f(3, 2);
  EXPECT_FALSE(f.held().decided);
  ASSERT_EQ(f.factor(MatrixXd::Identity(3, 3), rows({{1, 0, 0}, {1, 0, 0}})), Status::ok);
  EXPECT_TRUE(f.held().decided);
  EXPECT_EQ(f.rank(), 1);
}

TEST(FundamentalDecision, ExtremeRowScalesAreHarmless) {
  for (const double scale : {1e-200, 1e-12, 1e12, 1e200}) {
    const FundamentalResult r =
        fundamental(MatrixXd::Identity(3, 3), numbers({1, 2, 3}), scale * rows({{1, 1, 0}}),
                    scale * numbers({1}), VectorXd::Zero(3));
    ASSERT_EQ(r.status, Status::ok) << scale;
    EXPECT_LT((r.qdd - numbers({0, 1, 3})).norm(), 10 * kEpsilon) << scale;
  }
}

// Two light rows at right angles, and two heavy ones, nearly parallel, that follow from them: least
// squares in the given scale would listen to the heavy pair and amplify its rounding by 1e6.
TEST(FundamentalDecision, HeavyRowsDoNotSpoilWhatLightRowsSay) {
  const double s = 1e6;
  const MatrixXd A = rows({{1, 0, 0}, {0, 1, 0}, {s, s, 0}, {s, s + 1, 0}});
  for (const double x : {0.1, 0.3, 0.7}) {
    const double y = 1 / (3 + x);
    const FundamentalResult r =
        fundamental(MatrixXd::Identity(3, 3), numbers({1, 2, 3}), A,
                    numbers({x, y, s * x + s * y, s * x + (s + 1) * y}), VectorXd::Zero(3));
    ASSERT_EQ(r.status, Status::ok);
    EXPECT_TRUE(r.consistent);
    EXPECT_LT((r.qdd - numbers({x, y, 3})).norm(), 20 * kEpsilon);
  }
}

// cond(Bh) = 2 / h: a few n eps cond(Bh) is allowed, eps cond(Bh)^2 is not.
TEST(FundamentalDecision, SquaredFormulationsAreRefined) {
  const double h = 1e-5;
  const VectorXd x = numbers({0.3, -0.7, 0.2});
  const MatrixXd A = rows({{1, 0, 0}, {1, h, 0}});
  for (const Method method :
       {Method::m_inverse, Method::scaled, Method::extended_dalembert, Method::multipliers}) {
    FundamentalOptions options;
    options.method = method;
    const FundamentalResult r = fundamental(MatrixXd::Identity(3, 3), numbers({0, 0, 0.2}), A,
                                            A * x, numbers({1, 1, 0}), options);
    ASSERT_EQ(r.status, Status::ok);
    EXPECT_LT((r.qdd - x).norm(), 20 * kEpsilon * 2 / h) << to_string(method);
  }
}

TEST(FundamentalConflict, NamesTheRowsThatContradictEachOther) {
  const MatrixXd A = rows({{1, 1, 0}, {0, 1, -1}, {0, 2, -2}});
  Fundamental f(3, 3);
  ASSERT_EQ(f.decide(MatrixXd::Identity(3, 3), A), Status::ok);
  ASSERT_EQ(f.solve_ideal(numbers({1, 2, 4}), numbers({0, 1, 3})), Status::ok);
  EXPECT_FALSE(f.consistent());
  EXPECT_FALSE(f.conflicting(0));
  EXPECT_TRUE(f.conflicting(1));
  EXPECT_TRUE(f.conflicting(2));
  // Least squares: u = y'' - z'' minimizes (u - 1)^2 + (2 u - 3)^2, u = 7/5.
  EXPECT_NEAR(f.acceleration()(1) - f.acceleration()(2), 1.4, 10 * kEpsilon);
  EXPECT_NEAR(f.residual(), std::sqrt(0.2), 10 * kEpsilon);
  EXPECT_EQ(explain(f, kCoordinates, kConstraints),
            "constraint 'guide' and constraint 'guide2' contradict each other: no acceleration "
            "fulfils them together");
}

TEST(FundamentalConflict, RowOfZerosThatWantsSomething) {
  const FundamentalResult r =
      fundamental(MatrixXd::Identity(3, 3), numbers({1, 2, 4}), rows({{0, 0, 0}, {1, 0, 0}}),
                  numbers({1e-3, 0}), VectorXd::Zero(3));
  ASSERT_EQ(r.status, Status::ok);
  EXPECT_FALSE(r.consistent);
  EXPECT_EQ(r.conflicting, (std::vector<bool>{true, false}));
  EXPECT_EQ(explain(r, kCoordinates, kConstraints),
            "constraint 'rod' cannot be fulfilled: no acceleration enters it at this state, yet "
            "its right-hand side is "
            "not zero");
}

// Redundant rows whose right-hand sides agree to rounding, at scales 1e6 apart, with a large
// unconstrained acceleration.
TEST(FundamentalConflict, RoundingIsNoContradiction) {
  const MatrixXd A = rows({{1, 1, 0}, {1e6, 1e6, 0}, {1e-6, 1e-6, 0}});
  const VectorXd b = numbers({0.1, 1e5, 1e-7});
  const FundamentalResult r =
      fundamental(MatrixXd::Identity(3, 3), numbers({1e5, 2e5, 4e5}), A, b, VectorXd::Zero(3));
  ASSERT_EQ(r.status, Status::ok);
  EXPECT_TRUE(r.consistent);
  EXPECT_LT(r.inconsistency, 100 * kEpsilon);
  EXPECT_LT(r.scaled_residual, 100 * kEpsilon);
}

TEST(FundamentalStatus, MassNotFinite) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    for (const auto& [i, j] : {std::pair{0, 0}, {1, 0}, {0, 2}, {2, 2}}) {
      MatrixXd M = MatrixXd::Identity(3, 3);
      M(i, j) = bad;
      const FundamentalResult r = fundamental(M, VectorXd::Ones(3), kNone, kNothing, kNothing);
      EXPECT_EQ(r.status, Status::mass_not_finite) << i << j << bad;
    }
  }
  MatrixXd M = MatrixXd::Identity(3, 3);
  M(0, 2) = M(2, 0) = kNaN;
  const FundamentalResult r = fundamental(M, VectorXd::Ones(3), kNone, kNothing, kNothing);
  EXPECT_EQ(explain(r, kCoordinates, {}), "the mass matrix entry (z, x) is nan");
}

TEST(FundamentalStatus, MassAsymmetric) {
  MatrixXd M = MatrixXd::Identity(3, 3);
  M(0, 1) = 0.5;
  const FundamentalResult r = fundamental(M, VectorXd::Ones(3), kNone, kNothing, kNothing);
  ASSERT_EQ(r.status, Status::mass_asymmetric);
  EXPECT_EQ(explain(r, kCoordinates, {}),
            "the mass matrix is not symmetric: its entries (x, y) and (y, x) differ by 0.5");
}

// [[1, 2], [2, 1]] in units that make it [[100, 2], [2, 0.01]]: scaled eigenvalue -1 along x' =
// -y'/100.
TEST(FundamentalStatus, MassIndefinite) {
  const MatrixXd M = rows({{100, 2, 0}, {2, 0.01, 0}, {0, 0, 1}});
  for (const MatrixXd& A : {kNone, rows({{1, 0, 0}})}) {
    const FundamentalResult r =
        fundamental(M, VectorXd::Ones(3), A, VectorXd::Zero(A.rows()), kNothing);
    ASSERT_EQ(r.status, Status::mass_indefinite);
    const VectorXd& v = r.diagnosis.direction;
    EXPECT_NEAR(r.diagnosis.eigenvalue, -1, 10 * kEpsilon);
    EXPECT_NEAR(v.dot(M * v), -1, 10 * kEpsilon);
    EXPECT_EQ(explain(r, kCoordinates, {}),
              "the mass matrix is indefinite: the motion x' = -0.01, y' = 1 has negative kinetic "
              "energy (eigenvalue -1 "
              "of the matrix scaled to unit diagonal); check the masses, the inertias and the "
              "signs in the kinetic energy");
  }
}

TEST(FundamentalStatus, NegativeMassIsIndefinite) {
  const FundamentalResult r = fundamental(numbers({1, -1e-9, 1}).asDiagonal().toDenseMatrix(),
                                          VectorXd::Ones(3), kNone, kNothing, kNothing);
  ASSERT_EQ(r.status, Status::mass_indefinite);
  EXPECT_TRUE(explain(r, {}, {}).starts_with(
      "the mass matrix is indefinite: the motion coordinate 2' = 1 "));
}

TEST(FundamentalStatus, CoordinateWithoutMassCoupledToAnotherIsIndefinite) {
  for (const double other : {1.0, 0.0}) {
    const MatrixXd M = rows({{1, 0, 0}, {0, 0, 1e-6}, {0, 1e-6, other}});
    const FundamentalResult r =
        fundamental(M, VectorXd::Ones(3), rows({{0, 1, 0}}), numbers({0}), kNothing);
    ASSERT_EQ(r.status, Status::mass_indefinite);
    const VectorXd& v = r.diagnosis.direction;
    EXPECT_NEAR(v.dot(M * v), -1, 10 * kEpsilon);
    EXPECT_NE(explain(r, kCoordinates, {}).find("no inertia of its own"), std::string::npos);
  }
}

TEST(FundamentalStatus, MassUndetermined) {
  const MatrixXd M = rows({{1, 0, 0}, {0, 0, 0}, {0, 0, 0}});
  const FundamentalResult r =
      fundamental(M, VectorXd::Ones(3), rows({{1, 1, -1}}), numbers({0}), kNothing);
  ASSERT_EQ(r.status, Status::mass_undetermined);
  EXPECT_EQ(explain(r, kCoordinates, kConstraints),
            "the acceleration is not determined: along y'' = 1, z'' = 1 there is neither inertia "
            "nor a constraint; give a "
            "mass to what moves there, constrain it, or use fewer coordinates");
}

// Massless coordinates chained to a mass by constraints of very different row scale and coordinate
// units: determined.
TEST(FundamentalStatus, MasslessCoordinatesHeldByConstraintsAreDetermined) {
  const MatrixXd M = rows({{1, 0, 0}, {0, 0, 0}, {0, 0, 0}});
  for (const double s : {1e-8, 1.0, 1e8}) {
    for (const double u : {1e-6, 1.0, 1e6}) {
      const MatrixXd A = rows({{1, -u, 0}, {0, s * u, -s}});  // x = u y, u y = z
      const FundamentalResult r =
          fundamental(M, numbers({3, 0, 1}), A, VectorXd::Zero(2), kNothing);
      ASSERT_EQ(r.status, Status::ok) << s << ' ' << u;
      // One mass, moved by both forces: x'' = z'' = 4, y'' = 4 / u.
      EXPECT_LT((r.qdd - numbers({4, 4 / u, 4})).cwiseQuotient(numbers({4, 4 / u, 4})).norm(),
                100 * kEpsilon);
      EXPECT_LT((r.ideal - numbers({1, 0, -1})).norm(), 100 * kEpsilon * std::max(1.0, u));
      EXPECT_TRUE(r.mass_singular);
    }
  }
}

// UP06 with contradicting constraints: M q'' = Q + Q_ideal must still hold, with the force in the
// range of A^T.
TEST(FundamentalStatus, SingularMassWithInconsistentConstraints) {
  const MatrixXd M = rows({{1, 0, 0}, {0, 2, 2}, {0, 2, 2}}), A = rows({{1, -1, 0}, {2, -2, 0}});
  const VectorXd Q = numbers({1, 2, 3});
  const FundamentalResult r = fundamental(M, Q, A, numbers({0, 1}), kNothing);
  ASSERT_EQ(r.status, Status::ok);
  EXPECT_FALSE(r.consistent);
  // Least squares: u = x'' - y'' minimizes u^2 + (2 u - 1)^2.
  EXPECT_NEAR(r.qdd(0) - r.qdd(1), 0.4, 20 * kEpsilon);
  EXPECT_LT((M * r.qdd - Q - r.ideal).norm(), 100 * kEpsilon);
  EXPECT_LT((A.transpose() * r.lambda - r.ideal).norm(), 100 * kEpsilon);
  EXPECT_NEAR(2 * r.lambda(0), r.lambda(1), 100 * kEpsilon);
}

// Rank 2 of 3, but the leading 2×2 block is so ill conditioned that the last pivot is rounding of
// the size eps / h^2 >> 1e-12.
TEST(FundamentalStatus, SingularMassBehindAnIllConditionedBlockIsFound) {
  const double h = 1e-5;
  for (const double angle : {0.1, 0.5, 0.9, 1.3, 1.7, 2.1, 2.5, 2.9}) {
    const MatrixXd G = rows({{1, 0}, {1, h}, {std::cos(angle), std::sin(angle)}});
    const MatrixXd M = G * G.transpose();
    EXPECT_EQ(fundamental(M, VectorXd::Ones(3), kNone, kNothing, kNothing).status,
              Status::mass_undetermined)
        << angle;
  }
}

TEST(FundamentalStatus, HeldNonsingularMassThatBecomesSingularIsAugmented) {
  MatrixXd M = MatrixXd::Identity(3, 3);
  const MatrixXd A = rows({{1, -1, 0}});
  Fundamental f(3, 1);
  ASSERT_EQ(f.decide(M, A), Status::ok);
  M(1, 1) = 0;
  ASSERT_EQ(f.factor(M, A), Status::ok);
  EXPECT_TRUE(f.mass_singular());
  ASSERT_EQ(f.solve_ideal(numbers({1, 2, 3}), numbers({0})), Status::ok);
  EXPECT_LT((f.acceleration() - numbers({3, 3, 3})).norm(), 20 * kEpsilon);
  EXPECT_FALSE(f.unconstrained_available());
  EXPECT_TRUE(std::isnan(f.unconstrained()(0)));
}

TEST(FundamentalStatus, ConstraintsNotFinite) {
  const MatrixXd M = MatrixXd::Identity(3, 3);
  FundamentalResult r = fundamental(M, VectorXd::Ones(3), rows({{1, 0, 0}, {0, kNaN, 0}}),
                                    VectorXd::Zero(2), kNothing);
  ASSERT_EQ(r.status, Status::constraints_not_finite);
  EXPECT_EQ(explain(r, kCoordinates, kConstraints),
            "constraint 'guide': its coefficient of y'' in A q'' = b is nan");
  r = fundamental(M, VectorXd::Ones(3), rows({{1, 0, 0}, {0, 1, 0}}), numbers({kInfinity, 0}),
                  kNothing);
  ASSERT_EQ(r.status, Status::constraints_not_finite);
  EXPECT_EQ(explain(r, kCoordinates, kConstraints),
            "constraint 'rod': its right-hand side b in A q'' = b is inf");
  r = fundamental(M, VectorXd::Ones(3), rows({{1, 0, 0}, {0, 0, 0}}), numbers({0, kNaN}), kNothing);
  EXPECT_EQ(r.status, Status::constraints_not_finite);
}

TEST(FundamentalStatus, ForceNotFinite) {
  const MatrixXd M = MatrixXd::Identity(3, 3), A = rows({{1, 0, 0}});
  FundamentalResult r = fundamental(M, numbers({0, kNaN, 0}), A, numbers({0}), kNothing);
  ASSERT_EQ(r.status, Status::force_not_finite);
  EXPECT_EQ(explain(r, kCoordinates, kConstraints), "the applied force Q of y is nan");
  r = fundamental(M, VectorXd::Ones(3), A, numbers({0}), numbers({0, 0, -kInfinity}));
  ASSERT_EQ(r.status, Status::force_not_finite);
  EXPECT_EQ(explain(r, kCoordinates, kConstraints), "the virtual-work force C of z is -inf");
}

TEST(FundamentalStatus, ResultNotFinite) {
  Fundamental f(3, 2);
  const MatrixXd M = MatrixXd::Identity(3, 3);
  ASSERT_EQ(f.decide(M, rows({{1, 0, 0}, {0, 1, 0}})), Status::ok);
  ASSERT_EQ(f.factor(M, rows({{1, 0, 0}, {1, 0, 0}})), Status::ok);
  ASSERT_EQ(f.solve_ideal(VectorXd::Zero(3), numbers({0, 1})), Status::result_not_finite);
  EXPECT_EQ(explain(f, kCoordinates, kConstraints),
            "the acceleration is not a finite number: the data overflow, or constraints that were "
            "independent at the start "
            "of a step have become dependent within it");
  const FundamentalResult r =
      fundamental(1e-300 * M, numbers({1e300, 0, 0}), kNone, kNothing, kNothing);
  EXPECT_EQ(r.status, Status::result_not_finite);
}

TEST(FundamentalStatus, WeightsNotPositive) {
  FundamentalOptions options;
  options.method = Method::weighted;
  const MatrixXd M = MatrixXd::Identity(3, 3), A = rows({{1, 0, 0}, {0, 1, 0}});
  for (const double bad : {0.0, -2.0, kNaN, kInfinity}) {
    options.weights = numbers({1, bad});
    EXPECT_EQ(fundamental(M, VectorXd::Ones(3), A, VectorXd::Zero(2), kNothing, options).status,
              Status::weights_not_positive);
  }
  options.weights = numbers({1, -2});
  EXPECT_EQ(explain(fundamental(M, VectorXd::Ones(3), A, VectorXd::Zero(2), kNothing, options), {},
                    kConstraints),
            "constraint 'guide': its weight -2 must be a positive number");
  options.weights = numbers({1, 1, 1});
  EXPECT_EQ(explain(fundamental(M, VectorXd::Ones(3), A, VectorXd::Zero(2), kNothing, options), {},
                    kConstraints),
            "the method 'weighted' needs one weight per constraint, or none at all");
}

TEST(FundamentalStatus, SizeMismatch) {
  const FundamentalResult r =
      fundamental(MatrixXd::Identity(3, 3), VectorXd::Ones(2), kNone, kNothing, kNothing);
  ASSERT_EQ(r.status, Status::size_mismatch);
  EXPECT_EQ(explain(r, {}, {}).substr(0, 16), "sizes do not fit");
}

TEST(FundamentalStatus, EveryStatusHasANameAndEveryFailureASentence) {
  for (int i = 0; i <= static_cast<int>(Status::result_not_finite); ++i) {
    Diagnosis diagnosis;
    diagnosis.status = static_cast<Status>(i);
    diagnosis.direction = VectorXd::Ones(3);
    EXPECT_NE(to_string(diagnosis.status), "");
    EXPECT_EQ(explain(diagnosis, {}, {}).empty(), diagnosis.status == Status::ok);
  }
}

TEST(WeightedFull, RefusesWhatItCannotSolve) {
  const MatrixXd M = MatrixXd::Identity(2, 2), A = rows({{1, 0}}), V = rows({{0}, {1}}),
                 W = MatrixXd::Identity(4, 4);
  const VectorXd Q = numbers({1, 2}), b = numbers({0});
  EXPECT_EQ(weighted_full(M, Q, A, b, W, V).status, Status::ok);
  EXPECT_EQ(weighted_full(M, Q, A, b, MatrixXd::Identity(5, 5), V).status, Status::size_mismatch);
  EXPECT_EQ(weighted_full(-M, Q, A, b, W, V).status, Status::mass_indefinite);
  EXPECT_EQ(weighted_full(M, Q, A, b, -W, V).status, Status::weights_not_positive);
  EXPECT_EQ(weighted_full(M, Q, A, b, W, rows({{1}, {0}})).status, Status::mass_undetermined);
}

}  // namespace
}  // namespace dalembert::motion::fundamental_status_test
