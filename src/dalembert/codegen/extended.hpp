#pragma once
/// Tapes and series in extended precision, for reference runs: the same operations in the same
/// order as in doubles, one by one, each rounded to 64 bits (x86) or more. Elementary functions are
/// those of the C library. Made for tapes with exact constants (TapeBuilder::Constants::exact);
/// those of tapes for doubles are what doubles are.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "dalembert/codegen/series.hpp"

namespace dalembert::codegen {

using Extended = long double;

inline constexpr Extended extended_epsilon = std::numeric_limits<Extended>::epsilon();
/// Elsewhere a long double may be a double.
inline constexpr bool has_extended = std::numeric_limits<Extended>::digits >= 64;

/// A tape ready to run, with its registers. Throws std::invalid_argument if it has tables, whose
/// values are doubles.
class ExtendedTape {
 public:
  ExtendedTape() = default;
  ExtendedTape(Tape tape, std::span<const Extended> parameters);

  bool empty() const { return tape_.outputs.empty(); }
  std::size_t outputs() const { return tape_.outputs.size(); }
  std::span<Extended> inputs() {
    return std::span(registers_).subspan(tape_.first_input(), tape_.inputs);
  }
  void run();
  Extended operator[](std::size_t output) const { return registers_[tape_.outputs[output]]; }

 private:
  void run(std::size_t from, std::size_t to);

  Tape tape_;
  std::vector<Extended> registers_;
};

/// A series ready to run: the coefficients of y up to order p.
class ExtendedSeries {
 public:
  ExtendedSeries(const Series& series, std::span<const Extended> parameters, std::uint32_t p);

  std::uint32_t order() const { return p_; }
  std::size_t size() const { return size_; }
  /// t y
  std::span<Extended> inputs() { return start_.inputs(); }
  /// Order 0 and 1; then `output` i of f is there.
  void begin();
  Extended output(std::size_t i) const { return start_[i]; }
  /// The orders up to p, after `begin`.
  void run();
  /// Those of y_i, p + 1 of them.
  std::span<const Extended> coefficients(std::size_t i) const {
    return std::span(coefficients_).subspan(i * (p_ + 1), p_ + 1);
  }

 private:
  Extended sum(const SeriesPair& pair, std::uint32_t k) const;

  std::uint32_t size_, later_, later_input_, pair_input_, p_;
  ExtendedTape start_, order_;
  std::vector<SeriesPair> pairs_;
  std::vector<Extended> coefficients_;  ///< of y_i at i (p + 1)
  std::vector<Extended> kept_;          ///< likewise; order 0 is not there
};

}  // namespace dalembert::codegen
