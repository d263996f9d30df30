#include "dalembert/expr/algebra_groebner.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace dalembert::expr::algebra {

namespace {

constexpr std::size_t basis_limit = 300;
constexpr std::size_t pair_limit = 20'000;

using Exponents = std::vector<unsigned long>;

Exponents common_multiple(const Exponents& a, const Exponents& b) {
  Exponents result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = std::max(a[i], b[i]);
  return result;
}

bool divides(const Exponents& a, const Exponents& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
  }
  return true;
}

bool coprime(const Exponents& a, const Exponents& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > 0 && b[i] > 0) return false;
  }
  return true;
}

/// The polynomial times the monomial that lifts its leading monomial to `target`, made monic.
Poly lifted(const Poly& p, const Term& leading, const Exponents& target) {
  Term factor{Rational(1 / leading.coefficient), target};
  for (std::size_t i = 0; i < target.size(); ++i) factor.exponents[i] -= leading.exponents[i];
  return Poly::from_terms(p.context(), {factor}) * p;
}

struct Pair {
  unsigned long degree;
  std::size_t first;
  std::size_t second;
  auto operator<=>(const Pair&) const = default;
};

class Buchberger {
 public:
  std::vector<Poly> run(const std::vector<Poly>& generators) {
    for (const Poly& p : generators) {
      if (!p.is_zero()) insert(p.primitive());
    }
    for (std::size_t done = 0; !pairs_.empty(); ++done) {
      if (done > pair_limit) throw GaveUp("the Groebner basis of the relations grows too large");
      const Pair next = *pairs_.begin();
      pairs_.erase(pairs_.begin());
      if (superfluous(next)) continue;
      const Exponents target =
          common_multiple(leading_[next.first].exponents, leading_[next.second].exponents);
      const Poly difference = lifted(basis_[next.first], leading_[next.first], target) -
                              lifted(basis_[next.second], leading_[next.second], target);
      if (difference.is_zero()) continue;
      const Poly rest = remainder(difference, basis_);
      if (!rest.is_zero()) insert(rest.primitive());
    }
    return std::move(basis_);
  }

 private:
  void insert(Poly p) {
    if (basis_.size() >= basis_limit) {
      throw GaveUp("the Groebner basis of the relations grows too large");
    }
    const Term leading = p.term(0);
    for (std::size_t i = 0; i < basis_.size(); ++i) {
      if (coprime(leading.exponents, leading_[i].exponents)) continue;
      const Exponents multiple = common_multiple(leading.exponents, leading_[i].exponents);
      pairs_.insert({std::accumulate(multiple.begin(), multiple.end(), 0UL), i, basis_.size()});
    }
    basis_.push_back(std::move(p));
    leading_.push_back(leading);
  }

  /// Some third leading monomial divides the common multiple, and both pairs with it are done.
  bool superfluous(const Pair& pair) const {
    const Exponents target =
        common_multiple(leading_[pair.first].exponents, leading_[pair.second].exponents);
    for (std::size_t i = 0; i < basis_.size(); ++i) {
      if (i == pair.first || i == pair.second || !divides(leading_[i].exponents, target)) continue;
      if (!waiting(i, pair.first) && !waiting(i, pair.second)) return true;
    }
    return false;
  }

  bool waiting(std::size_t a, std::size_t b) const {
    const Exponents multiple = common_multiple(leading_[a].exponents, leading_[b].exponents);
    return pairs_.contains(
        {std::accumulate(multiple.begin(), multiple.end(), 0UL), std::min(a, b), std::max(a, b)});
  }

  std::vector<Poly> basis_;
  std::vector<Term> leading_;
  std::set<Pair> pairs_;
};

}  // namespace

std::vector<Poly> groebner_basis(const std::vector<Poly>& generators) {
  return Buchberger().run(generators);
}

}  // namespace dalembert::expr::algebra
