#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <dalembert/expr/parse.hpp>
#include <dalembert/expr/print.hpp>

#include "support.hpp"

namespace dalembert::expr::print_latex_test {
namespace {

std::string latex(std::string_view text) {
  const auto e = parse(text, resolve_symbols({"x", "y", "z", "phi", "φ", "theta1", "x_12", "q"}));
  EXPECT_TRUE(e) << text;
  return e ? to_latex(*e) : "";
}

TEST(ToLatex, Names) {
  EXPECT_EQ(latex("phi"), "\\phi");
  EXPECT_EQ(latex("φ"), "\\phi");
  EXPECT_EQ(latex("theta1"), "\\theta_{1}");
  EXPECT_EQ(latex("x_12"), "x_{12}");
  EXPECT_EQ(latex("I_p"), "I_{p}");
  EXPECT_EQ(latex("m_rod"), "m_{\\mathrm{rod}}");
  EXPECT_EQ(latex("x1_2"), "x_{1,2}");
  EXPECT_EQ(latex("omega_phi"), "\\omega_{\\phi}");
  EXPECT_EQ(latex("mass"), "\\mathrm{mass}");
  EXPECT_EQ(latex("th1"), "\\mathrm{th}_{1}");
  EXPECT_EQ(latex("ω₁₂"), "\\omega_{12}");
  EXPECT_EQ(latex("Δx"), "{\\Delta x}");
  EXPECT_EQ(latex("ℓ"), "\\ell");
  EXPECT_EQ(latex("Ω"), "\\Omega");
  EXPECT_EQ(latex("ж"), "{\\text{ж}}");
  EXPECT_EQ(latex("x_"), "\\mathrm{x\\_}");
  EXPECT_EQ(latex("_"), "\\mathrm{\\_}");
  EXPECT_EQ(latex("pi"), "\\pi");
  EXPECT_EQ(latex("t"), "t");
}

TEST(ToLatex, AVariationOfAVariationAndSoOnIsWrittenInOnePass) {
  std::string name, expected;
  for (int i = 0; i < 200'000; ++i) {
    name += "δ";
    expected += "\\delta ";
  }
  EXPECT_EQ(to_latex(coordinate(name + "x")), expected + "x");
  EXPECT_EQ(to_latex(coordinate(name + "δ")), expected + "\\delta");
  EXPECT_EQ(to_latex(coordinate("δδ1")), "\\delta \\delta_{1}");
}

TEST(ToLatex, NamesThatAreNoneAreText) {
  EXPECT_EQ(
      to_latex(parameter("50% {of} a\\b^c~#$&")),
      "\\text{50\\% \\{of\\} a\\textbackslash{}b\\textasciicircum{}c\\textasciitilde{}\\#\\$\\&}");
}

TEST(ToLatex, TimeDerivativesAreDots) {
  EXPECT_EQ(latex("x'"), "\\dot{x}");
  EXPECT_EQ(latex("phi''"), "\\ddot{\\phi}");
  EXPECT_EQ(latex("theta1'^2"), "\\dot{\\theta}_{1}^{2}");
  EXPECT_EQ(to_latex(coordinate("x", 3)), "\\dddot{x}");
  EXPECT_EQ(to_latex(coordinate("x", 5)), "\\overset{(5)}{x}");
}

TEST(ToLatex, ConstraintForces) {
  EXPECT_EQ(latex("ideal.x"), "Q^{\\mathrm{i}}_{x}");
  EXPECT_EQ(latex("nonideal.theta1"), "Q^{\\mathrm{ni}}_{\\theta_{1}}");
  EXPECT_EQ(latex("ideal.x^2"), "\\left(Q^{\\mathrm{i}}_{x}\\right)^{2}");
}

TEST(ToLatex, FractionsAndProducts) {
  EXPECT_EQ(latex("m*l^2*phi'^2/2"), "\\frac{1}{2} m l^{2} \\dot{\\phi}^{2}");
  EXPECT_EQ(latex("x/(y*z)"), "\\frac{x}{y z}");
  EXPECT_EQ(latex("x/y/z/2"), "\\frac{x}{2 y z}");
  EXPECT_EQ(latex("(x + y)/(x - z)"), "\\frac{x + y}{x - z}");
  EXPECT_EQ(latex("-(x + y)/(2*(y - z))"), "-\\frac{x + y}{2 \\left(y - z\\right)}");
  EXPECT_EQ(latex("-(x + y)"), "-\\left(x + y\\right)");
  EXPECT_EQ(latex("1/x"), "\\frac{1}{x}");
  EXPECT_EQ(latex("-2/3"), "-\\frac{2}{3}");
  EXPECT_EQ(latex("3*2^x"), "3 \\cdot 2^{x}");
  EXPECT_EQ(latex("2*mass*g"), "2 g \\, \\mathrm{mass}");
  EXPECT_EQ(latex("6.674e-11*x"), "6.674 \\cdot 10^{-11} x");
  EXPECT_EQ(latex("1e30*x"), "10^{30} x");
}

TEST(ToLatex, FunctionsComeLastAndNeedNoParenthesesAroundASymbol) {
  EXPECT_EQ(latex("m*sin(phi)*x'"), "m \\dot{x} \\sin \\phi");
  EXPECT_EQ(latex("sin(2*phi)"), "\\sin\\left(2 \\phi\\right)");
  EXPECT_EQ(latex("sin(phi)^2"), "\\sin^{2} \\phi");
  EXPECT_EQ(latex("sin(x + y)^2"), "\\sin^{2}\\left(x + y\\right)");
  EXPECT_EQ(latex("1/cos(x)^2"), "\\frac{1}{\\cos^{2} x}");
  EXPECT_EQ(latex("asin(x)^2"), "\\left(\\arcsin x\\right)^{2}");
  EXPECT_EQ(latex("log(x)"), "\\ln x");
  EXPECT_EQ(latex("exp(-k*t)"), "\\mathrm{e}^{-k t}");
  EXPECT_EQ(latex("abs(x)^3"), "\\left|x\\right|^{3}");
  EXPECT_EQ(latex("sqrt(1 - x^2)"), "\\sqrt{1 - x^{2}}");
  EXPECT_EQ(latex("sign(x)"), "\\operatorname{sign} x");
  EXPECT_EQ(latex("min(x, y)"), "\\operatorname{min}\\left(x, y\\right)");
  EXPECT_EQ(latex("atan2(y, x)"), "\\operatorname{atan2}\\left(y, x\\right)");
}

TEST(ToLatex, ChoicesAreCases) {
  EXPECT_EQ(latex("if(x < 0, -k*x, 0)"),
            "\\begin{cases} -k x & x < 0 \\\\ 0 & \\text{otherwise} \\end{cases}");
  EXPECT_EQ(latex("2*if(x >= y, x, y) + 1"),
            "2 \\left(\\begin{cases} x & x \\ge y \\\\ y & \\text{otherwise} "
            "\\end{cases}\\right) + 1");
  EXPECT_EQ(latex("floor(x/2)^2"), "\\left\\lfloor \\frac{1}{2} x\\right\\rfloor^{2}");
  EXPECT_EQ(latex("step(t - 1)"), "\\operatorname{step}\\left(t - 1\\right)");
  EXPECT_EQ(latex("log10(x)"), "\\log_{10} x");
  EXPECT_EQ(latex("erf(x)"), "\\operatorname{erf} x");
  EXPECT_EQ(latex("asinh(x)"), "\\operatorname{arsinh} x");
  EXPECT_EQ(latex("hypot(x, y)"), "\\operatorname{hypot}\\left(x, y\\right)");
}

TEST(ToLatex, Powers) {
  EXPECT_EQ(latex("x^(1/3)"), "x^{1/3}");
  EXPECT_EQ(latex("x^(y + 1)"), "x^{y + 1}");
  EXPECT_EQ(latex("(x + y)^2"), "\\left(x + y\\right)^{2}");
  EXPECT_EQ(latex("(x*y)^2"), "\\left(x y\\right)^{2}");
  EXPECT_EQ(latex("(-2)^x"), "\\left(-2\\right)^{x}");
  EXPECT_EQ(latex("(1/2)^x"), "\\left(\\frac{1}{2}\\right)^{x}");
  EXPECT_EQ(latex("(x^y)^z"), "\\left(x^{y}\\right)^{z}");
}

/// What TeX insists on: balanced braces, \left with \right, one sub- and superscript a symbol.
bool is_balanced(std::string_view text) {
  int braces = 0;
  int pairs = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("\\left") && !text.substr(i).starts_with("\\leftarrow")) ++pairs;
    if (text.substr(i).starts_with("\\right")) --pairs;
    const bool escaped = i > 0 && text[i - 1] == '\\';
    if (text[i] == '{' && !escaped) ++braces;
    if (text[i] == '}' && !escaped) --braces;
    if (braces < 0 || pairs < 0) return false;
  }
  return braces == 0 && pairs == 0 && text.find("}^{2}^") == std::string_view::npos;
}

TEST(ToLatex, IsBalancedForAnyExpressionAndLimit) {
  EXPECT_TRUE(rc::check("braces and parentheses close",
                        [](const std::vector<unsigned>& program, unsigned limit) {
                          const Expr e = testing::expression_from(program);
                          RC_ASSERT(is_balanced(to_latex(e, 10'000)));
                          RC_ASSERT(is_balanced(to_latex(e, limit % 200)));
                        }));
}

TEST(ToLatex, LongFormulasAreCutAtTheLimit) {
  const Expr x = coordinate("x");
  Expr e = x;
  for (int i = 0; i < 200; ++i) e = sin(e) + cos(e);
  const std::string text = to_latex(e, 1000);
  EXPECT_NE(text.find("\\ldots"), std::string::npos);
  EXPECT_TRUE(is_balanced(text));
  EXPECT_LT(text.size(), 10'000u);
}

TEST(ToLatex, DeepChainsNeedNoStack) {
  Expr e = coordinate("x");
  for (int i = 0; i < 100'000; ++i) e = sqrt(e);
  EXPECT_EQ(to_latex(e).size(), 100'000u * 7 + 1);
}

}  // namespace
}  // namespace dalembert::expr::print_latex_test
