// A dumbbell on a plane with a knife edge at one end, built, compiled and moved by a program.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <dalembert/dalembert.hpp>
#include <vector>

using namespace dalembert;

int main() {
  System s("dumbbell");
  auto [x, y, phi] = s.coordinates("x", "y", "phi");
  const Expr m = s.parameter("m", 1), l = s.parameter("l", 1);
  const Expr speed = dot(x) * cos(phi) + dot(y) * sin(phi);

  s.kinetic(m * (pow(dot(x), 2) + pow(dot(y), 2)) + m * pow(l * dot(phi), 2) / 2 +
            m * l * dot(phi) * (dot(y) * cos(phi) - dot(x) * sin(phi)));
  s.constrain("knife edge", dot(x) * sin(phi) == dot(y) * cos(phi));
  s.initial(dot(x), -0.5).initial(dot(phi), 1.25).output("speed", speed);
  const Motion motion = compile(s.model()).value();

  const std::vector<double> q{0, 0, 0}, v{-0.5, 0, 1.25};
  const Acceleration a = motion.acceleration(0, q, v);
  std::printf("x'' = %.6f, phi'' = %.6f, force across the edge %.6f\n", a.qdd[0], a.qdd[2],
              a.ideal[1]);

  // Exactly: E = v^2 + l^2 phi'^2 / 2 is constant, and v = sqrt(E) tanh(sqrt(E) t / l + c).
  const double w = std::sqrt(0.5 * 0.5 + 1.25 * 1.25 / 2), c = std::atanh(-0.5 / w);
  double last = 0, worst = 0;
  const State start = initial_state(motion).value().state;
  const Summary end = simulate(motion, start, simulation_options(motion), [&](const Sample& row) {
    last = row.outputs[0];
    worst = std::max(worst, std::abs(last - w * std::tanh(w * row.t + c)));
    return true;
  });
  std::printf("v(%g) = %.12f; never more than %.0e from the closed form\n", end.t, last, worst);
  return end.complete && worst < 1e-8 ? 0 : 1;
}
