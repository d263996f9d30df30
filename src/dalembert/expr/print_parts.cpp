#include "dalembert/expr/print_parts.hpp"

#include <algorithm>
#include <cctype>

#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/table.hpp"

namespace dalembert::expr {

namespace {

constexpr std::size_t plain_digits = 16;       // longer integers may be written as 6.02e23
constexpr unsigned long decimal_places = 400;  // beyond, the fraction is kept
constexpr std::size_t key_length = 48;

/// Digits d₁d₂d₃... and an exponent for d₁.d₂d₃... · 10^exponent, as text with an `e`.
NumberText scientific(std::string digits, long exponent) {
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.size() > 1) digits.insert(1, 1, '.');
  return {digits, {}, exponent};
}

std::size_t length(const NumberText& n) {
  if (!n.denominator.empty()) return n.numerator.size() + 1 + n.denominator.size();
  return n.numerator.size() + (n.exponent == 0 ? 0 : 1 + std::to_string(n.exponent).size());
}

NumberText write_decimal(const mpz_class& scaled, unsigned long places) {
  const std::string digits = scaled.get_str();
  std::string plain = digits;
  if (plain.size() <= places) plain.insert(0, places + 1 - plain.size(), '0');
  plain.insert(plain.size() - places, 1, '.');
  const NumberText point{plain, {}, 0};
  const NumberText power =
      scientific(digits, static_cast<long>(digits.size()) - 1 - static_cast<long>(places));
  return length(power) < length(point) && power.exponent != 0 ? power : point;
}

/// Digits grow in value with their number: x2 comes before x10.
std::string natural(const std::string& name) {
  std::string result;
  for (std::size_t i = 0; i < name.size() && result.size() < key_length;) {
    if (std::isdigit(static_cast<unsigned char>(name[i])) == 0) {
      result += name[i++];
      continue;
    }
    std::size_t end = i;
    while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0) ++end;
    result += static_cast<char>('0' + std::min<std::size_t>(end - i, 9));
    result.append(name, i, end - i);
    i = end;
  }
  return result;
}

/// The end of a factor in a key, lower for higher powers: x^2 before x, and both before x1.
char closing(const Rational& exponent) {
  if (exponent.get_den() != 1 || sgn(exponent) < 0) return 31;
  return static_cast<char>(exponent < 30 ? 31 - exponent.get_num().get_si() : 1);
}

bool is_mass(const std::string& name) {
  if (name.empty() || (name[0] != 'm' && name[0] != 'M')) return false;
  return name.size() == 1 || std::isalpha(static_cast<unsigned char>(name[1])) == 0;
}

bool is_negative_power(const Expr& e) {
  return e.is(Op::power) && e.args()[1].is(Op::constant) && e.args()[1].value().get_den() == 1 &&
         sgn(e.args()[1].value()) < 0;
}

bool has_coefficient(const Expr& e) {
  return e.is(Op::product) && e.args().front().is(Op::constant);
}

/// The factors of a product without its coefficient.
std::span<const Expr> bare_factors(const Expr& product) {
  if (!has_coefficient(product)) return product.args();
  const auto rest = product.args().subspan(1);
  return rest.size() == 1 && rest.front().is(Op::product) ? rest.front().args() : rest;
}

}  // namespace

NumberText write_number(const Rational& magnitude) {
  if (magnitude.get_den() == 1) {
    NumberText plain{magnitude.get_str(), {}, 0};
    if (plain.numerator.size() <= plain_digits || plain.numerator.size() > decimal_places)
      return plain;
    NumberText power = scientific(plain.numerator, static_cast<long>(plain.numerator.size()) - 1);
    return length(power) < length(plain) ? power : plain;
  }
  NumberText fraction{magnitude.get_num().get_str(), magnitude.get_den().get_str(), 0};
  mpz_class rest = magnitude.get_den();
  const unsigned long twos =
      mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), mpz_class(2).get_mpz_t());
  const unsigned long fives =
      mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), mpz_class(5).get_mpz_t());
  const unsigned long places = std::max(twos, fives);
  if (rest != 1 || places > decimal_places) return fraction;
  mpz_class scale;
  mpz_ui_pow_ui(scale.get_mpz_t(), 10, places);
  NumberText decimal = write_decimal(magnitude.get_num() * (scale / magnitude.get_den()), places);
  return length(decimal) < length(fraction) ? decimal : fraction;
}

bool has_fraction_form(const Expr& e) {
  return e.is(Op::constant) || e.is(Op::product) || is_negative_power(e);
}

bool is_negative(const Expr& e) {
  if (e.is(Op::constant)) return sgn(e.value()) < 0;
  return has_coefficient(e) && sgn(e.args().front().value()) < 0;
}

ReadingOrder::ReadingOrder(const Expr& root, FunctionPlace functions) {
  for (const Expr& e : postorder(root)) keys_.emplace(e.node(), make_key(e, functions));
}

ReadingOrder::Key ReadingOrder::make_key(const Expr& e, FunctionPlace functions) const {
  enum {
    constants,
    masses,
    parameters,
    circle,
    coordinates,
    sums,
    plain_functions,
    rates,
    forces = 30,
    named_functions
  };
  Key result{sums, -2, {}};
  for (const Expr& arg : e.args()) result.order = std::max(result.order, key(arg).order);
  const auto append = [&result, this](std::span<const Expr> args) {
    for (const Expr& arg : args) {
      if (result.text.size() < key_length) result.text += key(arg).text;
    }
  };
  switch (e.kind()) {
    case NodeKind::constant:
      result.rank = constants;
      result.text = e.value().get_str().substr(0, key_length);
      break;
    case NodeKind::pi:
      result = {circle, -2, "pi"};
      break;
    case NodeKind::symbol: {
      const Symbol& s = e.symbol();
      result.text = natural(s.name) + closing(1);
      result.order = s.kind == SymbolKind::parameter ? -1 : s.order;
      if (s.kind == SymbolKind::parameter) {
        result.rank = is_mass(s.name) ? masses : parameters;
      } else if (s.kind == SymbolKind::time || s.order == 0) {
        const bool force = s.kind == SymbolKind::ideal_force ||
                           s.kind == SymbolKind::nonideal_force || s.kind == SymbolKind::multiplier;
        result.rank = force ? forces : coordinates;
      } else {
        result.rank = rates + std::min(s.order, 20);
      }
      break;
    }
    case NodeKind::sum:
      append(terms(e));
      break;
    case NodeKind::product: {
      std::vector<Expr> factors(bare_factors(e).begin(), bare_factors(e).end());
      std::sort(factors.begin(), factors.end(),
                [this](const Expr& a, const Expr& b) { return factor_before(a, b); });
      append(factors);
      break;
    }
    case NodeKind::power:
      if (e.args()[1].is(Op::constant)) {
        result.rank = key(e.args()[0]).rank;
        result.text = key(e.args()[0]).text;
        if (!result.text.empty()) result.text.back() = closing(e.args()[1].value());
      } else {
        result.rank = plain_functions;
        append(e.args());
      }
      break;
    case NodeKind::table:
      result.rank = functions == FunctionPlace::last ? named_functions : plain_functions;
      result.text = e.table()->title();
      append(e.args());
      result.text += closing(1);
      break;
    case NodeKind::function: {
      const bool named = function_info(e.op()).latex.behind.empty();
      result.rank = named && functions == FunctionPlace::last ? named_functions : plain_functions;
      result.text = function_name(e.op());
      append(e.args());
      result.text += closing(1);
    }
  }
  if (result.text.size() > key_length) result.text.resize(key_length);
  return result;
}

bool ReadingOrder::factor_before(const Expr& a, const Expr& b) const {
  const Key& ka = key(a);
  const Key& kb = key(b);
  if (ka.rank != kb.rank) return ka.rank < kb.rank;
  if (ka.text != kb.text) return ka.text < kb.text;
  return a.hash() < b.hash();
}

bool ReadingOrder::term_before(const Expr& a, const Expr& b) const {
  const Key& ka = key(a);
  const Key& kb = key(b);
  if (ka.order != kb.order) return ka.order > kb.order;
  if (ka.text != kb.text) return ka.text < kb.text;
  return a.hash() < b.hash();
}

std::vector<Expr> ReadingOrder::terms(const Expr& sum) const {
  std::vector<Expr> result(sum.args().begin(), sum.args().end());
  std::sort(result.begin(), result.end(),
            [this](const Expr& a, const Expr& b) { return term_before(a, b); });
  const auto leading = std::find_if_not(result.begin(), result.end(), is_negative);
  if (leading != result.end()) std::rotate(result.begin(), leading, leading + 1);
  return result;
}

std::vector<Expr> ReadingOrder::arguments(const Expr& function) const {
  std::vector<Expr> result(function.args().begin(), function.args().end());
  std::sort(result.begin(), result.end(),
            [this](const Expr& a, const Expr& b) { return factor_before(a, b); });
  return result;
}

Fraction ReadingOrder::fraction(const Expr& e) const {
  Fraction result;
  if (e.is(Op::constant)) {
    result.coefficient = e.value();
    return result;
  }
  std::vector<Expr> factors{e};
  if (e.is(Op::product)) {
    if (has_coefficient(e)) result.coefficient = e.args().front().value();
    factors.assign(bare_factors(e).begin(), bare_factors(e).end());
    std::sort(factors.begin(), factors.end(),
              [this](const Expr& a, const Expr& b) { return factor_before(a, b); });
  }
  for (const Expr& factor : factors) {
    if (is_negative_power(factor)) {
      result.denominator.push_back(
          pow(factor.args()[0], Expr(Rational(-factor.args()[1].value()))));
    } else {
      result.numerator.push_back(factor);
    }
  }
  return result;
}

Comparison comparison(const Expr& choice) {
  const Expr& g = choice.args()[0];
  Comparison result{g, ">=", Expr(0), choice.args()[1], choice.args()[2]};
  // One negative term goes to the other side: x - y >= 0 reads x >= y. Of more, their sum would
  // be another node.
  if (is_negative(g)) {
    result.left = -g;
    result.sign = "<=";
  } else if (g.is(Op::sum) && g.args().size() <= flatten_limit) {
    std::vector<Expr> left, right;
    for (const Expr& term : g.args()) (is_negative(term) ? right : left).push_back(term);
    if (right.size() == 1 && !left.empty()) {
      result.left = sum(left);
      result.right = -right[0];
      if (result.left.is(Op::constant)) {  // 3 - x >= 0 reads x <= 3
        std::swap(result.left, result.right);
        result.sign = "<=";
      }
    }
  }
  // if(x >= 0, 0, f) reads if(x < 0, f, 0).
  if (result.then.is_zero()) {
    std::swap(result.then, result.otherwise);
    result.sign = result.sign == ">=" ? "<" : ">";
  }
  return result;
}

}  // namespace dalembert::expr
