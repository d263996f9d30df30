#include "dalembert/expr/weight.hpp"

#include <numeric>

namespace dalembert::expr {

namespace {

/// In lowest terms; not known where that is too large for a small one.
SmallRatio lowest(std::int64_t numerator, std::int64_t denominator) {
  if (denominator != 1) {
    const std::int64_t common = std::gcd(numerator, denominator);
    numerator /= common;
    denominator /= common;
  }
  const bool fits = numerator <= SmallRatio::most && numerator >= -SmallRatio::most &&
                    denominator <= SmallRatio::most;
  return fits ? SmallRatio{numerator, denominator} : SmallRatio{0, 0};
}

}  // namespace

Rational Weight::rational() const {
  return large_ ? *large_ : Rational(small_.numerator, small_.denominator);
}

Expr Weight::constant() const {
  return large_ ? Expr(*large_) : Pool::instance().intern(small_);
}

void Weight::set(const Rational& value) {
  small_ = small_ratio(value);
  large_ = small_.is_known() ? nullptr : std::make_unique<Rational>(value);
}

void Weight::operator+=(const Weight& other) {
  if (small_.is_known() && other.small_.is_known()) {
    // Each product is below 2^62, their sum below 2^63.
    const SmallRatio total = lowest(
        small_.numerator * other.small_.denominator + other.small_.numerator * small_.denominator,
        small_.denominator * other.small_.denominator);
    if (total.is_known()) {
      small_ = total;
      return;
    }
  }
  set(rational() + other.rational());
}

void Weight::operator*=(const Weight& other) {
  if (small_.is_known() && other.small_.is_known()) {
    const SmallRatio result = lowest(small_.numerator * other.small_.numerator,
                                     small_.denominator * other.small_.denominator);
    if (result.is_known()) {
      small_ = result;
      return;
    }
  }
  set(rational() * other.rational());
}

}  // namespace dalembert::expr
