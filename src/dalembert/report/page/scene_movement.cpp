// How far what is drawn moves.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dalembert/report/page/scene_extent.hpp"
#include "dalembert/report/page/scene_frames.hpp"

namespace dalembert::report {

std::vector<Anchor> anchors_of(const SceneFrames& scene) {
  std::vector<Anchor> anchors;
  for (const DrawnBody& body : scene.bodies) anchors.push_back({body.pose, reach(body.shape)});
  for (const DrawnPoint& point : scene.points) anchors.push_back({point.at, point.radius});
  for (const DrawnSegment& segment : scene.segments) {
    anchors.push_back({segment.from, 0});
    anchors.push_back({segment.to, 0});
  }
  for (const DrawnJoint& joint : scene.joints) anchors.push_back({joint.at, 0});
  return anchors;
}

SceneRecorder::Movement movement_of(const SceneFrames& frames) {
  SceneRecorder::Movement movement;
  if (frames.count() == 0) return movement;
  const std::vector<Anchor> anchors = anchors_of(frames);
  const auto first = std::span(frames.numbers).first(frames.row);
  movement.size = extent_of(first, frames.row, anchors).scale;
  const auto note = [&](double distance) {
    if (std::isfinite(distance)) movement.distance = std::max(movement.distance, distance);
  };
  for (std::size_t f = 1; f < frames.count(); ++f) {
    const double* row = frames.numbers.data() + f * frames.row;
    for (const Anchor& anchor : anchors) {
      const Eigen::Vector3d from(first.data() + anchor.offset), to(row + anchor.offset);
      note((to - from).norm());
    }
    for (const DrawnBody& body : frames.bodies) {
      const double* a = first.data() + body.pose + 3;
      const double* b = row + body.pose + 3;
      const Eigen::Quaterniond from(a[0], a[1], a[2], a[3]), to(b[0], b[1], b[2], b[3]);
      note(movement.size * from.angularDistance(to));
    }
  }
  return movement;
}

}  // namespace dalembert::report
