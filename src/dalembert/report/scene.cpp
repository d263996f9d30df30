#include "dalembert/report/scene.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/motion/values.hpp"
#include "dalembert/report/scene_extent.hpp"
#include "dalembert/report/scene_forces.hpp"
#include "dalembert/report/scene_shapes.hpp"

namespace dalembert::report {

namespace {

using Json = nlohmann::ordered_json;
using Eigen::Vector3d;
using expr::Expr;
using expr::Symbol;
using expr::SymbolKind;
using expr::Vector;

constexpr std::size_t pose_size = 7;  ///< x y z, then a quaternion w x y z
/// Arrows that stay below this part of the longest one are rounding.
constexpr double rounding = 1e-9;
/// Sizes of what has none, as parts of Extent::scale and of the distance between points.
constexpr double ball_part = 0.04, ball_gap = 0.3;
constexpr double rod_part = 0.35, line_part = 0.1;  ///< of a ball's radius
/// The ground is at 0 if what is lowest comes this close to it, of Extent::scale.
constexpr double near_ground = 0.05;
/// Of more bodies than that only the last one leaves a trail.
constexpr std::size_t most_with_trails = 6;

struct DrawnBody {
  std::string name;
  model::BodyKind kind = model::BodyKind::body;
  DrawnShape shape;
  std::size_t center = 0;                 ///< among the outputs of the kernel
  std::optional<std::size_t> rotation{};  ///< likewise, nine of them
  std::size_t pose = 0;                   ///< in a row
};

/// Three numbers that the kernel computes and a row holds.
struct Copied {
  std::size_t output = 0, offset = 0;
};

struct DrawnPoint {
  std::string name;
  double radius = 0;  ///< 0: to be chosen
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

/// A mass with arrows for the forces on it.
struct Mover {
  double mass = 0;
  Vector position;
  std::size_t applied = 0, ideal = 0, nonideal = 0;  ///< in a row
};

struct Reaction {
  std::size_t output = 0, offset = 0;  ///< among Sample::outputs; in a row
};

std::vector<Expr> components(const std::vector<Mover>& movers) {
  std::vector<Expr> all;
  for (const Mover& mover : movers) {
    for (std::size_t i = 0; i < 3; ++i) all.push_back(mover.position[i]);
  }
  return all;
}

std::vector<Expr> second_derivatives(const std::vector<Expr>& places) {
  const auto rate = [](const Symbol& s) {
    if (s.kind == SymbolKind::coordinate) return expr::coordinate(s.name, s.order + 1);
    return Expr(s.kind == SymbolKind::time ? 1 : 0);
  };
  return expr::directional(expr::directional(places, rate), rate);
}

Expr push_along(std::string_view coordinate) {
  return expr::auxiliary("push along " + std::string(coordinate));
}

}  // namespace

/// A row holds t and what is drawn at that time, each thing at an offset of its own.
struct SceneRecorder::Implementation {
  motion::Motion motion;
  std::vector<DrawnBody> bodies;
  std::vector<DrawnPoint> points;
  std::vector<DrawnSegment> segments;
  std::vector<DrawnJoint> joints;
  std::vector<DrawnArrow> arrows;
  std::vector<Mover> movers;
  std::vector<Reaction> reactions;
  std::vector<Copied> copied;
  std::size_t row = 1;
  std::size_t shared = 0;  ///< numbers that `json` writes twice

  std::vector<Expr> outputs;  ///< of the kernel, until it is made
  codegen::Kernel kernel, push_kernel;
  codegen::Workspace workspace, push_workspace;
  std::vector<double> inputs, values, push_inputs, pushed;
  std::size_t accelerations = 0, mass_entries = 0;  ///< where they begin among the outputs
  std::optional<MassBlocks> mass;
  std::vector<double> frames;

  explicit Implementation(const motion::Motion& of) : motion(of) {
    lay_out();
    make_kernels();
  }

  const model::Model& model() const { return motion.model(); }
  double number(const Expr& e) const { return model::evaluate(e, model(), motion.parameters()); }
  double length(const std::optional<Expr>& e) const {
    const double x = e ? number(*e) : 0;
    return x > 0 && std::isfinite(x) ? x : 0;
  }

  bool has_arrows() const { return motion.coordinates() <= most_with_arrows; }

  std::size_t reserve(std::size_t size) {
    row += size;
    return row - size;
  }
  std::size_t compute(const Vector& v) {
    for (std::size_t i = 0; i < 3; ++i) outputs.push_back(v[i]);
    return outputs.size() - 3;
  }
  std::size_t copy(const Vector& v) {
    copied.push_back({compute(v), reserve(3)});
    return copied.back().offset;
  }

  void lay_out() {
    for (const model::Body& body : model().bodies) add_body(body);
    for (const model::ViewPoint& point : model().view.points) {
      const std::size_t at = copy(point.at);
      points.push_back({point.name, length(point.radius), point.trail, at});
      if (point.mass && has_arrows()) add_mover(point.name, number(*point.mass), point.at, at);
    }
    for (const model::ViewSegment& segment : model().view.segments) {
      const std::size_t from = copy(segment.from), to = copy(segment.to);
      segments.push_back({segment.name, segment.style, length(segment.radius), from, to});
    }
    for (const model::Joint& joint : model().joints) {
      joints.push_back({joint.name, joint.kind, copy(joint.point)});
      if (joint.axis) joints.back().axis = copy(*joint.axis);
      add_reaction(joint);
    }
    for (const model::ViewArrow& arrow : model().view.arrows) {
      const std::size_t at = copy(arrow.at), vector = copy(arrow.vector);
      arrows.push_back({model::to_string(arrow.kind), arrow.name, at, vector});
    }
  }

  void add_body(const model::Body& body) {
    DrawnBody drawn{body.name, body.kind, shape_of(body, model(), motion.parameters())};
    const bool is_frame = body.kind == model::BodyKind::frame;
    const Vector& center = is_frame ? body.origin : body.center_of_mass;
    if (drawn.shape.kind == ShapeKind::none) {  // forces act on it all the same
      if (!is_frame && has_arrows()) add_mover(body.name, number(body.mass), center, copy(center));
      return;
    }
    drawn.center = compute(center);
    if (body.kind != model::BodyKind::particle) {
      drawn.rotation = outputs.size();
      for (std::size_t i = 0; i < 3; ++i)
        outputs.insert(outputs.end(), body.rotation[i].begin(), body.rotation[i].end());
    }
    drawn.pose = reserve(pose_size);
    if (!is_frame && has_arrows()) {
      shared += 3;
      add_mover(body.name, number(body.mass), center, drawn.pose);
    }
    bodies.push_back(std::move(drawn));
  }

  void add_mover(const std::string& name, double mass_of_it, const Vector& position,
                 std::size_t at) {
    Mover mover{mass_of_it, position, reserve(3)};
    arrows.push_back({"applied", name, at, mover.applied});
    if (motion.constraints() > 0) {
      mover.ideal = reserve(3);
      mover.nonideal = reserve(3);
      arrows.push_back({"ideal", name, at, mover.ideal});
      arrows.push_back({"nonideal", name, at, mover.nonideal});
    }
    movers.push_back(std::move(mover));
  }

  void add_reaction(const model::Joint& joint) {
    const auto& recorded = motion.outputs();
    constexpr std::array<std::string_view, 3> suffixes = {".fx", ".fy", ".fz"};
    const auto first = recorded.begin() + static_cast<std::ptrdiff_t>(model().outputs.size());
    const auto found = std::search(first, recorded.end(), suffixes.begin(), suffixes.end(),
                                   [&](const model::Named& output, std::string_view suffix) {
                                     return output.name == joint.name + std::string(suffix);
                                   });
    if (found == recorded.end()) return;
    reactions.push_back({static_cast<std::size_t>(found - recorded.begin()), reserve(3)});
    arrows.push_back({"reaction", joint.name, joints.back().at, reactions.back().offset});
  }

  void make_kernels() {
    const mechanics::Equations& eq = motion.equations();
    std::vector<Expr> symbols = motion::state_symbols(eq);
    std::vector<Expr> push_symbols = symbols;
    for (const Expr& q : eq.q) symbols.push_back(expr::coordinate(q.symbol().name, 2));
    for (const Expr& q : eq.q) symbols.push_back(expr::ideal_force(q.symbol().name));
    for (const Expr& q : eq.q) symbols.push_back(expr::nonideal_force(q.symbol().name));
    for (const Expr& q : eq.q) push_symbols.push_back(push_along(q.symbol().name));
    const std::vector<Expr> places = components(movers);
    const std::vector<Expr> moving = second_derivatives(places);
    accelerations = outputs.size();
    outputs.insert(outputs.end(), moving.begin(), moving.end());
    mass_entries = outputs.size();
    if (!movers.empty() && motion.constraints() > 0) {
      for (const mechanics::Entry& entry : eq.M) outputs.push_back(entry.value);
      mass.emplace(eq.M, motion.coordinates());
      // J x, as the rate of the places when the coordinates move at x.
      const std::vector<Expr> rates = expr::directional(places, [](const Symbol& s) {
        return s.kind == SymbolKind::coordinate ? push_along(s.name) : Expr(0);
      });
      push_kernel = codegen::interpreted(codegen::make_tape(rates, push_symbols, eq.parameters));
      push_workspace = push_kernel.workspace(motion.parameters());
      push_inputs.resize(push_symbols.size());
      pushed.resize(rates.size());
    }
    kernel = codegen::interpreted(codegen::make_tape(outputs, symbols, eq.parameters));
    workspace = kernel.workspace(motion.parameters());
    inputs.resize(symbols.size());
    values.resize(outputs.size());
    outputs.clear();
  }

  bool empty() const { return bodies.empty() && points.empty() && segments.empty(); }
  std::size_t count() const { return frames.size() / row; }

  void add(const motion::Sample& sample) {
    inputs[0] = sample.t;
    auto next = inputs.begin() + 1;
    for (const auto& part : {sample.q, sample.v, sample.qdd, sample.ideal, sample.nonideal})
      next = std::copy(part.begin(), part.end(), next);
    kernel.evaluate(workspace, inputs, values);
    const std::size_t start = frames.size();
    frames.resize(start + row);
    double* const target = frames.data() + start;
    target[0] = sample.t;
    for (const DrawnBody& body : bodies) write_pose(body, target + body.pose);
    for (const Copied& item : copied)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(item.output), 3,
                  target + item.offset);
    for (const Reaction& reaction : reactions)
      std::copy_n(sample.outputs.begin() + static_cast<std::ptrdiff_t>(reaction.output), 3,
                  target + reaction.offset);
    write_forces(sample, target);
  }

  void write_pose(const DrawnBody& body, double* target) const {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(body.center), 3, target);
    Eigen::Matrix3d turn = body.shape.axes;
    if (body.rotation) {
      using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
      turn = Eigen::Map<const RowMajor>(values.data() + *body.rotation) * turn;
    }
    const Eigen::Quaterniond e = Eigen::Quaterniond(turn).normalized();
    const std::array<double, 4> written = {e.w(), e.x(), e.y(), e.z()};
    std::copy(written.begin(), written.end(), target + 3);
  }

  /// m J M^+ Q of each mass, at the offset that a mover has for it.
  void write_push(std::span<const double> Q, std::size_t Mover::* offset, double* target) {
    const std::size_t n = motion.coordinates();
    std::copy_n(inputs.begin(), 1 + 2 * n, push_inputs.begin());
    mass->solve(Q, std::span(push_inputs).subspan(1 + 2 * n));
    push_kernel.evaluate(push_workspace, push_inputs, pushed);
    for (std::size_t k = 0; k < movers.size(); ++k) {
      for (std::size_t i = 0; i < 3; ++i)
        target[movers[k].*offset + i] = movers[k].mass * pushed[3 * k + i];
    }
  }

  void write_forces(const motion::Sample& sample, double* target) {
    if (mass) {
      mass->set(std::span(values).subspan(mass_entries));
      write_push(sample.ideal, &Mover::ideal, target);
      write_push(sample.nonideal, &Mover::nonideal, target);
    }
    for (std::size_t k = 0; k < movers.size(); ++k) {
      const Mover& mover = movers[k];
      for (std::size_t i = 0; i < 3; ++i) {
        double force = mover.mass * values[accelerations + 3 * k + i];
        if (mass) force -= target[mover.ideal + i] + target[mover.nonideal + i];
        target[mover.applied + i] = force;
      }
    }
  }

  void thin() {
    const std::size_t half = (count() + 1) / 2;
    for (std::size_t f = 1; f < half; ++f)
      std::copy_n(frames.begin() + static_cast<std::ptrdiff_t>(2 * f * row), row,
                  frames.begin() + static_cast<std::ptrdiff_t>(f * row));
    frames.resize(half * row);
  }

  // What `json` asks of the frames.

  Vector3d vector_at(std::size_t frame, std::size_t offset) const {
    return Vector3d(frames.data() + frame * row + offset);
  }

  Extent calc_extent() const {
    std::vector<Anchor> anchors;
    for (const DrawnBody& body : bodies) anchors.push_back({body.pose, reach(body.shape)});
    for (const DrawnPoint& point : points) anchors.push_back({point.at, point.radius});
    for (const DrawnSegment& segment : segments) {
      anchors.push_back({segment.from, 0});
      anchors.push_back({segment.to, 0});
    }
    for (const DrawnJoint& joint : joints) anchors.push_back({joint.at, 0});
    return extent_of(frames, row, anchors);
  }

  /// The radius of a ball whose size nobody has told: small in the scene, and smaller than the
  /// distances between such balls.
  double calc_ball(const Extent& extent) const {
    std::vector<std::size_t> balls;
    for (const DrawnBody& body : bodies) {
      if (body.shape.kind == ShapeKind::sphere && body.shape.radius == 0)
        balls.push_back(body.pose);
    }
    for (const DrawnPoint& point : points) {
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
    const model::View& view = model().view;
    if (view.no_ground) return std::nullopt;
    if (view.ground) return number(*view.ground);
    for (const model::Joint& joint : model().joints) {
      const bool stands =
          joint.kind == model::JointKind::rolls || joint.kind == model::JointKind::knife_edge;
      if (stands && joint.bodies[0] == model::ground) return 0.0;
    }
    const Eigen::Index up = view.up == 'y' ? 1 : 2;
    double lowest = HUGE_VAL;
    const auto look = [&](double height) {
      if (std::isfinite(height)) lowest = std::min(lowest, height);
    };
    for (std::size_t f = 0; f < count(); ++f) {
      for (const DrawnBody& body : bodies) {
        const double* pose = frames.data() + f * row + body.pose;
        const Eigen::Quaterniond turn(pose[3], pose[4], pose[5], pose[6]);
        const Vector3d upward = turn.conjugate() * Vector3d(Vector3d::Unit(up));
        look(pose[up] - reach_along(complete(body.shape, ball), upward));
      }
      for (const DrawnPoint& point : points)
        look(vector_at(f, point.at)[up] - (point.radius > 0 ? point.radius : ball));
      for (const DrawnSegment& segment : segments) {
        look(vector_at(f, segment.from)[up]);
        look(vector_at(f, segment.to)[up]);
      }
    }
    return std::abs(lowest) <= near_ground * extent.scale ? std::optional(0.0) : std::nullopt;
  }

  double longest(const DrawnArrow& arrow) const {
    double most = 0;
    for (std::size_t f = 0; f < count(); ++f) {
      const double size = vector_at(f, arrow.vector).norm();
      if (std::isfinite(size)) most = std::max(most, size);
    }
    return most;
  }

  std::string json(std::vector<double>& numbers) const;
};

namespace {

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

std::string SceneRecorder::Implementation::json(std::vector<double>& numbers) const {
  if (empty() || count() == 0) return "null";
  const Extent extent = calc_extent();
  const double ball = calc_ball(extent);
  const std::optional<double> ground = calc_ground(extent, ball);
  Columns columns(frames, row, numbers);
  Json scene{{"frames", count()}, {"times", columns(0, 1)}};
  scene["center"] = {extent.center.x(), extent.center.y(), extent.center.z()};
  double reached = extent.radius;
  Json& objects = scene["objects"] = Json::array();
  for (const DrawnBody& body : bodies) {
    const DrawnShape shape = complete(body.shape, ball);
    if (reach(body.shape) == 0) reached = std::max(reached, extent.radius + reach(shape));
    objects.push_back({{"kind", word_of(body.kind)},
                       {"name", body.name},
                       {"trail", bodies.size() <= most_with_trails || &body == &bodies.back()},
                       {"shape", shape_json(shape)},
                       {"pose", columns.pose(body.pose)}});
  }
  for (const DrawnPoint& point : points) {
    if (point.radius == 0) reached = std::max(reached, extent.radius + ball);
    objects.push_back({{"kind", "point"},
                       {"name", point.name},
                       {"trail", point.trail},
                       {"radius", point.radius > 0 ? point.radius : ball},
                       {"position", columns(point.at)}});
  }
  for (const DrawnSegment& segment : segments) {
    objects.push_back({{"kind", "segment"},
                       {"name", segment.name},
                       {"style", model::to_string(segment.style)},
                       {"radius", radius_of(segment, ball)},
                       {"from", columns(segment.from)},
                       {"to", columns(segment.to)}});
  }
  for (const DrawnJoint& joint : joints) {
    Json object{{"kind", "joint"},
                {"name", joint.name},
                {"type", model::to_string(joint.kind)},
                {"position", columns(joint.at)},
                {"axis", nullptr}};
    if (joint.axis) object["axis"] = columns(*joint.axis);
    objects.push_back(std::move(object));
  }
  scene["radius"] = reached;
  scene["up"] = std::string(1, model().view.up);
  scene["ground"] = ground ? Json(*ground) : Json(nullptr);
  std::vector<double> lengths;
  for (const DrawnArrow& arrow : arrows) lengths.push_back(longest(arrow));
  const double largest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  Json& drawn = scene["arrows"] = Json::array();
  for (std::size_t k = 0; k < arrows.size(); ++k) {
    if (!(lengths[k] > rounding * largest)) continue;
    drawn.push_back({{"kind", arrows[k].kind},
                     {"name", arrows[k].name},
                     {"at", columns(arrows[k].at)},
                     {"vector", columns(arrows[k].vector)}});
  }
  scene["largest_force"] = largest;
  return scene.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SceneRecorder::SceneRecorder(const motion::Motion& motion)
    : implementation_(std::make_unique<Implementation>(motion)) {}
SceneRecorder::~SceneRecorder() = default;
SceneRecorder::SceneRecorder(SceneRecorder&&) noexcept = default;
SceneRecorder& SceneRecorder::operator=(SceneRecorder&&) noexcept = default;

std::size_t SceneRecorder::frame_size() const {
  return implementation_->row + implementation_->shared;
}
bool SceneRecorder::empty() const {
  return implementation_->empty();
}
void SceneRecorder::add(const motion::Sample& sample) {
  implementation_->add(sample);
}
std::size_t SceneRecorder::frames() const {
  return implementation_->count();
}
void SceneRecorder::thin() {
  implementation_->thin();
}
std::string SceneRecorder::json(std::vector<double>& values) const {
  return implementation_->json(values);
}

}  // namespace dalembert::report
