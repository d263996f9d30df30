#include "dalembert/study/random.hpp"

#include <cmath>
#include <numbers>

namespace dalembert::study {

namespace {

constexpr std::array<std::uint32_t, 2> multipliers{0xD2511F53U, 0xCD9E8D57U};
constexpr std::array<std::uint32_t, 2> increments{0x9E3779B9U, 0xBB67AE85U};
constexpr int rounds = 10;

double upper_tail(double x) {  // P(X > x)
  return std::erfc(x / std::numbers::sqrt2) / 2;
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t a = std::uint64_t{multipliers[0]} * counter[0];
    const std::uint64_t b = std::uint64_t{multipliers[1]} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += increments[0];
    key[1] += increments[1];
  }
  return counter;
}

double uniform(std::uint64_t seed, std::uint64_t run, std::uint32_t variable) {
  const auto words =
      philox({static_cast<std::uint32_t>(run), static_cast<std::uint32_t>(run >> 32), variable, 0},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  const std::uint64_t bits = std::uint64_t{words[0]} << 32 | words[1];
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

double normal(std::uint64_t seed, std::uint64_t run, std::uint32_t variable) {
  return normal_quantile(uniform(seed, run, variable) + 0x1p-54);
}

/// Newton's method with second-order correction (Halley) on the smaller tail, from a start good to
/// a few per cent; the tail function is exact to rounding, so the root is.
double normal_quantile(double p) {
  const double tail = p < 0.5 ? p : 1 - p;
  if (tail == 0.5) return 0;
  const double r = std::sqrt(-2 * std::log(tail));
  double x = r - (2.30753 + 0.27061 * r) / (1 + r * (0.99229 + r * 0.04481));
  for (int i = 0; i < 4; ++i) {
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    const double step = (upper_tail(x) - tail) / density;
    x += step / (1 - x * step / 2);
  }
  return p < 0.5 ? -x : x;
}

}  // namespace dalembert::study
