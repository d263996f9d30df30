#include "dalembert/solve/typical_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dalembert::solve {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();
constexpr double trace = 1e-3;  // of the whole: what is less is small beside the rest, not tiny

double kinetic_norm(std::span<const double> mass, std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += mass[i] * x[i] * x[i];
  return std::sqrt(sum);
}

}  // namespace

TypicalSizes typical_sizes(std::span<const double> q, std::span<const double> v,
                           std::span<const double> qdd, std::span<const double> mass,
                           std::span<const Place> A, std::size_t m, double duration) {
  const std::size_t n = q.size();
  TypicalSizes result{std::vector<double>(n, unknown), std::vector<double>(n, unknown), unknown};
  const double all = kinetic_norm(mass, q), accelerations = kinetic_norm(mass, qdd);
  const double speeds = kinetic_norm(mass, v);
  std::vector<double> shared(m, 0);
  for (const Place& place : A) {
    const double part = std::sqrt(mass[place.column]) * std::abs(q[place.column]);
    shared[place.row] = std::max(shared[place.row], part);
  }
  std::vector<double> kinetic(n, 0);
  for (const Place& place : A)
    kinetic[place.column] = std::max(kinetic[place.column], shared[place.row]);
  double energy = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (!(mass[k] > 0)) continue;
    const double root = std::sqrt(mass[k]), a = accelerations / root, speed = std::abs(v[k]);
    const double way = a > 0 ? speed * speed / a : speed * duration;
    const double here = std::max(std::abs(q[k]), kinetic[k] / root);
    if (!(here > 0)) continue;
    const double size = std::max({here, way, trace * all / root});
    result.q[k] = size;
    const double fastest = std::max({speed, std::sqrt(a * size), trace * speeds / root});
    if (!(fastest > 0)) continue;
    result.v[k] = fastest;
    energy += mass[k] * fastest * fastest;
  }
  if (energy > 0) result.energy = energy;
  return result;
}

}  // namespace dalembert::solve
