#pragma once
/// The frames of a scene as they are recorded, and their way to the page.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/model/model.hpp"
#include "dalembert/report/page/scene.hpp"
#include "dalembert/report/page/scene_extent.hpp"
#include "dalembert/report/page/scene_shapes.hpp"

namespace dalembert::report {

inline constexpr std::size_t pose_size = 7;  ///< x y z, then a quaternion w x y z

// What is drawn; where its numbers stand in a row. A radius of 0 is to be chosen.

struct DrawnBody {
  std::string name;
  model::BodyKind kind = model::BodyKind::body;
  DrawnShape shape;
  std::size_t pose = 0;
  double fastest = 0;  ///< turning, rad/s, at a frame
};

struct DrawnPoint {
  std::string name;
  double radius = 0;
  bool trail = true;
  std::size_t at = 0;
};

struct DrawnSegment {
  std::string name;
  model::SegmentStyle style = model::SegmentStyle::rod;
  double radius = 0;
  std::size_t from = 0, to = 0;
};

struct DrawnJoint {
  std::string name;
  model::JointKind kind = model::JointKind::ball;
  std::size_t at = 0;
  std::optional<std::size_t> axis{};
};

struct DrawnArrow {
  std::string_view kind;
  std::string name;
  std::size_t at = 0, vector = 0;
};

/// A contact, or friction without one. `state` is the number of its flow::Hold, 4 more where other
/// forces would make the same motion; `forces` are N, |R| and what |R| is at most.
struct DrawnTouch {
  std::string name;
  bool is_contact = true;
  std::size_t state = 0, forces = 0;
  /// Of a contact whose place is known: there, and the two forces as vectors.
  struct Place {
    std::size_t at = 0, normal = 0, friction = 0;
  };
  std::optional<Place> place{};
};

/// A row holds t and what is drawn at that time, each thing at an offset of its own.
struct SceneFrames {
  std::vector<DrawnBody> bodies;
  std::vector<DrawnPoint> points;
  std::vector<DrawnSegment> segments;
  std::vector<DrawnJoint> joints;
  std::vector<DrawnArrow> arrows;
  std::vector<DrawnTouch> touches;
  std::size_t row = 1;
  std::vector<double> numbers;  ///< row by row

  bool empty() const { return bodies.empty() && points.empty() && segments.empty(); }
  std::size_t count() const { return numbers.size() / row; }
};

/// Everything that is drawn at a place.
std::vector<Anchor> anchors_of(const SceneFrames& frames);

/// As SceneRecorder::calc_movement.
SceneRecorder::Movement movement_of(const SceneFrames& frames);

/// The scene as SceneRecorder::json has it, with its numbers appended to `values`.
nlohmann::ordered_json scene_value(const SceneFrames& frames, const model::Model& model,
                                   const std::vector<double>& parameters,
                                   std::vector<double>& values);

}  // namespace dalembert::report
