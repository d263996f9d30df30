#include "dalembert/motion/limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dalembert/motion/steps/rk8.hpp"

namespace dalembert::motion {

LaneLimit PaceWatch::look(long attempts, double t, const SimulationOptions& options) {
  if (attempts >= options.max_steps) return {LaneLimit::Kind::steps, t};
  next_ = std::min(attempts + pace_window, options.max_steps);
  if (attempts == 0) return {};
  const double progress = t - t_;
  t_ = t;
  const double needed = (options.duration - t) / progress * static_cast<double>(pace_window);
  if (needed < 100 * static_cast<double>(options.max_steps)) return {};
  return {LaneLimit::Kind::pace, t, progress, needed};
}

std::string to_string(const LaneLimit& limit, const SimulationOptions& options) {
  switch (limit.kind) {
    case LaneLimit::Kind::steps:
      return fmt::format(
          "at t = {:.9g} the limit of {} steps was reached (max_steps in [simulation])", limit.t,
          options.max_steps);
    case LaneLimit::Kind::pace:
      return fmt::format(
          "the motion does not get beyond t = {:.9g}: the last {} attempted steps (rejected ones "
          "too) advanced it by {:.2g} s, and at that pace the rest would take {:.1g} more. This "
          "happens where a force jumps and the motion stays at the jump, as with dry friction at "
          "rest: write tanh(v/eps) with a small speed eps for sign(v), or give a joint's friction "
          "a slip, or let [[friction]] stick; also in stiff systems, and for a duration out of "
          "proportion",
          limit.t, pace_window, limit.progress, limit.needed);
    case LaneLimit::Kind::none:
      break;
  }
  return {};
}

}  // namespace dalembert::motion
