#pragma once
/// Values enclosed in balls (Arb) over the graph of expressions. Internal to the room.

#include <arb.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/expr/expr.hpp"

namespace dalembert::expr {

/// A function to be enclosed: result = f(x[0], x[1], ...). All of x are finite, but for the
/// arguments of `choose`.
struct Balls {
  arb_struct* result;
  const arb_struct* const* x;
  long precision;
};

}  // namespace dalembert::expr

namespace dalembert::expr::algebra {

class Ball {
 public:
  Ball() { arb_init(ball_); }
  Ball(const Ball& other) : Ball() { arb_set(ball_, other.ball_); }
  Ball(Ball&& other) noexcept : Ball() { arb_swap(ball_, other.ball_); }
  Ball& operator=(const Ball& other) {
    arb_set(ball_, other.ball_);
    return *this;
  }
  Ball& operator=(Ball&& other) noexcept {
    arb_swap(ball_, other.ball_);
    return *this;
  }
  ~Ball() { arb_clear(ball_); }
  arb_struct* get() { return ball_; }
  const arb_struct* get() const { return ball_; }

 private:
  arb_t ball_;
};

/// Encloses the value of every root at once. A ball that is not finite stands for what is not
/// defined, or not seen to be.
class BallGraph {
 public:
  explicit BallGraph(std::span<const Expr> roots);

  const std::vector<Expr>& symbols() const { return symbols_; }
  /// `values` in the order of symbols().
  std::vector<Ball> evaluate(const std::vector<Rational>& values, long precision) const;

 private:
  struct Step {
    Expr e;
    std::vector<std::size_t> args;  ///< numbers of steps
    std::size_t symbol = 0;
  };
  std::vector<Step> steps_;
  std::vector<Expr> symbols_;
  std::vector<std::size_t> roots_;
};

/// A decimal with `digits` significant digits.
std::string decimal(const Ball& ball, long digits);

}  // namespace dalembert::expr::algebra
