#include "dalembert/codegen/fewer_products.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "dalembert/codegen/monomials.hpp"
#include "dalembert/codegen/tape_passes.hpp"
#include "dalembert/codegen/tape_writer.hpp"

namespace dalembert::codegen {

namespace {

constexpr std::size_t longest_tape = 600;  // operations that depend on the state
constexpr std::size_t most_monomials = 250;

/// In which order a form is sought.
enum class Plan : std::uint8_t { pairs_first, divisors_first, factors_first };

/// Takes polynomials apart into values that are computed once.
class Factoring {
 public:
  explicit Factoring(Polynomials polynomials) : all_(std::move(polynomials)) {}

  Polynomials factor(Plan plan) {
    if (plan != Plan::pairs_first) take_out(plan == Plan::divisors_first);
    name_pairs();
    take_out(false);
    return std::move(all_);
  }

 private:
  using Pair = std::pair<Factor, Factor>;

  /// The pair of factors that is in most monomials, if it saves something: a divisor always does.
  std::optional<Pair> best_pair() const {
    std::map<Monomial, bool> seen;
    std::map<Pair, std::size_t> count;
    for (std::uint32_t i = 0; i < all_.polynomials.size(); ++i) {
      if (named_.contains(i)) continue;
      for (const auto& [monomial, coefficient] : all_.polynomials[i]) {
        if (!seen.try_emplace(monomial, true).second) continue;
        std::map<Pair, bool> here;
        for (std::size_t j = 0; j < monomial.size(); ++j) {
          for (std::size_t k = j + 1; k < monomial.size(); ++k) {
            if (monomial[j].divides && monomial[k].divides) continue;
            if (here.try_emplace({monomial[j], monomial[k]}, true).second)
              ++count[{monomial[j], monomial[k]}];
          }
        }
      }
    }
    const auto worth = [](const auto& entry) {
      const bool divides = entry.first.first.divides || entry.first.second.divides;
      return std::tuple(entry.second > 1, divides, entry.second);
    };
    const auto best = std::ranges::max_element(count, {}, worth);
    if (best == count.end() || worth(*best) < std::tuple(false, true, std::size_t{1}))
      return std::nullopt;
    return best->first;
  }

  void name_pairs() {
    while (const auto pair = best_pair()) {
      const auto [a, b] = *pair;
      Polynomial product;
      product[{a, b}] = Polynomials::one();
      const std::uint32_t atom = all_.name(std::move(product));
      named_.insert(all_.atoms[atom].operands[0]);
      for (std::uint32_t i = 0; i < all_.polynomials.size(); ++i) {
        if (!named_.contains(i)) all_.polynomials[i] = with_named(all_.polynomials[i], a, b, atom);
      }
    }
  }

  Polynomial with_named(const Polynomial& p, const Factor& a, const Factor& b,
                        std::uint32_t atom) const {
    Polynomial result;
    for (const auto& [monomial, coefficient] : p) {
      Monomial left = monomial;
      while (remove_both(left, a, b)) {
        left.push_back({atom, false});
        std::ranges::sort(left);
      }
      Polynomials::accumulate(result, left, coefficient);
    }
    return result;
  }
  static bool remove_both(Monomial& monomial, const Factor& a, const Factor& b) {
    const auto first = std::ranges::find(monomial, a);
    if (first == monomial.end()) return false;
    const auto second = std::find(first + 1, monomial.end(), b);
    if (second == monomial.end()) return false;
    monomial.erase(second);
    monomial.erase(std::ranges::find(monomial, a));
    return true;
  }

  /// Factors common to several terms of a sum; those new sums in turn.
  void take_out(bool divisors_only) {
    for (std::uint32_t i = 0; i < all_.polynomials.size(); ++i) {
      while (const auto factor = common_factor(all_.polynomials[i], divisors_only)) {
        Polynomial part, rest;
        for (const auto& [monomial, coefficient] : all_.polynomials[i]) {
          const auto found = std::ranges::find(monomial, *factor);
          if (monomial.size() < 2 || found == monomial.end()) {
            Polynomials::accumulate(rest, monomial, coefficient);
            continue;
          }
          Monomial others = monomial;
          others.erase(others.begin() + (found - monomial.begin()));
          Polynomials::accumulate(part, others, coefficient);
        }
        Monomial product{{all_.name(std::move(part)), false}, *factor};
        std::ranges::sort(product);
        Polynomials::accumulate(rest, product, Polynomials::one());
        all_.polynomials[i] = std::move(rest);
      }
    }
  }

  static std::optional<Factor> common_factor(const Polynomial& p, bool divisors_only) {
    std::map<Factor, std::size_t> count;
    for (const auto& [monomial, coefficient] : p) {
      if (monomial.size() < 2) continue;
      for (std::size_t i = 0; i < monomial.size(); ++i) {
        if (i == 0 || monomial[i] != monomial[i - 1]) ++count[monomial[i]];
      }
    }
    std::optional<Factor> best;
    std::size_t most = 1;
    for (const auto& [factor, times] : count) {
      if (divisors_only && !factor.divides) continue;
      if (times > most || (times == most && best && factor.divides && !best->divides)) {
        most = times;
        best = factor;
      }
    }
    return best;
  }

  Polynomials all_;
  std::set<std::uint32_t> named_;  ///< products of two, which are as short as can be
};

/// The tape of factored polynomials.
class Rewriting {
 public:
  Rewriting(const Tape& f, const Polynomials& polynomials)
      : f_(f),
        all_(polynomials),
        writer_(f),
        atoms_(polynomials.atoms.size(), absent),
        sums_(polynomials.polynomials.size(), absent) {}

  Tape write() {
    std::vector<Register> outputs;
    const std::size_t size = f_.inputs - 1;
    for (std::size_t i = 0; i < size; ++i) outputs.push_back(sum(all_.roots[i]));
    for (std::size_t i = size; i < f_.outputs.size(); ++i)
      outputs.push_back(writer_.repeat(f_.outputs[i]));
    Tape tape = writer_.finish(outputs);
    fuse(tape);
    remove_unused(tape);
    return tape;
  }

 private:
  using Register = TapeWriter::Register;
  static constexpr Register absent = TapeWriter::absent;

  Register fixed(const Fixed& coefficient) {
    Register total = absent;
    for (const auto& [monomial, c] : coefficient) {
      Register term = absent;
      for (const Factor& factor : monomial) {
        if (factor.divides) continue;
        const Register r = fixed_atom(factor.atom);
        term = term == absent ? r : writer_.add(Operation::multiply, term, r);
      }
      if (c != 1 || term == absent) {
        const Register number = writer_.constant(c);
        term = term == absent ? number : writer_.add(Operation::multiply, number, term);
      }
      for (const Factor& factor : monomial) {
        if (factor.divides) term = writer_.add(Operation::divide, term, fixed_atom(factor.atom));
      }
      total = total == absent ? term : writer_.add(Operation::add, total, term);
    }
    return total == absent ? writer_.constant(0) : total;
  }
  Register fixed_atom(std::uint32_t atom) {
    const FixedAtom& one = all_.fixed_atoms[atom];
    return one.of_f ? writer_.repeat(one.index) : fixed(all_.fixed_sums[one.index]);
  }

  Register atom(std::uint32_t i) {
    if (atoms_[i] != absent) return atoms_[i];
    const Atom& one = all_.atoms[i];
    if (one.is_input()) return atoms_[i] = writer_.input(one.input);
    if (one.is_sum()) return atoms_[i] = sum(one.operands[0]);
    std::array<Register, 3> operand{};
    for (std::size_t k = 0; k < one.operands.size(); ++k) operand[k] = sum(one.operands[k]);
    if (one.operands.size() == 1) operand[1] = operand[0];
    return atoms_[i] = writer_.add(one.operation, operand[0], operand[1], operand[2]);
  }

  Register product(const Monomial& monomial) {
    Register above = absent, below = absent;
    for (const Factor& factor : monomial) {
      Register& side = factor.divides ? below : above;
      const Register r = atom(factor.atom);
      side = side == absent ? r : writer_.add(Operation::multiply, side, r);
    }
    if (below == absent) return above;
    return writer_.add(Operation::divide, above == absent ? writer_.constant(1) : above, below);
  }

  Register sum(std::uint32_t i) {
    if (sums_[i] != absent) return sums_[i];
    struct Term {
      Register value;  ///< absent: the coefficient alone
      const Fixed* coefficient;
    };
    std::vector<Term> terms;
    for (const auto& [monomial, coefficient] : all_.polynomials[i])
      terms.push_back({monomial.empty() ? absent : product(monomial), &coefficient});
    // What is known last is added last.
    std::ranges::stable_sort(terms, {}, [&](const Term& term) {
      return term.value == absent ? -1 : writer_.depth(term.value);
    });
    Register total = absent;
    const auto add = [&](Register r) {
      total = total == absent ? r : writer_.add(Operation::add, total, r);
    };
    for (const auto& [value, coefficient] : terms) {
      const std::optional<double> number = Polynomials::number(*coefficient);
      if (value == absent) {
        add(fixed(*coefficient));
      } else if (number == 1) {
        add(value);
      } else if (number == -1) {
        total = total == absent ? writer_.add(Operation::negate, value, value)
                                : writer_.add(Operation::subtract, total, value);
      } else {
        add(writer_.add(Operation::multiply, fixed(*coefficient), value));
      }
    }
    return sums_[i] = total == absent ? writer_.constant(0) : total;
  }

  const Tape& f_;
  const Polynomials& all_;
  TapeWriter writer_;
  std::vector<Register> atoms_, sums_;
};

}  // namespace

double series_cost(const Series& series) {
  double cost = 0.1 * static_cast<double>(series.order.code.size() - series.order.prologue);
  for (const SeriesPair& pair : series.pairs) cost += pair.a == pair.b ? 0.5 : 1.0;
  return cost;
}

Tape fewer_products(const Tape& f) {
  if (f.code.size() - f.prologue > longest_tape) return f;
  Tape best = f;
  double least = series_cost(make_series(f));
  for (const std::size_t limit : {1, 2, 4, 8, 16}) {
    const std::optional<Polynomials> expanded = expand(f, limit, most_monomials);
    if (!expanded) continue;
    for (const Plan plan : {Plan::pairs_first, Plan::divisors_first, Plan::factors_first}) {
      const Polynomials factored = Factoring(*expanded).factor(plan);
      Tape tape = Rewriting(f, factored).write();
      const double cost = series_cost(make_series(tape));
      if (!(cost < least)) continue;
      least = cost;
      best = std::move(tape);
    }
  }
  return best;
}

Series make_short_series(const Tape& f, bool exact) {
  return make_series(fewer_products(f), 0, exact);
}

}  // namespace dalembert::codegen
