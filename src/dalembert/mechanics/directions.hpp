#pragma once
/// Directions of numbers, each at right angles to the others (Gram and Schmidt).

#include <cmath>
#include <numeric>
#include <vector>

namespace dalembert::mechanics {

class Directions {
 public:
  /// Whether x is zero or a combination of what was added, but for `tolerance` of its length.
  bool span(const std::vector<double>& x) const {
    return !(length(rest_of(x)) > tolerance * length(x));
  }

  /// Adds x; false, and nothing is added, where they span it.
  bool add(const std::vector<double>& x) {
    if (span(x)) return false;
    std::vector<double> rest = rest_of(x);
    const double size = length(rest);
    for (double& entry : rest) entry /= size;
    directions_.push_back(std::move(rest));
    return true;
  }

 private:
  static constexpr double tolerance = 1e-8;

  static double length(const std::vector<double>& x) {
    return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
  }

  /// What of x is at right angles to all directions; the second round takes what rounding left.
  std::vector<double> rest_of(std::vector<double> x) const {
    for (int round = 0; round < 2; ++round) {
      for (const std::vector<double>& direction : directions_) {
        const double share = std::inner_product(x.begin(), x.end(), direction.begin(), 0.0);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] -= share * direction[i];
      }
    }
    return x;
  }

  std::vector<std::vector<double>> directions_;
};

}  // namespace dalembert::mechanics
