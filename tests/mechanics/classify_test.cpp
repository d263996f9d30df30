/// Integrability of constraints: the traps of theory section 2 and closed forms.

#include "dalembert/mechanics/classify.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/print.hpp"
#include "setting_of.hpp"

namespace dalembert::mechanics::classify_test {
namespace {

/// A free particle in (x, y, z), or more coordinates, with these constraints and start.
std::unique_ptr<Prepared> with(const std::vector<std::string>& equations,
                               const std::string& initial,
                               const std::string& coordinates = "\"x\", \"y\", \"z\"",
                               const std::string& kinetic = "(x'^2 + y'^2 + z'^2)/2") {
  std::string text = fmt::format(
      "name = \"test\"\ncoordinates = [{}]\n[parameters]\nk = 2\n[energy]\nkinetic = \"{}\"\n",
      coordinates, kinetic);
  for (std::size_t j = 0; j < equations.size(); ++j)
    text += fmt::format("[[constraint]]\nname = \"c{}\"\nequation = \"{}\"\n", j + 1, equations[j]);
  return prepared_text(text + "[initial]\n" + initial);
}

Classification classes(const Prepared& p) {
  return classify(p.model, p.equations, p.values);
}

TEST(Classify, AnIntegralOfTenThousandsOfTermsIsNotWrittenOut) {
  // By parts the integral of x^p sin(x) has p + 1 terms, each inside the other.
  for (const std::string function : {"sin(x)", "exp(x)", "cosh(2*x)"}) {
    const auto p = with({"x^40000*" + function + "*x' + y' = 0"}, "x = 0.5\n");
    const Classification c = classes(*p);
    EXPECT_TRUE(c.constraints[0].exact) << function;
    EXPECT_EQ(c.constraints[0].integrable, true) << function;
    EXPECT_FALSE(c.constraints[0].integral) << function;
  }
  EXPECT_TRUE(classes(*with({"x^3*sin(x)*x' + y' = 0"}, "")).constraints[0].integral);
  EXPECT_TRUE(classes(*with({"x^40000*x' + y' = 0"}, "")).constraints[0].integral);
}

TEST(Classify, WhatTakesTooMuchEffortIsNotDecided) {
  const auto p = prepared_model("rolling_disk");
  expr::Patience none;
  none.most = 10;
  const Classification c = classify(p->model, p->equations, p->values, none);
  EXPECT_FALSE(c.constraints[0].integrable);
  EXPECT_EQ(c.not_decided, "that takes too long");
}

TEST(Classify, TheKnifeEdgeIsNotIntegrable) {
  const auto p = prepared_model("dumbbell");
  const Classification c = classes(*p);
  EXPECT_EQ(c.constraints[0].integrable, false);
  EXPECT_FALSE(c.constraints[0].exact);
  EXPECT_EQ(c.holonomic_combinations, 0u);
  EXPECT_EQ(c.growth, (std::vector<std::size_t>{3, 4}));  // 2 to 3, and time
}

TEST(Classify, TheRollingDiskGrowsInTwoSteps) {
  const auto p = prepared_model("rolling_disk");
  const Classification c = classes(*p);
  EXPECT_EQ(c.constraints[0].integrable, false);
  EXPECT_EQ(c.constraints[1].integrable, false);
  EXPECT_EQ(c.holonomic_combinations, 0u);
  EXPECT_EQ(c.growth, (std::vector<std::size_t>{4, 5, 6}));  // 3, 4, 5, and time
}

TEST(Classify, APointwiseTestWouldLie) {
  // y' = z^2 x': the condition (5.74) is 2 z, zero at z = 0 but not identically.
  const auto p = with({"y' = z^2*x'"}, "z = 0\n");
  EXPECT_EQ(classes(*p).constraints[0].integrable, false);
}

TEST(Classify, AloneNotIntegrableTogetherYes) {
  EXPECT_EQ(classes(*with({"y' = z*x'"}, "z = 0.5\n")).constraints[0].integrable, false);
  const auto p = with({"y' = z*x'", "z' = 0"}, "z = 0.5\n");
  const Classification c = classes(*p);
  EXPECT_EQ(c.constraints[0].integrable, true);
  EXPECT_EQ(c.constraints[1].integrable, true);
  EXPECT_EQ(c.holonomic_combinations, 2u);
  EXPECT_FALSE(c.constraints[0].exact);
  EXPECT_TRUE(c.constraints[1].exact);
}

TEST(Classify, OnlyACombinationMayBeHolonomic) {
  // dy - z dx and dy + dw - z dx: their difference is dw, neither is integrable.
  const auto p = with({"y' = z*x'", "y' + w' = z*x'"}, "z = 0.5\n", "\"x\", \"y\", \"z\", \"w\"",
                      "(x'^2 + y'^2 + z'^2 + w'^2)/2");
  const Classification c = classes(*p);
  EXPECT_EQ(c.holonomic_combinations, 1u);
  EXPECT_EQ(c.constraints[0].integrable, false);
  EXPECT_EQ(c.constraints[1].integrable, false);
  ASSERT_EQ(c.combinations.size(), 1u);
  EXPECT_EQ(expr::to_text(c.combinations[0].rate), "w'");
  ASSERT_TRUE(c.combinations[0].integral);
  EXPECT_EQ(expr::to_text(*c.combinations[0].integral), "w");
}

TEST(Classify, ACombinationIsNamedByItsEquation) {
  // dw - w dx - z dp and y dw - y w dx - y z dp + dy: neither is integrable, but their combination
  // dy is; and dy - y dx, of which y exp(-x) is the integral, beside a contact form.
  const struct {
    std::vector<std::string> equations;
    const char* rate;
    const char* integral;
  } cases[] = {
      {{"w' = w*x' + z*p'", "y*w' + y' = y*w*x' + y*z*p'"}, "y'", "y"},
      {{"w' = z*p'", "w' + y' = z*p' + y*x'"}, "y' - y*x'", "y*exp(-x)"},
      {{"w' = z*p'", "w' + x*y' = z*p' + y*x'"}, "y' - y*x'/x", "y/x"},
      {{"w' = z*p'", "w' + y' = z*p' + k*t"}, "y' - k*t", "y - k*t^2/2"},
  };
  for (const auto& [equations, rate, integral] : cases) {
    const auto p =
        with(equations, "x = 0.5\ny = 0.25\nz = 0.75\nw = 1\np = 2\n",
             "\"x\", \"y\", \"z\", \"w\", \"p\"", "(x'^2 + y'^2 + z'^2 + w'^2 + p'^2)/2");
    const Classification c = classes(*p);
    EXPECT_EQ(c.holonomic_combinations, 1u) << integral;
    ASSERT_EQ(c.combinations.size(), 1u) << integral;
    const auto& [found_rate, found_integral] = c.combinations[0];
    // Equal up to a factor that has no velocities.
    const expr::Expr factor = found_rate / parse_in(*p, rate);
    for (const expr::Expr& v : p->equations.v)
      EXPECT_TRUE(expr::proven_zero(expr::differentiate(factor, v))) << expr::to_text(found_rate);
    ASSERT_TRUE(found_integral) << integral;
    // One is a function of the other: their differentials have the same direction.
    std::vector<expr::Expr> x = p->equations.q;
    x.push_back(expr::time());
    const std::vector<expr::Expr> f = expr::gradient(*found_integral, x);
    const std::vector<expr::Expr> g = expr::gradient(parse_in(*p, integral), x);
    EXPECT_FALSE(std::ranges::all_of(f, [](const expr::Expr& e) { return e.is_zero(); }));
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_TRUE(expr::proven_zero(f[i] * g[j] - f[j] * g[i])) << expr::to_text(*found_integral);
    }
  }
}

TEST(Classify, HolonomicConstraintsAreNoCombinationsBeside) {
  const auto p = with({"z = k", "y' = x*w'"}, "z = 2\n", "\"x\", \"y\", \"z\", \"w\"",
                      "(x'^2 + y'^2 + z'^2 + w'^2)/2");
  const Classification c = classes(*p);
  EXPECT_EQ(c.holonomic_combinations, 1u);
  EXPECT_TRUE(c.combinations.empty());
}

TEST(Classify, AnIntegratingFactorIsFound) {
  // x y' - y x' = 0 is y/x = const; exact only after division by x^2.
  const auto p = with({"x*y' = y*x'"}, "x = 1\ny = 0.5\n");
  const Classification c = classes(*p);
  EXPECT_EQ(c.constraints[0].integrable, true);
  EXPECT_FALSE(c.constraints[0].exact);
  ASSERT_TRUE(c.constraints[0].integral);
  EXPECT_EQ(expr::to_text(*c.constraints[0].integral), "x/y");
}

TEST(Classify, TimeMakesADifference) {
  // y' = t x' is not integrable in (x, y, t); x' = t, with its integral, is.
  EXPECT_EQ(classes(*with({"y' = t*x'"}, "x = 1\n")).constraints[0].integrable, false);
  const auto p = with({"x' = k*t"}, "x = 1\n");
  const Classification c = classes(*p);
  EXPECT_EQ(c.constraints[0].integrable, true);
  EXPECT_TRUE(c.constraints[0].exact);
  EXPECT_FALSE(c.constraints[0].catastatic);
  EXPECT_TRUE(c.constraints[0].rheonomic);
  ASSERT_TRUE(c.constraints[0].integral);
  EXPECT_TRUE(expr::proven_zero(*c.constraints[0].integral - parse_in(*p, "x - k*t^2/2")))
      << expr::to_text(*c.constraints[0].integral);
}

TEST(Classify, ExactFormsComeWithTheirIntegral) {
  const struct {
    const char* equation;
    const char* integral;
  } cases[] = {
      {"2*x*x' + 2*y*y' = 0", "x^2 + y^2"},
      {"y*x' + x*y' + cos(z)*z' = 0", "x*y + sin(z)"},
      {"sin(x)*cos(x)*x' + y' = 0", "sin(x)^2/2 + y"},
      {"x*cos(x)*x' + z^2*z' = 0", "x*sin(x) + cos(x) + z^3/3"},
      {"exp(k*x)*x' = y'", "exp(k*x)/k - y"},
      {"x'/x + y' = 0", "log(x^2)/2 + y"},
      {"cos(x + y)*(x' + y') = z'", "sin(x + y) - z"},
  };
  for (const auto& [equation, integral] : cases) {
    const auto p = with({equation}, "x = 0.5\ny = 0.25\nz = 0.75\n");
    const Classification c = classes(*p);
    EXPECT_TRUE(c.constraints[0].exact) << equation;
    ASSERT_TRUE(c.constraints[0].integral) << equation;
    // Equal up to a constant: all derivatives of the difference vanish.
    const expr::Expr difference = *c.constraints[0].integral - parse_in(*p, integral);
    for (const expr::Expr& q : p->equations.q)
      EXPECT_TRUE(expr::proven_zero(expr::differentiate(difference, q)))
          << equation << ": " << expr::to_text(*c.constraints[0].integral);
  }
}

TEST(Classify, NonlinearAndAccelerationLevelAreNotDecided) {
  const auto p = prepared_model("appell_hamel");
  const Classification c = classes(*p);
  EXPECT_FALSE(c.constraints[0].linear);
  EXPECT_FALSE(c.constraints[0].integrable.has_value());
  const auto q = with({"x'' = -x"}, "x = 1\n");
  EXPECT_FALSE(classes(*q).constraints[0].integrable.has_value());
  // Linear after all: the square cancels.
  const auto r = with({"(x' + y')^2 - x'^2 - y'^2 - 2*x'*y' + z' = 0"}, "x = 1\n");
  EXPECT_TRUE(classes(*r).constraints[0].linear);
  EXPECT_EQ(classes(*r).constraints[0].integrable, true);
}

constexpr const char* four = "\"x\", \"y\", \"z\", \"w\"";
constexpr const char* four_squares = "(x'^2 + y'^2 + z'^2 + w'^2)/2";

TEST(Classify, ASingularStartDoesNotDecide) {
  // At y = 0 the form vanishes; elsewhere it is the contact form.
  const auto contact = with({"y*x' = y*z*w'"}, "y = 0\nz = 0.5\n", four, four_squares);
  EXPECT_EQ(classes(*contact).constraints[0].integrable, false);
  EXPECT_EQ(classes(*contact).holonomic_combinations, 0u);
  // Where x is not w the two force y' = z' = 0.
  const auto planes = with({"z' = x*y'", "z' = w*y'"}, "x = 0.5\nw = 0.5\n", four, four_squares);
  EXPECT_EQ(classes(*planes).constraints[0].integrable, true);
  EXPECT_EQ(classes(*planes).holonomic_combinations, 2u);
  // The second is the first only at w = 0.
  const auto five =
      with({"x' = 0", "x' + w*(y' - z*p') = 0"}, "w = 0\nz = 0.5\n",
           "\"x\", \"y\", \"z\", \"w\", \"p\"", "(x'^2 + y'^2 + z'^2 + w'^2 + p'^2)/2");
  const Classification c = classes(*five);
  EXPECT_EQ(c.constraints[0].integrable, true);
  EXPECT_EQ(c.constraints[1].integrable, false);
  EXPECT_EQ(c.holonomic_combinations, 1u);
}

TEST(Classify, OnlyThePositionsThatTheConstraintsAllowCount) {
  // On z = 0 the second is y' = 0; off it, where no motion goes, it is not integrable.
  const auto flat = with({"z = 0", "y' = z*w*x'"}, "", four, four_squares);
  EXPECT_EQ(classes(*flat).constraints[1].integrable, true);
  const auto plane = with({"z = k", "y' = z*w*x'"}, "z = 2\n", four, four_squares);
  EXPECT_EQ(classes(*plane).constraints[1].integrable, false);
}

TEST(Classify, PositionConstraintsJoinTheSet) {
  // y' = z x' with z fixed by a position constraint: integrable together.
  const auto p = with({"y' = z*x'", "z = k"}, "z = 2\n");
  const Classification c = classes(*p);
  EXPECT_EQ(c.constraints[0].integrable, true);
  EXPECT_EQ(c.holonomic_combinations, 2u);
}

}  // namespace
}  // namespace dalembert::mechanics::classify_test
