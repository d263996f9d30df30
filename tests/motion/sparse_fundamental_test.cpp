// The sparse elimination against the dense one on random systems, and against solutions known
// beforehand where systems are too large for that.

#include <dalembert/solve/sparse_fundamental.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "allocation_counter.hpp"

namespace dalembert::motion::sparse_fundamental_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Sparse matrices with their values in one array, M before A.
struct Entries {
  int n = 0, m = 0;
  std::vector<Place> M, A;
  std::vector<double> values;

  Entries(const MatrixXd& mass, const MatrixXd& rows)
      : n(static_cast<int>(mass.rows())), m(static_cast<int>(rows.rows())) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) add(M, i, j, mass(i, j));
    }
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) add(A, i, j, rows(i, j));
    }
  }
  Entries() = default;
  void add(std::vector<Place>& list, int row, int column, double value) {
    if (value == 0) return;
    list.push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column),
                    static_cast<std::uint32_t>(values.size())});
    values.push_back(value);
  }
  SparseFundamental solver(const FundamentalOptions& options = {}) const {
    return {static_cast<std::size_t>(n), static_cast<std::size_t>(m), M, A, options};
  }
};

struct Problem {
  MatrixXd M, A;
  VectorXd Q, b, C;
};

/// Bodies of three coordinates with full mass blocks of very different size, joined by sparse rows,
/// of which some repeat combinations of others. b fits.
Problem random_problem(std::mt19937& random, int bodies, int joints, int redundant) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto pick = [&](int below) {
    return std::uniform_int_distribution<int>(0, below - 1)(random);
  };
  const int n = 3 * bodies, m = joints + redundant;
  Problem p{MatrixXd::Zero(n, n), MatrixXd::Zero(m, n), VectorXd(n), VectorXd(m), VectorXd(n)};
  for (int k = 0; k < bodies; ++k) {
    MatrixXd R = MatrixXd::NullaryExpr(3, 3, [&] { return unit(random); });
    R.diagonal().array() += 2;
    p.M.block(3 * k, 3 * k, 3, 3) = std::pow(10, 2 * unit(random)) * R * R.transpose();
  }
  for (int j = 0; j < joints; ++j) {
    const double size = std::pow(10, 3 * unit(random));
    for (const int body : {pick(bodies), pick(bodies)}) {
      for (int c = 0; c < 3; ++c) p.A(j, 3 * body + c) = size * unit(random);
    }
  }
  for (int j = joints; j < m; ++j)
    p.A.row(j) = unit(random) * p.A.row(pick(joints)) + unit(random) * p.A.row(pick(joints));
  const VectorXd x = VectorXd::NullaryExpr(n, [&] { return unit(random); });
  p.b = p.A * x;
  p.Q = p.M * VectorXd::NullaryExpr(n, [&] { return unit(random); });
  p.C = p.M * VectorXd::NullaryExpr(n, [&] { return unit(random); });
  return p;
}

double distance(const VectorXd& a, const VectorXd& b) {
  return (a - b).norm() / (1e-300 + b.norm());
}

TEST(SparseFundamental, AgreesWithTheDenseOne) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    const int bodies = 2 + trial % 12;
    const Problem p = random_problem(random, bodies, 1 + trial % (2 * bodies), trial % 4);
    Fundamental dense(static_cast<int>(p.M.rows()), static_cast<int>(p.A.rows()));
    ASSERT_EQ(dense.decide(p.M, p.A), Status::ok);
    // Where random rows are all but dependent the two may well decide differently.
    if (dense.smallest_singular_value() < 1e-3) continue;
    ASSERT_EQ(dense.solve_ideal(p.Q, p.b), Status::ok);
    ASSERT_EQ(dense.solve_nonideal(p.C), Status::ok);
    const Entries entries(p.M, p.A);
    SparseFundamental sparse = entries.solver();
    ASSERT_EQ(sparse.decide(entries.values), Status::ok);
    ASSERT_EQ(sparse.solve_ideal(p.Q, p.b), Status::ok);
    ASSERT_EQ(sparse.solve_nonideal(p.C), Status::ok);
    EXPECT_EQ(sparse.rank(), dense.rank());
    EXPECT_TRUE(sparse.consistent());
    // Condition of the normalised rows below 1e3, of M below 1e3: its square times rounding.
    EXPECT_LT(distance(sparse.acceleration(), dense.acceleration()), 1e-9);
    EXPECT_LT(distance(sparse.ideal(), dense.ideal()), 1e-8);
    EXPECT_LT(distance(sparse.nonideal(), dense.nonideal()), 1e-8);
    EXPECT_LT(distance(sparse.calc_least_multipliers(), dense.multipliers()), 1e-7);
    EXPECT_LT(distance(sparse.calc_unconstrained(), dense.unconstrained()), 1e-10);
    EXPECT_LT(distance(sparse.calc_violation(), dense.violation()), 1e-9);
    const std::vector<bool> unique = sparse.calc_unique();
    for (int j = 0; j < p.A.rows(); ++j)
      EXPECT_EQ(unique[static_cast<std::size_t>(j)], dense.unique(j));
    VectorXd x(p.M.rows()), y(p.M.rows());
    dense.apply_m_inverse(p.b, x);
    sparse.apply_m_inverse(p.b, y);
    EXPECT_LT(distance(y, x), 1e-8);
    // Held, the same.
    const VectorXd qdd = sparse.acceleration();
    ASSERT_EQ(sparse.factor(entries.values), Status::ok);
    ASSERT_EQ(sparse.solve_ideal(p.Q, p.b), Status::ok);
    ASSERT_EQ(sparse.solve_nonideal(p.C), Status::ok);
    EXPECT_EQ((sparse.acceleration() - qdd).norm(), 0);
  }
}

TEST(SparseFundamental, ContradictionsGetTheSameCompromise) {
  MatrixXd M = MatrixXd::Identity(4, 4), A = MatrixXd::Zero(4, 4);
  M(0, 1) = M(1, 0) = 0.5;
  A.row(0) << 1, 1, 0, 0;
  A.row(1) << 2, 2, 0, 0;
  A.row(2) << 0, 0, 1, 0;
  A.row(3) << 3, 3, 0, 0;
  const VectorXd Q = VectorXd::LinSpaced(4, 1, 2);
  VectorXd b(4);
  b << 1, 3, 5, 3;
  for (const Method method : {Method::m_inverse, Method::weighted}) {
    FundamentalOptions options;
    options.method = method;
    options.weights = VectorXd::LinSpaced(4, 1, 4);
    Fundamental dense(4, 4, options);
    ASSERT_EQ(dense.decide(M, A), Status::ok);
    ASSERT_EQ(dense.solve_ideal(Q, b), Status::ok);
    const Entries entries(M, A);
    SparseFundamental sparse = entries.solver(options);
    ASSERT_EQ(sparse.decide(entries.values), Status::ok);
    ASSERT_EQ(sparse.solve_ideal(Q, b), Status::ok);
    EXPECT_FALSE(sparse.consistent());
    EXPECT_LT(distance(sparse.acceleration(), dense.acceleration()), 1e-13);
    EXPECT_NEAR(sparse.residual(), dense.residual(), 1e-13);
    for (const int j : {0, 1, 3}) EXPECT_TRUE(sparse.conflicting(j) || !dense.conflicting(j));
    EXPECT_FALSE(sparse.conflicting(2));
    // Held through a step.
    ASSERT_EQ(sparse.factor(entries.values), Status::ok);
    ASSERT_EQ(sparse.solve_ideal(Q, b), Status::ok);
    EXPECT_LT(distance(sparse.acceleration(), dense.acceleration()), 1e-13);
  }
}

TEST(SparseFundamental, MassesThatAreMissing) {
  MatrixXd M = MatrixXd::Zero(5, 5), A = MatrixXd::Zero(3, 5);
  M.diagonal() << 2, 0, 3, 1, 0;
  A.row(0) << 1, -1, 0, 0, 0;
  A.row(1) << 0, 1, -1, 0, 2;
  A.row(2) << 0, 0, 1, 1, -1;
  const VectorXd Q = VectorXd::LinSpaced(5, 1, 2), b = VectorXd::LinSpaced(3, -1, 1);
  Fundamental dense(5, 3);
  ASSERT_EQ(dense.decide(M, A), Status::ok);
  ASSERT_EQ(dense.solve_ideal(Q, b), Status::ok);
  ASSERT_EQ(dense.solve_nonideal(Q), Status::ok);
  Entries entries(M, A);
  SparseFundamental sparse = entries.solver();
  ASSERT_EQ(sparse.decide(entries.values), Status::ok);
  EXPECT_TRUE(sparse.mass_singular());
  ASSERT_EQ(sparse.solve_ideal(Q, b), Status::ok);
  ASSERT_EQ(sparse.solve_nonideal(Q), Status::ok);
  EXPECT_LT(distance(sparse.acceleration(), dense.acceleration()), 1e-13);
  EXPECT_LT(distance(sparse.ideal(), dense.ideal()), 1e-12);
  EXPECT_LT(distance(sparse.nonideal(), dense.nonideal()), 1e-12);
  EXPECT_LT(distance(sparse.multipliers(), dense.multipliers()), 1e-12);
  EXPECT_TRUE(std::isnan(sparse.calc_unconstrained()[0]));

  A(1, 4) = A(2, 4) = 0;  // neither mass nor constraint along the last coordinate
  const Entries loose(M, A);
  SparseFundamental undetermined = loose.solver();
  EXPECT_EQ(undetermined.decide(loose.values), Status::mass_undetermined);
  EXPECT_EQ(undetermined.diagnosis().direction[4], 1);
}

TEST(SparseFundamental, SaysWhatIsWrong) {
  MatrixXd M = MatrixXd::Identity(3, 3), A = MatrixXd::Ones(1, 3);
  const auto status = [&] {
    const Entries entries(M, A);
    SparseFundamental sparse = entries.solver();
    return std::pair(sparse.decide(entries.values), sparse.diagnosis());
  };
  M(2, 2) = -1;
  EXPECT_EQ(status().first, Status::mass_indefinite);
  EXPECT_NEAR(status().second.eigenvalue, -1, 1e-14);
  M(2, 2) = 1;
  M(0, 1) = M(1, 0) = 2;  // eigenvalues -1 and 3
  const auto [found, diagnosis] = status();
  EXPECT_EQ(found, Status::mass_indefinite);
  EXPECT_LT(diagnosis.direction.dot(M * diagnosis.direction), 0);
  M(0, 0) = 0;
  EXPECT_EQ(status().second.row, 0);
  M = MatrixXd::Identity(3, 3);
  A(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(status().first, Status::constraints_not_finite);
  A(0, 1) = 1;
  M(1, 1) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(status().first, Status::mass_not_finite);
}

/// M and A of a planar chain in absolute coordinates, links of length 1 and mass 1 at the angles
/// given; with `loop` both ends are held.
Entries chain_entries(const std::vector<double>& angles, bool loop) {
  const int links = static_cast<int>(angles.size());
  Entries result;
  result.n = 3 * links;
  result.m = 2 * links + (loop ? 2 : 0);
  for (int i = 0; i < links; ++i) {
    for (int c = 0; c < 3; ++c) result.add(result.M, 3 * i + c, 3 * i + c, c < 2 ? 1 : 1.0 / 12);
  }
  const auto end = [&](int row, int link, double along, double sign) {
    const double a = angles[static_cast<std::size_t>(link)];
    result.add(result.A, row, 3 * link, sign);
    result.add(result.A, row, 3 * link + 2, -sign * along * std::sin(a));
    result.add(result.A, row + 1, 3 * link + 1, sign);
    result.add(result.A, row + 1, 3 * link + 2, sign * along * std::cos(a));
  };
  for (int i = 0; i < links; ++i) {
    end(2 * i, i, -0.5, 1);
    if (i > 0) end(2 * i, i - 1, 0.5, -1);
  }
  if (loop) end(2 * links, links - 1, 0.5, 1);
  return result;
}

/// A known solution: accelerations and multipliers first, Q and b from them in extended precision.
TEST(SparseFundamental, LongChainsAreAccurate) {
  for (const int links : {10, 100, 1000, 10000}) {
    for (const bool loop : {false, true}) {
      SCOPED_TRACE(links);
      std::mt19937 random(3);
      std::uniform_real_distribution<double> unit(-1, 1);
      std::vector<double> angles;
      for (int i = 0; i < links; ++i) angles.push_back(std::numbers::pi * unit(random));
      const Entries e = chain_entries(angles, loop);
      const VectorXd x = VectorXd::NullaryExpr(e.n, [&] { return unit(random); });
      const VectorXd lambda = VectorXd::NullaryExpr(e.m, [&] { return unit(random); });
      std::vector<long double> Q(static_cast<std::size_t>(e.n)), b(static_cast<std::size_t>(e.m));
      for (const Place& p : e.M)
        Q[p.row] += static_cast<long double>(e.values[p.source]) * x[p.row];
      for (const Place& p : e.A) {
        Q[p.column] -= static_cast<long double>(e.values[p.source]) * lambda[p.row];
        b[p.row] += static_cast<long double>(e.values[p.source]) * x[p.column];
      }
      VectorXd force(e.n), rhs(e.m);
      for (int i = 0; i < e.n; ++i) force[i] = static_cast<double>(Q[static_cast<std::size_t>(i)]);
      for (int j = 0; j < e.m; ++j) rhs[j] = static_cast<double>(b[static_cast<std::size_t>(j)]);
      SparseFundamental sparse = e.solver();
      ASSERT_EQ(sparse.decide(e.values), Status::ok);
      ASSERT_EQ(sparse.solve_ideal(force, rhs), Status::ok);
      EXPECT_EQ(sparse.rank(), e.m);
      // Rounding 1e-16 of Q and b, times the condition of the chain: links^2 for the tensions,
      // links for the accelerations that follow.
      const double rounding = 1e-15;
      EXPECT_LT((sparse.acceleration() - x).lpNorm<Eigen::Infinity>(), rounding * 100 * links);
      EXPECT_LT((sparse.multipliers() - lambda).lpNorm<Eigen::Infinity>(),
                rounding * (100.0 + links) * links);
    }
  }
}

/// Straight down at rest: no acceleration, and each hinge carries what hangs below it.
TEST(SparseFundamental, AHangingChainCarriesItsWeight) {
  constexpr int links = 5000;
  const Entries e = chain_entries(std::vector<double>(links, -std::numbers::pi / 2), false);
  VectorXd Q = VectorXd::Zero(e.n);
  for (int i = 0; i < links; ++i) Q[3 * i + 1] = -9.81;
  SparseFundamental sparse = e.solver();
  ASSERT_EQ(sparse.decide(e.values), Status::ok);
  ASSERT_EQ(sparse.solve_ideal(Q, VectorXd::Zero(e.m)), Status::ok);
  EXPECT_LT(sparse.acceleration().lpNorm<Eigen::Infinity>(), 1e-16 * 9.81 * links * 100);
  // Each link on the way adds a few roundings.
  const double rounding = 10 * std::numeric_limits<double>::epsilon() * links;
  for (int i = 0; i < links; ++i) {
    const double below = 9.81 * (links - i);
    EXPECT_NEAR(sparse.multipliers()[2 * i + 1], below, rounding * below);
  }
}

/// Turning about its end without gravity: every middle is drawn inward, and the tension at a hinge
/// is what the links beyond it need.
TEST(SparseFundamental, ATurningChainIsHeldTogether) {
  constexpr int links = 2000;
  const double rate = 3;
  const Entries e = chain_entries(std::vector<double>(links, 0.0), false);
  VectorXd b = VectorXd::Zero(e.m);
  // The ends of a link at half a length either side accelerate inward by rate^2 / 2 more or less.
  for (int i = 0; i < links; ++i) b[2 * i] = -rate * rate * (i > 0 ? 1 : 0.5);
  SparseFundamental sparse = e.solver();
  ASSERT_EQ(sparse.decide(e.values), Status::ok);
  ASSERT_EQ(sparse.solve_ideal(VectorXd::Zero(e.n), b), Status::ok);
  // Accelerations are differences of tensions, which are rounded.
  const double largest = rate * rate * links * links / 2.0;
  const double rounding = 32 * std::numeric_limits<double>::epsilon() * largest;
  double tension = 0;
  for (int i = links - 1; i >= 0; --i) {
    EXPECT_NEAR(sparse.acceleration()[3 * i], -rate * rate * (i + 0.5), rounding);
    tension += rate * rate * (i + 0.5);
    EXPECT_NEAR(sparse.multipliers()[2 * i], -tension, 1e-11 * tension);
  }
}

/// Nonzeros and operations, not time: linear in the number of links, with a loop or without.
TEST(SparseKkt, CostGrowsWithTheNumberOfLinks) {
  for (const bool loop : {false, true}) {
    std::vector<double> nonzeros, operations;
    for (const int links : {100, 1000, 10000}) {
      const Entries e =
          chain_entries(std::vector<double>(static_cast<std::size_t>(links), 0.5), loop);
      const SparseKkt kkt(static_cast<std::size_t>(e.n), static_cast<std::size_t>(e.m), e.M, e.A);
      nonzeros.push_back(static_cast<double>(kkt.nonzeros()) / links);
      operations.push_back(static_cast<double>(kkt.operations()) / links);
    }
    EXPECT_LT(nonzeros[2], 1.05 * nonzeros[0]);
    EXPECT_LT(operations[2], 1.05 * operations[0]);
    EXPECT_LT(operations[2], 40);
  }
}

#ifdef DALEMBERT_COUNTS_MALLOC
TEST(SparseFundamental, TakesNoMemory) {
  std::mt19937 random(5);
  const Problem p = random_problem(random, 40, 60, 3);
  const Entries entries(p.M, p.A);
  SparseFundamental sparse = entries.solver();
  VectorXd x(entries.n);
  ASSERT_EQ(sparse.decide(entries.values), Status::ok);
  const long before = allocations_so_far();
  const Status decided = sparse.decide(entries.values);
  const Status factored = sparse.factor(entries.values);
  const Status ideal = sparse.solve_ideal(p.Q, p.b);
  const Status nonideal = sparse.solve_nonideal(p.C);
  sparse.apply_m_inverse(p.b, x);
  const long after = allocations_so_far();
  EXPECT_EQ(after - before, 0);
  for (const Status status : {decided, factored, ideal, nonideal}) EXPECT_EQ(status, Status::ok);
}
#endif

}  // namespace
}  // namespace dalembert::motion::sparse_fundamental_test
