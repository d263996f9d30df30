#include "dalembert/report/page/scene_frames.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "dalembert/report/page/scene_extent.hpp"

namespace dalembert::report {

namespace {

using Json = nlohmann::ordered_json;
using Eigen::Vector3d;

/// Arrows that stay below this part of the longest one are rounding.
constexpr double rounding = 1e-9;
/// Sizes of what has none, as parts of Extent::scale and of the distance between points.
constexpr double ball_part = 0.04, ball_gap = 0.3;
constexpr double rod_part = 0.35, line_part = 0.1;  ///< of a ball's radius
/// The ground is at 0 if what is lowest comes this close to it, of Extent::scale.
constexpr double near_ground = 0.05;
/// Of more bodies than that only the last one leaves a trail.
constexpr std::size_t most_with_trails = 6;
constexpr std::size_t most_points_with_trails = 100;

/// What the page is told beside the numbers themselves.
class Survey {
 public:
  Survey(const SceneFrames& scene, const model::Model& model, const std::vector<double>& parameters)
      : scene_(scene), model_(model), parameters_(parameters) {}

  Vector3d vector_at(std::size_t frame, std::size_t offset) const {
    return Vector3d(scene_.numbers.data() + frame * scene_.row + offset);
  }

  Extent calc_extent() const { return extent_of(scene_.numbers, scene_.row, anchors_of(scene_)); }

  /// The radius of a ball whose size nobody has told: small in the scene, and smaller than the
  /// distances between such balls.
  double calc_ball(const Extent& extent) const {
    std::vector<std::size_t> balls;
    for (const DrawnBody& body : scene_.bodies) {
      if (body.shape.kind == ShapeKind::sphere && body.shape.radius == 0)
        balls.push_back(body.pose);
    }
    for (const DrawnPoint& point : scene_.points) {
      if (point.radius == 0) balls.push_back(point.at);
    }
    std::vector<double> gaps;
    for (std::size_t k = 1; k < balls.size(); ++k) {
      const double gap = (vector_at(0, balls[k]) - vector_at(0, balls[k - 1])).norm();
      if (gap > rounding * extent.scale) gaps.push_back(gap);
    }
    double ball = ball_part * extent.scale;
    if (gaps.empty()) return ball;
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
    std::nth_element(gaps.begin(), middle, gaps.end());
    return std::min(ball, ball_gap * *middle);
  }

  std::optional<double> calc_ground(const Extent& extent, double ball) const {
    const model::View& view = model_.view;
    if (view.no_ground) return std::nullopt;
    if (view.ground) return model::evaluate(*view.ground, model_, parameters_);
    for (const model::Joint& joint : model_.joints) {
      const bool stands =
          joint.kind == model::JointKind::rolls || joint.kind == model::JointKind::knife_edge;
      if (stands && joint.bodies[0] == model::ground) return 0.0;
    }
    const Eigen::Index up = view.up == 'y' ? 1 : 2;
    const double sign = view.up_sign;
    double lowest = HUGE_VAL;
    const auto look = [&](double height) {
      if (std::isfinite(height)) lowest = std::min(lowest, height);
    };
    for (std::size_t f = 0; f < scene_.count(); ++f) {
      for (const DrawnBody& body : scene_.bodies) {
        const double* pose = scene_.numbers.data() + f * scene_.row + body.pose;
        const Eigen::Quaterniond turn(pose[3], pose[4], pose[5], pose[6]);
        const Vector3d upward = turn.conjugate() * Vector3d(Vector3d::Unit(up));
        look(sign * pose[up] - reach_along(complete(body.shape, ball), upward));
      }
      for (const DrawnPoint& point : scene_.points)
        look(sign * vector_at(f, point.at)[up] - (point.radius > 0 ? point.radius : ball));
      for (const DrawnSegment& segment : scene_.segments) {
        look(sign * vector_at(f, segment.from)[up]);
        look(sign * vector_at(f, segment.to)[up]);
      }
    }
    return std::abs(lowest) <= near_ground * extent.scale ? std::optional(0.0) : std::nullopt;
  }

  /// What the drawing cannot show: between two frames the page turns bodies the shorter way.
  std::string note() const {
    double gap = 0;
    for (std::size_t f = 1; f < scene_.count(); ++f)
      gap = std::max(gap, scene_.numbers[f * scene_.row] - scene_.numbers[(f - 1) * scene_.row]);
    std::vector<std::string> names;
    for (const DrawnBody& body : scene_.bodies) {
      if (body.fastest * gap > std::numbers::pi) names.push_back(body.name);
    }
    if (names.empty()) return {};
    const std::string others =
        names.size() > 1 ? fmt::format(" (and {} more)", names.size() - 1) : "";
    return fmt::format(
        "{}{} turns by more than half a turn between two frames and may seem to turn slowly or "
        "backwards; more samples, or a shorter duration, would show it.",
        names.front(), others);
  }

  double longest(std::size_t vector) const {
    double most = 0;
    for (std::size_t f = 0; f < scene_.count(); ++f) {
      const double size = vector_at(f, vector).norm();
      if (std::isfinite(size)) most = std::max(most, size);
    }
    return most;
  }

 private:
  const SceneFrames& scene_;
  const model::Model& model_;
  const std::vector<double>& parameters_;
};

/// Columns of the frames on their way to the page, each written once.
class Columns {
 public:
  Columns(const std::vector<double>& frames, std::size_t row, std::vector<double>& numbers)
      : frames_(frames), row_(row), numbers_(numbers) {}

  /// The index of `width` numbers a frame.
  std::size_t operator()(std::size_t offset, std::size_t width = 3) {
    const auto [place, is_new] = written_.emplace(std::pair(offset, width), numbers_.size());
    if (is_new) {
      for (std::size_t start = offset; start < frames_.size(); start += row_)
        numbers_.insert(numbers_.end(), frames_.begin() + static_cast<std::ptrdiff_t>(start),
                        frames_.begin() + static_cast<std::ptrdiff_t>(start + width));
    }
    return place->second;
  }

  /// A pose, whose quaternion keeps the sign that is nearer to the frame before.
  std::size_t pose(std::size_t offset) {
    const std::size_t index = (*this)(offset, pose_size);
    for (std::size_t start = index + pose_size; start < numbers_.size(); start += pose_size) {
      double product = 0;
      for (std::size_t i = 3; i < pose_size; ++i)
        product += numbers_[start + i] * numbers_[start - pose_size + i];
      for (std::size_t i = 3; i < pose_size && product < 0; ++i) numbers_[start + i] *= -1;
    }
    return index;
  }

 private:
  const std::vector<double>& frames_;
  std::size_t row_;
  std::vector<double>& numbers_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> written_;
};

Json shape_json(const DrawnShape& shape) {
  Json result{{"type", to_string(shape.kind)}};
  switch (shape.kind) {
    case ShapeKind::none:
      break;
    case ShapeKind::sphere:
    case ShapeKind::axes:
      result["radius"] = shape.radius;
      break;
    case ShapeKind::disk:
    case ShapeKind::cylinder:
    case ShapeKind::rod:
      result["radius"] = shape.radius;
      result["length"] = shape.length;
      break;
    case ShapeKind::box:
    case ShapeKind::ellipsoid:
      result["size"] = shape.size;
      break;
  }
  return result;
}

std::string_view word_of(model::BodyKind kind) {
  constexpr std::array<std::string_view, 3> words{"body", "particle", "frame"};
  return words[static_cast<std::size_t>(kind)];
}

/// Contacts and frictions, in the model's order.
Json touches_json(const SceneFrames& frames, Columns& columns) {
  Json list = Json::array();
  for (const DrawnTouch& touch : frames.touches) {
    Json entry{{"kind", touch.is_contact ? "contact" : "friction"},
               {"name", touch.name},
               {"state", columns(touch.state, 1)},
               {"forces", columns(touch.forces)},
               {"at", nullptr}};
    if (touch.place) {
      entry["at"] = columns(touch.place->at);
      entry["normal"] = columns(touch.place->normal);
      entry["friction"] = columns(touch.place->friction);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

double radius_of(const DrawnSegment& segment, double ball) {
  if (segment.radius > 0) return segment.radius;
  switch (segment.style) {
    case model::SegmentStyle::rod:
      return rod_part * ball;
    case model::SegmentStyle::line:
      return line_part * ball;
    case model::SegmentStyle::spring:
      return ball;
  }
  return ball;
}

}  // namespace

Json scene_value(const SceneFrames& frames, const model::Model& model,
                 const std::vector<double>& parameters, std::vector<double>& values) {
  if (frames.empty() || frames.count() == 0) return nullptr;
  const Survey survey(frames, model, parameters);
  const Extent extent = survey.calc_extent();
  const double ball = survey.calc_ball(extent);
  const std::optional<double> ground = survey.calc_ground(extent, ball);
  Columns columns(frames.numbers, frames.row, values);
  Json scene{{"frames", frames.count()}, {"times", columns(0, 1)}};
  scene["center"] = {extent.center.x(), extent.center.y(), extent.center.z()};
  double reached = extent.radius;
  Json& objects = scene["objects"] = Json::array();
  for (const DrawnBody& body : frames.bodies) {
    const DrawnShape shape = complete(body.shape, ball);
    if (reach(body.shape) == 0) reached = std::max(reached, extent.radius + reach(shape));
    objects.push_back(
        {{"kind", word_of(body.kind)},
         {"name", body.name},
         {"trail", frames.bodies.size() <= most_with_trails || &body == &frames.bodies.back()},
         {"shape", shape_json(shape)},
         {"pose", columns.pose(body.pose)}});
  }
  for (const DrawnPoint& point : frames.points) {
    if (point.radius == 0) reached = std::max(reached, extent.radius + ball);
    objects.push_back(
        {{"kind", "point"},
         {"name", point.name},
         {"trail", point.trail && static_cast<std::size_t>(&point - frames.points.data()) <
                                      most_points_with_trails},
         {"radius", point.radius > 0 ? point.radius : ball},
         {"position", columns(point.at)}});
  }
  for (const DrawnSegment& segment : frames.segments) {
    objects.push_back({{"kind", "segment"},
                       {"name", segment.name},
                       {"style", model::to_string(segment.style)},
                       {"radius", radius_of(segment, ball)},
                       {"from", columns(segment.from)},
                       {"to", columns(segment.to)}});
  }
  for (const DrawnJoint& joint : frames.joints) {
    Json object{{"kind", "joint"},
                {"name", joint.name},
                {"type", model::to_string(joint.kind)},
                {"position", columns(joint.at)},
                {"axis", nullptr}};
    if (joint.axis) object["axis"] = columns(*joint.axis);
    objects.push_back(std::move(object));
  }
  scene["radius"] = reached;
  scene["scale"] = extent.scale;
  scene["up"] = std::string(model.view.up_sign < 0 ? "-" : "") + model.view.up;
  scene["ground"] = ground ? Json(*ground) : Json(nullptr);
  std::vector<double> lengths;
  for (const DrawnArrow& arrow : frames.arrows) lengths.push_back(survey.longest(arrow.vector));
  double largest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  for (const DrawnTouch& touch : frames.touches) {
    if (touch.place) largest = std::max(largest, survey.longest(touch.place->normal));
  }
  Json& drawn = scene["arrows"] = Json::array();
  for (std::size_t k = 0; k < frames.arrows.size(); ++k) {
    if (!(lengths[k] > rounding * largest)) continue;
    drawn.push_back({{"kind", frames.arrows[k].kind},
                     {"name", frames.arrows[k].name},
                     {"at", columns(frames.arrows[k].at)},
                     {"vector", columns(frames.arrows[k].vector)}});
  }
  scene["largest_force"] = largest;
  if (!frames.touches.empty()) scene["touches"] = touches_json(frames, columns);
  scene["note"] = survey.note();
  return scene;
}

}  // namespace dalembert::report
