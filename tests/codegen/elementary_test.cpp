// Elementary functions give the same bits in any number of lanes, whatever the neighbours are.
#include "dalembert/codegen/elementary.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "random_tape.hpp"

namespace dalembert::codegen {
namespace {

using Values = std::array<double, 8>;

class ElementaryLanes : public testing::TestWithParam<int> {};

TEST_P(ElementaryLanes, AgreeWithTheScalarFunctionBitForBit) {
  const int lanes = GetParam();
  if (lanes > widest_lanes()) GTEST_SKIP() << "no vectors of " << lanes << " on this machine";
  Random random(2026);
  for (auto f = Operation::sin; f <= Operation::power;
       f = static_cast<Operation>(static_cast<int>(f) + 1)) {
    for (int repeat = 0; repeat < 20000; ++repeat) {
      alignas(64) Values a{};
      alignas(64) Values b{};
      alignas(64) Values result{};
      for (double& x : a) x = random_value(random);
      for (double& x : b) x = random_value(random);
      elementary_lanes(f, lanes, a.data(), b.data(), result.data());
      for (int l = 0; l < lanes; ++l) {
        const double expected = elementary(f, a[l], b[l]);
        ASSERT_TRUE(same_bits(result[l], expected))
            << "operation " << static_cast<int>(f) << " of " << a[l] << ", " << b[l] << ": "
            << result[l] << " in lanes, " << expected << " alone";
      }
    }
  }
}

TEST_P(ElementaryLanes, SineAndCosineAreTheHalvesOfOneCall) {
  const int lanes = GetParam();
  Random random(7);
  for (int repeat = 0; repeat < 20000; ++repeat) {
    alignas(64) Values a{};
    alignas(64) Values sin{};
    alignas(64) Values cos{};
    for (double& x : a) x = random_value(random);
    sincos_lanes(lanes, a.data(), sin.data(), cos.data());
    for (int l = 0; l < lanes; ++l) {
      ASSERT_TRUE(same_bits(sin[l], elementary(Operation::sin, a[l], a[l]))) << a[l];
      ASSERT_TRUE(same_bits(cos[l], elementary(Operation::cos, a[l], a[l]))) << a[l];
    }
  }
}

TEST_P(ElementaryLanes, ResultMayReplaceTheArgument) {
  const int lanes = GetParam();
  alignas(64) Values a{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
  const Values before = a;
  elementary_lanes(Operation::cos, lanes, a.data(), a.data(), a.data());
  for (int l = 0; l < lanes; ++l)
    EXPECT_TRUE(same_bits(a[l], elementary(Operation::cos, before[l], 0)));
}

INSTANTIATE_TEST_SUITE_P(Widths, ElementaryLanes, testing::Values(4, 8));

TEST(Elementary, FourAnglesAtOnceAreTheSameAngles) {
  Random random(13);
  const SincosOfFour function = sincos_of_four();
  for (int repeat = 0; repeat < 20000; ++repeat) {
    std::array<double, 4> a{};
    alignas(64) Values both{};
    for (double& x : a) x = random_value(random);
    function(a[0], a[1], a[2], a[3], both.data());
    for (std::size_t i = 0; i < 4; ++i) {
      ASSERT_TRUE(same_bits(both[i], elementary(Operation::sin, a[i], a[i]))) << a[i];
      ASSERT_TRUE(same_bits(both[4 + i], elementary(Operation::cos, a[i], a[i]))) << a[i];
    }
  }
}

/// By how many units in the last place of `exact` a value is off.
double units_off(double value, long double exact) {
  int exponent = 0;
  std::frexp(static_cast<double>(exact), &exponent);
  return static_cast<double>(std::abs(value - exact) / std::ldexp(1.0L, exponent - 53));
}

TEST(Elementary, SineAndCosineAreWithinAUnitOfTheTruth) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "no longer numbers";
  const auto check = [](double x) {
    const SinCos both = sincos(x);
    ASSERT_LE(units_off(both.sin, std::sin(static_cast<long double>(x))), 1) << x;
    ASSERT_LE(units_off(both.cos, std::cos(static_cast<long double>(x))), 1) << x;
  };
  Random random(17);
  for (const double range : {0.8, 7.0, 1e3, 1e6, 1e7}) {
    std::uniform_real_distribution<double> angle(-range, range);
    for (int repeat = 0; repeat < 20000; ++repeat) check(angle(random));
  }
  // Where one of the two is nearly zero and rests on the last digits of pi. Angles are numbered
  // beyond 2^20 / (pi/2) too.
  for (int k = -700000; k <= 700000; k += 97) check(k * (std::numbers::pi / 2));
}

TEST(Elementary, SineKeepsZeroAndWhatIsNearlyZero) {
  for (const double x : {0.0, -0.0, 5e-324, -5e-324, 1e-300, -1e-20}) {
    EXPECT_TRUE(same_bits(sincos(x).sin, x)) << x;
    EXPECT_EQ(sincos(x).cos, 1) << x;
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(sincos(x).sin)) << x;
    EXPECT_TRUE(std::isnan(sincos(x).cos)) << x;
  }
}

TEST(Elementary, IsWithinAUnitInTheLastPlaceOfTheLibraryOfC) {
  // That library is itself within one unit of the truth or nearly so: they may be two apart, three
  // for the hyperbolic functions.
  using Function = double (*)(double);
  const std::vector<std::pair<Operation, Function>> functions{
      {Operation::sin, std::sin},   {Operation::cos, std::cos},   {Operation::tan, std::tan},
      {Operation::asin, std::asin}, {Operation::acos, std::acos}, {Operation::atan, std::atan},
      {Operation::sinh, std::sinh}, {Operation::cosh, std::cosh}, {Operation::tanh, std::tanh},
      {Operation::exp, std::exp},   {Operation::log, std::log}};
  Random random(11);
  for (const auto& [operation, function] : functions) {
    for (int repeat = 0; repeat < 5000; ++repeat) {
      const double x = random_value(random);
      const double expected = function(x);
      const double value = elementary(operation, x, x);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(value)) << static_cast<int>(operation) << " of " << x;
      } else if (std::isfinite(expected) && std::isfinite(value)) {
        const double unit = std::nextafter(std::abs(expected), INFINITY) - std::abs(expected);
        ASSERT_LE(std::abs(value - expected), 3 * unit)
            << static_cast<int>(operation) << " of " << x;
      }
    }
  }
}

}  // namespace
}  // namespace dalembert::codegen
