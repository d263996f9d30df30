// Rigorous evaluation with Arb, by the conventions of functions.cpp.
#include <flint/fmpq.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/algebra_balls.hpp"
#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/table.hpp"

namespace dalembert::expr {

namespace algebra {

namespace {

constexpr double cost_of_ball = 0.5;       // in terms
constexpr long exponent_limit = 1L << 32;  // a value beyond 2^±this is not computed with

void set_rational(arb_t ball, const Rational& r, long precision) {
  fmpq_t q;
  fmpq_init(q);
  fmpq_set_mpq(q, r.get_mpq_t());
  arb_set_fmpq(ball, q, precision);
  fmpq_clear(q);
}

/// base^exponent for an exact integer exponent.
void integer_power(arb_t result, const arb_t base, const mpz_class& exponent, long precision) {
  if (sgn(exponent) < 0 && arb_contains_zero(base) != 0) {
    arb_indeterminate(result);
    return;
  }
  fmpz_t k;
  fmpz_init(k);
  fmpz_set_mpz(k, exponent.get_mpz_t());
  arb_pow_fmpz(result, base, k, precision);
  fmpz_clear(k);
}

void general_power(arb_t result, const arb_t base, const arb_t exponent, long precision) {
  if (arb_is_exact(exponent) != 0 && arb_is_int(exponent) != 0 &&
      arf_cmpabs_2exp_si(arb_midref(exponent), 62) < 0) {
    const long k = arf_get_si(arb_midref(exponent), ARF_RND_NEAR);
    integer_power(result, base, mpz_class(k), precision);
  } else if (arb_is_positive(base) != 0) {
    Ball logarithm;
    arb_log(logarithm.get(), base, precision);
    arb_mul(logarithm.get(), logarithm.get(), exponent, precision);
    arb_exp(result, logarithm.get(), precision);
  } else if (arb_is_zero(base) != 0 && arb_is_positive(exponent) != 0) {
    arb_zero(result);
  } else {
    arb_indeterminate(result);
  }
}

void rational_power(arb_t result, const arb_t base, const Rational& exponent, long precision) {
  if (exponent.get_den() == 1) {
    integer_power(result, base, exponent.get_num(), precision);
    return;
  }
  Ball k;
  set_rational(k.get(), exponent, precision);
  general_power(result, base, k.get(), precision);
}

bool usable(const arb_t ball) {
  return arb_is_finite(ball) != 0 && arf_cmpabs_2exp_si(arb_midref(ball), exponent_limit) < 0 &&
         mag_cmp_2exp_si(arb_radref(ball), exponent_limit) < 0;
}

/// The polynomial of the piece that holds all of s; unknown where s spans two, and next to a node,
/// for nothing tells on which side a ball lies.
void enclose_table(arb_t r, const Table& table, const arb_struct* s, long precision) {
  arf_t low, high;
  arf_init(low);
  arf_init(high);
  arb_get_interval_arf(low, high, s, 64);
  const std::size_t piece = table.piece_of(arf_get_d(low, ARF_RND_DOWN));
  const bool one_piece = piece == table.piece_of(arf_get_d(high, ARF_RND_UP));
  arf_clear(low);
  arf_clear(high);
  const std::span<const double> c = table.coefficients(piece);
  if (!one_piece || !std::ranges::all_of(c, [](double x) { return std::isfinite(x); })) {
    arb_indeterminate(r);
    return;
  }
  Ball h, sum, term;
  arb_set_d(h.get(), table.origin(piece));
  arb_sub(h.get(), s, h.get(), precision);
  arb_set_d(sum.get(), c.back());
  for (std::size_t k = c.size() - 1; k-- > 0;) {
    arb_mul(sum.get(), sum.get(), h.get(), precision);
    arb_set_d(term.get(), c[k]);
    arb_add(sum.get(), sum.get(), term.get(), precision);
  }
  arb_set(r, sum.get());
}

void apply(arb_t r, const Expr& e, const std::vector<const arb_struct*>& x, long precision) {
  switch (e.kind()) {
    case NodeKind::constant:
      set_rational(r, e.value(), precision);
      break;
    case NodeKind::pi:
      arb_const_pi(r, precision);
      break;
    case NodeKind::symbol:
      throw std::logic_error("a symbol has no operation to enclose");
    case NodeKind::sum:
      arb_set(r, x[0]);
      for (std::size_t i = 1; i < x.size(); ++i) arb_add(r, r, x[i], precision);
      break;
    case NodeKind::product:
      arb_set(r, x[0]);
      for (std::size_t i = 1; i < x.size(); ++i) arb_mul(r, r, x[i], precision);
      break;
    case NodeKind::power:
      if (e.args()[1].is(Op::constant)) {
        rational_power(r, x[0], e.args()[1].value(), precision);
      } else {
        general_power(r, x[0], x[1], precision);
      }
      break;
    case NodeKind::table:
      enclose_table(r, *e.table(), x[0], precision);
      break;
    case NodeKind::function:
      function_info(e.op()).enclose({r, x.data(), precision});
      break;
  }
}

}  // namespace

BallGraph::BallGraph(std::span<const Expr> roots) {
  std::unordered_map<const Node*, std::size_t> number;
  for (const Expr& e : postorder(roots)) {
    Step step{e, {}, 0};
    for (const Expr& arg : e.args()) step.args.push_back(number.at(arg.node()));
    if (e.is(Op::symbol)) {
      step.symbol = symbols_.size();
      symbols_.push_back(e);
    }
    number.emplace(e.node(), steps_.size());
    steps_.push_back(std::move(step));
  }
  for (const Expr& root : roots) roots_.push_back(number.at(root.node()));
}

std::vector<Ball> BallGraph::evaluate(const std::vector<Rational>& values, long precision) const {
  std::vector<Ball> balls(steps_.size());
  std::vector<const arb_struct*> args;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    arb_struct* result = balls[i].get();
    if (step.e.is(Op::symbol)) {
      set_rational(result, values[step.symbol], precision);
    } else {
      args.clear();
      bool defined = true;
      for (const std::size_t arg : step.args) {
        args.push_back(balls[arg].get());
        defined = defined && usable(args.back());
      }
      if (defined || step.e.is(Op::choose)) {
        apply(result, step.e, args, precision);
      } else {
        arb_indeterminate(result);
      }
    }
    if (!usable(result)) arb_indeterminate(result);
    Effort::spend(cost_of_ball);
  }
  std::vector<Ball> result;
  result.reserve(roots_.size());
  for (const std::size_t root : roots_) result.push_back(balls[root]);
  return result;
}

std::string decimal(const Ball& ball, long digits) {
  char* text = arb_get_str(ball.get(), digits, ARB_STR_NO_RADIUS);
  std::string result = text;
  flint_free(text);
  return result;
}

}  // namespace algebra

namespace {

constexpr long first_guard_bits = 64;
constexpr int raises = 6;                  // each doubles the working precision
constexpr long middle_bits = 1L << 27;     // a middle longer than this is not written out
constexpr double bits_per_digit = 3.3220;  // log2(10)

std::optional<Enclosure> enclosure(const algebra::Ball& ball, long bits) {
  if (arb_is_finite(ball.get()) == 0) return std::nullopt;
  algebra::Ball rounded;
  arb_set_round(rounded.get(), ball.get(), bits + 16);
  if (arf_cmpabs_2exp_si(arb_midref(rounded.get()), middle_bits) > 0) return std::nullopt;
  Enclosure result;
  if (arf_is_zero(arb_midref(rounded.get())) == 0 &&
      arf_cmpabs_2exp_si(arb_midref(rounded.get()), -middle_bits) < 0) {
    return std::nullopt;
  }
  fmpq_t q;
  fmpq_init(q);
  arf_get_fmpq(q, arb_midref(rounded.get()));
  fmpq_get_mpq(result.middle.get_mpq_t(), q);
  fmpq_clear(q);
  result.radius = mag_get_d(arb_radref(rounded.get()));
  if (result.radius == 0 && arb_is_exact(rounded.get()) == 0) {
    result.radius = std::numeric_limits<double>::denorm_min();
  }
  if (!std::isfinite(result.radius)) return std::nullopt;
  return result;
}

}  // namespace

std::vector<std::optional<Enclosure>> evaluate_precisely(
    std::span<const Expr> list, const std::function<Rational(const Symbol&)>& values, int digits) {
  const algebra::BallGraph graph(list);
  std::vector<Rational> at;
  for (const Expr& s : graph.symbols()) at.push_back(values(s.symbol()));
  const long bits = static_cast<long>(std::ceil(std::max(digits, 1) * bits_per_digit)) + 4;
  std::vector<algebra::Ball> best(list.size());
  long precision = bits + first_guard_bits;
  for (int raise = 0; raise < raises; ++raise, precision *= 2) {
    best = graph.evaluate(at, precision);
    const bool enough = std::all_of(best.begin(), best.end(), [bits](const algebra::Ball& ball) {
      return arb_is_finite(ball.get()) != 0 &&
             (arb_is_exact(ball.get()) != 0 || arb_rel_accuracy_bits(ball.get()) >= bits);
    });
    if (enough) break;
  }
  std::vector<std::optional<Enclosure>> result;
  result.reserve(best.size());
  for (const algebra::Ball& ball : best) result.push_back(enclosure(ball, bits));
  return result;
}

std::optional<Enclosure> evaluate_precisely(const Expr& e,
                                            const std::function<Rational(const Symbol&)>& values,
                                            int digits) {
  return evaluate_precisely(std::span(&e, 1), values, digits).front();
}

}  // namespace dalembert::expr
