#pragma once
/// The weights that building gives to terms and factors. Nearly all of them are small, and then
/// they cost no more than machine words do. Internal to the room.

#include <memory>

#include "dalembert/expr/node.hpp"

namespace dalembert::expr {

/// An exact rational number.
class Weight {
 public:
  explicit Weight(int value) : small_{value, 1} {}
  /// Of a constant.
  explicit Weight(const Expr& constant) : small_(small_value(constant)) {
    if (!small_.is_known()) large_ = std::make_unique<Rational>(constant.value());
  }

  void operator+=(const Weight& other);
  void operator*=(const Weight& other);

  bool is_zero() const { return small_ == SmallRatio{0, 1}; }
  bool is_one() const { return small_ == SmallRatio{1, 1}; }
  Rational rational() const;
  Expr constant() const;

 private:
  void set(const Rational& value);

  SmallRatio small_;
  std::unique_ptr<Rational> large_;  ///< where the small form is not known
};

}  // namespace dalembert::expr
