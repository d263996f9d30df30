#pragma once
/// When the chord of a height (flow::Flow::heights) between two ends comes close to zero.

namespace dalembert::motion {

/// A chord of a height comes as close to zero as this part of its shorter end where the height
/// vanishes between and has turned by a right angle at most; without vanishing it would have to
/// turn as far. Where it only becomes shorter, to this part of its length.
inline constexpr double least_chord = 0.7, least_height = 0.3;
inline constexpr double farthest_turn = 0.75;  ///< squared cosine: 30 degrees

}  // namespace dalembert::motion
