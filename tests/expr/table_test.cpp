// Functions given by points: interpolation, derivatives, ranges, and how they are written.
#include "dalembert/expr/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/expr.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/print.hpp"

namespace dalembert::expr::table_test {
namespace {

const std::vector<double> nodes{0, 1, 2, 4, 5, 7};
const std::vector<double> values{0, 3, 1, 1, 2, -2};

std::shared_ptr<const Table> table_by(Interpolation interpolation,
                                      Outside outside = Outside::hold) {
  return Table::through("F", nodes, values, interpolation, outside);
}

/// Of SciPy 1.15's PchipInterpolator and CubicSpline (not-a-knot) through the same points.
struct Reference {
  double s, cubic, cubic_slope, spline, spline_slope;
};
constexpr std::array references = {
    Reference{0.3, 1.4565, 4.165, 1.884570895522388, 4.6050373134328355},
    Reference{1.5, 2.0, -3.0, 2.142257462686567, -2.321828358208955},
    Reference{3, 1.0, 0.0, 0.23694029850746268, 0.19962686567164178},
    Reference{4.6, 1.648, 1.44, 1.6723582089552234, 1.0095522388059703},
    Reference{6.5, -0.25, -3.0, 0.2957089552238804, -3.509328358208955}};

TEST(Table, CubicAndSplineAreThoseOfTheTextbooks) {
  const auto cubic = table_by(Interpolation::cubic), spline = table_by(Interpolation::spline);
  for (const Reference& r : references) {
    EXPECT_NEAR(cubic->value(r.s), r.cubic, 1e-14);
    EXPECT_NEAR(cubic->derivative()->value(r.s), r.cubic_slope, 1e-13);
    EXPECT_NEAR(spline->value(r.s), r.spline, 1e-13);
    EXPECT_NEAR(spline->derivative()->value(r.s), r.spline_slope, 1e-13);
  }
  // Three points make a parabola, two a line.
  const std::vector<double> x{0, 1, 3}, y{1, 2, 0};
  EXPECT_NEAR(Table::through("P", x, y, Interpolation::spline, Outside::hold)->value(2), 5.0 / 3,
              1e-15);
}

TEST(Table, EveryInterpolationMeetsItsPointsExactly) {
  for (const auto kind :
       {Interpolation::linear, Interpolation::hold, Interpolation::cubic, Interpolation::spline}) {
    for (const auto outside : {Outside::hold, Outside::error}) {
      const auto table = table_by(kind, outside);
      for (std::size_t i = 0; i < nodes.size(); ++i)
        EXPECT_EQ(table->value(nodes[i]), values[i]) << to_string(kind) << " at " << nodes[i];
    }
  }
}

TEST(Table, OutsideItHoldsTheEndsOrHasNoValue) {
  const auto holds = table_by(Interpolation::linear),
             ends = table_by(Interpolation::linear, Outside::error);
  EXPECT_EQ(holds->value(-5), 0);
  EXPECT_EQ(holds->value(100), -2);
  EXPECT_EQ(holds->derivative()->value(100), 0);
  EXPECT_TRUE(std::isnan(ends->value(-1e-9)));
  EXPECT_TRUE(std::isnan(ends->value(7.0000001)));
  EXPECT_TRUE(std::isnan(holds->value(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Table, HoldKeepsTheValueOfThePointBefore) {
  const auto table = table_by(Interpolation::hold);
  EXPECT_EQ(table->value(0.999), 0);
  EXPECT_EQ(table->value(1), 3);
  EXPECT_EQ(table->value(6.999), 2);
  EXPECT_EQ(table->value(7), -2);
  EXPECT_EQ(table->derivative(), nullptr);
}

TEST(Table, APieceIsFoundAmongManyEvenlySpacedOrNot) {
  for (const bool even : {true, false}) {
    std::vector<double> x, y;
    for (int i = 0; i < 10000; ++i) {
      x.push_back(even ? 0.1 * i : 1e-4 * i * i + 0.01 * i);
      y.push_back(std::sin(x.back()));
    }
    const auto table = Table::through("many", x, y, Interpolation::linear, Outside::hold);
    for (int k = 0; k < 20000; ++k) {
      const double s = x.back() * (k + 0.37) / 20000;
      const auto next = std::ranges::upper_bound(x, s);
      const auto i = static_cast<std::size_t>(next - x.begin()) - 1;
      const double line = y[i] + (y[i + 1] - y[i]) * ((s - x[i]) / (x[i + 1] - x[i]));
      ASSERT_NEAR(table->value(s), line, 1e-13) << s;
    }
  }
}

TEST(Table, RangesHoldEveryValueAndAreTightOverManyPieces) {
  for (const auto kind :
       {Interpolation::linear, Interpolation::hold, Interpolation::cubic, Interpolation::spline}) {
    const auto table = table_by(kind);
    for (double low = -1; low < 8; low += 0.23) {
      for (double high = low; high < 9; high += 0.31) {
        const Range range = table->range({low, high});
        for (int k = 0; k <= 20; ++k) {
          const double s = std::min(low + (high - low) * k / 20, high);
          ASSERT_LE(range.low - 1e-12, table->value(s)) << to_string(kind) << " at " << s;
          ASSERT_GE(range.high + 1e-12, table->value(s)) << to_string(kind) << " at " << s;
        }
      }
    }
    EXPECT_LT(table->range({-10, 10}).width(), 8) << to_string(kind);
  }
  EXPECT_EQ(table_by(Interpolation::cubic)->range({-10, 10}).high, 3);
}

TEST(Table, IsAFunctionOfExpressionsWithItsDerivatives) {
  const auto table = table_by(Interpolation::spline);
  const Expr x = coordinate("x"), F = apply_table(table, pow(x, 2));
  const Expr slope = differentiate(F, x);
  EXPECT_EQ(to_text(F), "F(x^2)");
  EXPECT_EQ(to_text(slope), "2*x*F'(x^2)");
  EXPECT_EQ(to_latex(apply_table(table, time())), "F\\left(t\\right)");
  EXPECT_EQ(to_latex(slope_of(apply_table(table, time()))), "{F}'\\left(t\\right)");
  const auto at = [](double value) { return [value](const Symbol&) { return value; }; };
  for (const double s : {0.4, 1.3, 2.2}) {
    const double h = 1e-5;
    const double difference = (evaluate(F, at(s + h)) - evaluate(F, at(s - h))) / (2 * h);
    EXPECT_NEAR(evaluate(slope, at(s)), difference, 1e-6);
  }
  EXPECT_TRUE(same(time_derivative(F),
                   2 * x * coordinate("x", 1) * apply_table(table->derivative(), pow(x, 2))));
  EXPECT_TRUE(differentiate(apply_table(table_by(Interpolation::hold), x), x).is_zero());
}

TEST(Table, TheSameNumbersAreTheSameFunction) {
  const Expr x = coordinate("x");
  EXPECT_TRUE(same(apply_table(table_by(Interpolation::cubic), x),
                   apply_table(table_by(Interpolation::cubic), x)));
  EXPECT_FALSE(same(apply_table(table_by(Interpolation::cubic), x),
                    apply_table(table_by(Interpolation::spline), x)));
  EXPECT_FALSE(same(apply_table(table_by(Interpolation::cubic), x),
                    apply_table(table_by(Interpolation::cubic)->named("G"), x)));
  const Expr F = apply_table(table_by(Interpolation::cubic), x);
  EXPECT_TRUE(same(substitute(F, {{x, Expr(2)}}), apply_table(table_by(Interpolation::cubic), 2)));
}

TEST(Table, IsReadInTexts) {
  const auto table = table_by(Interpolation::cubic);
  const Scope scope{resolve_symbols({"x"}),
                    {},
                    {},
                    [&](std::string_view name) { return name == "F" ? table : nullptr; },
                    {"F"}};
  const auto read = [&](std::string_view text) {
    return std::get<Expr>(*parse_value(text, scope));
  };
  const Expr x = coordinate("x");
  EXPECT_TRUE(same(read("2*F(x)"), 2 * apply_table(table, x)));
  EXPECT_TRUE(same(read("F'(x)"), apply_table(table->derivative(), x)));
  EXPECT_TRUE(same(read("F''''(x)"), Expr(0)));
  EXPECT_EQ(parse_value("F(x, 2)", scope).error().message, "table 'F' takes 1 argument, not 2");
}

TEST(Table, ZeroIsDecidedOnOnePiece) {
  const Expr x = parameter("x"), F = apply_table(table_by(Interpolation::linear), x);
  EXPECT_TRUE(proven_zero(F - F));
  EXPECT_FALSE(proven_zero(F - 3 * x));
}

TEST(Table, CIsAFunctionOfItsOwn) {
  const std::array outputs{apply_table(table_by(Interpolation::linear), coordinate("x"))};
  const std::array inputs{coordinate("x")};
  const std::string text = to_c("f", outputs, inputs);
  EXPECT_NE(text.find("static double table0(double s)"), std::string::npos) << text;
  EXPECT_NE(text.find("out[0] = "), std::string::npos);
}

}  // namespace
}  // namespace dalembert::expr::table_test
