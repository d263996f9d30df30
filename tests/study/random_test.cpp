#include "dalembert/study/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dalembert::study::random_test {
namespace {

// Known answers of the generator's authors (Random123, kat_vectors).
TEST(Random, PhiloxGivesTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Random, ANumberBelongsToItsPlace) {
  const double x = uniform(7, 12, 3);
  EXPECT_EQ(x, uniform(7, 12, 3));
  EXPECT_NE(x, uniform(8, 12, 3));
  EXPECT_NE(x, uniform(7, 13, 3));
  EXPECT_NE(x, uniform(7, 12, 4));
  EXPECT_NE(uniform(1, std::uint64_t{1} << 32, 0), uniform(1, 0, 0));
}

// 100 000 draws: the mean of x and of x^2 are within 5 standard deviations of what they should be.
TEST(Random, UniformAndNormalHaveTheirMoments) {
  const int count = 100000;
  double u1 = 0, u2 = 0, z1 = 0, z2 = 0;
  for (int i = 0; i < count; ++i) {
    const double u = uniform(1, static_cast<std::uint64_t>(i), 0);
    const double z = normal(1, static_cast<std::uint64_t>(i), 1);
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    u1 += u;
    u2 += u * u;
    z1 += z;
    z2 += z * z;
  }
  const double root = std::sqrt(static_cast<double>(count));
  EXPECT_NEAR(u1 / count, 1.0 / 2, 5 * std::sqrt(1.0 / 12) / root);
  EXPECT_NEAR(u2 / count, 1.0 / 3, 5 * std::sqrt(4.0 / 45) / root);
  EXPECT_NEAR(z1 / count, 0, 5 / root);
  EXPECT_NEAR(z2 / count, 1, 5 * std::sqrt(2.0) / root);
}

// Tabulated values, and the ends of what a draw can give.
TEST(Random, NormalQuantiles) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(0.025), -1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(0.84134474606854293), 1.0, 1e-14);
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_NEAR(normal_quantile(1e-9), -5.9978070150076874, 1e-13);
  EXPECT_TRUE(std::isfinite(normal_quantile(0x1p-54)));
  EXPECT_TRUE(std::isfinite(normal_quantile(1 - 0x1p-53)));
  EXPECT_LT(normal_quantile(0.4999), 0);
  EXPECT_GT(normal_quantile(0.5001), 0);
}

}  // namespace
}  // namespace dalembert::study::random_test
