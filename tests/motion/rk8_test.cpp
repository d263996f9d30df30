#include <dalembert/motion/rk8.hpp>
#include <dalembert/motion/rk8_coefficients.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "allocation_counter.hpp"

namespace dalembert::motion {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t stages = dop853::all_stages;

using In = std::span<const double>;
using Out = std::span<double>;
using Weights = dop853::Weights;

// ---- The tableau as the code works with it ------------------------------------------------------

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

// ---- Motions with known solutions ---------------------------------------------------------------

using State = std::array<double, 4>;

// Kepler's problem with unit mass parameter and unit semi-major axis, hence of period 2π.
bool kepler(double, In y, Out dydt) {
  const double r2 = y[0] * y[0] + y[1] * y[1];
  const double r3 = r2 * std::sqrt(r2);
  dydt[0] = y[2];
  dydt[1] = y[3];
  dydt[2] = -y[0] / r3;
  dydt[3] = -y[1] / r3;
  return true;
}
const auto kepler_derivative = [](double t, In y, Out dydt) { return kepler(t, y, dydt); };

// Its solution of eccentricity e that passes the perihelion (1 − e, 0) at t = 0, by Newton's method
// on Kepler's equation E − e sin E = t, which converges from E = t for the e and t used here.
State kepler_solution(double e, double t) {
  double E = t;
  for (int i = 0; i < 30; ++i) E -= (E - e * std::sin(E) - t) / (1.0 - e * std::cos(E));
  const double s = std::sqrt(1.0 - e * e);
  const double w = 1.0 - e * std::cos(E);
  return {std::cos(E) - e, s * std::sin(E), -std::sin(E) / w, s * std::cos(E) / w};
}

double distance(In x, In y) {
  double most = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
}

Tolerance relative_tolerance(double relative) {
  return {.relative = relative, .absolute = {}, .reference = {}};
}

// Steps of one length, whatever the error; the state at the end.
std::vector<double> fixed_steps(Derivative f, In y0, double t0, double t_end, int steps) {
  Rk8 stepper(y0.size());
  EXPECT_TRUE(stepper.start(t0, y0, f));
  const double h = (t_end - t0) / steps;
  for (int i = 0; i < steps; ++i) {
    EXPECT_LT(stepper.attempt(f, h, Tolerance{}), infinity);
    EXPECT_TRUE(stepper.advance(f));
  }
  return {stepper.y().begin(), stepper.y().end()};
}

// What an adaptive integration did. It ends at t_end, or where the step becomes too short.
struct Outcome {
  bool arrived;
  double t;
  std::int64_t accepted;
  std::int64_t rejected;
};

Outcome integrate(Rk8& stepper, Derivative f, double t_end, const Tolerance& tolerance,
                  const StepControlOptions& options = {}) {
  StepController controller(options);
  double h = stepper.initial_step(f, tolerance, t_end - stepper.t());
  bool arrived = false;
  while (!arrived && !step_underflow(stepper.t(), h)) {
    const double remaining = t_end - stepper.t();
    const bool last = std::abs(h) >= std::abs(remaining);
    if (last) h = remaining;
    const auto [accepted, h_next] = controller.decide(h, stepper.attempt(f, h, tolerance));
    if (accepted && !stepper.advance(f)) break;
    arrived = accepted && last;
    h = h_next;
  }
  return {arrived, stepper.t(), controller.accepted(), controller.rejected()};
}

// The error falls as h⁸ once h is small; the ranges stop where rounding would show. A quarter is
// allowed for the terms of higher order that remain in the coarser of the two steps.
constexpr double order_margin = 0.25;

TEST(Rk8, SolutionOfKeplersProblemConvergesWithOrderEight) {
  const State y0 = kepler_solution(0.1, 0.0);
  const double period = 2.0 * std::numbers::pi;
  const double coarse = distance(fixed_steps(kepler_derivative, y0, 0.0, period, 32), y0);
  const double fine = distance(fixed_steps(kepler_derivative, y0, 0.0, period, 64), y0);
  EXPECT_NEAR(std::log2(coarse / fine), 8.0, order_margin);
  EXPECT_GT(fine, 1e3 * eps) << "rounding spoils the comparison";
}

TEST(Rk8, SolutionOfTheLogisticEquationConvergesWithOrderEight) {
  const auto f = [](double, In y, Out dydt) {
    dydt[0] = y[0] * (1.0 - y[0]);
    return true;
  };
  const auto solution = [](double t) { return 1.0 / (1.0 + std::exp(-t)); };
  const std::array y0{solution(-4.0)};
  const auto error = [&](int steps) {
    return std::abs(fixed_steps(f, y0, -4.0, 4.0, steps)[0] - solution(4.0));
  };
  const double fine = error(16);
  EXPECT_NEAR(std::log2(error(8) / fine), 8.0, order_margin);
  EXPECT_GT(fine, 1e3 * eps) << "rounding spoils the comparison";
}

TEST(Rk8, TimeEntersTheStages) {
  const auto f = [](double t, In y, Out dydt) {
    dydt[0] = std::cos(t) * y[0];
    return true;
  };
  // exp(sin t) and its derivatives are of order one here, and so is the factor of h⁸.
  const int steps = 32;
  const std::array y0{1.0};
  const double h = 3.0 / steps;
  EXPECT_NEAR(fixed_steps(f, y0, 0.0, 3.0, steps)[0], std::exp(std::sin(3.0)), std::pow(h, 8));
}

TEST(Rk8, ErrorEstimateFallsAsTheEighthPower) {
  Rk8 stepper(4);
  ASSERT_TRUE(stepper.start(1.0, kepler_solution(0.1, 1.0), kepler_derivative));
  const double coarse = stepper.attempt(kepler_derivative, 0.1, Tolerance{});
  const double fine = stepper.attempt(kepler_derivative, 0.05, Tolerance{});
  EXPECT_NEAR(std::log2(coarse / fine), 8.0, order_margin);
}

double interpolation_error(double t0, double h) {
  constexpr double e = 0.1;
  Rk8 stepper(4);
  EXPECT_TRUE(stepper.start(t0, kepler_solution(e, t0), kepler_derivative));
  EXPECT_LT(stepper.attempt(kepler_derivative, h, Tolerance{}), infinity);
  EXPECT_TRUE(stepper.prepare_dense(kepler_derivative));
  double most = 0.0;
  for (int i = 0; i <= 64; ++i) {
    const double theta = i / 64.0;
    State y;
    stepper.interpolate(theta, y);
    most = std::max(most, distance(y, kepler_solution(e, t0 + theta * h)));
  }
  return most;
}

// A continuous output of order 7 is off by O(h⁸) within one step.
TEST(Rk8, InterpolantConvergesWithOrderSeven) {
  for (const double direction : {1.0, -1.0}) {
    const double coarse = interpolation_error(1.0, direction * 0.2);
    const double fine = interpolation_error(1.0, direction * 0.1);
    EXPECT_GE(std::log2(coarse / fine), 8.0 - order_margin) << "direction " << direction;
    EXPECT_GT(fine, 1e2 * eps) << "rounding spoils the comparison";
  }
}

TEST(Rk8, InterpolantMeetsBothEndsWithItsDerivative) {
  const double h = 0.3;
  Rk8 stepper(4);
  ASSERT_TRUE(stepper.start(1.0, kepler_solution(0.3, 1.0), kepler_derivative));
  ASSERT_LT(stepper.attempt(kepler_derivative, h, Tolerance{}), infinity);
  ASSERT_TRUE(stepper.prepare_dense(kepler_derivative));
  State at_start, at_end, end_derivative;
  stepper.interpolate(0.0, at_start);
  stepper.interpolate(1.0, at_end);
  EXPECT_EQ(distance(at_start, stepper.y()), 0.0);
  EXPECT_LE(distance(at_end, stepper.y_new()), 2 * eps);  // y + (y_new − y), numbers of order one
  ASSERT_TRUE(kepler(0.0, stepper.y_new(), end_derivative));

  // One-sided differences of second order with the step s = δh are off by s²/3 times a third
  // derivative, below 10 on this orbit, and by rounding, 4 eps/s.
  const double delta = 1e-5;
  const double s = delta * h;
  const double bound = s * s * 10.0 / 3.0 + 4 * eps / s;
  State near, far;
  stepper.interpolate(delta, near);
  stepper.interpolate(2 * delta, far);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR((4 * near[i] - far[i] - 3 * at_start[i]) / (2 * s), stepper.dydt()[i], bound);
  }
  stepper.interpolate(1.0 - delta, near);
  stepper.interpolate(1.0 - 2 * delta, far);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR((3 * at_end[i] - 4 * near[i] + far[i]) / (2 * s), end_derivative[i], bound);
  }
}

// Ten periods of the orbit of eccentricity 0.6, which ends where it began.
struct KeplerRun {
  double error;
  std::int64_t accepted;
  std::int64_t rejected;
  std::int64_t evaluations;
};
constexpr double ten_periods = 20.0 * std::numbers::pi;

KeplerRun ten_kepler_periods(double tolerance, const StepControlOptions& options = {}) {
  const State y0 = kepler_solution(0.6, 0.0);
  State absolute;
  absolute.fill(tolerance);
  Rk8 stepper(4);
  EXPECT_TRUE(stepper.start(0.0, y0, kepler_derivative));
  const Outcome outcome =
      integrate(stepper, kepler_derivative, ten_periods,
                {.relative = tolerance, .absolute = absolute, .reference = {}}, options);
  EXPECT_TRUE(outcome.arrived);
  return {distance(stepper.y(), y0), outcome.accepted, outcome.rejected, stepper.evaluations()};
}

// Each of N steps changes the energy, and with it the mean motion, by something of the order of the
// tolerance, and so shifts the phase by as much times the time still to go. N T tolerance bounds
// the sum, up to a factor of order one, even if all these errors have one sign.
TEST(Rk8, TenKeplerPeriodsStayWithinTheDriftThatTheToleranceAllows) {
  for (const double beta : {0.0, 0.04}) {
    StepControlOptions options;
    options.beta = beta;
    const KeplerRun run = ten_kepler_periods(1e-12, options);
    EXPECT_LT(run.error, static_cast<double>(run.accepted) * ten_periods * 1e-12)
        << "beta = " << beta;
  }
}

TEST(Rk8, ErrorIsProportionalToTheTolerance) {
  const double reference = ten_kepler_periods(1e-9).error / 1e-9;
  for (const double tolerance : {1e-6, 1e-12}) {
    const double ratio = ten_kepler_periods(tolerance).error / tolerance / reference;
    EXPECT_GT(ratio, 0.25) << "tolerance " << tolerance;
    EXPECT_LT(ratio, 4.0) << "tolerance " << tolerance;
  }
}

// SciPy's DOP853 accepts 146, 305 and 669 steps for the same motion and tolerances.
TEST(Rk8, TakesAsManyStepsAsAnIndependentCode) {
  for (const auto& [tolerance, steps] : {std::pair{1e-6, 146}, {1e-9, 305}, {1e-12, 669}}) {
    const KeplerRun run = ten_kepler_periods(tolerance);
    EXPECT_NEAR(static_cast<double>(run.accepted), steps, 0.02 * steps);
    EXPECT_EQ(run.evaluations, 2 + 12 * run.accepted + 11 * run.rejected);
  }
}

TEST(Rk8, IntegratesBackwardInTimeAndReturns) {
  const State y0 = kepler_solution(0.6, 0.0);
  const double tolerance_value = 1e-11;
  State absolute;
  absolute.fill(tolerance_value);
  const Tolerance tolerance{.relative = tolerance_value, .absolute = absolute, .reference = {}};
  const double t_back = -0.3 * ten_periods;
  Rk8 stepper(4);
  ASSERT_TRUE(stepper.start(0.0, y0, kepler_derivative));
  const Outcome there = integrate(stepper, kepler_derivative, t_back, tolerance);
  ASSERT_TRUE(there.arrived);
  const double drift = static_cast<double>(there.accepted) * std::abs(t_back) * tolerance_value;
  EXPECT_LT(distance(stepper.y(), y0), drift) << "three whole periods";
  const Outcome back = integrate(stepper, kepler_derivative, 0.0, tolerance);
  ASSERT_TRUE(back.arrived);
  EXPECT_LT(distance(stepper.y(), y0), 2 * drift);
}

// ---- The step as an object ----------------------------------------------------------------------

TEST(Rk8, NothingPassesToTheNextStepWhenTheStateIsReplaced) {
  const State second = kepler_solution(0.4, 2.0);
  Rk8 used(4), fresh(4);
  ASSERT_TRUE(used.start(0.5, kepler_solution(0.2, 0.5), kepler_derivative));
  ASSERT_LT(used.attempt(kepler_derivative, 0.2, Tolerance{}), infinity);
  ASSERT_TRUE(used.prepare_dense(kepler_derivative));
  State slope;
  ASSERT_TRUE(kepler(2.0, second, slope));
  used.start(2.0, second, slope);
  ASSERT_TRUE(fresh.start(2.0, second, kepler_derivative));
  EXPECT_EQ(used.attempt(kepler_derivative, -0.1, Tolerance{}),
            fresh.attempt(kepler_derivative, -0.1, Tolerance{}));
  EXPECT_EQ(distance(used.y_new(), fresh.y_new()), 0.0);
  ASSERT_TRUE(used.prepare_dense(kepler_derivative));
  ASSERT_TRUE(fresh.prepare_dense(kepler_derivative));
  State x, y;
  used.interpolate(0.4, x);
  fresh.interpolate(0.4, y);
  EXPECT_EQ(distance(x, y), 0.0);
}

TEST(Rk8, ARejectedAttemptLeavesNoTrace) {
  Rk8 hesitant(4), direct(4);
  for (Rk8* stepper : {&hesitant, &direct}) {
    ASSERT_TRUE(stepper->start(0.0, kepler_solution(0.6, 0.0), kepler_derivative));
  }
  EXPECT_GT(hesitant.attempt(kepler_derivative, 2.0, Tolerance{}), 1.0);
  EXPECT_EQ(hesitant.attempt(kepler_derivative, 0.01, Tolerance{}),
            direct.attempt(kepler_derivative, 0.01, Tolerance{}));
  EXPECT_EQ(distance(hesitant.y_new(), direct.y_new()), 0.0);
}

TEST(Rk8, EvaluatesOnlyWhatIsAskedFor) {
  Rk8 stepper(4);
  ASSERT_TRUE(stepper.start(0.0, kepler_solution(0.1, 0.0), kepler_derivative));
  EXPECT_EQ(stepper.evaluations(), 1);
  ASSERT_LT(stepper.attempt(kepler_derivative, 0.1, Tolerance{}), infinity);
  EXPECT_EQ(stepper.evaluations(), 12);
  ASSERT_TRUE(stepper.prepare_dense(kepler_derivative));
  ASSERT_TRUE(stepper.prepare_dense(kepler_derivative));
  EXPECT_EQ(stepper.evaluations(), 16);
  ASSERT_TRUE(stepper.advance(kepler_derivative));
  EXPECT_EQ(stepper.evaluations(), 16) << "f at the end was known";
  EXPECT_EQ(stepper.t(), 0.1);
  ASSERT_LT(stepper.attempt(kepler_derivative, 0.1, Tolerance{}), infinity);
  ASSERT_TRUE(stepper.advance(kepler_derivative));
  EXPECT_EQ(stepper.evaluations(), 16 + 12);
}

TEST(Rk8, AdvanceIsTheSameAsStartingFromTheEnd) {
  Rk8 stepper(4);
  ASSERT_TRUE(stepper.start(0.0, kepler_solution(0.1, 0.0), kepler_derivative));
  ASSERT_LT(stepper.attempt(kepler_derivative, 0.1, Tolerance{}), infinity);
  Rk8 other = stepper;
  ASSERT_TRUE(stepper.advance(kepler_derivative));
  ASSERT_TRUE(other.start(other.t_new(), other.y_new(), kepler_derivative));
  EXPECT_EQ(stepper.t(), other.t());
  EXPECT_EQ(distance(stepper.y(), other.y()), 0.0);
  EXPECT_EQ(distance(stepper.dydt(), other.dydt()), 0.0);
}

TEST(Rk8, MakesNoAllocationAfterConstruction) {
  Rk8 stepper(4);
  const State y0 = kepler_solution(0.6, 0.0);
  State absolute, sample;
  absolute.fill(1e-9);
  const Tolerance tolerance{.relative = 1e-9, .absolute = absolute, .reference = absolute};
  StepController controller;

  const long before = allocations_so_far();
  bool good = stepper.start(0.0, y0, kepler_derivative);
  double h = stepper.initial_step(kepler_derivative, tolerance, 10.0);
  while (good && stepper.t() < 10.0) {
    const auto decision = controller.decide(h, stepper.attempt(kepler_derivative, h, tolerance));
    if (decision.accepted) {
      good = stepper.prepare_dense(kepler_derivative);
      stepper.interpolate(0.5, sample);
      good = good && stepper.advance(kepler_derivative);
    }
    h = decision.h_next;
  }
  const long after = allocations_so_far();

  EXPECT_TRUE(good);
  EXPECT_GT(controller.accepted(), 10);
  EXPECT_EQ(after, before);
  const Rk8 another(4);
  EXPECT_GT(allocations_so_far(), after) << "construction allocates, and is counted";
}

TEST(Rk8, SizeZeroMakesStepsWithoutError) {
  int calls = 0;
  const auto f = [&](double t, In y, Out dydt) {
    ++calls;
    return t < 1.0 && y.empty() && dydt.empty();
  };
  Rk8 stepper(0);
  ASSERT_TRUE(stepper.start(0.0, {}, f));
  const double h = stepper.initial_step(f, Tolerance{}, 1.0);
  EXPECT_GT(h, 0.0);
  EXPECT_LE(h, 1.0);
  EXPECT_EQ(stepper.attempt(f, 0.5, Tolerance{}), 0.0);
  ASSERT_TRUE(stepper.prepare_dense(f));
  stepper.interpolate(0.5, {});
  ASSERT_TRUE(stepper.advance(f));
  EXPECT_EQ(calls, 17);
  EXPECT_EQ(stepper.attempt(f, 0.5, Tolerance{}), infinity) << "f fails at t = 1";
}

// ---- Errors and tolerances ----------------------------------------------------------------------

// Where f depends on time alone the stages are its values at cᵢ h, and the estimates can be summed
// from the table.
TEST(Rk8, ErrorCombinesTheTwoEstimates) {
  const auto slope = [](double t) { return std::exp(3.0 * t); };
  const auto f = [&](double t, In, Out dydt) {
    dydt[0] = slope(t);
    dydt[1] = 0.0;
    return true;
  };
  const std::array y0{0.0, 1.0};
  const std::array absolute{0.5, 0.5};
  const double h = 0.8;
  double e5 = 0.0;
  double e3 = 0.0;
  double modulus = 0.0;
  for (std::size_t i = 0; i < dop853::step_stages; ++i) {
    const double k = slope(dop853::c[i] * h) / absolute[0];
    e5 += dop853::e5[i] * k;
    e3 += dop853::e3[i] * k;
    modulus += std::abs(dop853::e5[i] * k);
  }
  // The second component is exact: the mean square is half the square of the first.
  const double expected = h * (e5 * e5 / 2) / std::sqrt(e5 * e5 / 2 + 0.01 * e3 * e3 / 2);
  // e⁵ is small against its terms: a sum in another order may differ by 12 eps of their moduli.
  const double rounding = 2 * 12 * eps * modulus / std::abs(e5);
  Rk8 stepper(2);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  EXPECT_NEAR(stepper.attempt(f, h, {.relative = 0.0, .absolute = absolute, .reference = {}}),
              expected, rounding * expected);
  EXPECT_LT(rounding, 1e-9) << "the comparison says something";
}

TEST(Tolerance, ScaleIsAbsoluteAndRelativeOfTheLargest) {
  const std::array absolute{0.5, 0.0};
  const std::array reference{0.0, 100.0};
  const Tolerance all{.relative = 0.1, .absolute = absolute, .reference = reference};
  EXPECT_DOUBLE_EQ(all.scale(0, -3.0, 2.0), 0.5 + 0.3);
  EXPECT_DOUBLE_EQ(all.scale(0, 3.0, -20.0), 0.5 + 2.0);
  EXPECT_DOUBLE_EQ(all.scale(1, 3.0, -20.0), 10.0);
  EXPECT_DOUBLE_EQ(all.scale(1, 3.0, -2000.0), 200.0);
  EXPECT_DOUBLE_EQ(relative_tolerance(0.1).scale(1, 3.0, -20.0), 2.0);
}

TEST(Tolerance, ReferenceRelievesAComponentThatStartsAtZero) {
  const auto f = [](double t, In, Out dydt) {
    dydt[0] = 1e-3 * std::exp(t);
    return true;
  };
  const std::array zero{0.0};
  const std::array energy{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, zero, f));
  const double strict = stepper.attempt(f, 0.5, relative_tolerance(1e-9));
  const double grown = stepper.y_new()[0];
  const double relieved =
      stepper.attempt(f, 0.5, {.relative = 1e-9, .absolute = {}, .reference = energy});
  EXPECT_DOUBLE_EQ(relieved / strict, grown / energy[0]);
}

TEST(Tolerance, ZeroScaleToleratesExactComponentsOnly) {
  const auto f = [](double t, In, Out dydt) {
    dydt[0] = 0.0;
    dydt[1] = std::exp(t);
    return true;
  };
  Rk8 stepper(2);
  const std::array y0{0.0, 1.0};
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  EXPECT_LT(stepper.attempt(f, 0.1, relative_tolerance(1e-6)), 1.0);
  EXPECT_EQ(stepper.attempt(f, 0.1, relative_tolerance(0.0)), infinity);
}

// ---- Points where f has no value ----------------------------------------------------------------

TEST(Rk8, StartSaysWhetherTheDerivativeExists) {
  const auto refuses = [](double, In, Out dydt) {
    dydt[0] = 0.0;
    return false;
  };
  const auto reciprocal = [](double, In y, Out dydt) {
    dydt[0] = 1.0 / y[0];
    return true;
  };
  Rk8 stepper(1);
  const std::array zero{0.0};
  const std::array one{1.0};
  const std::array unbounded{infinity};
  EXPECT_FALSE(stepper.start(0.0, one, refuses));
  EXPECT_FALSE(stepper.start(0.0, zero, reciprocal));
  EXPECT_FALSE(stepper.start(0.0, unbounded, reciprocal));
  EXPECT_TRUE(stepper.start(0.0, one, reciprocal));
}

// The first stages do not enter the solution, so that what goes wrong there could be overlooked.
TEST(Rk8, AFailureInAnyStageMakesTheErrorInfinite) {
  for (int failing = 1; failing < 12; ++failing) {
    for (const double wrong : {nan, infinity, 0.0}) {
      int call = 0;
      const auto f = [&](double, In y, Out dydt) {
        dydt[0] = call == failing ? wrong : std::tanh(y[0]);
        return call++ != failing || wrong != 0.0;
      };
      const std::array y0{1.0};
      Rk8 stepper(1);
      ASSERT_TRUE(stepper.start(0.0, y0, f));
      EXPECT_EQ(stepper.attempt(f, 0.1, Tolerance{}), infinity) << "stage " << failing;
      EXPECT_EQ(call, failing + 1) << "nothing is evaluated after the failure";
      EXPECT_LT(stepper.attempt(f, 0.1, Tolerance{}), infinity) << "a second attempt is possible";
    }
  }
}

TEST(Rk8, OverflowOfTheStateMakesTheErrorInfinite) {
  const auto f = [](double, In, Out dydt) {
    dydt[0] = 1e306;
    return true;
  };
  const std::array y0{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  EXPECT_EQ(stepper.attempt(f, 1e3, Tolerance{}), infinity);
}

TEST(Rk8, DenseOutputAndAdvanceReportAFailureAtTheEnd) {
  bool fails = false;
  const auto f = [&](double, In y, Out dydt) {
    dydt[0] = -y[0];
    return !fails;
  };
  const std::array y0{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  ASSERT_LT(stepper.attempt(f, 0.1, Tolerance{}), infinity);
  fails = true;
  EXPECT_FALSE(stepper.prepare_dense(f));
  EXPECT_FALSE(stepper.advance(f));
  EXPECT_EQ(stepper.t(), 0.0);
  EXPECT_EQ(stepper.y()[0], 1.0);
  fails = false;
  EXPECT_TRUE(stepper.prepare_dense(f));
  EXPECT_TRUE(stepper.advance(f));
  EXPECT_EQ(stepper.t(), 0.1);
}

TEST(Rk8, AFailureInTheStagesOfTheDenseOutputKeepsTheEndOfTheStep) {
  int call = 0;
  const auto f = [&](double, In y, Out dydt) {
    dydt[0] = -y[0];
    return ++call != 14;  // the first call after the one at the end
  };
  const std::array y0{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  ASSERT_LT(stepper.attempt(f, 0.1, Tolerance{}), infinity);
  EXPECT_FALSE(stepper.prepare_dense(f));
  EXPECT_EQ(call, 14);
  ASSERT_TRUE(stepper.advance(f));
  EXPECT_EQ(call, 14) << "f at the end was known";
  EXPECT_EQ(stepper.dydt()[0], -stepper.y()[0]);
}

// y' = −1/(2y) has the solution √(1 − t), which ends at t = 1, and f has no value beyond.
TEST(Rk8, StepUnderflowsWhereTheSolutionEnds) {
  const auto f = [](double, In y, Out dydt) {
    if (y[0] <= 0.0) return false;
    dydt[0] = -0.5 / y[0];
    return true;
  };
  const std::array y0{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  const Outcome outcome = integrate(stepper, f, 2.0, relative_tolerance(1e-9));
  EXPECT_FALSE(outcome.arrived);
  EXPECT_NEAR(outcome.t, 1.0, 1e-7);  // some steps, each with an error of 1e-9
  EXPECT_LT(outcome.accepted + outcome.rejected, 1000);
}

// y' = y² has the solution 1/(1 − t), which blows up at t = 1 without a failure of f.
TEST(Rk8, StepUnderflowsWhereTheSolutionBlowsUp) {
  const auto f = [](double, In y, Out dydt) {
    dydt[0] = y[0] * y[0];
    return true;
  };
  const std::array y0{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  const Outcome outcome = integrate(stepper, f, 2.0, relative_tolerance(1e-9));
  EXPECT_FALSE(outcome.arrived);
  EXPECT_NEAR(outcome.t, 1.0, 1e-7);
  EXPECT_LT(outcome.accepted + outcome.rejected, 1000);
}

// ---- Step size ----------------------------------------------------------------------------------

TEST(StepController, FollowsTheErrorByItsEighthRoot) {
  StepController controller;
  const auto accepted = controller.decide(0.5, std::pow(0.5, 8));
  EXPECT_TRUE(accepted.accepted);
  EXPECT_DOUBLE_EQ(accepted.h_next, 0.5 * 0.9 * 2.0);
  const auto rejected = controller.decide(-0.5, std::pow(2.0, 8));
  EXPECT_FALSE(rejected.accepted);
  EXPECT_DOUBLE_EQ(rejected.h_next, -0.5 * 0.9 / 2.0);
  EXPECT_EQ(controller.accepted(), 1);
  EXPECT_EQ(controller.rejected(), 1);
}

TEST(StepController, AcceptsUpToTheToleranceAndNoFurther) {
  StepController controller;
  EXPECT_TRUE(controller.decide(1.0, 1.0).accepted);
  EXPECT_FALSE(controller.decide(1.0, 1.0 + eps).accepted);
}

TEST(StepController, KeepsChangesWithinItsFactors) {
  StepControlOptions options;
  options.min_factor = 0.25;
  options.max_factor = 3.0;
  StepController controller(options);
  EXPECT_DOUBLE_EQ(controller.decide(1.0, 0.0).h_next, 3.0);
  EXPECT_DOUBLE_EQ(controller.decide(-1.0, 1e-300).h_next, -3.0);
  EXPECT_DOUBLE_EQ(controller.decide(1.0, 1e300).h_next, 0.25);
}

TEST(StepController, DoesNotGrowRightAfterARejection) {
  StepController controller;
  EXPECT_FALSE(controller.decide(1.0, 10.0).accepted);
  EXPECT_DOUBLE_EQ(controller.decide(0.5, 1e-12).h_next, 0.5);
  EXPECT_DOUBLE_EQ(controller.decide(0.5, 1e-12).h_next, 3.0) << "growth resumes";
}

TEST(StepController, ShortensStronglyWhereTheErrorIsNotFinite) {
  for (const double error : {nan, infinity}) {
    StepController controller;
    const auto decision = controller.decide(-2.0, error);
    EXPECT_FALSE(decision.accepted);
    EXPECT_DOUBLE_EQ(decision.h_next, -0.2);
    EXPECT_DOUBLE_EQ(controller.decide(-0.2, 1e-12).h_next, -0.2) << "as after any rejection";
  }
}

TEST(StepController, ProportionalIntegralRuleUsesTheErrorBefore) {
  StepControlOptions options;
  options.beta = 0.04;
  StepController controller(options);
  const double exponent = 1.0 / 8.0 - 0.2 * options.beta;
  EXPECT_DOUBLE_EQ(controller.decide(1.0, 0.5).h_next,
                   0.9 * std::pow(0.5, -exponent) * std::pow(1e-4, options.beta));
  EXPECT_DOUBLE_EQ(controller.decide(1.0, 0.2).h_next,
                   0.9 * std::pow(0.2, -exponent) * std::pow(0.5, options.beta));
  EXPECT_DOUBLE_EQ(controller.decide(1.0, 5.0).h_next, 0.9 * std::pow(5.0, -exponent));
}

TEST(StepController, RespectsTheLongestStepBothWays) {
  StepControlOptions options;
  options.max_step = 0.75;
  StepController controller(options);
  EXPECT_DOUBLE_EQ(controller.decide(0.5, 1e-12).h_next, 0.75);
  EXPECT_DOUBLE_EQ(controller.decide(-0.5, 1e-12).h_next, -0.75);
}

TEST(StepUnderflow, IsRelativeToTheTime) {
  EXPECT_FALSE(step_underflow(0.0, 1e-300));
  EXPECT_TRUE(step_underflow(0.0, 0.0));
  EXPECT_TRUE(step_underflow(0.0, std::numeric_limits<double>::denorm_min()));
  for (const double t : {1.0, -1.0, 1e6}) {
    EXPECT_DOUBLE_EQ(smallest_step(t), 10 * eps * std::abs(t));
    EXPECT_NE(t + smallest_step(t), t);
    EXPECT_TRUE(step_underflow(t, 9 * eps * std::abs(t)));
    EXPECT_TRUE(step_underflow(t, -9 * eps * std::abs(t)));
    EXPECT_FALSE(step_underflow(t, -11 * eps * std::abs(t)));
  }
  EXPECT_TRUE(step_underflow(1.0, nan));
}

// y' = −λy from y = 1: ‖y‖ = 1/sc, ‖f‖ = λ/sc, h₀ = 1/(100 λ), ‖y''‖ = λ²/sc.
TEST(InitialStep, FollowsTheRuleForALinearEquation) {
  const double lambda = 3.0;
  const auto f = [&](double, In y, Out dydt) {
    dydt[0] = -lambda * y[0];
    return true;
  };
  const std::array y0{1.0};
  const double scale = 1e-9;
  const Tolerance tolerance = relative_tolerance(scale);
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  const double expected = std::pow(0.01 * scale / (lambda * lambda), 1.0 / 8.0);
  // y'' is a difference of numbers of order one, divided by h₀ = 1/300.
  const double rounding = 300 * 10 * eps;
  EXPECT_NEAR(stepper.initial_step(f, tolerance, 10.0), expected, rounding);
  EXPECT_EQ(stepper.evaluations(), 2);
  EXPECT_NEAR(stepper.initial_step(f, tolerance, -infinity), -expected, rounding);
  EXPECT_EQ(stepper.initial_step(f, tolerance, 1e-3), 1e-3);
  EXPECT_EQ(stepper.initial_step(f, tolerance, -1e-3), -1e-3);
}

// The rule is not homogeneous in time and starts slow motions with short steps: 3e-7 of the time
// scale below, which takes 6^7 to reach a tenth. Fast ones are bounded by 100 h₀, one time scale.
TEST(InitialStep, LeadsToAGoodStepWithinTenAttemptsForFastAndSlowMotions) {
  const std::array y0{1.0, 0.5};
  const Tolerance tolerance = relative_tolerance(1e-8);
  for (const double rate : {1e-6, 1.0, 1e6}) {
    const auto f = [&](double, In y, Out dydt) {
      dydt[0] = rate * y[1];
      dydt[1] = -rate * y[0];
      return true;
    };
    Rk8 stepper(2);
    StepController controller;
    ASSERT_TRUE(stepper.start(0.0, y0, f));
    double h = stepper.initial_step(f, tolerance, infinity);
    EXPECT_LE(h * rate, 1.1) << "rate " << rate;
    double longest = 0.0;
    for (int i = 0; i < 10; ++i) {
      const auto [accepted, h_next] = controller.decide(h, stepper.attempt(f, h, tolerance));
      if (accepted) {
        longest = std::max(longest, h);
        ASSERT_TRUE(stepper.advance(f));
      }
      h = h_next;
    }
    EXPECT_GT(longest * rate, 0.1) << "rate " << rate;
  }
}

TEST(InitialStep, IsPositiveAndFiniteWhereTheDerivativeVanishes) {
  const auto f = [](double, In, Out dydt) {
    std::ranges::fill(dydt, 0.0);
    return true;
  };
  const std::array rest{0.0, 1.0};
  Rk8 stepper(2);
  ASSERT_TRUE(stepper.start(0.0, rest, f));
  EXPECT_EQ(stepper.initial_step(f, Tolerance{}, 10.0), 1e-6);
  EXPECT_EQ(stepper.initial_step(f, Tolerance{}, -1e-7), -1e-7);
  stepper.start(1e12, rest, stepper.dydt());
  EXPECT_FALSE(step_underflow(1e12, stepper.initial_step(f, Tolerance{}, 10.0)));
}

TEST(InitialStep, ShortensUntilTheDerivativeExists) {
  // h₀ = 1/100 leads out of the domain t < 1e-4.
  const auto f = [](double t, In y, Out dydt) {
    dydt[0] = t < 1e-4 ? -y[0] : nan;
    return true;
  };
  const std::array y0{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  const double h = stepper.initial_step(f, Tolerance{}, 1.0);
  EXPECT_GT(h, 0.0);
  EXPECT_LE(h, 100 * 1e-4);
  // Where f exists at the start alone there is nothing better than some short step.
  const auto nowhere_else = [](double t, In y, Out dydt) {
    dydt[0] = -y[0];
    return t == 0.0;
  };
  const double last_resort = stepper.initial_step(nowhere_else, Tolerance{}, 1.0);
  EXPECT_GT(last_resort, 0.0);
  EXPECT_LE(last_resort, 1e-6);
}

TEST(InitialStep, SurvivesHugeDerivatives) {
  const auto f = [](double, In, Out dydt) {
    dydt[0] = 1e300;
    return true;
  };
  const std::array y0{1.0};
  Rk8 stepper(1);
  ASSERT_TRUE(stepper.start(0.0, y0, f));
  const double h = stepper.initial_step(f, Tolerance{}, 1.0);
  EXPECT_GT(h, 0.0);
  EXPECT_LE(h, 1.0);
}

TEST(Derivative, RefersToTheCallableItself) {
  struct Counter {
    int calls = 0;
    bool operator()(double, In, Out) {
      ++calls;
      return true;
    }
  };
  Counter counter;
  const Derivative f = counter;
  const Derivative copy = f;
  f(0.0, {}, {});
  copy(0.0, {}, {});
  EXPECT_EQ(counter.calls, 2);
  const auto refuses = [](double, In, Out) { return false; };
  EXPECT_FALSE(Derivative(refuses)(0.0, {}, {}));
}

}  // namespace
}  // namespace dalembert::motion
