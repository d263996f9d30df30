#pragma once
/// Intervals of numbers, and what functions make of them. Rounding is not accounted for: a range is
/// right to a few units in the last place.

#include <limits>

namespace dalembert::expr {

struct Range {
  double low, high;

  static constexpr Range all() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  bool contains(double x) const { return low <= x && x <= high; }
  double width() const { return high - low; }
};

/// What a function of time takes on over an interval of t, and its rate there. Where it may jump,
/// the rate is unbounded.
struct Moving {
  Range value, rate;
};

/// The smallest range that holds both; everything where one is not a number.
Range hull(double a, double b);
Range hull(const Range& a, const Range& b);
bool is_zero(const Range& a);

Range operator+(const Range& a, const Range& b);
Range operator-(const Range& a);
Range operator-(const Range& a, const Range& b);
Range operator*(const Range& a, const Range& b);
/// Everything where b contains 0.
Range operator/(const Range& a, const Range& b);

Range square(const Range& a);
Range magnitude(const Range& a);
/// Of what is not negative in a.
Range root(const Range& a);
Range sine(const Range& a);
Range cosine(const Range& a);
/// a^b, which rises or falls in either alone where a > 0, and for whole b everywhere; everything
/// where a^b has no value.
Range power_of(const Range& a, const Range& b);

/// f of a range on which it rises or falls.
template <class F>
Range monotonic(const Range& a, F f) {
  return hull(f(a.low), f(a.high));
}

}  // namespace dalembert::expr
