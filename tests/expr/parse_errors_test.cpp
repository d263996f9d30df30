// What is wrong with a text, in words, and where: bytes [begin, end).
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <dalembert/expr/parse.hpp>

#include "support.hpp"

namespace dalembert::expr::parse_errors_test {
namespace {

/// Coordinates x, y, phi with at most two primes; parameters m, l; nothing else.
Result<Expr, std::string> resolve(std::string_view name, int primes) {
  if (name == "x" || name == "y" || name == "phi") {
    if (primes > 2) return Failure{std::string("at most two primes: x'' is the acceleration")};
    return coordinate(name, primes);
  }
  if ((name == "m" || name == "l") && primes == 0) return parameter(name);
  return Failure{"unknown name '" + std::string(name) + "'"};
}

void expect_error(const auto& result, std::string_view text, std::string_view message,
                  std::size_t begin, std::size_t end) {
  ASSERT_FALSE(result) << text;
  EXPECT_EQ(result.error().message, message) << text;
  EXPECT_EQ(result.error().begin, begin) << text;
  EXPECT_EQ(result.error().end, end) << text;
}

void expect_error(std::string_view text, std::string_view message, std::size_t begin,
                  std::size_t end) {
  expect_error(parse(text, resolve), text, message, begin, end);
}

void expect_equation_error(std::string_view text, std::string_view message, std::size_t begin,
                           std::size_t end) {
  expect_error(parse_equation(text, resolve), text, message, begin, end);
}

TEST(ParseError, EmptyText) {
  expect_error("", "expected an expression, found nothing", 0, 0);
  expect_error("  ", "expected an expression, found nothing", 0, 2);
  expect_equation_error("", "expected an equation, found nothing", 0, 0);
}

TEST(ParseError, UnbalancedParentheses) {
  expect_error("m*(x + y", "'(' is never closed", 2, 3);
  expect_error("((x)", "'(' is never closed", 0, 1);
  expect_error("sin(x", "'(' is never closed", 3, 4);
  expect_error("x)", "')' without a '(' before it", 1, 2);
  expect_error("()", "expected an expression, found ')'", 1, 2);
  expect_equation_error("(x = y", "'(' is not closed before '='", 0, 1);
  expect_equation_error("x = y)", "')' without a '(' before it", 5, 6);
}

TEST(ParseError, EqualsSigns) {
  expect_error("x = y", "'=' is not allowed in an expression", 2, 3);
  expect_equation_error("x", "an equation needs '='; to say that this vanishes, end it with '= 0'",
                        0, 1);
  expect_equation_error("x = y = 0", "a second '='; an equation has one", 6, 7);
  expect_equation_error("x == y", "write one '=', not '=='", 2, 4);
  expect_equation_error("= x", "expected an expression, found '='", 0, 1);
  expect_equation_error("x =", "expected an expression, found the end", 2, 3);
}

TEST(ParseError, JuxtapositionIsNotMultiplication) {
  expect_error("2x", "missing operator before 'x'; multiplication is written with '*'", 1, 2);
  expect_error("m l", "missing operator before 'l'; multiplication is written with '*'", 2, 3);
  expect_error("x 2", "missing operator before '2'; multiplication is written with '*'", 2, 3);
  expect_error("2 (x)", "missing operator before '('; multiplication is written with '*'", 2, 3);
  expect_error("(x)(y)", "missing operator before '('; multiplication is written with '*'", 3, 4);
  expect_error("m(x + y)", "'m' is not a function; a product is written m*(...)", 0, 1);
}

TEST(ParseError, UnknownFunctions) {
  expect_error("x + sni(x)", "unknown function 'sni'; did you mean 'sin'?", 4, 7);
  expect_error("arctan(x)", "unknown function 'arctan'; it is called 'atan'", 0, 6);
  expect_error("wobble(x)", "unknown function 'wobble'", 0, 6);
  expect_error("heaviside(x)",
               "unknown function 'heaviside'; did you mean 'step', which is 1 where x >= 0?", 0, 9);
  expect_error(
      "piecewise(x, 1, 2)",
      "unknown function 'piecewise'; write cases as if(x < y, a, b), with <, <=, > or >=", 0, 9);
  expect_error("clip(x, 0, 1)",
               "unknown function 'clip'; did you mean 'clamp', as in clamp(x, low, high)?", 0, 4);
  expect_error("clmp(x, 0, 1)", "unknown function 'clmp'; did you mean 'clamp'?", 0, 4);
  expect_error("ceil(x)", "unknown function 'ceil'; write -floor(-x)", 0, 4);
  expect_error("mod(x, y)", "unknown function 'mod'; write x - y*floor(x/y)", 0, 3);
}

TEST(ParseError, Comparisons) {
  const std::string inequality =
      ": a constraint is an equation that holds throughout, and inequalities are not supported; a "
      "constraint that opens and closes is a [[contact]], with gap = \"...\"";
  expect_equation_error("x >= 0", "'>='" + inequality, 2, 4);
  expect_equation_error("0 < x", "'<'" + inequality, 2, 3);
  expect_equation_error("x ≤ 0", "'≤'" + inequality, 2, 5);
  expect_equation_error("x = y > 0", "'>'" + inequality, 6, 7);
  expect_error("x < y", "'<' may only stand in the condition of an if: if(x < y, a, b)", 2, 3);
  expect_error("(x ≥ y)*m", "'≥' may only stand in the condition of an if: if(x ≥ y, a, b)", 3, 6);
  expect_error("min(x < y, 1)", "'<' may only stand in the condition of an if: if(x < y, a, b)", 6,
               7);
  expect_equation_error("sin(x > y) = 0",
                        "'>' may only stand in the condition of an if: if(x > y, a, b)", 6, 7);
  expect_error("< x", "expected an expression, found '<'", 0, 1);
}

TEST(ParseError, Conditions) {
  const std::string usage = "'if' takes a condition and two values: if(x < y, a, b)";
  const std::string compares = "a condition compares two numbers: if(x < y, a, b)";
  const std::string signs =
      " is not a condition here; write cases as if(x < y, a, b), with <, <=, > or >=";
  expect_error("if(x, 1, 2)", compares, 0, 5);
  expect_error("if(x", compares, 0, 4);
  expect_error("if(x < y)", usage, 0, 9);
  expect_error("if(x < y, 1)", usage, 0, 12);
  expect_error("if(x < y, 1, 2, 3)", usage, 0, 15);
  expect_error("if(x < y, 1", usage, 0, 11);
  expect_error("if(x < y, 1, 2", "'(' is never closed", 2, 3);
  expect_error("if(x = y, 1, 2)", "a condition compares with <, <=, > or >=", 5, 6);
  expect_error("if(x == y, 1, 2)", "a condition compares with <, <=, > or >=", 5, 6);
  expect_error("if(0 < x < 1, 1, 2)",
               "a condition compares two numbers; two conditions are two ifs, one within the other",
               9, 10);
  expect_error("if(x != y, 1, 2)", "'!='" + signs, 5, 7);
  expect_error("if(x <> y, 1, 2)", "'<>'" + signs, 5, 7);
  expect_error("x ? 1 : 2", "'?'" + signs, 2, 3);
  expect_error("if x < 0", "function 'if' needs its argument in parentheses: if(...)", 0, 2);
  expect_error("if(x < y, 1, 2)'", "a prime must directly follow a name", 15, 16);
  expect_error("clamp(x, 1)", "'clamp' takes 3 arguments, not 2", 0, 11);
  expect_error("clamp", "function 'clamp' needs its argument in parentheses: clamp(...)", 0, 5);
}

TEST(ParseError, FunctionsNeedParentheses) {
  expect_error("sin x", "function 'sin' needs its argument in parentheses: sin(...)", 0, 3);
  expect_error("2*cos", "function 'cos' needs its argument in parentheses: cos(...)", 2, 5);
  expect_error("sin^2(x)", "function 'sin' needs its argument in parentheses: sin(...)", 0, 3);
}

TEST(ParseError, NumbersOfArguments) {
  expect_error("sin()", "'sin' takes 1 argument, not 0", 0, 5);
  expect_error("m*sin(x, y)", "'sin' takes 1 argument, not 2", 2, 11);
  expect_error("atan2(x)", "'atan2' takes 2 arguments, not 1", 0, 8);
  expect_error("min(x)", "'min' takes at least 2 arguments, not 1", 0, 6);
  expect_error("sin(x,)", "expected an expression, found ')'", 6, 7);
  expect_error("(x, y)", "',' outside the arguments of a function", 2, 3);
  expect_error("x, y", "unexpected ','", 1, 2);
}

TEST(ParseError, MissingOperands) {
  expect_error("x +", "expected an expression, found the end", 2, 3);
  expect_error("x * ", "expected an expression, found the end", 2, 3);
  expect_error("x^", "expected an expression, found the end", 1, 2);
  expect_error("-", "expected an expression, found the end", 0, 1);
  expect_error("* x", "expected an expression, found '*'", 0, 1);
  expect_error("x + * y", "expected an expression, found '*'", 4, 5);
  expect_error("x / / y", "expected an expression, found '/'", 4, 5);
}

TEST(ParseError, HabitsOfOtherLanguages) {
  expect_error("x**2", "'**' is not an operator; a power is written with '^'", 1, 3);
  expect_error("|x|", "unexpected '|'; a magnitude is written abs(x)", 0, 1);
  expect_error("[x]", "unexpected character '['; did you mean '('?", 0, 1);
  expect_error("{x}", "unexpected character '{'; did you mean '('?", 0, 1);
  expect_error("x # y", "unexpected character '#'", 2, 3);
}

TEST(ParseError, Lookalikes) {
  expect_error("x − y", "unexpected character '−'; did you mean '-'?", 2, 5);
  expect_error("x–y", "unexpected character '–'; did you mean '-'?", 1, 4);
  expect_error("x·y", "unexpected character '·'; did you mean '*'?", 1, 3);
  expect_error("x⋅y", "unexpected character '⋅'; did you mean '*'?", 1, 4);
  expect_error("x×y", "unexpected character '×'; did you mean '*'?", 1, 3);
  expect_error("x÷y", "unexpected character '÷'; did you mean '/'?", 1, 3);
  expect_error("x²", "unexpected character '²'; did you mean '^2'?", 1, 3);
  expect_error("x′", "unexpected character '′'; did you mean \"'\"?", 1, 4);
  expect_error("x’", "unexpected character '’'; did you mean \"'\"?", 1, 4);
  expect_error("x\"", "unexpected character '\"'; did you mean \"''\"?", 1, 2);
}

TEST(ParseError, Primes) {
  expect_error("m*x'''", "at most two primes: x'' is the acceleration", 2, 6);
  expect_error("x '", "a prime must directly follow a name", 2, 3);
  expect_error("(x)'", "a prime must directly follow a name", 3, 4);
  expect_error("sin(x)'", "a prime must directly follow a name", 6, 7);
  expect_error("2'", "a prime must directly follow a name", 1, 2);
}

TEST(ParseError, Names) {
  expect_error("m*phy'", "unknown name 'phy'", 2, 6);
  expect_error("x + disk.wx", "unknown name 'disk.wx'", 4, 11);
  expect_error("x.", "expected a name behind 'x.'", 0, 2);
  expect_error("x. y", "expected a name behind 'x.'", 0, 2);
  expect_error(".", "expected an expression, found '.'", 0, 1);
}

TEST(ParseError, Numbers) {
  expect_error("x + 1.2.3", "'1.2.3' is not a number", 4, 9);
  expect_error("1e99999", "'1e99999' is not a number (exponents go from -10000 to 10000)", 0, 7);
}

TEST(ParseError, NumbersThatGrowWithTheTextAreStopped) {
  std::string product = "x";
  std::string sum = "x";
  for (int i = 1; i < 100000; ++i) {
    product += "*9e9999";
    sum += "+1/" + std::to_string(2 * i + 1);
  }
  for (const std::string& text : {product, sum}) {
    const auto result = parse(text, resolve_symbols({}));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "a number of too many digits");
    EXPECT_EQ(result.error().begin, 0u);
  }
}

TEST(ParseError, DivisionByZero) {
  expect_error("1/0", "division by zero", 2, 3);
  expect_error("x/(1 - 1)*y", "division by zero", 2, 9);
  expect_error("x/(y - y)", "division by zero", 2, 9);
  expect_error("0^-1", "division by zero", 0, 4);
}

TEST(ParseError, BytesThatAreNoCharacters) {
  expect_error("\xff", "byte 0xff is not UTF-8", 0, 1);
  expect_error("x + \xc3", "byte 0xc3 is not UTF-8", 4, 5);
  expect_error("x\xe2\x88", "byte 0xe2 is not UTF-8", 1, 2);
  expect_error("x\x01y", "control character 0x01", 1, 2);
  expect_error("x\x7f", "control character 0x7f", 1, 2);
  expect_error(std::string_view("x\0y", 3), "control character 0x00", 1, 2);
}

TEST(ParseError, NestingIsLimited) {
  expect_error(std::string(100'000, '('), "nested more than 500 levels deep", 500, 501);
  expect_error(std::string(100'000, '-') + "x", "nested more than 500 levels deep", 500, 501);
  std::string powers = "x";
  for (int i = 0; i < 100'000; ++i) powers += "^x";
  expect_error(powers, "nested more than 500 levels deep", 1000, 1001);
  std::string calls;
  for (int i = 0; i < 100'000; ++i) calls += "sin(";
  expect_error(calls, "nested more than 500 levels deep", 2000, 2003);
  EXPECT_TRUE(parse(std::string(400, '(') + "x" + std::string(400, ')'), resolve));
}

TEST(ParseError, RandomBytesNeverCrashAndErrorsLieInTheText) {
  EXPECT_TRUE(rc::check("random bytes", [](const std::string& text) {
    if (const auto found = parse(text, resolve_symbols({"x"})); !found) {
      RC_ASSERT(found.error().begin <= found.error().end);
      RC_ASSERT(found.error().end <= text.size());
      RC_ASSERT(!found.error().message.empty());
    }
    parse_equation(text, resolve_symbols({"x"}));
  }));
}

TEST(ParseError, RandomWordsNeverCrashAndErrorsLieInTheText) {
  static const std::vector<std::string> words = {
      "x", "y'",  "2",    "0",    "1e5",    ".5", "+", "-", "*", "/", "^", "(",    ")", ",",
      "=", "sin", "sin(", "min(", "atan2(", ".",  "'", " ", "φ", "−", "|", "\xc3", "t", "pi"};
  EXPECT_TRUE(rc::check("random words", [](const std::vector<unsigned>& choices) {
    std::string text;
    for (const unsigned choice : choices) text += words[choice % words.size()];
    if (const auto found = parse(text, resolve_symbols({"x"})); !found) {
      RC_ASSERT(found.error().begin <= found.error().end);
      RC_ASSERT(found.error().end <= text.size());
    }
    if (const auto found = parse_equation(text, resolve_symbols({"x"})); !found)
      RC_ASSERT(found.error().end <= text.size());
  }));
}

}  // namespace
}  // namespace dalembert::expr::parse_errors_test
