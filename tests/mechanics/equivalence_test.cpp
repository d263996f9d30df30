/// All formulations of every model proven equal to Lagrange's principle, and nothing proven that is
/// not.

#include "dalembert/mechanics/equivalence.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <filesystem>
#include <set>

#include "../model_files.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/mechanics/classify.hpp"
#include "dalembert/mechanics/formulations/generic.hpp"
#include "setting_of.hpp"

namespace dalembert::mechanics::equivalence_test {
namespace {

std::vector<std::string> all_models() {
  std::vector<std::string> names;
  for (const auto& file : model_files()) names.push_back(file.stem().string());
  std::erase_if(names, [](const std::string& name) { return large_models().contains(name); });
  return names;
}

class EveryModel : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::ValuesIn(all_models()),
                         [](const auto& model) { return model.param; });

TEST_P(EveryModel, AllFormulationsThatApplyAreProvenEqual) {
  const auto p = prepared_model(GetParam());
  int proven = 0;
  for (const Agreement& a : compare_formulations(p->setting())) {
    if (!a.mechanical) continue;
    if (!a.ruled_out.empty()) {
      EXPECT_FALSE(p->setting().linear) << a.method << ": " << a.ruled_out;
      continue;
    }
    EXPECT_TRUE(a.result.holds) << a.method << ": " << a.result.failed;
    EXPECT_EQ(a.result.how, How::proof) << a.method << ": " << a.result.not_decided;
    ++proven;
  }
  EXPECT_GE(proven, p->setting().linear ? 12 : 7);
}

/// Each equation of each formulation, with one sign turned over: refuted, with a point where it
/// fails.
TEST_P(EveryModel, AWrongSignInAnyEquationIsRefuted) {
  const auto p = prepared_model(GetParam());
  Setting s = p->setting();
  s.explain = false;
  for (const FormulationInfo& info : formulations()) {
    if (!info.mechanical) continue;
    const bool by_symbols = !info.runs_here && info.name != "multipliers";
    const Generic generic = make_generic(s);
    const Setting& where = by_symbols ? generic.setting : s;
    const auto f = info.derive(where);
    if (!f) continue;
    int planted = 0;
    for (std::size_t e = 0; e < f->residuals.size(); ++e) {
      if (!f->residuals[e].is(expr::Op::sum)) continue;
      ++planted;
      Formulation wrong = *f;
      std::vector<expr::Expr> terms(f->residuals[e].args().begin(), f->residuals[e].args().end());
      // Which term comes first is chance; one that is zero has no sign.
      const auto term =
          std::ranges::find_if(terms, [](const expr::Expr& t) { return !shortened(t).is_zero(); });
      ASSERT_NE(term, terms.end());
      *term = -*term;
      wrong.residuals[e] = expr::sum(terms);
      const Verification v = verify(claims(wrong, where), where);
      EXPECT_FALSE(v.holds) << info.name << " residual " << e;
      EXPECT_TRUE(v.witness.has_value()) << info.name << " residual " << e;
      EXPECT_FALSE(v.failed.empty());
      if (v.witness) {
        EXPECT_FALSE(v.witness->at.empty());
      }
    }
    EXPECT_GT(planted, 0) << info.name;
  }
}

TEST(Equivalence, ANearMissIsRefuted) {
  // A coefficient changed by 1e-9 in one term of one equation.
  const auto p = prepared_model("rolling_disk");
  const auto f = suslov(p->setting());
  ASSERT_TRUE(f);
  Formulation wrong = *f;
  wrong.residuals[1] +=
      expr::Expr(expr::Rational(1, 1000000000)) * parse_in(*p, "m*r^2*phi'*psi'*sin(theta)");
  const Verification v = verify(claims(wrong, p->setting()), p->setting());
  EXPECT_FALSE(v.holds);
  EXPECT_EQ(v.how, How::proof);
  ASSERT_TRUE(v.witness);
}

TEST(Equivalence, AnIdentityTrueOnASubsetIsNotProven) {
  const auto p = prepared_model("pendulum");
  // |x| = x holds for half of the states, x^2 + y^2 = l^2 only on the constraint.
  for (const char* text : {"sqrt(x^2) - x", "abs(x) - x", "x^2 + y^2 - l^2"}) {
    const Verification v = verify({{text, parse_in(*p, text), expr::Expr(0)}}, p->setting());
    EXPECT_FALSE(v.holds) << text;
  }
  VerifyOptions on_the_circle;
  on_the_circle.modulo = {parse_in(*p, "x^2 + y^2 - l^2")};
  const Verification v = verify({{"", parse_in(*p, "x^4 + x^2*y^2 - l^2*x^2"), expr::Expr(0)}},
                                p->setting(), on_the_circle);
  EXPECT_TRUE(v.holds);
  EXPECT_EQ(v.how, How::proof);
}

TEST(Equivalence, WhatTheAlgebraCannotDecideIsComparedAtManyDigits) {
  // True wherever there are numbers, and the algebra knows no identities of logarithms.
  const auto p = prepared_model("pendulum");
  const Verification v = verify(
      {{"", parse_in(*p, "log((1 + x^2)^2)"), parse_in(*p, "2*log(1 + x^2)")}}, p->setting());
  EXPECT_TRUE(v.holds);
  EXPECT_EQ(v.how, How::numeric);
  EXPECT_LT(v.error, 1e-40);
}

TEST(Equivalence, VakonomicAgreesExactlyForIntegrableConstraints) {
  for (const std::string& name : all_models()) {
    const auto p = prepared_model(name);
    for (const Agreement& a : compare_formulations(p->setting())) {
      if (a.mechanical || !a.ruled_out.empty()) continue;
      const Classification classes = classify(p->model, p->equations, p->setting().values);
      const bool holonomic = std::all_of(classes.constraints.begin(), classes.constraints.end(),
                                         [](const ConstraintClass& c) { return c.holonomic(); });
      EXPECT_EQ(a.result.holds, holonomic) << name;
    }
  }
}

TEST(Equivalence, ARheonomicAcatastaticSystemWithTimeDependentMass) {
  // n = 4, m = 2: time in M, in the forms, and terms without velocities.
  const auto p = prepared_text(R"toml(
name = "synthetic"
coordinates = ["a", "b", "c", "d"]
[parameters]
m = 2
w = 0.5
[energy]
kinetic = "m*(2 + cos(w*t))*a'^2/2 + m*b'^2/2 + (c'^2 + d'^2)/2 + a'*c'*sin(b)/3 + b'*t"
potential = "a^2/2 + m*cos(c)"
[forces]
b = "-b' + t"
[[constraint]]
name = "first"
equation = "a' = sin(b)*c' + w*t*d' + cos(t)"
[[constraint]]
name = "second"
equation = "b'*(2 + a^2) = d' - t*a"
[virtual_work]
c = "-c'/10"
[initial]
a = 0.25
b = 0.5
adjust = "velocity"
)toml");
  for (const Agreement& a : compare_formulations(p->setting())) {
    if (!a.mechanical) continue;
    EXPECT_TRUE(a.ruled_out.empty()) << a.ruled_out;
    EXPECT_TRUE(a.result.holds) << a.method << ": " << a.result.failed;
    EXPECT_EQ(a.result.how, How::proof) << a.method;
  }
}

#if defined(DALEMBERT_SANITIZED)
constexpr int most_links = 4;  // of what takes ten times as long there
#else
constexpr int most_links = 6;
#endif

/// A chain of n rods with particles at their ends; angles from the vertical, or from rod to rod.
std::string pendulum_of(int n, bool relative) {
  std::string coordinates, parameters, lets, kinetic, potential, initial, angle;
  for (int i = 1; i <= n; ++i) {
    const std::string k = std::to_string(i), before = std::to_string(i - 1), th = "th" + k;
    angle = relative && i > 1 ? angle + " + " + th : th;
    coordinates += (i > 1 ? ", \"" : "\"") + th + "\"";
    parameters += "m" + k + " = 1\nl" + k + " = 1\n";
    lets += "x" + k + " = \"" + (i > 1 ? "x" + before + " + " : "") + "l" + k + "*sin(" + angle +
            ")\"\n";
    lets += "y" + k + " = \"" + (i > 1 ? "y" + before + " - " : "-") + "l" + k + "*cos(" + angle +
            ")\"\n";
    kinetic += (i > 1 ? " + m" : "m") + k + "*(x" + k + "'^2 + y" + k + "'^2)/2";
    potential += (i > 1 ? " + m" : "m") + k + "*g*y" + k;
    initial += th + " = 0." + k + "\n";
  }
  return "name = \"chain\"\ncoordinates = [" + coordinates + "]\n[parameters]\ng = 9.81\n" +
         parameters + "[let]\n" + lets + "[energy]\nkinetic = \"" + kinetic + "\"\npotential = \"" +
         potential + "\"\n[initial]\n" + initial;
}

TEST(Equivalence, ManyLinksAreProvenNotTried) {
  for (const auto& [links, relative] :
       {std::pair(most_links, false), std::pair(most_links - 2, true)}) {
    const auto p = prepared_text(pendulum_of(links, relative));
    for (const Agreement& a : compare_formulations(p->setting())) {
      EXPECT_TRUE(a.result.holds) << a.method;
      EXPECT_EQ(a.result.how, How::proof) << a.method << ": " << a.result.not_decided;
    }
  }
}

TEST(Redundancy, IsProvenOnThePositionsTheConstraintsAllow) {
  const auto p = prepared_model("slider_crank");
  const auto redundant = examine_redundant(p->setting());
  ASSERT_EQ(redundant.size(), 1u);
  EXPECT_EQ(redundant[0].constraint, 2u);
  EXPECT_TRUE(redundant[0].result.holds);
  EXPECT_EQ(redundant[0].result.how, How::proof) << redundant[0].result.not_decided;
  EXPECT_EQ(redundant[0].of, (std::vector<std::size_t>{0, 1}));
}

TEST(Redundancy, OfConstraintsNonlinearInVelocitiesHoldsWhereTheyHold) {
  const auto p = prepared_text(R"toml(
name = "circle"
coordinates = ["x", "y", "z"]
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
[[constraint]]
name = "c1"
equation = "x'^2 + y'^2 = 1"
[[constraint]]
name = "c2"
equation = "x'*(x'^2 + y'^2) = x'"
[initial]
"x'" = 0.6
"y'" = 0.8
)toml");
  const auto redundant = examine_redundant(p->setting());
  ASSERT_EQ(redundant.size(), 1u);
  EXPECT_TRUE(redundant[0].result.holds);
  EXPECT_EQ(redundant[0].result.how, How::proof);
}

TEST(Equivalence, VakonomicIsComparedOnThePositionsThatCount) {
  const auto p = prepared_text(R"toml(
name = "flat"
coordinates = ["x", "y", "z", "w"]
[energy]
kinetic = "(x'^2 + y'^2 + z'^2 + w'^2)/2"
[[constraint]]
name = "c1"
equation = "z = 0"
[[constraint]]
name = "c2"
equation = "y' = z*w*x'"
)toml");
  const auto list = compare_formulations(p->setting(), "vakonomic");
  ASSERT_EQ(list.size(), 1u);
  EXPECT_TRUE(list[0].result.holds);
}

/// x, y, z, w free but for these constraints.
std::unique_ptr<Prepared> constrained(const std::vector<std::string>& equations,
                                      const std::string& initial) {
  std::string text =
      "name = \"test\"\ncoordinates = [\"x\", \"y\", \"z\", \"w\"]\n[energy]\n"
      "kinetic = \"(x'^2 + y'^2 + z'^2 + w'^2)/2\"\n";
  for (const std::string& equation : equations)
    text += "[[constraint]]\nequation = \"" + equation + "\"\n";
  return prepared_text(text + "[initial]\n" + initial);
}

TEST(Redundancy, BeyondTheAlgebraIsSeenAtManyDigits) {
  // Each pair says the same where the start lies; what vanishes is judged by its terms, not by
  // itself.
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"log(x) = z", "x = exp(z)"}, "x = 1\n"},
      {{"asin(y) = z", "y = sin(z)"}, "y = 0\n"},
      {{"x^2 = z^2", "x = z"}, "x = 1\nz = 1\n"},
      {{"x*y = 0", "z*y = 0"}, "x = 0.05\nz = 0.05\n"},
      {{"w = 0", "x^2 + y^2 = 1", "(x + cos(w) - 1)^2 + (y + sin(w))^2 = 1"},
       "x = 0.6\ny = 0.8\n"}};
  for (const auto& [equations, initial] : cases) {
    const auto p = constrained(equations, initial);
    const auto redundant = examine_redundant(p->setting());
    ASSERT_EQ(redundant.size(), 1u) << equations.back();
    EXPECT_TRUE(redundant[0].result.holds) << equations.back();
  }
}

TEST(Equivalence, VakonomicIsComparedOnTheBranchOfTheStart) {
  // x y = 0 with x not 0 is y = 0, and then w' = y z' is w' = 0; on the other branch it is not
  // integrable.
  const auto there = constrained({"x*y = 0", "w' = y*z'"}, "x = 0.1\n");
  EXPECT_TRUE(compare_formulations(there->setting(), "vakonomic")[0].result.holds);
  const auto other = constrained({"x*y = 0", "w' = y*z'"}, "y = 0.1\n");
  EXPECT_FALSE(compare_formulations(other->setting(), "vakonomic")[0].result.holds);
}

TEST(Equivalence, WhatTakesTooMuchEffortIsTriedAtStatesOrGivenUp) {
  const auto p = prepared_model("rolling_disk");
  const auto with = [&p](double most) {
    expr::Patience patience;
    patience.most = most;
    return compare_formulations(p->setting(), "maggi", patience).front();
  };
  EXPECT_EQ(with(1e9).result.how, How::proof);
  EXPECT_FALSE(with(1e9).given_up);
  EXPECT_TRUE(with(10).given_up);
  std::vector<std::string> told;
  expr::Patience listening;
  listening.tell = [&told](const std::string& what) { told.push_back(what); };
  compare_formulations(p->setting(), {}, listening);
  ASSERT_EQ(told.size(), formulations().size());
  EXPECT_EQ(told[4], "comparing the formulations: maggi (5 of 13)");
}

TEST(Redundancy, AMultipleIsNamed) {
  const auto p = prepared_text(R"toml(
name = "guide"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "guide"
equation = "x = 2*y"
[[constraint]]
name = "guide2"
equation = "2*x - 4*y = 0"
[initial]
x = 2
y = 1
)toml");
  const auto redundant = examine_redundant(p->setting());
  ASSERT_EQ(redundant.size(), 1u);
  EXPECT_EQ(redundant[0].combination, "2·guide");
  EXPECT_EQ(redundant[0].result.how, How::proof);
}

}  // namespace
}  // namespace dalembert::mechanics::equivalence_test
