#include "dalembert/expr/algebra_ring.hpp"

#include <algorithm>

#include "dalembert/expr/functions.hpp"

namespace dalembert::expr::algebra {

namespace {

constexpr double most_bytes = 3e8;
constexpr std::size_t most_variables = 600;  // every term has an exponent for each

constexpr std::size_t opened_roots = 24;  // further ones are plain generators
constexpr std::size_t split_angles = 10;  // an argument with more parts is one angle
constexpr long exponent_limit = 1L << 24;

bool is_hyperbolic(Op op) {
  return op == Op::sinh || op == Op::cosh || op == Op::tanh;
}

bool is_exponential(Op op) {
  return is_hyperbolic(op) || op == Op::exp;
}

bool has_constant_exponent(const Expr& e) {
  return e.is(Op::power) && e.args()[1].is(Op::constant);
}

/// The part q·pi of an argument, when sin(q pi) is known exactly, and the rest.
struct Turned {
  LinearForm rest;
  Rational turns = 0;
};

Turned turned(const LinearForm& form) {
  Turned result{form, 0};
  const auto circle = result.rest.find(pi());
  if (circle == result.rest.end()) return result;
  const mpz_class& parts = circle->second.get_den();
  if (parts <= 4 || parts == 6) {
    result.turns = circle->second;
    result.rest.erase(circle);
  } else {  // the nearest half turn is exact, and leaves an angle below pi/2
    mpz_class nearest;
    mpz_fdiv_q(nearest.get_mpz_t(), mpz_class(2 * circle->second.get_num() + parts).get_mpz_t(),
               mpz_class(2 * parts).get_mpz_t());
    result.turns = nearest;
    circle->second -= result.turns;
  }
  return result;
}

/// The form as one atom, where splitting it would give too many terms.
LinearForm unsplit(const LinearForm& form) {
  if (form.size() <= split_angles) return form;
  std::vector<Expr> terms;
  for (const auto& [atom, coefficient] : form) terms.push_back(Expr(coefficient) * atom);
  return {{sum(terms), Rational(1)}};
}

}  // namespace

Ring::Ring(std::span<const Expr> roots, Mode mode, std::size_t terms) : mode_(mode), terms_(terms) {
  scan(roots);
  for (std::size_t spare = 2 * roots_seen_;; spare = 2 * spare + 4) {
    try {
      convert(spare);
      return;
    } catch (const NeedsVariables&) {
      if (spare > 1000) throw GaveUp("there are too many roots in it");
    }
  }
}

bool Ring::opens(const Expr& e) {
  bool open = is_rational_operation(e);
  if (e.is(Op::sqrt) || e.is(Op::abs) || (has_constant_exponent(e) && !open)) {
    open = roots_seen_ < opened_roots;
    ++roots_seen_;
  }
  if (open) opened_.insert(e.node());
  return open;
}

void Ring::scan(std::span<const Expr> roots) {
  order_ = postorder_within(roots, [this](const Expr& e) { return opens(e); });
  for (const Expr& e : order_) {
    if (is_trigonometric(e.op())) {
      angles_.add(unsplit(turned(forms_.of(e.args()[0])).rest));
    } else if (mode_ == Mode::decide && is_exponential(e.op())) {
      exponents_.add(forms_.of(e.args()[0]));
    } else if (!is_opened(e) && !e.is(Op::constant)) {
      ++fixed_variables_;
    }
  }
  angles_.settle(mode_ == Mode::decide ? Bases::fractions : Bases::divisors);
  exponents_.settle(Bases::fractions);
  fixed_variables_ += 2 * angles_.bases().size() + exponents_.bases().size();
}

void Ring::convert(std::size_t spare) {
  if (fixed_variables_ + spare > most_variables) throw GaveUp("it has too many symbols");
  values_.clear();
  factors_.clear();
  generators_.clear();
  known_.clear();
  angle_variables_.clear();
  exponent_variables_.clear();
  context_ = std::make_unique<Context>(fixed_variables_ + spare, terms_);
  for (std::size_t i = 0; i < angles_.bases().size(); ++i) {
    const BaseAngles::Base& base = angles_.bases()[i];
    const Expr angle = Expr(base.unit) * base.atom;
    Generator s;
    s.kind = Generator::Kind::sine;
    s.shown = sin(angle);
    s.angle = i;
    Generator c = s;
    c.kind = Generator::Kind::cosine;
    c.shown = cos(angle);
    const std::size_t first = new_generator(std::move(s));
    const std::size_t second = new_generator(std::move(c));
    generators_[first].partner = second;
    generators_[second].partner = first;
    angle_variables_.emplace_back(first, second);
  }
  for (const BaseAngles::Base& base : exponents_.bases()) {
    Generator e;
    e.kind = Generator::Kind::exponential;
    e.shown = exp(Expr(base.unit) * base.atom);
    e.never_negative = true;
    exponent_variables_.push_back(new_generator(std::move(e)));
  }
  double bytes = 0;  // of all values: a term has an exponent a variable and a coefficient
  for (const Expr& e : order_) {
    Value v = converted(e);
    bytes += static_cast<double>(v.numerator.length()) *
             (16 + static_cast<double>(fixed_variables_ + spare));
    if (bytes > most_bytes) throw GaveUp("the polynomials in it take too much memory");
    values_.emplace(e.node(), std::move(v));
  }
}

std::size_t Ring::new_generator(Generator g) {
  if (generators_.size() == context_->variables()) throw NeedsVariables();
  generators_.push_back(std::move(g));
  return generators_.size() - 1;
}

Value Ring::plain(const Expr& e) {
  if (const auto found = known_.find(e); found != known_.end()) return variable(found->second);
  Generator g;
  g.shown = e;
  if (e.is(Op::sign) || e.is(Op::step)) {
    g.kind = Generator::Kind::sign;
    g.order = e.is(Op::sign) ? 3 : 2;
  }
  g.never_negative =
      e.is(Op::pi) || (is_function(e.op()) && function_info(e.op()).is_never_negative);
  const std::size_t index = new_generator(std::move(g));
  known_.emplace(e, index);
  return variable(index);
}

Value Ring::opaque(const Expr& e) {
  const Parity parity = function_info(e.op()).parity;
  if (parity == Parity::none || !e.args()[0].is(Op::sum)) return plain(e);
  std::vector<Expr> terms;
  for (const Expr& term : e.args()[0].args()) terms.push_back(-term);
  const Expr mirrored = sum(terms);
  if (ordered_before(e.args()[0], mirrored)) return plain(e);
  Value v = plain(apply_function(e.op(), std::span(&mirrored, 1)));
  if (parity == Parity::odd) v.numerator = Rational(-1) * v.numerator;
  return v;
}

Value Ring::converted(const Expr& e) {
  switch (e.kind()) {
    case NodeKind::constant:
      return constant(e.value());
    case NodeKind::pi:
    case NodeKind::symbol:
    case NodeKind::table:
      break;
    case NodeKind::sum: {
      std::vector<const Value*> terms;
      for (const Expr& arg : e.args()) terms.push_back(&values_.at(arg.node()));
      return add(terms);
    }
    case NodeKind::product: {
      Value result = values_.at(e.args()[0].node());
      for (const Expr& arg : e.args().subspan(1)) {
        result = multiply(result, values_.at(arg.node()));
      }
      return result;
    }
    case NodeKind::power:
      return power_of(e);
    case NodeKind::function:
      return converted_function(e);
  }
  return plain(e);
}

/// By its identities; a function without any is a generator of its own.
Value Ring::converted_function(const Expr& e) {
  if (is_trigonometric(e.op())) return trigonometric(e);
  if (mode_ == Mode::decide && is_hyperbolic(e.op())) return hyperbolic(e);
  if (mode_ == Mode::decide && e.is(Op::exp)) return exponential(e.args()[0]);
  if (!is_opened(e)) return opaque(e);
  const Value& inner = values_.at(e.args()[0].node());
  if (e.is(Op::sqrt)) return mode_ == Mode::display ? written_root(2, e.args()[0]) : root(2, inner);
  if (mode_ == Mode::decide) return absolute(inner);
  const bool known = known_.contains(e);
  Value v = plain(e);
  const auto index = v.numerator.as_variable();
  if (!known && index && inner.denominator.empty()) {
    generators_[*index].kind = Generator::Kind::absolute;
    generators_[*index].order = 2;
    generators_[*index].value = reduced(inner.numerator * inner.numerator);
  }
  return v;
}

Value Ring::power_of(const Expr& e) {
  if (!is_opened(e)) return plain(e);
  const Expr& base = e.args()[0];
  const Rational& k = e.args()[1].value();
  if (k.get_den() == 1) {
    if (base.is(Op::sqrt) && is_opened(base) && mpz_even_p(k.get_num_mpz_t()) != 0) {
      return integer_power(values_.at(base.args()[0].node()), k.get_num() / 2);
    }
    return integer_power(values_.at(base.node()), k.get_num());
  }
  if (k.get_den() > 1000) return plain(e);
  const unsigned long order = k.get_den().get_ui();
  const Value r =
      mode_ == Mode::display ? written_root(order, base) : root(order, values_.at(base.node()));
  return integer_power(r, k.get_num());
}

std::pair<Poly, Poly> Ring::part_of_pi(const Rational& turns) {
  const mpz_class& parts = turns.get_den();
  if (parts <= 2) {
    static constexpr int sine[4] = {0, 1, 0, -1};
    const mpz_class quarters = turns.get_num() * (parts == 1 ? 2 : 1);
    const unsigned long q = mpz_fdiv_ui(quarters.get_mpz_t(), 4);
    return {Poly(*context_, sine[q]), Poly(*context_, sine[(q + 1) % 4])};
  }
  // An angle in twelfths of pi: twice its sine and cosine are ±1, ±√2 or ±√3.
  const mpz_class twelfths = turns.get_num() * 12 / parts;
  const unsigned long n = mpz_fdiv_ui(twelfths.get_mpz_t(), 24);
  const auto doubled = [](unsigned long k) {  // the square of 2 sin(k pi/12), with its sign
    const unsigned long half = k % 12;
    const unsigned long quarter = half > 6 ? 12 - half : half;
    const int square = quarter == 2 ? 1 : (quarter == 3 ? 2 : 3);
    return k < 12 ? square : -square;
  };
  const auto value = [this](int square) {
    const Rational half(square < 0 ? -1 : 1, 2);
    return half * square_root(Rational(std::abs(square))).numerator;
  };
  return {value(doubled(n)), value(doubled((n + 6) % 24))};
}

std::pair<Poly, Poly> Ring::multiple_angle(std::size_t angle, long multiple) const {
  const auto [s, c] = angle_variables_[angle];
  const Poly sine = Poly::variable(*context_, s);
  const Poly cosine = Poly::variable(*context_, c);
  // sin((k+1)x) = 2 cos(x) sin(kx) - sin((k-1)x), and the same for cos.
  Poly sin_before(*context_);
  Poly cos_before(*context_, 1);
  Poly sin_now = sine;
  Poly cos_now = cosine;
  for (long k = 1; k < std::abs(multiple); ++k) {
    Poly sin_next = Rational(2) * (cosine * sin_now) - sin_before;
    Poly cos_next = Rational(2) * (cosine * cos_now) - cos_before;
    sin_before = std::move(sin_now);
    cos_before = std::move(cos_now);
    sin_now = std::move(sin_next);
    cos_now = std::move(cos_next);
  }
  if (multiple < 0) sin_now = Rational(-1) * sin_now;
  return {sin_now, cos_now};
}

std::pair<Poly, Poly> Ring::sine_cosine(const Expr& argument) {
  const Turned form = turned(forms_.of(argument));
  auto [s, c] = part_of_pi(form.turns);
  for (const BaseAngles::Part& part : angles_.parts(unsplit(form.rest))) {
    const auto [sk, ck] = multiple_angle(part.base, part.multiple);
    Poly next_s = s * ck + c * sk;
    Poly next_c = c * ck - s * sk;
    s = std::move(next_s);
    c = std::move(next_c);
  }
  return {reduced(s), reduced(c)};
}

Value Ring::trigonometric(const Expr& e) {
  auto [sine, cosine] = sine_cosine(e.args()[0]);
  Value s{std::move(sine), {}};
  Value c{std::move(cosine), {}};
  if (e.is(Op::sin)) return s;
  if (e.is(Op::cos)) return c;
  if (e.is(Op::tan)) return multiply(s, inverse(c));
  if (e.is(Op::cot)) return multiply(c, inverse(s));
  return inverse(e.is(Op::sec) ? c : s);
}

Value Ring::exponential(const Expr& argument) {
  Value result = constant(1);
  for (const BaseAngles::Part& part : exponents_.parts(forms_.of(argument))) {
    const Value e = variable(exponent_variables_[part.base]);
    result = multiply(result, integer_power(e, part.multiple));
  }
  return result;
}

Value Ring::hyperbolic(const Expr& e) {
  const Value up = exponential(e.args()[0]);
  const Value down = inverse(up);
  Value down_negative = down;
  down_negative.numerator = Rational(-1) * down.numerator;
  const Value difference = add({&up, &down_negative});
  const Value total = add({&up, &down});
  if (e.is(Op::tanh)) return multiply(difference, inverse(total));
  Value result = e.is(Op::sinh) ? difference : total;
  result.numerator = Rational(1, 2) * result.numerator;
  return result;
}

Value Ring::integer_power(const Value& base, const mpz_class& exponent) {
  if (abs(exponent) > exponent_limit) throw GaveUp("a power in it is too high");
  const long k = exponent.get_si();
  const Value start = k < 0 ? inverse(base) : base;
  const auto count = static_cast<unsigned long>(std::abs(k));
  Value result = constant(1);
  if (start.numerator.length() <= 1) {
    result.numerator = reduced(power(start.numerator, count));
  } else {
    Poly square = start.numerator;
    for (unsigned long rest = count; rest > 0; rest /= 2) {
      if (rest % 2 == 1) result.numerator = reduced(result.numerator * square);
      if (rest > 1) square = reduced(square * square);
    }
  }
  for (const auto& [number, times] : start.denominator) {
    if (static_cast<double>(times) * static_cast<double>(count) >
        static_cast<double>(exponent_limit)) {
      throw GaveUp("a power in it is too high");
    }
    if (count > 0) result.denominator.emplace(number, times * std::abs(k));
  }
  cancel(result);
  return result;
}

}  // namespace dalembert::expr::algebra
