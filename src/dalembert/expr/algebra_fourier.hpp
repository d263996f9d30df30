#pragma once
/// Polynomials in sines and cosines as sums over sines and cosines of combined angles. Internal to
/// the room.

#include <map>
#include <optional>
#include <vector>

#include "dalembert/expr/rational.hpp"

namespace dalembert::expr::algebra {

/// coefficient · Π sin^a_i cos^b_i over the angles.
struct TrigonometricTerm {
  Rational coefficient;
  std::vector<std::pair<unsigned long, unsigned long>> powers;
};

struct Harmonic {
  std::vector<long> multiples;  ///< of the angles; the first that is not zero is positive
  Rational sine;
  Rational cosine;
};

/// Σ harmonics sine·sin(Σ k_i x_i) + cosine·cos(Σ k_i x_i), equal to the terms; nothing if the
/// degree is high. The zero angle has its constant as cosine.
std::optional<std::vector<Harmonic>> harmonics(const std::vector<TrigonometricTerm>& terms);

}  // namespace dalembert::expr::algebra
