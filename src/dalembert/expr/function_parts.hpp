#pragma once
/// What entries of functions.cpp are made of: exact values, derivatives, values, enclosures by Arb
/// and ranges that several of them share. Internal to the room.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

#include "dalembert/expr/algebra_balls.hpp"
#include "dalembert/expr/functions.hpp"

namespace dalembert::expr::entries {

using Args = std::span<const Expr>;
using Folded = std::optional<Expr>;

// Exact values.

inline bool are_constants(Args x) {
  return std::ranges::all_of(x, [](const Expr& e) { return e.is(Op::constant); });
}

/// f(at) = value, the only one that is rational.
template <int at, int value>
Folded only_at(Args x) {
  if (x[0].is(Op::constant) && x[0].value() == at) return Expr(value);
  return std::nullopt;
}

inline Folded exact_sqrt(const Rational& x) {
  if (sgn(x) < 0 || !mpz_perfect_square_p(x.get_num_mpz_t()) ||
      !mpz_perfect_square_p(x.get_den_mpz_t())) {
    return std::nullopt;
  }
  return Expr(Rational(sqrt(x.get_num()), sqrt(x.get_den())));
}

/// k when x = 10^k.
inline Folded exact_log10(const Rational& x) {
  if (sgn(x) <= 0) return std::nullopt;
  const mpz_class ten = 10;
  mpz_class rest;
  const mp_bitcnt_t above = mpz_remove(rest.get_mpz_t(), x.get_num_mpz_t(), ten.get_mpz_t());
  if (rest != 1) return std::nullopt;
  const mp_bitcnt_t below = mpz_remove(rest.get_mpz_t(), x.get_den_mpz_t(), ten.get_mpz_t());
  if (rest != 1) return std::nullopt;
  return Expr(static_cast<long>(above) - static_cast<long>(below));
}

inline Rational exact_floor(const Rational& x) {
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), x.get_num_mpz_t(), x.get_den_mpz_t());
  return Rational(result);
}

/// k when e is k·pi/2 with an integer k; the remainder of k by 4 decides sine and cosine.
inline std::optional<int> quarter_turns(const Expr& e) {
  Rational turns;
  if (e.is(Op::constant) && sgn(e.value()) == 0) return 0;
  if (e.is(Op::pi)) {
    turns = 2;
  } else if (e.is(Op::product) && e.args().size() == 2 && e.args()[0].is(Op::constant) &&
             e.args()[1].is(Op::pi)) {
    turns = e.args()[0].value() * 2;
  } else {
    return std::nullopt;
  }
  if (turns.get_den() != 1) return std::nullopt;
  return static_cast<int>(mpz_fdiv_ui(turns.get_num_mpz_t(), 4));
}

/// above/below of the sine s and the cosine c of whole quarters of a turn.
template <int (*above)(int s, int c), int (*below)(int s, int c)>
Folded turned(Args x) {
  static constexpr int sine[4] = {0, 1, 0, -1};
  const std::optional<int> turns = quarter_turns(x[0]);
  if (!turns) return std::nullopt;
  const int s = sine[*turns];
  const int c = sine[(*turns + 1) % 4];
  if (below(s, c) == 0) return std::nullopt;
  return Expr(above(s, c) / below(s, c));
}

constexpr int one(int, int) {
  return 1;
}
constexpr int the_sine(int s, int) {
  return s;
}
constexpr int the_cosine(int, int c) {
  return c;
}

/// The smaller (larger) of two constants, or of two equal expressions.
template <bool smaller>
Folded extreme(Args x) {
  if (same(x[0], x[1])) return x[0];
  if (!are_constants(x)) return std::nullopt;
  return (x[0].value() < x[1].value()) == smaller ? x[0] : x[1];
}

inline Folded chosen(Args x) {
  if (same(x[1], x[2])) return x[1];
  if (!x[0].is(Op::constant)) return std::nullopt;
  return sgn(x[0].value()) >= 0 ? x[1] : x[2];
}

// Derivatives.

/// (1 ± sign(b - a))/2 selects the smaller (larger) of the two.
template <bool smaller>
Expr extreme_slope(const Expr& f, std::size_t k) {
  const Expr selector = sign(f.args()[1 - k] - f.args()[k]);
  return (1 + (smaller ? selector : -selector)) / 2;
}

inline Expr no_slope(const Expr&, std::size_t) {
  return 0;
}

// Values.

template <double (*f)(double)>
double of_one(const double* x) {
  return f(x[0]);
}
template <double (*f)(double, double)>
double of_two(const double* x) {
  return f(x[0], x[1]);
}

// Enclosures.

template <void (*f)(arb_t, const arb_t, slong)>
void ball(const Balls& balls) {
  f(balls.result, balls.x[0], balls.precision);
}
template <void (*f)(arb_t, const arb_t, const arb_t, slong)>
void ball_of_two(const Balls& balls) {
  f(balls.result, balls.x[0], balls.x[1], balls.precision);
}

inline void angle_ball(const Balls& balls) {
  const arb_struct* y = balls.x[0];
  const arb_struct* x = balls.x[1];
  if (arb_contains_zero(y) != 0 && arb_contains_zero(x) != 0 &&
      !(arb_is_zero(y) != 0 && arb_is_zero(x) != 0)) {
    arb_indeterminate(balls.result);
    return;
  }
  arb_atan2(balls.result, y, x, balls.precision);
}

inline void step_ball(const Balls& balls) {
  if (arb_is_nonnegative(balls.x[0]) != 0) {
    arb_one(balls.result);
  } else if (arb_is_negative(balls.x[0]) != 0) {
    arb_zero(balls.result);
  } else {
    arb_unit_interval(balls.result);
  }
}

inline void chosen_ball(const Balls& balls) {
  if (arb_is_finite(balls.x[0]) == 0) {
    arb_indeterminate(balls.result);
  } else if (arb_is_nonnegative(balls.x[0]) != 0) {
    arb_set(balls.result, balls.x[1]);
  } else if (arb_is_negative(balls.x[0]) != 0) {
    arb_set(balls.result, balls.x[2]);
  } else {
    arb_union(balls.result, balls.x[1], balls.x[2], balls.precision);
  }
}

// Ranges.

inline constexpr double circle_half = std::numbers::pi;
inline constexpr Range unit{1, 1};

/// f rises or falls everywhere; `slope` is the range of its derivative over that of its argument.
template <class F>
Moving along(const Moving& x, F f, const Range& slope) {
  return {monotonic(x.value, f), slope * x.rate};
}

/// Whether a box lies on one side of the origin, off the jump of the angle.
inline bool is_aside(const Range& y, const Range& x) {
  return x.low > 0 || y.low > 0 || y.high < 0;
}

inline Range angle_of(const Range& y, const Range& x) {
  if (!is_aside(y, x)) return {-circle_half, circle_half};
  return hull(hull(std::atan2(y.low, x.low), std::atan2(y.high, x.low)),
              hull(std::atan2(y.low, x.high), std::atan2(y.high, x.high)));
}

inline Range sign_of(const Range& a) {
  return monotonic(a, [](double x) { return static_cast<double>((x > 0) - (x < 0)); });
}

/// Off the range in which a logarithm and its like have values.
inline constexpr Moving anything{Range::all(), Range::all()};

}  // namespace dalembert::expr::entries
