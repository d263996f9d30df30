#pragma once
/// What holds the bodies of a model, as numbers at states drawn at random: how each moves with each
/// coordinate, where joints act on them, and what the coordinates keep beside what joints say.
///
/// Nodes are the ground (0) and the bodies, particles and frames of the model (its number + 1).

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "dalembert/model/model.hpp"

namespace dalembert::mechanics {

using Vector3 = std::array<double, 3>;

/// A virtual displacement of a set of bodies as a whole: a point r moves by shift + turn x (r -
/// pole).
struct Displacement {
  Vector3 shift{}, turn{}, pole{};
};

/// Something unnamed that holds the second node against the first: by any force and moment, or by
/// such couples, or forces at the centre of mass, as nothing else supplies.
struct Link {
  enum class Kind { full, couple, force };
  std::array<std::size_t, 2> nodes{};
  Kind kind = Kind::full;

  bool operator==(const Link&) const = default;
};

class BodyLinks {
 public:
  explicit BodyLinks(const model::Model& model);

  /// False where no state could be drawn at which the geometry is finite; nothing else may then be
  /// asked.
  bool is_known() const { return !draws_.empty(); }
  std::size_t draws() const { return draws_.size(); }

  /// The nodes that a joint joins.
  const std::array<std::size_t, 2>& nodes(std::size_t joint) const { return nodes_[joint]; }

  /// What the coordinates keep and no joint says.
  const std::vector<Link>& links() const { return links_; }

  /// The work of a kept row's wrench of factor 1; the most work of a link's wrenches of size 1.
  double work(std::size_t draw, std::size_t joint, std::size_t row, const Displacement& d) const;
  double most_work(std::size_t draw, std::size_t link, const Displacement& d) const;

  Vector3 point(std::size_t draw, std::size_t joint) const { return draws_[draw].points[joint]; }
  const Vector3& force(std::size_t draw, std::size_t joint, std::size_t row) const {
    return draws_[draw].rows[joint][row][0];
  }
  const Vector3& moment(std::size_t draw, std::size_t joint, std::size_t row) const {
    return draws_[draw].rows[joint][row][1];
  }

  /// The bodies that move with a coordinate, in Model::bodies.
  std::vector<std::size_t> moved_by(std::size_t coordinate) const;
  /// The joint of whose free motion the coordinate is the angle or the displacement, all bodies
  /// beyond it moving along as if they were one; and the sign.
  struct Motor {
    std::size_t joint = 0;
    int sign = 1;
  };
  std::optional<Motor> motor_of(std::size_t coordinate) const;
  /// Whether a coordinate moves this body alone, either along a direction at right angles to those
  /// of all other coordinates (`turns` false), or about one, with the centre of mass at rest.
  bool moves_apart(std::size_t coordinate, std::size_t body, bool turns) const;
  /// The only body that turns with a coordinate, if about a direction at right angles to those of
  /// all other coordinates.
  std::optional<std::size_t> turned_by(std::size_t coordinate) const;

 private:
  /// Force and moment about the centre of mass, body by body.
  using Wrench = std::vector<double>;

  struct Draw {
    std::vector<Vector3> centres;
    /// Of each body, coordinate by coordinate: velocity of the centre of mass, angular velocity.
    std::vector<std::vector<std::array<Vector3, 2>>> twists;
    std::vector<Vector3> points, axes;                      ///< of each joint
    std::vector<std::vector<std::array<Vector3, 2>>> rows;  ///< of each joint: kept rows
    std::vector<std::vector<double>> rates;                 ///< of each joint, by coordinate
    std::vector<std::vector<Wrench>> supplied;              ///< of each link
  };
  void draw_states();
  /// Links, and of each the wrenches that nothing before it supplies.
  std::vector<std::pair<Link, std::vector<Wrench>>> find_links(const Draw& d) const;
  void add_wrench(Wrench& w, const Draw& d, std::size_t node, const Vector3& at,
                  const Vector3& force, const Vector3& moment, double sign) const;
  /// A basis of those combinations of wrenches that do no work in any velocity.
  std::vector<Wrench> workless(const Draw& d, const std::vector<Wrench>& candidates) const;

  const model::Model& model_;
  std::vector<std::array<std::size_t, 2>> nodes_;
  std::vector<Draw> draws_;
  std::vector<Link> links_;
};

}  // namespace dalembert::mechanics
