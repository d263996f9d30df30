#include "dalembert/expr/algebra_factors.hpp"

#include <algorithm>
#include <map>

#include "dalembert/expr/algebra_angles.hpp"
#include "dalembert/expr/node.hpp"

namespace dalembert::expr::algebra {

namespace {

bool has_minus(const Expr& e) {
  if (e.is(Op::constant)) return sgn(e.value()) < 0;
  return e.is(Op::product) && e.args()[0].is(Op::constant) && sgn(e.args()[0].value()) < 0;
}

Expr negated_sum(const Expr& e) {
  std::vector<Expr> terms;
  for (const Expr& term : e.args()) terms.push_back(-term);
  return sum(terms);
}

/// A factor that is no sum, and its whole power.
std::pair<Expr, long> base_and_power(const Expr& factor) {
  if (factor.is(Op::power) && factor.args()[1].is(Op::constant)) {
    const Rational& exponent = factor.args()[1].value();
    if (exponent.get_den() == 1 && exponent.get_num().fits_slong_p())
      return {factor.args()[0], exponent.get_num().get_si()};
  }
  return {factor, 1};
}

/// The factors of a product, products inside it opened.
std::vector<Expr> flat_factors(const Expr& e) {
  std::vector<Expr> list{e};
  for (std::size_t i = 0; i < list.size();) {
    if (!list[i].is(Op::product)) {
      ++i;
      continue;
    }
    const Expr inner = list[i];
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    list.insert(list.end(), inner.args().begin(), inner.args().end());
  }
  return list;
}

}  // namespace

Expr signed_product(const std::vector<Expr>& list) {
  Expr plain = product(list);
  if (!has_minus(plain)) return plain;
  std::vector<Expr> factors;
  for (const Expr& f : list) {
    if (f.is(Op::product)) {
      factors.insert(factors.end(), f.args().begin(), f.args().end());
    } else {
      factors.push_back(f);
    }
  }
  const Expr* chosen = nullptr;
  for (const Expr& f : factors) {
    if (!f.is(Op::sum) || std::none_of(f.args().begin(), f.args().end(), has_minus)) continue;
    if (chosen == nullptr || ordered_before(f, *chosen)) chosen = &f;
  }
  if (chosen == nullptr) return plain;
  const Expr flipped = negated_sum(*chosen);
  factors[static_cast<std::size_t>(chosen - factors.data())] = flipped;
  factors.emplace_back(-1);
  return product(factors);
}

std::vector<Expr> with_common_factors(const std::vector<Expr>& list) {
  std::vector<Expr> terms;
  for (const Expr& e : list) {
    if (e.is(Op::sum)) {
      terms.insert(terms.end(), e.args().begin(), e.args().end());
    } else {
      terms.push_back(e);
    }
  }
  if (terms.size() < 2) return terms;
  std::map<Expr, long, FixedOrder> common;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    std::map<Expr, long, FixedOrder> here;
    for (const Expr& factor : flat_factors(terms[i])) {
      const auto [base, power] = base_and_power(factor);
      if (!base.is(Op::constant) && !base.is(Op::sum) && power > 0) here[base] += power;
    }
    if (i == 0) {
      common = std::move(here);
      continue;
    }
    for (auto& [base, power] : common) {
      const auto found = here.find(base);
      power = found == here.end() ? 0 : std::min(power, found->second);
    }
  }
  std::vector<Expr> result;
  std::vector<Expr> divisors;
  for (const auto& [base, power] : common) {
    if (power == 0) continue;
    result.push_back(pow(base, Expr(power)));
    divisors.push_back(pow(base, Expr(-power)));
  }
  std::vector<Expr> rest;
  for (const Expr& term : terms) {
    std::vector<Expr> factors = flat_factors(term);
    factors.insert(factors.end(), divisors.begin(), divisors.end());
    rest.push_back(product(factors));
  }
  const Expr left = sum(rest);
  const bool negative =
      left.is(Op::sum) && std::all_of(left.args().begin(), left.args().end(), has_minus);
  result.push_back(negative ? negated_sum(left) : left);
  if (negative) result.emplace_back(-1);
  return result;
}

}  // namespace dalembert::expr::algebra
