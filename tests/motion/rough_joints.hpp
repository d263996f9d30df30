#pragma once
/// What is known of two systems with friction in a joint, worked out by hand.

#include <cmath>

namespace dalembert::motion {

/// A pendulum of mass 1 whose centre is this far from its pin, with this moment of inertia about
/// the centre.
inline constexpr double bearing_arm = 0.8, bearing_inertia = 0.1;

/// theta'' of (J + m l^2) theta'' = -m g l sin - mu r N, N the force at the pin, which contains
/// theta''; theta' > 0. By iteration, which contracts.
inline double bearing_acceleration(double moment_arm, double theta, double rate) {
  const double l = bearing_arm;
  double a = 0;
  for (int k = 0; k < 200; ++k) {
    const double ax = l * (std::cos(theta) * a - std::sin(theta) * rate * rate);
    const double ay = l * (std::sin(theta) * a + std::cos(theta) * rate * rate);
    const double N = std::hypot(ax, ay + 9.81);
    a = (-9.81 * l * std::sin(theta) - moment_arm * N) / (bearing_inertia + l * l);
  }
  return a;
}

/// Painlevé's rod, uniform, sliding with one end on a plane at the angle theta: the coefficient of
/// friction at which the reaction stops being determined, S = 1/m + l^2 cos^2 / J against
/// l^2 sin cos / J with J = m l^2 / 3.
inline double critical_friction(double theta) {
  return (1 + 3 * std::cos(theta) * std::cos(theta)) / (3 * std::sin(theta) * std::cos(theta));
}

}  // namespace dalembert::motion
