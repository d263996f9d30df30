#pragma once
/// Whether a step has seen what acts in it. At a row within a step the acceleration is computed
/// from the state there; the interpolant's velocity has a slope there. The two differ by what the
/// tolerances explain, unless something acts at the row that no stage has seen:
///
///     h |q'' - s|  >  10^5 max sc,     sc the errors allowed in the velocities.
///
/// An accurate step of order 8 stays below 10^3, and one across a jump is as short as its error.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/motion/steps/rk8.hpp"

namespace dalembert::motion {

class PulseWatch {
 public:
  /// Of n coordinates, y = (q, q', ...) being `size` long.
  PulseWatch(std::size_t n, std::size_t size) : n_(n), slope_(size) {}

  /// Goes on with other sizes.
  void resize(std::size_t n, std::size_t size) {
    n_ = n;
    slope_.resize(size);
  }
  /// Where the slope of the interpolant at the next row is written, of a step of this length.
  std::span<double> expect(double length) {
    length_ = length;
    return slope_;
  }
  /// Compares it with the acceleration at the row, y being the state there.
  void look(double t, std::span<const double> qdd, std::span<const double> y,
            const Tolerance& tolerance);
  /// What is to be said; empty if nothing was missed.
  std::string doubt() const;

 private:
  struct Missed {
    double t, length;
  };

  std::size_t n_;
  std::vector<double> slope_;
  double length_ = 0;  ///< 0: no slope is known
  std::optional<Missed> missed_;
};

}  // namespace dalembert::motion
