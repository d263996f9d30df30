#include <algorithm>
#include <cmath>

#include "dalembert/motion/instants/run.hpp"

// What slides in several slips s turns towards the force that drives it, and the slower it is the
// faster: with the friction R, the time in which it turns is |s|/(|R| w), w = (A M^-1 A^T)_ss.
// Where it leaves rest under a force that grows slowly this time begins at zero and grows as the
// square of the time t - t_0 since then, so that steps of a direction s/|s| would have to be as
// short, although the motion is smooth. Until it has come to a thousandth of t - t_0 the direction
// d is that in which it has turned already:
//
//     s''(d) parallel to d,       s''(d) with the friction -|R| d
//
// from d <- d + s''(d)/(|R| tr w), normalised, which contracts where w does not prefer a direction
// too much. What is left of s beside d, some |s| (t - t_0) of how fast d turns, is forgotten as
// soon as the direction is that of s.

namespace dalembert::motion {

using flow::index;

namespace {

constexpr double slow = 1e-3;
constexpr int most_rounds = 400;

}  // namespace

/// After the modes have been chosen: what leaves rest does so now.
void InstantRun::note_departures() {
  departures_.resize(modes_.size());
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    if (modes_[i].hold != Hold::slide || system_.elements()[i].slips < 2)
      departures_[i] = {};
    else if (modes_[i].from_rest)
      departures_[i] = {t_, 0};
  }
}

/// Of the last solution, where a piece begins.
void InstantRun::note_brakes() {
  for (std::size_t i = 0; i < departures_.size(); ++i) {
    if (!std::isnan(departures_[i].t)) departures_[i].brake = friction_of(i) * response_of(i);
  }
}

bool InstantRun::is_slow(std::size_t element, double speed) const {
  if (element >= departures_.size()) return false;
  const Departure& departure = departures_[element];
  return speed < slow * departure.brake * (system_.time() - departure.t);
}

/// Where a step ends, whose rows have been evaluated: what is slow no longer never is again.
void InstantRun::drop_departures() {
  const auto rates = system_.row_rates();
  for (std::size_t i = 0; i < departures_.size(); ++i) {
    if (std::isnan(departures_[i].t)) continue;
    const TouchElement& element = system_.elements()[i];
    double speed = 0;
    for (std::size_t c = 0; c < element.slips; ++c)
      speed = std::hypot(speed, rates[element.slip + c]);
    if (!is_slow(i, speed)) departures_[i] = {};
  }
}

double InstantRun::friction_of(std::size_t element) const {
  const TouchElement& e = system_.elements()[element];
  double size = 0;
  for (std::size_t c = 0; c < e.slips; ++c)
    size = std::hypot(size, system_.solution().p[index(e.slip + c)]);
  return size;
}

double InstantRun::response_of(std::size_t element) const {
  const TouchElement& e = system_.elements()[element];
  double trace = 0;
  for (std::size_t c = 0; c < e.slips; ++c)
    trace += system_.W()(index(e.slip + c), index(e.slip + c));
  return trace;
}

/// Turns the directions in `here_` of what is slow, where they have not been found before its
/// velocity's are taken.
void InstantRun::turn_slow(std::span<const std::size_t> elements) {
  for (int round = 0; round < most_rounds; ++round) {
    if (!system_.solve(here_)) return;
    double turned = 0;
    for (const std::size_t i : elements) {
      const TouchElement& e = system_.elements()[i];
      const double size = friction_of(i) * response_of(i);
      if (!(size > 0)) continue;
      std::array<double, 3> d = here_[i].d;
      for (std::size_t c = 0; c < e.slips; ++c)
        d[c] += system_.solution().y[index(e.slip + c)] / size;
      const double norm = std::hypot(d[0], d[1], d[2]);
      if (!(norm > 0)) return;
      for (std::size_t c = 0; c < e.slips; ++c) {
        turned = std::max(turned, std::abs(d[c] / norm - here_[i].d[c]));
        here_[i].d[c] = d[c] / norm;
      }
    }
    if (turned <= 1e-15) return;
  }
}

}  // namespace dalembert::motion
