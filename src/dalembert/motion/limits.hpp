#pragma once
/// What stops a motion that could take another step: the number of steps allowed, and a pace at
/// which it would never come to its end.

#include <string>

#include "dalembert/motion/simulate.hpp"

namespace dalembert::motion {

struct LaneLimit {
  enum class Kind { none, steps, pace };
  Kind kind = Kind::none;
  double t = 0;
  double progress = 0;  ///< of the last `pace_window` attempts, s
  double needed = 0;    ///< attempts for the rest, at that pace
};
/// In a sentence, with what to do about it.
std::string to_string(const LaneLimit& limit, const SimulationOptions& options);

/// Looks at the pace of a motion every `pace_window` attempts: it is hopeless where the rest would
/// take a hundred times the steps allowed, as where a force jumps and the motion stays at the jump.
class PaceWatch {
 public:
  PaceWatch() = default;
  explicit PaceWatch(double start) : t_(start) {}

  /// Whether the next look is due after so many attempts.
  bool due(long attempts) const { return attempts >= next_; }
  LaneLimit look(long attempts, double t, const SimulationOptions& options);

 private:
  long next_ = 0;
  double t_ = 0;  ///< where it was at the last look
};

}  // namespace dalembert::motion
