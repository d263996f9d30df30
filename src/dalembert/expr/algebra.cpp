// Whether an expression is zero: proven in the ring of algebra_ring.hpp, refuted by a point where a
// rigorous enclosure of its value excludes zero.
#include "dalembert/expr/algebra.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <tuple>

#include "dalembert/expr/algebra_balls.hpp"
#include "dalembert/expr/algebra_canonical.hpp"
#include "dalembert/expr/algebra_groebner.hpp"
#include "dalembert/expr/algebra_ring.hpp"

namespace dalembert::expr {

namespace {

constexpr int points = 40;
constexpr int first_points = 2;
constexpr int stubborn_points = 4;  // after so many that stay near zero, less precision is spent
constexpr long first_precision = 64;
constexpr long last_precision = 1024;
constexpr long cheap_precision = 128;
constexpr long witness_bits = 34;  // ten digits
constexpr long witness_digits = 10;

/// Values for the symbols of point number `index`: small rationals, positive ones first, then of
/// both signs, in turn below one, about one, larger and small.
std::vector<Rational> point(int index, std::size_t count) {
  struct Range {
    unsigned numerator;
    unsigned denominator;
  };
  static constexpr std::array<Range, 4> ranges = {
      {{980, 1009}, {2900, 997}, {8900, 499}, {90, 2003}}};
  std::mt19937_64 random(20'231 + static_cast<unsigned>(index));
  const Range range = ranges[static_cast<std::size_t>(index / 2) % ranges.size()];
  const bool both_signs = index % 2 == 1;
  std::vector<Rational> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto draw = random();
    Rational x(1 + static_cast<unsigned>(draw % range.numerator), range.denominator);
    x.canonicalize();
    result.emplace_back(both_signs && (draw >> 40) % 2 == 1 ? Rational(-x) : x);
  }
  return result;
}

Witness describe(const algebra::BallGraph& graph, const std::vector<Rational>& at,
                 const algebra::Ball& value) {
  Witness result;
  for (std::size_t i = 0; i < at.size(); ++i) result.at.emplace_back(graph.symbols()[i], at[i]);
  std::sort(result.at.begin(), result.at.end(), [](const auto& a, const auto& b) {
    const Symbol& s = a.first.symbol();
    const Symbol& t = b.first.symbol();
    return std::tie(s.name, s.order, s.kind) < std::tie(t.name, t.order, t.kind);
  });
  result.value = algebra::decimal(value, witness_digits);
  return result;
}

std::optional<Witness> find_witness(const algebra::BallGraph& graph, int count, long most) {
  int stubborn = 0;
  for (int index = 0; index < count; ++index) {
    const std::vector<Rational> at = point(index, graph.symbols().size());
    const long limit = stubborn < stubborn_points ? most : std::min(most, cheap_precision);
    bool finite = false;
    for (long precision = first_precision; precision <= 4 * limit; precision *= 2) {
      const algebra::Ball value = graph.evaluate(at, precision).front();
      finite = arb_is_finite(value.get()) != 0;
      const bool nonzero = finite && arb_contains_zero(value.get()) == 0;
      if (nonzero && arb_rel_accuracy_bits(value.get()) >= witness_bits) {
        return describe(graph, at, value);
      }
      if (!nonzero && precision >= limit) break;
    }
    if (finite) ++stubborn;
    if (graph.symbols().empty()) break;
  }
  return std::nullopt;
}

Expr plain_form(const algebra::Ring& ring, const algebra::Value& v) {
  return ring.expression(v);
}

/// Proven, or not proven with the reason.
Decision try_to_prove(const Expr& e, const AlgebraOptions& options) {
  std::vector<Expr> roots{e};
  roots.insert(roots.end(), options.modulo.begin(), options.modulo.end());
  try {
    roots =
        algebra::with_canonical_arguments(roots, algebra::Mode::decide, options.terms, plain_form);
    const algebra::Ring ring(roots, algebra::Mode::decide, options.terms);
    const algebra::Poly& numerator = ring.value(roots.front()).numerator;
    if (numerator.is_zero()) return {Verdict::proven, std::nullopt, {}};
    if (options.modulo.empty()) {
      return {Verdict::not_proven, std::nullopt,
              "the algebra does not reduce it to zero, and no point was found where it is not"};
    }
    std::vector<algebra::Poly> ideal = ring.relations();
    for (std::size_t i = 1; i < roots.size(); ++i) {
      ideal.push_back(ring.value(roots[i]).numerator);
    }
    const std::vector<algebra::Poly> basis = algebra::groebner_basis(ideal);
    if (!basis.empty() && algebra::remainder(numerator, basis).is_zero()) {
      return {Verdict::proven, std::nullopt, {}};
    }
    return {Verdict::not_proven, std::nullopt, "it does not follow from the relations"};
  } catch (const algebra::GaveUp& limit) {
    return {Verdict::not_proven, std::nullopt, limit.what()};
  } catch (const algebra::Undefined& reason) {
    return {Verdict::not_proven, std::nullopt, reason.what()};
  }
}

}  // namespace

Decision decide_zero(const Expr& e, const AlgebraOptions& options) {
  if (!options.modulo.empty()) return try_to_prove(e, options);
  // Most of what is not zero is seen not to be at the first point; algebra would take longer.
  const algebra::BallGraph graph(std::span(&e, 1));
  if (auto witness = find_witness(graph, first_points, cheap_precision)) {
    return {Verdict::refuted, std::move(witness), {}};
  }
  Decision result = try_to_prove(e, options);
  if (result.verdict == Verdict::proven) return result;
  if (auto witness = find_witness(graph, points, last_precision)) {
    return {Verdict::refuted, std::move(witness), {}};
  }
  return result;
}

bool proven_zero(const Expr& e, const AlgebraOptions& options) {
  return try_to_prove(e, options).verdict == Verdict::proven;
}

}  // namespace dalembert::expr
