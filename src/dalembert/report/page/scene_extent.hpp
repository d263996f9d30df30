#pragma once
/// How large a scene is, over all of its frames.

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

namespace dalembert::report {

/// Something drawn: where its centre stands in a row, and how far it reaches from there.
struct Anchor {
  std::size_t offset = 0;
  double reach = 0;
};

struct Extent {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  double radius = 1;  ///< of a sphere that holds everything, positive
  double scale = 1;   ///< half the size of what is drawn at one time, positive
};

/// Of frames that stand one behind the other, `row` numbers each. What is not finite is left out;
/// and where the first or the last few frames lie far from all others, as when a motion blows up,
/// the sphere holds the others.
Extent extent_of(std::span<const double> frames, std::size_t row, std::span<const Anchor> anchors);

}  // namespace dalembert::report
