#include "dalembert/report/page/scene.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/report/json_values.hpp"
#include "dalembert/report/page/scene_forces.hpp"
#include "dalembert/report/page/scene_frames.hpp"

namespace dalembert::report {

namespace {

using expr::Expr;
using expr::Symbol;
using expr::SymbolKind;
using expr::Vector;

/// A pose: where it comes from among the outputs of the kernel, and where it stands in a row.
struct Posed {
  std::size_t center = 0;
  std::optional<std::size_t> rotation{};               ///< nine numbers, row by row
  std::size_t spin = 0;                                ///< three numbers, if it has a rotation
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< of the shape, in body axes
  std::size_t offset = 0;
};

/// Three numbers that the kernel computes and a row holds.
struct Copied {
  std::size_t output = 0, offset = 0;
};

/// A mass with arrows for the forces on it.
struct Mover {
  double mass = 0;
  Vector position;
  std::size_t applied = 0, ideal = 0, nonideal = 0;  ///< in a row
};

/// The directions of the forces of a contact: those of its normal and its slips.
struct Directions {
  std::size_t first = 0;  ///< among the outputs of the kernel
  std::size_t slips = 0;
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

struct SceneRecorder::Implementation {
  motion::Motion motion;
  SceneFrames drawn;
  std::vector<Posed> poses;
  std::vector<Mover> movers;
  std::vector<Reaction> reactions;
  std::vector<Directions> directions;  ///< by touch; of those without a place nothing
  std::vector<Copied> copied;
  std::size_t shared = 0;  ///< numbers that `json` writes twice

  std::vector<Expr> outputs;  ///< of the kernel, until it is made
  codegen::Kernel kernel, push_kernel;
  codegen::Workspace workspace, push_workspace;
  std::vector<double> inputs, values, push_inputs, pushed;
  std::size_t accelerations = 0, mass_entries = 0;  ///< where they begin among the outputs
  std::optional<MassBlocks> mass;

  bool with_forces = true;

  Implementation(const motion::Motion& of, bool forces) : motion(of), with_forces(forces) {
    lay_out();
    make_kernels();
  }

  const model::Model& model() const { return motion.model(); }
  double number(const Expr& e) const { return model::evaluate(e, model(), motion.parameters()); }
  double length(const std::optional<Expr>& e) const {
    const double x = e ? number(*e) : 0;
    return x > 0 && std::isfinite(x) ? x : 0;
  }

  bool has_arrows() const { return with_forces && motion.coordinates() <= most_with_arrows; }

  std::size_t reserve(std::size_t size) {
    drawn.row += size;
    return drawn.row - size;
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
      drawn.points.push_back({point.name, length(point.radius), point.trail, at});
      if (point.mass && has_arrows()) add_mover(point.name, number(*point.mass), point.at, at);
    }
    for (const model::ViewSegment& segment : model().view.segments) {
      const std::size_t from = copy(segment.from), to = copy(segment.to);
      drawn.segments.push_back({segment.name, segment.style, length(segment.radius), from, to});
    }
    add_joints();
    if (!with_forces) return;
    for (const model::ViewArrow& arrow : model().view.arrows) {
      const std::size_t at = copy(arrow.at), vector = copy(arrow.vector);
      drawn.arrows.push_back({model::to_string(arrow.kind), arrow.name, at, vector});
    }
    add_touches();
  }

  void add_body(const model::Body& body) {
    const DrawnShape shape = shape_of(body, model(), motion.parameters());
    const bool is_frame = body.kind == model::BodyKind::frame;
    const Vector& center = is_frame ? body.origin : body.center_of_mass;
    const bool has_forces = !is_frame && has_arrows();
    if (shape.kind == ShapeKind::none) {  // forces act on it all the same
      if (has_forces) add_mover(body.name, number(body.mass), center, copy(center));
      return;
    }
    Posed pose;
    pose.center = compute(center);
    pose.axes = shape.axes;
    if (body.kind != model::BodyKind::particle) {
      pose.rotation = outputs.size();
      for (std::size_t i = 0; i < 3; ++i)
        outputs.insert(outputs.end(), body.rotation[i].begin(), body.rotation[i].end());
    }
    if (pose.rotation) pose.spin = compute(body.spin);
    pose.offset = reserve(pose_size);
    poses.push_back(pose);
    drawn.bodies.push_back({body.name, body.kind, shape, pose.offset});
    if (!has_forces) return;
    shared += 3;
    add_mover(body.name, number(body.mass), center, pose.offset);
  }

  void add_mover(const std::string& name, double mass_of_it, const Vector& position,
                 std::size_t at) {
    Mover mover{mass_of_it, position, reserve(3)};
    drawn.arrows.push_back({"applied", name, at, mover.applied});
    if (motion.constraints() > 0) {
      mover.ideal = reserve(3);
      mover.nonideal = reserve(3);
      drawn.arrows.push_back({"ideal", name, at, mover.ideal});
      drawn.arrows.push_back({"nonideal", name, at, mover.nonideal});
    }
    movers.push_back(std::move(mover));
  }

  /// The first of the three components of each force that is recorded, "NAME.fx", by its name.
  std::unordered_map<std::string_view, std::size_t> recorded_forces() const {
    std::unordered_map<std::string_view, std::size_t> found;
    const auto& recorded = motion.outputs();
    for (std::size_t k = model().outputs.size(); k + 2 < recorded.size(); ++k) {
      if (recorded[k].name.ends_with(".fx") && recorded[k + 2].name.ends_with(".fz"))
        found.emplace(recorded[k].name, k);
    }
    return found;
  }

  void add_joints() {
    const auto forces = recorded_forces();
    for (const model::Joint& joint : model().joints) {
      const std::size_t at = copy(joint.point);
      drawn.joints.push_back({joint.name, joint.kind, at});
      if (joint.axis) drawn.joints.back().axis = copy(*joint.axis);
      const auto force = forces.find(joint.name + ".fx");
      if (force == forces.end() || !with_forces) continue;
      const bool known =
          std::ranges::none_of(model().unknown_reactions, [&](const model::UnknownReaction& u) {
            return u.joint == joint.name && u.component.starts_with('f');
          });
      if (!known) continue;
      reactions.push_back({force->second, reserve(3)});
      drawn.arrows.push_back({"reaction", joint.name, at, reactions.back().offset});
    }
  }

  void add_touches() {
    const auto add = [&](const std::string& name, bool is_contact) {
      drawn.touches.push_back({name, is_contact, reserve(1), reserve(3)});
      directions.push_back({});
    };
    for (const model::Contact& contact : model().contacts) {
      add(contact.name, true);
      if (!contact.place) continue;
      drawn.touches.back().place = {copy(contact.place->point), reserve(3), reserve(3)};
      directions.back() = {compute(contact.place->normal), contact.place->slips.size()};
      for (const Vector& slip : contact.place->slips) compute(slip);
    }
    for (const model::DryFriction& friction : model().dry_frictions) add(friction.name, false);
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

  void add(const motion::Sample& sample) {
    inputs[0] = sample.t;
    auto next = inputs.begin() + 1;
    for (const auto& part : {sample.q, sample.v, sample.qdd, sample.ideal, sample.nonideal})
      next = std::copy(part.begin(), part.end(), next);
    kernel.evaluate(workspace, inputs, values);
    const std::size_t start = drawn.numbers.size();
    drawn.numbers.resize(start + drawn.row);
    double* const target = drawn.numbers.data() + start;
    target[0] = sample.t;
    for (std::size_t k = 0; k < poses.size(); ++k) {
      write_pose(poses[k], target + poses[k].offset);
      if (!poses[k].rotation) continue;
      const double* spin = values.data() + poses[k].spin;
      const double rate = std::hypot(spin[0], spin[1], spin[2]);
      drawn.bodies[k].fastest = std::max(drawn.bodies[k].fastest, std::isfinite(rate) ? rate : 0);
    }
    for (const Copied& item : copied)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(item.output), 3,
                  target + item.offset);
    if (sample.touches.size() == drawn.touches.size()) {
      for (std::size_t k = 0; k < drawn.touches.size(); ++k)
        write_touch(drawn.touches[k], directions[k], sample.touches[k], target);
    }
    for (const Reaction& reaction : reactions)
      std::copy_n(sample.outputs.begin() + static_cast<std::ptrdiff_t>(reaction.output), 3,
                  target + reaction.offset);
    write_forces(sample, target);
  }

  void write_pose(const Posed& pose, double* target) const {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(pose.center), 3, target);
    Eigen::Matrix3d turn = pose.axes;
    if (pose.rotation) {
      using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
      turn = Eigen::Map<const RowMajor>(values.data() + *pose.rotation) * turn;
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

  void write_touch(const DrawnTouch& drawn_touch, const Directions& along,
                   const motion::TouchSample& touch, double* target) const {
    target[drawn_touch.state] = static_cast<double>(touch.hold) + (touch.unique ? 0 : 4);
    double* forces = target + drawn_touch.forces;
    forces[0] = touch.normal;
    forces[1] = std::hypot(touch.along[0], touch.along[1]);
    forces[2] = touch.limit;
    if (!drawn_touch.place) return;
    const double* direction = values.data() + along.first;
    for (std::size_t i = 0; i < 3; ++i) {
      target[drawn_touch.place->normal + i] = touch.normal * direction[i];
      double friction = 0;
      for (std::size_t k = 0; k < along.slips; ++k)
        friction += touch.along[k] * direction[3 * (k + 1) + i];
      target[drawn_touch.place->friction + i] = friction;
    }
  }

  void thin() {
    std::vector<double>& numbers = drawn.numbers;
    const std::size_t half = (drawn.count() + 1) / 2, row = drawn.row;
    for (std::size_t f = 1; f < half; ++f)
      std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(2 * f * row), row,
                  numbers.begin() + static_cast<std::ptrdiff_t>(f * row));
    numbers.resize(half * row);
  }
};

SceneRecorder::SceneRecorder(const motion::Motion& motion, bool forces)
    : implementation_(std::make_unique<Implementation>(motion, forces)) {}
SceneRecorder::~SceneRecorder() = default;
SceneRecorder::SceneRecorder(SceneRecorder&&) noexcept = default;
SceneRecorder& SceneRecorder::operator=(SceneRecorder&&) noexcept = default;

std::size_t SceneRecorder::frame_size() const {
  return implementation_->drawn.row + implementation_->shared;
}
bool SceneRecorder::empty() const {
  return implementation_->drawn.empty();
}
void SceneRecorder::add(const motion::Sample& sample) {
  implementation_->add(sample);
}
std::size_t SceneRecorder::frames() const {
  return implementation_->drawn.count();
}
void SceneRecorder::thin() {
  implementation_->thin();
}

void SceneRecorder::clear() {
  implementation_->drawn.numbers.clear();
}
SceneRecorder::Movement SceneRecorder::calc_movement() const {
  return movement_of(implementation_->drawn);
}

/// To what a recorder holds, for scene_document.
struct SceneAccess {
  static SceneRecorder::Implementation& to(const SceneRecorder& recorder) {
    return *recorder.implementation_;
  }
};

nlohmann::ordered_json scene_document(const SceneRecorder& recorder, std::vector<double>& values,
                                      const motion::Sample* last) {
  auto& of = SceneAccess::to(recorder);
  const std::size_t size = of.drawn.numbers.size();
  if (last != nullptr) of.add(*last);
  nlohmann::ordered_json scene = scene_value(of.drawn, of.model(), of.motion.parameters(), values);
  of.drawn.numbers.resize(size);
  return scene;
}

std::string SceneRecorder::json(std::vector<double>& values, const motion::Sample* last) const {
  return scene_document(*this, values, last)
      .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace dalembert::report
