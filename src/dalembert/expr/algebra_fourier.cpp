#include "dalembert/expr/algebra_fourier.hpp"

#include <algorithm>

namespace dalembert::expr::algebra {

namespace {

constexpr unsigned long degree_limit = 8;
constexpr std::size_t size_limit = 512;

struct Complex {
  Rational re;
  Rational im;
};

/// Coefficients of exp(i Σ k x) by k.
using Spectrum = std::map<std::vector<long>, Complex>;

/// Multiplies by sin = (z - 1/z)/2i or cos = (z + 1/z)/2 of one angle.
Spectrum times(const Spectrum& a, std::size_t angle, bool sine) {
  Spectrum result;
  for (const auto& [k, c] : a) {
    for (const long step : {1L, -1L}) {
      std::vector<long> moved = k;
      moved[angle] += step;
      Complex& target = result[moved];
      if (sine) {  // c/(2i) = (im - i re)/2
        target.re += Rational(step, 2) * c.im;
        target.im -= Rational(step, 2) * c.re;
      } else {
        target.re += c.re / 2;
        target.im += c.im / 2;
      }
    }
  }
  return result;
}

}  // namespace

std::optional<std::vector<Harmonic>> harmonics(const std::vector<TrigonometricTerm>& terms) {
  Spectrum total;
  for (const TrigonometricTerm& term : terms) {
    unsigned long degree = 0;
    for (const auto& [s, c] : term.powers) degree += s + c;
    if (degree > degree_limit) return std::nullopt;
    Spectrum product{{std::vector<long>(term.powers.size(), 0), {term.coefficient, 0}}};
    for (std::size_t i = 0; i < term.powers.size(); ++i) {
      for (unsigned long k = 0; k < term.powers[i].first; ++k) product = times(product, i, true);
      for (unsigned long k = 0; k < term.powers[i].second; ++k) product = times(product, i, false);
    }
    for (const auto& [k, c] : product) {
      total[k].re += c.re;
      total[k].im += c.im;
    }
    if (total.size() > size_limit) return std::nullopt;
  }
  std::vector<Harmonic> result;
  for (const auto& [k, c] : total) {
    const auto first = std::find_if(k.begin(), k.end(), [](long x) { return x != 0; });
    if (first != k.end() && *first < 0) continue;
    if (sgn(c.re) == 0 && sgn(c.im) == 0) continue;
    // The coefficient at -k is the conjugate: 2 re cos - 2 im sin.
    const int twice = first == k.end() ? 1 : 2;
    result.push_back({k, Rational(-twice * c.im), Rational(twice * c.re)});
  }
  return result;
}

}  // namespace dalembert::expr::algebra
