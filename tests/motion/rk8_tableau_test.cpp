// The tableau as the code works with it: order conditions of the solution, the estimates and the
// interpolant.
#include <dalembert/motion/steps/rk8.hpp>
#include <dalembert/motion/steps/rk8_coefficients.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "rk8_problems.hpp"

namespace dalembert::motion::rk8_tableau_test {
namespace {

using namespace rk8_problems;

constexpr std::size_t stages = dop853::all_stages;
using Weights = dop853::Weights;

// With h = 1, y = 0 and a system of 16 components in which the j-th call of f returns the j-th unit
// vector, the argument of call i is row i of A, its time is cᵢ, y_new is b, and the interpolant at
// θ is b(θ). What is tested is thus what is computed, and not only what the table says.
struct Tableau {
  std::array<Weights, stages> a{};
  Weights c{};
  Weights b{};
  Rk8 stepper{stages};

  Tableau() {
    std::size_t call = 0;
    const auto f = [&](double t, In y, Out dydt) {
      std::ranges::copy(y, a[call].begin());
      c[call] = t;
      std::ranges::fill(dydt, 0.0);
      dydt[call++] = 1.0;
      return true;
    };
    const Weights zero{};
    EXPECT_TRUE(stepper.start(0.0, zero, f));
    EXPECT_LT(stepper.attempt(f, 1.0, {.relative = 1.0, .absolute = {}, .reference = {}}),
              infinity);
    std::ranges::copy(stepper.y_new(), b.begin());
    EXPECT_TRUE(stepper.prepare_dense(f));
    EXPECT_EQ(call, stages);
  }

  Weights dense_weights(double theta) const {
    Weights w{};
    stepper.interpolate(theta, w);
    return w;
  }
};

// A rooted tree of Butcher's theory: its children, by their places in the list of all trees.
struct Tree {
  int order = 1;
  double density = 1.0;               // γ(t) = order · Π γ(child)
  std::vector<std::size_t> children;  // in descending order, which makes the description unique
};

// Adds to `trees` all those that extend `partial` by children before `bound`, `missing` vertices in
// all.
void grow(std::vector<Tree>& trees, Tree partial, std::size_t bound, int missing) {
  if (missing == 0) {
    partial.density *= partial.order;
    trees.push_back(partial);
    return;
  }
  for (std::size_t child = 0; child < bound; ++child) {
    if (trees[child].order > missing) break;  // the list ascends in order
    Tree extended = partial;
    extended.order += trees[child].order;
    extended.density *= trees[child].density;
    extended.children.push_back(child);
    grow(trees, extended, child + 1, missing - trees[child].order);
  }
}

std::vector<Tree> trees_up_to(int order) {
  std::vector<Tree> trees;
  for (int n = 1; n <= order; ++n) grow(trees, Tree{}, trees.size(), n - 1);
  return trees;
}

// The derivative weights Φᵢ(t) = Π over children of Σⱼ aᵢⱼ Φⱼ(child), for all trees.
std::vector<Weights> stage_weights(const std::vector<Tree>& trees,
                                   const std::array<Weights, stages>& a) {
  std::vector<Weights> phi;
  for (const Tree& tree : trees) {
    Weights product;
    product.fill(1.0);
    for (const std::size_t child : tree.children) {
      for (std::size_t i = 0; i < stages; ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < stages; ++j) sum += a[i][j] * phi[child][j];
        product[i] *= sum;
      }
    }
    phi.push_back(product);
  }
  return phi;
}

double dot(const Weights& x, const Weights& y) {
  double sum = 0.0;
  for (std::size_t i = 0; i < stages; ++i) sum += x[i] * y[i];
  return sum;
}

Weights absolute_values(Weights w) {
  for (double& x : w) x = std::abs(x);
  return w;
}

// The order conditions Σᵢ wᵢ Φᵢ(t) = θ^order / γ(t). Every coefficient and every operation is off
// by a relative eps/2, so that a sum of 16 products nested `order` deep may be off by 17 · order ·
// eps times the same sum of absolute values. That bound holds for the weights of the interpolant
// with another factor, for these are the outcome of seven nested operations on numbers up to 400.
class OrderConditions {
 public:
  explicit OrderConditions(int order)
      : trees_(trees_up_to(order)), phi_(stage_weights(trees_, tableau_.a)) {
    std::array<Weights, stages> modulus = tableau_.a;
    for (Weights& row : modulus) row = absolute_values(row);
    phi_modulus_ = stage_weights(trees_, modulus);
  }

  const Tableau& tableau() const { return tableau_; }
  std::size_t tree_count() const { return trees_.size(); }

  /// The order up to which the weights meet all conditions, as far as the trees go.
  int order_of(const Weights& w, double theta = 1.0, const Weights& rounding = {}) const {
    for (std::size_t n = 0; n < trees_.size(); ++n) {
      const Tree& tree = trees_[n];
      const double residual = dot(w, phi_[n]) - std::pow(theta, tree.order) / tree.density;
      const double bound = 17 * tree.order * eps * dot(absolute_values(w), phi_modulus_[n]) +
                           dot(rounding, phi_modulus_[n]);
      if (!(std::abs(residual) <= bound)) return tree.order - 1;
    }
    return trees_.back().order;
  }

 private:
  Tableau tableau_;
  std::vector<Tree> trees_;
  std::vector<Weights> phi_;
  std::vector<Weights> phi_modulus_;
};

Weights difference(const Weights& x, const Weights& y) {
  Weights w{};
  for (std::size_t i = 0; i < stages; ++i) w[i] = x[i] - y[i];
  return w;
}

TEST(Rk8Tableau, StagesAreEvaluatedAtTheRowSums) {
  const Tableau tableau;
  EXPECT_EQ(tableau.c, dop853::c);
  for (std::size_t i = 0; i < stages; ++i) {
    double sum = 0.0;
    double modulus = 0.0;
    for (std::size_t j = 0; j < stages; ++j) {
      sum += tableau.a[i][j];
      modulus += std::abs(tableau.a[i][j]);
      if (j >= i) {
        EXPECT_EQ(tableau.a[i][j], 0.0) << "the method is explicit";
      }
    }
    EXPECT_NEAR(sum, tableau.c[i], 17 * eps * modulus) << "stage " << i;
  }
}

TEST(Rk8Tableau, WeightsIntegratePowersUpToTheSeventhExactly) {
  const Tableau tableau;
  for (int power = 0; power <= 8; ++power) {
    double integral = 0.0;
    double modulus = 0.0;
    for (std::size_t i = 0; i < stages; ++i) {
      const double term = tableau.b[i] * std::pow(tableau.c[i], power);
      integral += term;
      modulus += std::abs(term);
    }
    const double residual = std::abs(integral - 1.0 / (power + 1));
    if (power < 8) {
      EXPECT_LE(residual, 17 * eps * modulus) << "power " << power;
    } else {
      EXPECT_GT(residual, 1e-6) << "order 8, not more";
    }
  }
}

// The simplifying assumptions C(q) of stage i: Σⱼ aᵢⱼ cⱼ^(k−1) = cᵢᵏ/k for k = 1 … q.
TEST(Rk8Tableau, StagesThatEnterTheSolutionSatisfyFiveSimplifyingAssumptions) {
  const Tableau tableau;
  const auto stage_order = [&](std::size_t i) {
    for (int k = 1; k <= 8; ++k) {
      double sum = 0.0;
      double modulus = 0.0;
      for (std::size_t j = 0; j < stages; ++j) {
        const double term = tableau.a[i][j] * std::pow(tableau.c[j], k - 1);
        sum += term;
        modulus += std::abs(term);
      }
      if (std::abs(sum - std::pow(tableau.c[i], k) / k) > 17 * k * eps * modulus) return k - 1;
    }
    return 8;
  };
  std::vector<int> orders;
  for (std::size_t i = 1; i < stages; ++i) orders.push_back(stage_order(i));
  EXPECT_EQ(orders, (std::vector<int>{1, 3, 3, 3, 5, 5, 5, 5, 5, 5, 5, 8, 6, 6, 6}));
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_EQ(tableau.b[i], 0.0) << "stage " << i << " enters the solution";
  }
}

TEST(Rk8Tableau, AllTwoHundredOrderConditionsHoldAndNotTheNext) {
  const OrderConditions conditions(9);
  ASSERT_EQ(conditions.tree_count(), 200u + 286u);
  EXPECT_EQ(conditions.order_of(conditions.tableau().b), 8);
}

TEST(Rk8Tableau, ErrorEstimatesCompareWithOrdersFiveAndThree) {
  const OrderConditions conditions(8);
  const Weights& b = conditions.tableau().b;
  EXPECT_EQ(conditions.order_of(difference(b, dop853::e5)), 5);
  EXPECT_EQ(conditions.order_of(difference(b, dop853::e3)), 3);
}

TEST(Rk8Tableau, InterpolantHasOrderSevenEverywhere) {
  const OrderConditions conditions(8);
  // The weights come out of some ten operations on numbers up to max |dₗᵢ|.
  double largest = 0.0;
  for (const Weights& row : dop853::d) {
    largest = std::max(largest, std::ranges::max(absolute_values(row)));
  }
  Weights rounding;
  rounding.fill(10 * eps * largest);
  for (const double theta : {0.05, 0.2, 0.37, 0.5, 0.75, 0.95}) {
    EXPECT_EQ(conditions.order_of(conditions.tableau().dense_weights(theta), theta, rounding), 7)
        << "θ = " << theta;
  }
}

}  // namespace
}  // namespace dalembert::motion::rk8_tableau_test
