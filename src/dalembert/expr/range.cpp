#include "dalembert/expr/range.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dalembert::expr {

Range hull(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return Range::all();
  return a < b ? Range{a, b} : Range{b, a};
}

Range hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

bool is_zero(const Range& a) {
  return a.low == 0 && a.high == 0;
}

Range operator+(const Range& a, const Range& b) {
  const Range sum{a.low + b.low, a.high + b.high};
  return sum.low <= sum.high ? sum : Range::all();
}

Range operator-(const Range& a) {
  return {-a.high, -a.low};
}

Range operator-(const Range& a, const Range& b) {
  return a + -b;
}

Range operator*(const Range& a, const Range& b) {
  if (is_zero(a) || is_zero(b)) return {0, 0};
  return hull(hull(a.low * b.low, a.high * b.high), hull(a.low * b.high, a.high * b.low));
}

Range operator/(const Range& a, const Range& b) {
  return b.contains(0) ? Range::all() : a * Range{1 / b.high, 1 / b.low};
}

Range square(const Range& a) {
  const Range ends = hull(a.low * a.low, a.high * a.high);
  return a.contains(0) ? Range{0, ends.high} : ends;
}

Range magnitude(const Range& a) {
  const Range ends = hull(std::abs(a.low), std::abs(a.high));
  return a.contains(0) ? Range{0, ends.high} : ends;
}

Range root(const Range& a) {
  return monotonic(a, [](double x) { return std::sqrt(std::max(x, 0.0)); });
}

Range cosine(const Range& a) {
  constexpr double pi = std::numbers::pi;
  if (!(a.width() < 2 * pi)) return {-1, 1};
  const Range ends = hull(std::cos(a.low), std::cos(a.high));
  // Whether a whole multiple of 2 pi, shifted by `phase`, lies within.
  const auto passes = [&](double phase) {
    return std::floor((a.high - phase) / (2 * pi)) != std::floor((a.low - phase) / (2 * pi));
  };
  return {passes(pi) ? -1 : ends.low, passes(0) ? 1 : ends.high};
}

Range sine(const Range& a) {
  constexpr double quarter = std::numbers::pi / 2;
  return cosine({a.low - quarter, a.high - quarter});
}

Range power_of(const Range& a, const Range& b) {
  const double n = b.low;
  if (b.high == n && n == std::floor(n)) {
    if (n < 0) return Range{1, 1} / power_of(a, -b);
    const bool even = std::fmod(n, 2) == 0;
    return monotonic(even ? magnitude(a) : a, [&](double x) { return std::pow(x, n); });
  }
  if (!(a.low > 0) && !(a.low == 0 && b.low > 0)) return Range::all();
  return hull(hull(std::pow(a.low, b.low), std::pow(a.high, b.high)),
              hull(std::pow(a.low, b.high), std::pow(a.high, b.low)));
}

}  // namespace dalembert::expr
