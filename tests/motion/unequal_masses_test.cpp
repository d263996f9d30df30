// Chains of rods whose masses differ by many orders of magnitude, against elimination in longer
// numbers.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "dalembert/solve/entry_solver.hpp"

namespace dalembert::motion::unequal_masses_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Chain {
  MatrixXd M, A;
  VectorXd Q, b, C;
};

/// Rods in x, y and angle of each, hanging from a hinge, at rates of a radian a second; C is any
/// force of the size of the weights.
Chain make_chain(const std::vector<double>& masses, std::mt19937& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const double length = 0.125;
  const auto rods = static_cast<Eigen::Index>(masses.size());
  Chain c{MatrixXd::Zero(3 * rods, 3 * rods), MatrixXd::Zero(2 * rods, 3 * rods),
          VectorXd::Zero(3 * rods), VectorXd::Zero(2 * rods), VectorXd::Zero(3 * rods)};
  double angle_before = 0, rate_before = 0;
  for (Eigen::Index i = 0; i < rods; ++i) {
    const double m = masses[static_cast<std::size_t>(i)];
    // Neighbours at an angle of 0.5 to 1: constraints are far from dependent.
    const double angle = angle_before + (unit(random) < 0 ? -1 : 1) * (0.75 + 0.25 * unit(random));
    const double rate = unit(random);
    c.M(3 * i, 3 * i) = c.M(3 * i + 1, 3 * i + 1) = m;
    c.M(3 * i + 2, 3 * i + 2) = m * length * length / 12;
    c.Q(3 * i + 1) = -9.81 * m;
    for (Eigen::Index k = 0; k < 3; ++k)
      c.C(3 * i + k) = m * unit(random) * (k == 2 ? length : 9.81);
    const auto end = [&](Eigen::Index body, double a, double w, double side) {
      // side * (x + side * L/2 cos a) and the same for y; b is minus the rest of the second rate.
      const double half = length / 2;
      c.A(2 * i, 3 * body) += side;
      c.A(2 * i, 3 * body + 2) += -half * std::sin(a);
      c.A(2 * i + 1, 3 * body + 1) += side;
      c.A(2 * i + 1, 3 * body + 2) += half * std::cos(a);
      c.b(2 * i) += half * std::cos(a) * w * w;
      c.b(2 * i + 1) += half * std::sin(a) * w * w;
    };
    end(i, angle, rate, -1);
    if (i > 0) end(i - 1, angle_before, rate_before, 1);
    angle_before = angle;
    rate_before = rate;
  }
  return c;
}

__extension__ using Quad = __float128;

/// q'' of [M A^T; A 0] (q''; -lambda) = (f; b) by elimination with row pivots in numbers of 34
/// digits: 1e12 and the condition of the mechanism cost some 16 of them.
VectorXd reference(const Chain& c, const VectorXd& f) {
  const auto n = static_cast<std::size_t>(c.M.rows()), m = static_cast<std::size_t>(c.A.rows());
  const std::size_t size = n + m;
  const auto magnitude = [](Quad x) { return x < 0 ? -x : x; };
  std::vector<std::vector<Quad>> K(size, std::vector<Quad>(size + 1, 0));
  for (std::size_t i = 0; i < n; ++i) {
    const auto I = static_cast<Eigen::Index>(i);
    K[i][i] = c.M(I, I);
    K[i][size] = f(I);
    for (std::size_t j = 0; j < m; ++j)
      K[i][n + j] = K[n + j][i] = c.A(static_cast<Eigen::Index>(j), I);
  }
  for (std::size_t j = 0; j < m; ++j) K[n + j][size] = c.b(static_cast<Eigen::Index>(j));
  for (std::size_t p = 0; p < size; ++p) {
    std::size_t best = p;
    for (std::size_t r = p + 1; r < size; ++r) {
      if (magnitude(K[r][p]) > magnitude(K[best][p])) best = r;
    }
    std::swap(K[p], K[best]);
    for (std::size_t r = 0; r < size; ++r) {
      if (r == p || K[r][p] == 0) continue;
      const Quad factor = K[r][p] / K[p][p];
      for (std::size_t k = p; k <= size; ++k) {
        if (K[p][k] != 0) K[r][k] -= factor * K[p][k];
      }
    }
  }
  VectorXd x(c.M.rows());
  for (std::size_t i = 0; i < n; ++i)
    x(static_cast<Eigen::Index>(i)) = static_cast<double>(K[i][size] / K[i][i]);
  return x;
}

struct Entries {
  std::vector<Place> M, A;
  std::vector<double> values;

  explicit Entries(const Chain& c) {
    const auto add = [&](std::vector<Place>& list, Eigen::Index i, Eigen::Index j, double value) {
      if (value == 0) return;
      list.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j),
                      static_cast<std::uint32_t>(values.size())});
      values.push_back(value);
    };
    for (Eigen::Index i = 0; i < c.M.rows(); ++i) add(M, i, i, c.M(i, i));
    for (Eigen::Index j = 0; j < c.A.rows(); ++j) {
      for (Eigen::Index i = 0; i < c.A.cols(); ++i) add(A, j, i, c.A(j, i));
    }
  }
  EntrySolver solver(const Chain& c, Storage storage) const {
    return {static_cast<std::size_t>(c.M.rows()),
            static_cast<std::size_t>(c.A.rows()),
            M,
            A,
            {},
            storage};
  }
};

using Law = std::function<double(int, int, double, std::mt19937&)>;

struct Named {
  std::string name;
  Law mass;  ///< of rod i of n, for a ratio
};

std::vector<Named> laws() {
  return {
      {"every other rod heavy", [](int i, int, double r, std::mt19937&) { return i % 2 ? r : 1; }},
      {"every other rod light", [](int i, int, double r, std::mt19937&) { return i % 2 ? 1 : r; }},
      {"heavier from rod to rod",
       [](int i, int n, double r, std::mt19937&) { return std::pow(r, i / (n - 1.0)); }},
      {"lighter from rod to rod",
       [](int i, int n, double r, std::mt19937&) { return std::pow(r, 1 - i / (n - 1.0)); }},
      {"one heavy rod at the end",
       [](int i, int n, double r, std::mt19937&) { return i == n - 1 ? r : 1; }},
      {"at random", [](int, int, double r, std::mt19937& random) {
         return std::pow(r, std::uniform_real_distribution<double>(0, 1)(random));
       }}};
}

/// Largest error of an acceleration, of the largest acceleration.
double error_of(const VectorXd& found, const VectorXd& right) {
  return (found - right).lpNorm<Eigen::Infinity>() / right.lpNorm<Eigen::Infinity>();
}

// The condition of the system without small masses stays below 1e4 for these chains, that of a
// product of 30 rods' angles included; a few roundings each.
constexpr double allowed = 1e5 * std::numeric_limits<double>::epsilon();

class UnequalMasses : public testing::TestWithParam<Storage> {};

TEST_P(UnequalMasses, DoNotSpoilTheAccelerations) {
  std::mt19937 random(3);
  for (const double ratio : {1.0, 1e4, 1e8, 1e10, 1e12}) {
    for (const Named& law : laws()) {
      for (const int rods : {2, 3, 5, 30}) {
        SCOPED_TRACE(law.name + ", " + std::to_string(rods) + " rods, 1:" + std::to_string(ratio));
        std::vector<double> masses;
        for (int i = 0; i < rods; ++i) masses.push_back(law.mass(i, rods, ratio, random));
        const Chain c = make_chain(masses, random);
        const Entries entries(c);
        EntrySolver solver = entries.solver(c, GetParam());
        ASSERT_EQ(solver.decide(entries.values), Status::ok);
        ASSERT_EQ(solver.solve_ideal(c.Q, c.b), Status::ok);
        EXPECT_EQ(solver.rank(), 2 * rods);
        EXPECT_TRUE(solver.consistent());
        EXPECT_LT(error_of(solver.acceleration(), reference(c, c.Q)), allowed);
        ASSERT_EQ(solver.solve_nonideal(c.C), Status::ok);
        EXPECT_LT(error_of(solver.acceleration(), reference(c, c.Q + c.C)), allowed);
        // Held, the same.
        ASSERT_EQ(solver.factor(entries.values), Status::ok);
        ASSERT_EQ(solver.solve_ideal(c.Q, c.b), Status::ok);
        EXPECT_LT(error_of(solver.acceleration(), reference(c, c.Q)), allowed);
      }
    }
  }
}

TEST_P(UnequalMasses, AreRightOrRefusedWhateverTheyAre) {
  std::mt19937 random(4);
  int refused = 0;
  for (const double ratio : {1e14, 1e16, 1e18, 1e24}) {
    for (const Named& law : laws()) {
      for (const int rods : {3, 30}) {
        SCOPED_TRACE(law.name + ", " + std::to_string(rods) + " rods, 1:" + std::to_string(ratio));
        std::vector<double> masses;
        for (int i = 0; i < rods; ++i) masses.push_back(law.mass(i, rods, ratio, random));
        const Chain c = make_chain(masses, random);
        const Entries entries(c);
        EntrySolver solver = entries.solver(c, GetParam());
        const bool solved = solver.decide(entries.values) == Status::ok &&
                            solver.solve_ideal(c.Q, c.b) == Status::ok && solver.consistent();
        refused += solved ? 0 : 1;
        // Where the rank is in doubt, what is left of the digits is compared: a wrong answer is off
        // by its own size.
        if (!solved) continue;
        EXPECT_LT(error_of(solver.acceleration(), reference(c, c.Q)), 1e-6);
      }
    }
  }
  EXPECT_GT(refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Both, UnequalMasses, testing::Values(Storage::dense, Storage::sparse),
                         [](const auto& storage) {
                           return storage.param == Storage::dense ? "Dense" : "Sparse";
                         });

}  // namespace
}  // namespace dalembert::motion::unequal_masses_test
