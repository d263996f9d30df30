#include "dalembert/expr/rational.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace dalembert::expr {

namespace {

constexpr long largest_exponent = 10000;

mpz_class power_of_ten(unsigned long exponent) {
  mpz_class result;
  mpz_ui_pow_ui(result.get_mpz_t(), 10, exponent);
  return result;
}

}  // namespace

std::optional<Rational> rational_from_decimal(std::string_view text) {
  std::string digits;
  long exponent = 0;
  bool point = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      digits += c;
      if (point) --exponent;
    } else if (c == '.' && !point) {
      point = true;
    } else {
      break;
    }
  }
  if (digits.empty()) return std::nullopt;
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    ++i;
    if (i + 1 < text.size() && text[i] == '+' && text[i + 1] != '-') ++i;
    long written = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), written);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if (written > largest_exponent || written < -largest_exponent) return std::nullopt;
    exponent += written;
  }
  Rational value{mpz_class(digits, 10)};
  if (exponent > 0) value *= power_of_ten(static_cast<unsigned long>(exponent));
  if (exponent < 0) value /= power_of_ten(static_cast<unsigned long>(-exponent));
  return value;
}

Rational rational_from_double(double x) {
  if (!std::isfinite(x)) throw std::invalid_argument("a constant of an expression must be finite");
  std::array<char, 64> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(x));
  if (error != std::errc{})
    throw std::logic_error("a double does not fit its shortest decimal form");
  Rational value =
      *rational_from_decimal({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
  return std::signbit(x) ? Rational(-value) : value;
}

double to_double(const Rational& r) {
  // mpq_get_d truncates; the candidate next to it away from zero may be nearer. Compare exactly.
  const double below = r.get_d();
  if (!std::isfinite(below) || Rational(below) == r) return below;
  const double above = std::nextafter(below, sgn(r) > 0 ? INFINITY : -INFINITY);
  // Beyond the largest double the next one would be ±2^1024: from half way on, r is nearer to it
  // and rounds to ∞.
  Rational next;
  if (std::isfinite(above)) {
    next = above;
  } else {
    mpz_ui_pow_ui(next.get_num_mpz_t(), 2, 1024);
    if (sgn(r) < 0) next = -next;
  }
  const Rational to_below = abs(r - Rational(below));
  const Rational to_above = abs(next - r);
  if (to_below != to_above) return to_below < to_above ? below : above;
  const bool below_is_even = (std::bit_cast<std::uint64_t>(below) & 1) == 0;
  return below_is_even ? below : above;
}

}  // namespace dalembert::expr
