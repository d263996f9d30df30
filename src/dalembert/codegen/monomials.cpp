#include "dalembert/codegen/monomials.hpp"

#include <algorithm>
#include <tuple>

namespace dalembert::codegen {

std::optional<double> Polynomials::number(const Fixed& coefficient) {
  if (coefficient.size() != 1 || !coefficient.begin()->first.empty()) return std::nullopt;
  return coefficient.begin()->second;
}

void Polynomials::accumulate(Polynomial& p, const Monomial& m, const Fixed& c) {
  Fixed& sum = p[m];
  for (const auto& [monomial, number] : c) {
    double& place = sum[monomial];
    place += number;
    if (place == 0) sum.erase(monomial);
  }
  if (sum.empty()) p.erase(m);
}

std::uint32_t Polynomials::name(Polynomial p) {
  polynomials.push_back(std::move(p));
  atoms.push_back(
      {Atom::no_input, Operation::add, {static_cast<std::uint32_t>(polynomials.size() - 1)}});
  return static_cast<std::uint32_t>(atoms.size() - 1);
}

namespace {

/// Product of monomials: a factor and its reciprocal cancel.
Monomial times(const Monomial& a, const Monomial& b) {
  Monomial result = a;
  for (const Factor& factor : b) {
    const auto opposite = std::ranges::find(result, Factor{factor.atom, !factor.divides});
    if (opposite != result.end()) {
      result.erase(opposite);
    } else {
      result.push_back(factor);
    }
  }
  std::ranges::sort(result);
  return result;
}
Monomial reciprocal(Monomial m) {
  for (Factor& factor : m) factor.divides = !factor.divides;
  std::ranges::sort(m);
  return m;
}
Fixed times(const Fixed& a, const Fixed& b) {
  Fixed result;
  for (const auto& [m, c] : a) {
    for (const auto& [n, d] : b) {
      const Monomial product = times(m, n);
      double& place = result[product];
      place += c * d;
      if (place == 0) result.erase(product);
    }
  }
  return result;
}

class Expansion {
 public:
  Expansion(const Tape& f, std::size_t limit, std::size_t most)
      : f_(f), limit_(limit), most_(most), values_(f.registers()) {}

  std::optional<Polynomials> expand() {
    for (std::uint32_t r = 0; r < f_.first_result() + f_.prologue; ++r) {
      const std::uint32_t first = f_.first_input();
      if (r < f_.constants.size()) {
        if (f_.constants[r] != 0) values_[r] = {{{}, {{{}, f_.constants[r]}}}};
      } else if (r >= first && r < f_.first_result()) {
        values_[r] = {{{{input(r - first), false}}, Polynomials::one()}};
      } else {
        values_[r] = {{{}, {{{{fixed_atom({true, r}), false}}, 1.0}}}};
      }
    }
    const std::vector<bool> needed = needed_by_rates();
    for (std::uint32_t i = f_.prologue; i < f_.code.size(); ++i) {
      if (!needed[i]) continue;
      Polynomial value = expand(f_.code[i]);
      monomials_ += value.size();
      if (monomials_ > most_) return std::nullopt;
      values_[f_.first_result() + i] = std::move(value);
    }
    for (std::uint32_t i = 0; i + 1 < f_.inputs; ++i) {
      all_.polynomials.push_back(values_[f_.outputs[i]]);
      all_.roots.push_back(static_cast<std::uint32_t>(all_.polynomials.size() - 1));
    }
    return std::move(all_);
  }

 private:
  std::vector<bool> needed_by_rates() const {
    std::vector<bool> needed(f_.code.size(), false);
    const auto mark = [&](std::uint32_t r) {
      if (r >= f_.first_result()) needed[r - f_.first_result()] = true;
    };
    for (std::uint32_t i = 0; i + 1 < f_.inputs; ++i) mark(f_.outputs[i]);
    for (std::size_t i = f_.code.size(); i-- > 0;) {
      if (!needed[i]) continue;
      const Instruction& one = f_.code[i];
      mark(one.a);
      if (operands(one.operation) > 1) mark(one.b);
      if (operands(one.operation) > 2) mark(one.c);
    }
    return needed;
  }

  std::uint32_t input(std::uint32_t i) {
    all_.atoms.push_back({i});
    return static_cast<std::uint32_t>(all_.atoms.size() - 1);
  }
  std::uint32_t fixed_atom(FixedAtom atom) {
    const auto [place, inserted] =
        fixed_atoms_.try_emplace(atom, static_cast<std::uint32_t>(all_.fixed_atoms.size()));
    if (inserted) all_.fixed_atoms.push_back(atom);
    return place->second;
  }
  std::uint32_t fixed_sum(const Fixed& sum) {
    const auto [place, inserted] =
        fixed_sums_.try_emplace(sum, static_cast<std::uint32_t>(all_.fixed_sums.size()));
    if (inserted) all_.fixed_sums.push_back(sum);
    return fixed_atom({false, place->second});
  }
  std::uint32_t function(Operation operation, std::vector<Polynomial> operands) {
    const auto [place, inserted] = functions_.try_emplace(std::pair(operation, operands), 0U);
    if (inserted) {
      Atom atom{Atom::no_input, operation, {}};
      for (Polynomial& operand : operands) {
        atom.operands.push_back(static_cast<std::uint32_t>(all_.polynomials.size()));
        all_.polynomials.push_back(std::move(operand));
      }
      place->second = static_cast<std::uint32_t>(all_.atoms.size());
      all_.atoms.push_back(std::move(atom));
    }
    return place->second;
  }
  Polynomial alone(std::uint32_t atom, bool divides = false) {
    return {{{{atom, divides}}, Polynomials::one()}};
  }
  Polynomial held(Polynomial p) { return alone(function(Operation::add, {std::move(p)})); }

  static Polynomial plus(Polynomial a, const Polynomial& b) {
    for (const auto& [m, c] : b) Polynomials::accumulate(a, m, c);
    return a;
  }
  static Polynomial minus(Polynomial a) {
    for (auto& [m, c] : a) {
      for (auto& [n, number] : c) number = -number;
    }
    return a;
  }

  Polynomial times(const Polynomial& a, const Polynomial& b) {
    const bool a_fixed = a.size() == 1 && a.begin()->first.empty();
    const bool b_fixed = b.size() == 1 && b.begin()->first.empty();
    if (!a_fixed && !b_fixed && std::max(a.size(), b.size()) > 1 && a.size() * b.size() > limit_) {
      // The longer one stays together, and if need be the other.
      const bool first = a.size() >= b.size();
      const Polynomial whole = held(first ? a : b);
      const Polynomial& other = first ? b : a;
      return times(whole, other.size() > limit_ ? held(other) : other);
    }
    Polynomial result;
    for (const auto& [m, c] : a) {
      for (const auto& [n, d] : b)
        Polynomials::accumulate(result, codegen::times(m, n), codegen::times(c, d));
    }
    return result;
  }

  /// 1 / a
  Polynomial reciprocal(const Polynomial& a) {
    if (a.size() != 1) return alone(function(Operation::add, {a}), true);
    const auto& [monomial, c] = *a.begin();
    const Monomial below = codegen::reciprocal(monomial);
    if (c.size() == 1)
      return {{below, {{codegen::reciprocal(c.begin()->first), 1 / c.begin()->second}}}};
    return {{below, {{{{fixed_sum(c), true}}, 1.0}}}};
  }

  Polynomial expand(const Instruction& one) {
    const Polynomial &a = values_[one.a], &b = values_[one.b];
    switch (one.operation) {
      case Operation::add:
        return plus(a, b);
      case Operation::subtract:
        return plus(a, minus(b));
      case Operation::negate:
        return minus(a);
      case Operation::multiply:
        return times(a, b);
      case Operation::multiply_add:
        return plus(times(a, b), values_[one.c]);
      case Operation::multiply_subtract:
        return plus(times(a, b), minus(values_[one.c]));
      case Operation::subtract_product:
        return plus(minus(times(a, b)), values_[one.c]);
      case Operation::divide:
        return times(a, reciprocal(b));
      default:
        break;
    }
    std::vector<Polynomial> taken{a};
    if (operands(one.operation) > 1) taken.push_back(b);
    if (operands(one.operation) > 2) taken.push_back(values_[one.c]);
    return alone(function(one.operation, std::move(taken)));
  }

  const Tape& f_;
  std::size_t limit_, most_, monomials_ = 0;
  std::vector<Polynomial> values_;
  Polynomials all_;
  std::map<FixedAtom, std::uint32_t> fixed_atoms_;
  std::map<Fixed, std::uint32_t> fixed_sums_;
  std::map<std::pair<Operation, std::vector<Polynomial>>, std::uint32_t> functions_;
};

}  // namespace

std::optional<Polynomials> expand(const Tape& f, std::size_t limit, std::size_t most) {
  return Expansion(f, limit, most).expand();
}

}  // namespace dalembert::codegen
