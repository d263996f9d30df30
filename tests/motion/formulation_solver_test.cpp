// The numerics behind a formulation: factorization, the judgement of a choice of coordinates, and
// what happens along a motion on which the choice must change.
#include "dalembert/flow/formulation_solver.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "allocation_counter.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/flow/evaluator.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/system.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/solve/dense_kernels.hpp"

namespace dalembert::motion::formulation_solver_test {
namespace {

using expr::cos;
using expr::dot;
using expr::Expr;
using expr::pow;
using expr::sin;
using model::System;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

const char* const formulations[] = {"maggi",  "boltzmann-hamel", "transpositional", "central",
                                    "suslov", "voronets",        "gibbs-appell",    "gauss"};

Motion compiled(const System& s, const std::string& method) {
  CompileOptions options;
  options.method = method;
  return compile(s.model(), options).value();
}

Summary run(const Motion& motion, const SimulationOptions& options, std::vector<double>* end = {}) {
  return simulate(motion, initial_state(motion).value().state, options, [&](const Sample& s) {
    if (end != nullptr) end->assign(s.q.begin(), s.q.end());
    return true;
  });
}

TEST(Lu, SolvesWhatItIsGivenWhateverTheScaleOfTheRows) {
  EXPECT_TRUE(rc::check([] {
    const int n = *rc::gen::inRange(1, 9);
    Eigen::MatrixXd H(n, n);
    Eigen::VectorXd x(n);
    for (int i = 0; i < n; ++i) {
      const double scale = std::ldexp(1, *rc::gen::inRange(-300, 300));
      for (int j = 0; j < n; ++j) H(i, j) = scale * *rc::gen::inRange(-1000, 1001);
      x(i) = *rc::gen::inRange(-1000, 1001);
    }
    Eigen::MatrixXd unit = H;
    for (int i = 0; i < n; ++i) {
      const double largest = unit.row(i).cwiseAbs().maxCoeff();
      if (largest == 0) RC_DISCARD("singular");
      unit.row(i) /= largest;
    }
    const Eigen::FullPivLU<Eigen::MatrixXd> exact(unit);
    const double rcond = exact.rcond();
    RC_PRE(rcond > 1e-8);
    const Eigen::VectorXd right = H * x;
    Eigen::VectorXd scratch(n), solution = right;
    std::vector<int> swaps(static_cast<std::size_t>(n));
    RC_ASSERT(lu(H, scratch, swaps));
    lu_solve(H, swaps, solution.data());
    // Growth of pivots is below 2^(n-1) <= 128 and in practice below n.
    RC_ASSERT((solution - x).norm() <= 100 * n * epsilon / rcond * (1 + x.norm()));
  }));
}

TEST(Lu, SaysWhatItCannotSolve) {
  Eigen::VectorXd scale(2);
  std::vector<int> swaps(2);
  Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(2, 2);
  EXPECT_FALSE(lu(zero, scale, swaps));
  Eigen::MatrixXd same(2, 2);
  same << 1, 2, 2, 4;
  EXPECT_FALSE(lu(same, scale, swaps));
  Eigen::MatrixXd not_finite(2, 2);
  not_finite << 1, std::nan(""), 0, 1;
  EXPECT_FALSE(lu(not_finite, scale, swaps));
}

TEST(SplitJudge, QualityIsTheRatioOfDeterminants) {
  SplitJudge judge(3, 1);
  const double phi = 1.4;
  Eigen::MatrixXd A(1, 3), M = Eigen::MatrixXd::Identity(3, 3);
  A << -5 * std::sin(phi), 5 * std::cos(phi), 0;
  judge.set(M, A);
  const std::vector<std::size_t> row{0}, x{0}, y{1}, z{2};
  EXPECT_NEAR(judge.quality(row, x), 1, 4 * epsilon);
  EXPECT_NEAR(judge.quality(row, y), std::cos(phi) / std::sin(phi), 4 * epsilon);
  EXPECT_EQ(judge.quality(row, z), 0);
  EXPECT_EQ(judge.quality(row), 1);
  M(1, 1) = 1e-6;  // y in millimetres: its entry of A is a thousandth, its scale a thousand
  A(0, 1) *= 1e-3;
  judge.set(M, A);
  EXPECT_NEAR(judge.quality(row, y), std::cos(phi) / std::sin(phi), 8 * epsilon);
}

TEST(SplitJudge, RowsThatHaveBecomeDependentAreSeen) {
  SplitJudge judge(3, 3);
  Eigen::MatrixXd A(3, 3);
  A << 1, 0, 0, 1, 1e-6, 0, 0, 0, 2;
  judge.set(Eigen::MatrixXd::Identity(3, 3), A);
  EXPECT_LT(judge.quality(std::vector<std::size_t>{0, 1}), 1e-5);
  EXPECT_EQ(judge.quality(std::vector<std::size_t>{0, 2}), 1);
}

TEST(SplitJudge, SmallestPivotOfQuasiVelocities) {
  SplitJudge judge(2, 1);
  judge.set(Eigen::MatrixXd::Identity(2, 2), Eigen::MatrixXd::Ones(1, 2));
  Eigen::MatrixXd Psi(2, 2);
  Psi << 3, 0, 0, 7;
  EXPECT_EQ(judge.smallest_pivot(Psi), 1);
  Psi << 1, 0, 1, 1e-3;
  EXPECT_NEAR(judge.smallest_pivot(Psi), 1e-3, 1e-9);
  Psi << 1, 2, 2, 4;
  EXPECT_LT(judge.smallest_pivot(Psi), 1e-15);
}

TEST(FundamentalOptions, TakeNoFormulationForARoute) {
  FundamentalOptions options;
  options.method = Method::suslov;
  EXPECT_THROW(Fundamental(2, 1, options), std::invalid_argument);
}

TEST(Methods, AllNamesOfTheModelAreKnownAndReadBack) {
  for (const std::string_view name : model::known_methods()) {
    const auto method = method_from_string(name);
    ASSERT_TRUE(method) << name;
    EXPECT_EQ(to_string(*method), name);
    EXPECT_EQ(is_fundamental(*method), *method == fundamental_route(*method));
    const auto* info = mechanics::find_formulation(name);
    EXPECT_EQ(!is_fundamental(*method), info != nullptr && info->runs_here) << name;
    if (info != nullptr) {
      EXPECT_EQ(info->mechanical, is_mechanical(*method)) << name;
    }
  }
  EXPECT_TRUE(method_note(Method::suslov).empty());
  EXPECT_NE(method_note(Method::vakonomic).find("NOT the mechanical motion"), std::string::npos);
}

/// A skate that turns at a constant rate: the knife edge makes each of x and y useless in turn.
System turning_skate() {
  System s("turning skate");
  auto [x, y, phi] = s.coordinates("x", "y", "phi");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2) + pow(dot(phi), 2)) / 2).potential(3 * y / 2);
  s.constrain("knife edge", dot(x) * sin(phi) == dot(y) * cos(phi));
  s.initial(dot(phi), 1);
  return s;
}

TEST(Formulations, SwitchThereAndBackAndFindWhatTheyKnow) {
  SimulationOptions options;
  options.rtol = 1e-11;
  options.duration = 2 * std::numbers::pi;
  std::vector<double> reference;
  ASSERT_TRUE(run(compile(turning_skate().model()).value(), options, &reference).complete);
  for (const char* method : formulations) {  // without quasi-velocities of its own
    SCOPED_TRACE(method);
    std::vector<double> end;
    const Summary summary = run(compiled(turning_skate(), method), options, &end);
    ASSERT_TRUE(summary.complete) << summary.reason;
    ASSERT_EQ(summary.switch_count, 4);  // near each multiple of pi/2 but the last
    for (std::size_t i = 1; i < 4; ++i) {
      EXPECT_EQ(summary.switches[i].from, summary.switches[i - 1].to);
      EXPECT_NEAR(summary.switches[i].t - summary.switches[i - 1].t, std::numbers::pi / 2, 0.5);
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(end[i], reference[i], 1e-8);
  }
}

TEST(Formulations, QuasiVelocitiesOfTheModelAreGivenUpWhereTheyFail) {
  System s = turning_skate();
  const Expr x = expr::coordinate("x"), phi = expr::coordinate("phi");
  s.quasi_velocity("u1", dot(x)).quasi_velocity("u2", dot(phi));  // u1 is no speed at phi = pi/2
  SimulationOptions options;
  options.rtol = 1e-11;
  options.duration = 2;
  std::vector<double> reference;
  ASSERT_TRUE(run(compile(s.model()).value(), options, &reference).complete);
  for (const char* method : {"boltzmann-hamel", "transpositional", "central", "gibbs-appell"}) {
    SCOPED_TRACE(method);
    std::vector<double> end;
    const Summary summary = run(compiled(s, method), options, &end);
    ASSERT_TRUE(summary.complete) << summary.reason;
    ASSERT_EQ(summary.switch_count, 1);
    EXPECT_TRUE(summary.switches[0].quasi_velocities);
    EXPECT_EQ(summary.switches[0].from, (std::vector<std::string>{"u1", "u2"}));
    EXPECT_EQ(summary.switches[0].to, (std::vector<std::string>{"y'", "phi'"}));
    EXPECT_LT(summary.switches[0].t, std::numbers::pi / 2);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(end[i], reference[i], 1e-8);
  }
}

TEST(Formulations, DeriveAnewWhereTheRankChanges) {
  // The second constraint's row, max(t - 1, 0) (x' - y'), is zero until t = 1.
  System s("latch");
  auto [x, y, z] = s.coordinates("x", "y", "z");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2) + pow(dot(z), 2)) / 2).force(z, 1);
  s.constrain("always", dot(z) == Expr(0));
  s.constrain("late", expr::max(expr::time() - 1, 0) * (dot(x) - dot(y)) == Expr(0));
  s.initial(dot(x), 1).initial(dot(y), 1);
  SimulationOptions options;
  options.duration = 2;
  for (const char* method : formulations) {
    SCOPED_TRACE(method);
    std::vector<double> end;
    const Summary summary = run(compiled(s, method), options, &end);
    ASSERT_TRUE(summary.complete) << summary.reason;
    EXPECT_EQ(summary.rank, 2);
    EXPECT_EQ(summary.rank_change_count, 1);
    ASSERT_EQ(summary.switch_count, 1);
    EXPECT_EQ(summary.switches[0].from, std::vector<std::string>{"z"});
    EXPECT_EQ(summary.switches[0].to.size(), 2u);
    EXPECT_NEAR(end[0], 2, 1e-9);
    EXPECT_NEAR(end[1], 2, 1e-9);
  }
}

// Two constraints whose A_D is a rotation: always regular, but eliminated with the pivots of t = 0
// its first one, cos(phi), vanishes at phi = pi/2.
TEST(Formulations, LoseNoDigitsWhereThePivotsOfTheirDerivationVanish) {
  System s("turntable");
  auto [phi, x, y] = s.coordinates("phi", "x", "y");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2) + pow(dot(phi), 2)) / 2).potential(y);
  s.constrain("along", cos(phi) * dot(x) + sin(phi) * dot(y) == dot(phi));
  s.constrain("across", cos(phi) * dot(y) - sin(phi) * dot(x) == dot(phi) / 2);
  s.independent({phi});
  s.initial(dot(phi), 1).initial(dot(x), 1).initial(dot(y), Expr(1) / 2);
  const Motion reference = compile(s.model()).value();
  for (const char* method : formulations) {
    SCOPED_TRACE(method);
    const Motion motion = compiled(s, method);
    Evaluator evaluator(motion), exact(reference);
    ASSERT_EQ(evaluator.decide(0, std::vector{0.0, 0.0, 0.0}, std::vector{1.0, 1.0, 0.5}),
              Status::ok);
    for (const double off : {1e-3, 1e-9, 1e-15, 0.0}) {
      const double angle = std::numbers::pi / 2 + off;
      const double c = std::cos(angle), d = std::sin(angle);
      const std::vector q{angle, 0.0, 0.0}, v{1.0, c - d / 2, d + c / 2};
      ASSERT_EQ(evaluator.decide(0, q, v), Status::ok) << evaluator.explain_failure();
      ASSERT_EQ(exact.decide(0, q, v), Status::ok);
      EXPECT_LE((evaluator.acceleration() - exact.acceleration()).norm(), 1e-9) << off;
    }
  }
}

TEST(Formulations, StepsDoNotAllocate) {
  System s("bead");  // no switch on the way: x is always the better one
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2).potential(pow(x, 2));
  s.constrain("wire", y == sin(x) / 3);
  s.virtual_work(x, -dot(x) / 100 * expr::abs(System::ideal(x)));
  s.initial(x, 1).adjust(model::Adjust::nearest);
  SimulationOptions options;
  options.samples = 2000;
  options.duration = 50;
  for (const char* method : formulations) {
    SCOPED_TRACE(method);
    const Motion motion = compiled(s, method);
    const State start = initial_state(motion).value().state;
    long first = -1, last = 0, count = 0;
    const Summary summary = simulate(motion, start, options, [&](const Sample&) {
      if (++count == 10) first = allocations_so_far();
      last = allocations_so_far();
      return true;
    });
    EXPECT_TRUE(summary.complete) << summary.reason;
    EXPECT_EQ(summary.switch_count, 0);
    EXPECT_EQ(last - first, 0);
  }
}

TEST(Formulations, NonlinearConstraintFoundOnlyAtTheAdjustedStateIsStillRefused) {
  System s("nonlinear");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2);
  s.constrain("speed", pow(dot(x), 2) + pow(dot(y), 2) == Expr(1));
  s.initial(dot(x), 2).adjust(model::Adjust::nearest);
  const auto start = initial_state(compiled(s, "suslov"));
  ASSERT_FALSE(start);
  EXPECT_EQ(start.error().diagnostics.front().message,
            "suslov: constraint 'speed' is not linear in the velocities");
}

TEST(Vakonomic, NeedsMuForConstraintsOnVelocities) {
  const Motion motion = compiled(turning_skate(), "vakonomic");
  const auto start = initial_state(motion);
  ASSERT_FALSE(start);
  EXPECT_EQ(start.error().diagnostics.front().message,
            "method vakonomic needs an initial value of mu for 'knife edge', as in mu = { \"knife "
            "edge\" = 0.1 } in [initial]");
  const std::vector<double> q(3), v{0, 0, 1};
  EXPECT_THROW(motion.acceleration(0, q, v), std::invalid_argument);
  EXPECT_THROW(simulate(motion, State{0, q, v}, {}, [](const Sample&) { return true; }),
               std::invalid_argument);
  EXPECT_THROW(compiled(turning_skate(), "suslov").acceleration(0, q, v, std::vector{1.0}),
               std::invalid_argument);
}

TEST(Vakonomic, EndsWhereTheRankChangesAndSaysSo) {
  System s("release");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic((pow(dot(x), 2) + pow(dot(y), 2)) / 2);
  s.constrain("until one", expr::max(1 - expr::time(), 0) * (dot(x) - dot(y)) == Expr(0));
  s.initial(dot(x), 1).initial(dot(y), 1).mu("until one", 0);
  const Summary summary = run(compiled(s, "vakonomic"), {});
  EXPECT_FALSE(summary.complete);
  EXPECT_GE(summary.t, 0.99);
  EXPECT_NE(summary.reason.find("vakonomic: "), std::string::npos) << summary.reason;
}

}  // namespace
}  // namespace dalembert::motion::formulation_solver_test
