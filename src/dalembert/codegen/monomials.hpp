#pragma once
/// The rates of a tape as polynomials: sums of monomials c x y / z in atoms. An atom is an input, a
/// function of polynomials, or a polynomial that stays together. Coefficients c are polynomials in
/// turn, of what parameters alone determine. For fewer_products.cpp.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

struct Factor {
  std::uint32_t atom;
  bool divides;
  auto operator<=>(const Factor&) const = default;
};
using Monomial = std::vector<Factor>;      ///< sorted; powers are repeated
using Fixed = std::map<Monomial, double>;  ///< a coefficient, its factors fixed atoms
using Polynomial = std::map<Monomial, Fixed>;

/// A register of f that parameters alone determine, or a sum of such.
struct FixedAtom {
  bool of_f;
  std::uint32_t index;
  auto operator<=>(const FixedAtom&) const = default;
};

struct Atom {
  static constexpr std::uint32_t no_input = UINT32_MAX;
  std::uint32_t input = no_input;
  Operation operation = Operation::add;   ///< add with one operand: a sum by itself
  std::vector<std::uint32_t> operands{};  ///< polynomials
  bool is_input() const { return input != no_input; }
  bool is_sum() const { return operation == Operation::add; }
};

struct Polynomials {
  std::vector<Atom> atoms;
  std::vector<FixedAtom> fixed_atoms;
  std::vector<Fixed> fixed_sums;
  std::vector<Polynomial> polynomials;
  std::vector<std::uint32_t> roots;  ///< the rates

  static Fixed one() { return {{{}, 1.0}}; }
  /// The coefficient, where it is a number.
  static std::optional<double> number(const Fixed& coefficient);
  /// p += c m
  static void accumulate(Polynomial& p, const Monomial& m, const Fixed& c);
  /// An atom for a polynomial.
  std::uint32_t name(Polynomial p);
};

/// None where there are more than `most` monomials. Sums of more than `limit` monomials are not
/// multiplied out.
std::optional<Polynomials> expand(const Tape& f, std::size_t limit, std::size_t most);

}  // namespace dalembert::codegen
