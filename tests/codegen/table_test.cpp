// A table in a tape: the same bits in every engine and any number of lanes, exact slopes, series.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/codegen/machine_program.hpp"
#include "dalembert/codegen/series_kernel.hpp"
#include "dalembert/codegen/variational.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/table.hpp"

namespace dalembert::codegen::table_test {
namespace {

using expr::Interpolation;

std::shared_ptr<const expr::Table> wave(Interpolation interpolation) {
  std::vector<double> x, y;
  for (int i = 0; i < 500; ++i) {
    x.push_back(0.02 * i + 1e-5 * i * i);
    y.push_back(std::sin(x.back()) + 0.1 * std::sin(17 * x.back()));
  }
  return expr::Table::through("F", x, y, interpolation, expr::Outside::hold);
}

TEST(TableOperation, EveryEngineAndEveryLaneHasTheBitsOfTheTable) {
  const Expr x = expr::coordinate("x"), p = expr::parameter("p");
  for (const auto kind :
       {Interpolation::linear, Interpolation::hold, Interpolation::cubic, Interpolation::spline}) {
    const auto table = wave(kind);
    const std::array outputs{apply_table(table, x), apply_table(table, p) + 0 * x,
                             apply_table(table, sin(x)) * x};
    const Tape tape = make_tape(outputs, std::array{x}, std::array{p});
    const std::atomic<bool> stop = false;
    for (const int lanes : {1, 4, 8}) {
      std::vector<Kernel> kernels{interpreted(tape, lanes)};
      for (const Level level : {Level::quick, Level::good}) {
        if (auto program = machine_program(tape, lanes, level, stop))
          kernels.emplace_back(std::make_shared<const Tape>(tape), program, lanes);
      }
      for (const Kernel& kernel : kernels) {
        Workspace workspace = kernel.workspace(std::array{1.7});
        for (int k = -5; k < 60; ++k) {
          std::vector<double> in, out(3 * static_cast<std::size_t>(lanes));
          for (int l = 0; l < lanes; ++l) in.push_back(0.21 * k + 0.013 * l);
          kernel.evaluate(workspace, in, out);
          for (int l = 0; l < lanes; ++l) {
            const auto lane = static_cast<std::size_t>(l);
            ASSERT_EQ(out[lane], table->value(in[lane]));
            ASSERT_EQ(out[static_cast<std::size_t>(lanes) + lane], table->value(1.7));
          }
        }
      }
    }
  }
}

TEST(TableOperation, TheTapeKeepsItsTableAlive) {
  Kernel kernel = [] {
    const Expr x = expr::coordinate("x");
    return interpreted(make_tape(std::array{apply_table(wave(Interpolation::cubic), x)},
                                 std::array{x}, std::span<const Expr>()),
                       1);
  }();
  Workspace workspace = kernel.workspace({});
  std::array<double, 1> out{};
  kernel.evaluate(workspace, std::array{0.5}, out);
  EXPECT_EQ(out[0], wave(Interpolation::cubic)->value(0.5));
}

TEST(TableOperation, SlopesOfTapesAreThoseOfTheTable) {
  const Expr x = expr::coordinate("x");
  const auto table = wave(Interpolation::spline);
  const Tape f = make_tape(std::array{apply_table(table, pow(x, 2))}, std::array{expr::time(), x},
                           std::span<const Expr>());
  const Tape tangent = variational(f, 1, {});
  const Kernel kernel = interpreted(tangent, 1);
  Workspace workspace = kernel.workspace({});
  std::vector<double> out(tangent.outputs.size());
  for (const double at : {0.3, 1.1, 2.4}) {
    kernel.evaluate(workspace, std::array{0.0, at, 1.0}, out);
    EXPECT_EQ(out[0], table->value(at * at));
    EXPECT_NEAR(out[1], 2 * at * table->derivative()->value(at * at), 1e-13);
  }
}

TEST(TableOperation, KinksOnlyWhereItsArgumentMovesWithTheState) {
  const Expr x = expr::coordinate("x"), t = expr::time();
  const auto table = wave(Interpolation::cubic);
  const auto kinked = [&](const Expr& e) {
    return has_kinks(make_tape(std::array{e}, std::array{t, x}, std::span<const Expr>()), 1);
  };
  EXPECT_TRUE(kinked(apply_table(table, x)));
  EXPECT_FALSE(kinked(apply_table(table, t) * x));
}

}  // namespace
}  // namespace dalembert::codegen::table_test
