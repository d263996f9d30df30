#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <dalembert/expr/rational.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

namespace dalembert::expr::rational_test {
namespace {

using Limits = std::numeric_limits<double>;

Rational power_of_two(int exponent) {
  Rational result = 1;
  if (exponent >= 0) {
    mpq_mul_2exp(result.get_mpq_t(), result.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpq_div_2exp(result.get_mpq_t(), result.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  }
  return result;
}

TEST(RationalFromDecimal, DecimalsAreExact) {
  EXPECT_EQ(*rational_from_decimal("12"), 12);
  EXPECT_EQ(*rational_from_decimal("0.1"), Rational(1, 10));
  EXPECT_EQ(*rational_from_decimal("2.5e-3"), Rational(1, 400));
  EXPECT_EQ(*rational_from_decimal(".5"), Rational(1, 2));
  EXPECT_EQ(*rational_from_decimal("5."), 5);
  EXPECT_EQ(*rational_from_decimal("1E+3"), 1000);
  EXPECT_EQ(*rational_from_decimal("007"), 7);
  EXPECT_EQ(*rational_from_decimal("123456789012345678901234567890"),
            Rational("123456789012345678901234567890"));
}

TEST(RationalFromDecimal, AnythingElseIsRefused) {
  for (const char* text : {"", ".", "e5", "1e", "1e+", "1e+-5", "1e++5", "1.2.3", "-1", "+1", " 1",
                           "1 ", "0x10", "inf", "nan", "1e5.", "1,5", "1'000"}) {
    EXPECT_FALSE(rational_from_decimal(text)) << text;
  }
}

TEST(RationalFromDecimal, ExponentsBeyondTenThousandAreRefused) {
  EXPECT_TRUE(rational_from_decimal("1e10000"));
  EXPECT_TRUE(rational_from_decimal("1e-10000"));
  EXPECT_FALSE(rational_from_decimal("1e10001"));
  EXPECT_FALSE(rational_from_decimal("1e-10001"));
  EXPECT_FALSE(rational_from_decimal("1e99999999999999999999"));
}

TEST(RationalFromDouble, MeansTheShortestDecimal) {
  EXPECT_EQ(rational_from_double(0.1), Rational(1, 10));
  EXPECT_EQ(rational_from_double(-9.81), Rational(-981, 100));
  EXPECT_EQ(rational_from_double(1e22), Rational("10000000000000000000000"));
  EXPECT_EQ(rational_from_double(-0.0), 0);
}

TEST(RationalFromDouble, RefusesWhatIsNotFinite) {
  EXPECT_THROW(rational_from_double(Limits::infinity()), std::invalid_argument);
  EXPECT_THROW(rational_from_double(Limits::quiet_NaN()), std::invalid_argument);
}

TEST(RationalFromDouble, ConvertingBackGivesTheSameDouble) {
  EXPECT_TRUE(rc::check("every finite double", [](std::uint64_t bits) {
    const auto x = std::bit_cast<double>(bits);
    RC_PRE(std::isfinite(x) && x != 0);
    RC_ASSERT(to_double(rational_from_double(x)) == x);
  }));
}

TEST(ToDouble, RoundsLikeTheReaderOfDecimals) {
  // strtod of glibc is correctly rounded: an independent route from decimal text to double.
  EXPECT_TRUE(rc::check("random decimals", [](std::uint64_t mantissa, std::uint16_t shift) {
    const int exponent = static_cast<int>(shift % 700) - 360;
    const std::string text = std::to_string(mantissa) + "e" + std::to_string(exponent);
    RC_ASSERT(to_double(*rational_from_decimal(text)) == std::strtod(text.c_str(), nullptr));
  }));
}

TEST(ToDouble, TiesGoToEven) {
  const Rational one = 1;
  EXPECT_EQ(to_double(one + power_of_two(-53)), 1.0);
  EXPECT_EQ(to_double(one + 3 * power_of_two(-53)), 1.0 + 2 * Limits::epsilon());
  EXPECT_EQ(to_double(-one - power_of_two(-53)), -1.0);
  EXPECT_EQ(to_double(one + power_of_two(-53) + power_of_two(-200)), 1.0 + Limits::epsilon());
}

TEST(ToDouble, TiesOfSubnormalsGoToEven) {
  const Rational least = power_of_two(-1074);
  EXPECT_EQ(to_double(least / 2), 0.0);
  EXPECT_EQ(to_double(3 * least / 2), 2 * Limits::denorm_min());
  EXPECT_EQ(to_double(5 * least / 2), 2 * Limits::denorm_min());
  EXPECT_EQ(to_double(-3 * least / 2), -2 * Limits::denorm_min());
  EXPECT_EQ(to_double(least / 2 + power_of_two(-2000)), Limits::denorm_min());
  EXPECT_EQ(to_double(power_of_two(-5000)), 0.0);
}

TEST(ToDouble, BeyondTheRangeIsInfinite) {
  const Rational largest = Limits::max();
  const Rational half_step = power_of_two(970);
  EXPECT_EQ(to_double(largest), Limits::max());
  EXPECT_EQ(to_double(largest + half_step - 1), Limits::max());
  EXPECT_EQ(to_double(largest + half_step), Limits::infinity());
  EXPECT_EQ(to_double(-largest - half_step), -Limits::infinity());
  EXPECT_EQ(to_double(power_of_two(1024)), Limits::infinity());
  EXPECT_EQ(to_double(power_of_two(50000)), Limits::infinity());
}

}  // namespace
}  // namespace dalembert::expr::rational_test
