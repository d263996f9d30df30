#pragma once
/// Gimbal lock: where three angles of a body's orientation lose their meaning. Watched along a
/// motion, so that a motion that ends there, or came close, can be told why.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/flow/compiled.hpp"

namespace dalembert::flow {

/// How close the angles of a body are to gimbal lock: |determinant| of angle rates -> angular
/// velocity, 0 in lock, 1 at best.
struct GimbalApproach {
  std::string body;
  std::string axes;  ///< "zxz", say
  double t = 0;
  double determinant = 1;
};

/// Below this a motion is said to have come close: angles turn a hundred times as fast as the body.
inline constexpr double close_to_gimbal_lock = 0.01;
/// Below this a motion that fails is told: the step on which it fails leads farther.
inline constexpr double suspect_of_gimbal_lock = 0.1;

class GimbalWatch {
 public:
  explicit GimbalWatch(const Motion& motion);

  /// Looks at a state; allocates nothing. O(bodies described by three angles). A determinant that
  /// has changed its sign since the last look has been zero on the way.
  void look(double t, std::span<const double> q, std::span<const double> v);
  /// The closest approach of all that was looked at; nothing if none was close.
  std::optional<GimbalApproach> closest() const;
  /// The closest body at the state last looked at, if it is so close that a motion which cannot go
  /// on from there may well end for that reason.
  std::optional<GimbalApproach> here() const;

 private:
  std::optional<GimbalApproach> approach(std::size_t body, double t, double determinant,
                                         double limit) const;

  std::vector<std::string> bodies_, axes_;
  codegen::Kernel kernel_;
  codegen::Workspace workspace_;
  std::vector<double> inputs_, values_, before_;
  std::size_t n_ = 0;
  std::size_t closest_ = 0, here_ = 0;
  double closest_t_ = 0, closest_value_ = 1, here_t_ = 0, here_value_ = 1;
};

/// "; the angles zxz of body 'top' are in gimbal lock there ..." with the way out, or nothing.
std::string gimbal_hint(const std::optional<GimbalApproach>& approach);

}  // namespace dalembert::flow
