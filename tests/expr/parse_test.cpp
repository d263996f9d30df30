// What a text means.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <dalembert/expr/parse.hpp>

#include "support.hpp"

namespace dalembert::expr::parse_test {
namespace {

const Expr x = coordinate("x");
const Expr y = coordinate("y");
const Expr z = coordinate("z");
const Expr a = parameter("a");
const Expr b = parameter("b");
const Expr c = parameter("c");

void expect_parse(std::string_view text, const Expr& expected) {
  const auto found = parse(text, resolve_symbols({"x", "y", "z", "φ"}));
  ASSERT_TRUE(found) << text << ": " << found.error().message;
  EXPECT_TRUE(same(*found, expected)) << text;
}

TEST(Parse, TheLeastOfManyHasADerivativeThatCanBeComputed) {
  // One behind the other, selectors of a derivative would multiply to 2^-1999 and its reciprocal.
  std::string text = "min(x + 1999";
  for (int i = 1998; i >= 0; --i) text += ", x + " + std::to_string(i);
  const auto least = parse(text + ")", resolve_symbols({"x"}));
  ASSERT_TRUE(least);
  const auto at_two = [](const Symbol&) { return 2.0; };
  EXPECT_EQ(evaluate(*least, at_two), 2);
  EXPECT_EQ(evaluate(differentiate(*least, x), at_two), 1);
}

TEST(Parse, NamesInATextAreThoseItCanReferTo) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(names_in("a + dot(v1, b.x)*φ' - 2"), (Names{"a", "v1", "b", "φ"}));
  EXPECT_EQ(names_in("a + $ + b"), Names{"a"});
  EXPECT_EQ(names_in(""), Names{});
}

TEST(Parse, PowerBindsTighterThanASignInFront) {
  expect_parse("-x^2", -pow(x, 2));
  expect_parse("(-x)^3", -pow(x, 3));
  expect_parse("2*-x^2", -2 * pow(x, 2));
}

TEST(Parse, PowerBindsToTheRight) {
  expect_parse("2^3^2", Expr(512));
  expect_parse("x^y^z", pow(x, pow(y, z)));
  expect_parse("(x^y)^z", pow(pow(x, y), z));
}

TEST(Parse, AnExponentMayHaveASign) {
  expect_parse("2^-x", pow(Expr(2), -x));
  expect_parse("2^-x^2", pow(Expr(2), -pow(x, 2)));
  expect_parse("x^+2", pow(x, 2));
  expect_parse("x^-1", 1 / x);
}

TEST(Parse, PrimesBindTightest) {
  expect_parse("x'^2", pow(coordinate("x", 1), 2));
  expect_parse("-x''^2", -pow(coordinate("x", 2), 2));
  expect_parse("x'*y''", coordinate("x", 1) * coordinate("y", 2));
}

TEST(Parse, DivisionAndSubtractionBindToTheLeft) {
  expect_parse("a/b*c", a / b * c);
  expect_parse("a/b/c", a / b / c);
  expect_parse("a - b - c", a - b - c);
  expect_parse("a - b + c", a - b + c);
  expect_parse("a/(b*c)", a / (b * c));
  expect_parse("a - (b + c)", a - (b + c));
}

TEST(Parse, ProductsBindTighterThanSums) {
  expect_parse("a + b*c", a + b * c);
  expect_parse("a*b + c", a * b + c);
  expect_parse("-a*b", -(a * b));
  expect_parse("a*-b", -(a * b));
  expect_parse("a - -b", a + b);
  expect_parse("--a", a);
  expect_parse("+a", a);
}

TEST(Parse, NumbersAreExact) {
  expect_parse("0.1", Expr(Rational(1, 10)));
  expect_parse(".5", Expr(Rational(1, 2)));
  expect_parse("5.", Expr(5));
  expect_parse("1e-3", Expr(Rational(1, 1000)));
  expect_parse("2.5E+2", Expr(250));
  expect_parse("1/3", Expr(Rational(1, 3)));
  expect_parse("0.1 + 0.2", Expr(Rational(3, 10)));
  expect_parse("2e3*a", 2000 * a);
}

TEST(Parse, AnEThatBelongsToNoExponentIsAName) {
  const auto found = parse("2*e", resolve_symbols({}));
  ASSERT_TRUE(found);
  EXPECT_TRUE(same(*found, 2 * parameter("e")));
}

TEST(Parse, NamesMayBeOfAnyAlphabet) {
  expect_parse("φ'", coordinate("φ", 1));
  expect_parse("θ1 + масса*_k", parameter("θ1") + parameter("масса") * parameter("_k"));
  expect_parse("φ₁", parameter("φ₁"));
}

TEST(Parse, SpecialNames) {
  expect_parse("t", time());
  expect_parse("pi", pi());
  expect_parse("ideal.x", ideal_force("x"));
  expect_parse("nonideal.φ", nonideal_force("φ"));
}

TEST(Parse, EveryFunctionIsKnown) {
  for (const FunctionInfo& f : functions()) {
    if (f.op == Op::choose) continue;  // has a condition
    const std::string text = std::string(f.name) + (f.arity == 1 ? "(x)" : "(x, y)");
    expect_parse(
        text, apply_function(f.op, f.arity == 1 ? std::vector<Expr>{x} : std::vector<Expr>{x, y}));
  }
}

TEST(Parse, AConditionComparesTwoNumbers) {
  expect_parse("if(x >= y, a, b)", choose(x - y, a, b));
  expect_parse("if(x <= y, a, b)", choose(y - x, a, b));
  expect_parse("if(x < y, a, b)", choose(x - y, b, a));
  expect_parse("if(x > y, a, b)", choose(y - x, b, a));
  expect_parse("if (x<0,-a*x,0)", choose(x, 0, -a * x));
  expect_parse("2*if(x < 1, if(x > 0, a, b), c)^2", 2 * pow(choose(x - 1, c, choose(-x, b, a)), 2));
  expect_parse("if(2 < 3, x, y)", x);
  expect_parse("if(3 <= 3, x, y)", x);
  expect_parse("if(3 > 3, x, y)", y);
  expect_parse("if(x < y, a, a)", a);
}

TEST(Parse, LaterFunctionsYieldToNames) {
  const Resolve names = resolve_symbols({"step", "floor"});
  const Expr s = coordinate("step");
  const auto read = [&](std::string_view text) { return *parse(text, names); };
  EXPECT_TRUE(same(read("step' + floor*step"), coordinate("step", 1) + coordinate("floor") * s));
  EXPECT_TRUE(same(read("step(step) + floor(floor)"), step(s) + floor(coordinate("floor"))));
  EXPECT_TRUE(same(read("if(step < if, clamp, hypot)"),
                   choose(s - parameter("if"), parameter("hypot"), parameter("clamp"))));
  for (const char* name : {"step", "floor", "if", "clamp", "asinh", "hypot", "log10"})
    EXPECT_FALSE(is_reserved(name)) << name;
  for (const char* name : {"sin", "max", "t", "pi"}) EXPECT_TRUE(is_reserved(name)) << name;
}

TEST(Parse, ClampIsMaxOfMin) {
  expect_parse("clamp(x, a, b)", max(a, min(x, b)));
  expect_parse("clamp(5, 1, 3)", Expr(3));
}

TEST(Parse, MinAndMaxTakeSeveralArguments) {
  expect_parse("min(x, y, z)", min(min(x, y), z));
  expect_parse("max(a, b, c, x)", max(max(a, b), max(c, x)));
}

TEST(Parse, SpacesDoNotMatter) {
  expect_parse(" \t a\n+\r\nb ", a + b);
  expect_parse("sin (x)", sin(x));
  expect_parse("sin( x )", sin(x));
}

TEST(Parse, AnEquationHasTwoSides) {
  const auto found = parse_equation("x + y = a", resolve_symbols({"x", "y"}));
  ASSERT_TRUE(found);
  EXPECT_TRUE(same(found->lhs, x + y));
  EXPECT_TRUE(same(found->rhs, a));
}

TEST(Parse, TheResolverSeesNamesWithTheirPrimes) {
  std::vector<std::pair<std::string, int>> asked;
  const auto resolve = [&asked](std::string_view name, int primes) -> Result<Expr, std::string> {
    asked.emplace_back(name, primes);
    return Expr(1);
  };
  ASSERT_TRUE(parse("disk.wx'' + v' + pi", resolve));
  EXPECT_EQ(asked, (std::vector<std::pair<std::string, int>>{{"disk.wx", 2}, {"v", 1}}));
}

TEST(Parse, LongTextsAreLinear) {
  std::string text = "a";
  for (int i = 0; i < 20'000; ++i) text += " + b*c";
  EXPECT_TRUE(parse(text, resolve_symbols({})));
}

TEST(Names, StartWithALetterAndGoOnWithDigits) {
  for (const char* name : {"x", "x1", "_", "I_p", "φ", "Δx", "ℓ", "x₁", "ß"})
    EXPECT_TRUE(is_name(name)) << name;
  for (const char* name : {"", "1x", "x-y", "x y", "x'", "−", "x.y", "²", "\xff", "x\xc3"}) {
    EXPECT_FALSE(is_name(name)) << name;
  }
}

TEST(Names, OfTheLanguageAreReserved) {
  for (const char* name : {"t", "pi", "sin", "atan2", "ideal", "nonideal", "point"})
    EXPECT_TRUE(is_reserved(name)) << name;
  for (const char* name : {"x", "T", "e", "sine", ""}) EXPECT_FALSE(is_reserved(name)) << name;
}

TEST(Utf8, LengthsOfCharacters) {
  EXPECT_EQ(utf8_length("a"), 1u);
  EXPECT_EQ(utf8_length("φx"), 2u);
  EXPECT_EQ(utf8_length("−"), 3u);
  EXPECT_EQ(utf8_length("𝜑"), 4u);
  EXPECT_EQ(utf8_length(""), 0u);
  EXPECT_EQ(utf8_length("\x80"), 0u);              // a continuation alone
  EXPECT_EQ(utf8_length("\xc3"), 0u);              // cut short
  EXPECT_EQ(utf8_length("\xc0\xaf"), 0u);          // overlong
  EXPECT_EQ(utf8_length("\xe0\x80\xaf"), 0u);      // overlong
  EXPECT_EQ(utf8_length("\xed\xa0\x80"), 0u);      // a surrogate
  EXPECT_EQ(utf8_length("\xf4\x90\x80\x80"), 0u);  // beyond U+10FFFF
}

TEST(Renamed, IsANameWhereItStandsForItself) {
  EXPECT_EQ(renamed("x*x' + xx.x + ideal.x - p.x/sin(x)", "x", "φ"),
            "φ*φ' + xx.x + ideal.φ - p.x/sin(φ)");
  EXPECT_EQ(renamed("disk.x + point(disk, 1, 0, 0).x = disk . y", "disk", "d"),
            "d.x + point(d, 1, 0, 0).x = d . y");
  EXPECT_EQ(renamed("x + ? + x", "x", "y"), "y + ? + x");
  EXPECT_EQ(renamed("", "x", "y"), "");
}

}  // namespace
}  // namespace dalembert::expr::parse_test
