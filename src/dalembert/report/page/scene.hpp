#pragma once
/// What is drawn of a motion, as numbers frame by frame: where bodies, points, segments and joints
/// are, and the forces as arrows.
///
/// The arrows at a body's centre of mass add up to its mass times its acceleration:
///
///     m a = applied + ideal + nonideal,    ideal = m J M^+ Q_ideal,  nonideal = m J M^+
///     Q_nonideal,
///
/// J (3 x n) the Jacobian of the centre of mass: by how much the constraints change the force on
/// the body. For a particle in its Cartesian coordinates these are the forces on it. They are left
/// out where n is above `most_with_arrows`. The reaction of a joint is drawn at its point.

#include <memory>
#include <string>
#include <vector>

#include "dalembert/motion/simulate.hpp"

namespace dalembert::report {

class SceneRecorder {
 public:
  /// Without `forces` only geometry: samples then need t and q, and n numbers of all else that
  /// has n.
  explicit SceneRecorder(const motion::Motion& motion, bool forces = true);
  ~SceneRecorder();
  SceneRecorder(SceneRecorder&&) noexcept;
  SceneRecorder& operator=(SceneRecorder&&) noexcept;

  static constexpr std::size_t most_with_arrows = 60;

  /// Numbers a frame takes, t included.
  std::size_t frame_size() const;
  /// Whether there is anything to draw.
  bool empty() const;
  void add(const motion::Sample& sample);
  std::size_t frames() const;
  /// Forgets every other frame: 0, 2, 4, ... stay.
  void thin();
  /// Forgets all frames.
  void clear();

  /// How far anything moves from where it is in the first frame, turns of bodies as far as they
  /// carry what is `size` away; and `size`, half that of what is drawn at one time.
  struct Movement {
    double distance = 0, size = 1;
  };
  Movement calc_movement() const;

  /// The scene as a JSON object (docs/page.md), with its numbers appended to `values`. `last`, if
  /// given, is one more frame, for this time only.
  std::string json(std::vector<double>& values, const motion::Sample* last = nullptr) const;

 private:
  struct Implementation;
  friend struct SceneAccess;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dalembert::report
