#pragma once
/// Contacts and frictions at one state, as `eval` tells of them: which are closed, slide or stick,
/// with which forces, between which limits, and whether these are the only ones.
///
/// Forces that are not the only ones are those of a convex set: what closed contacts press and what
/// holds that which sticks, within their cones, with the same accelerations. Its extent in each
/// component follows from linear programs; a cone with two directions is taken for the pyramid of
/// 64 sides around it, by which an extent may be 0.13 % too large, one with three for a polytope
/// of 256 sides, by which it may be a few percent.

#include <Eigen/Core>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "dalembert/flow/compiled.hpp"

namespace dalembert::flow {

struct TouchState {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::string name;
  bool is_contact = false;
  std::string mode;  ///< "open", "closed", "closed, sticks", "slides", "impact", ...
  double gap = unknown, rate = unknown;  ///< of a contact
  std::size_t slips = 0;
  std::array<double, 3> slip = {unknown, unknown, unknown};
  double normal = unknown;  ///< of a contact: its force, 0 if it is open
  std::array<double, 3> friction = {unknown, unknown, unknown};  ///< along the slips
  double limit = unknown;  ///< that |friction| has in this mode
  bool unique = true;      ///< whether these forces are the only ones
  /// From the least to the most of all that are possible; the force itself where it is unique. Not
  /// known where forces that are not unique decide limits.
  using Range = std::array<double, 2>;
  Range normal_range = {unknown, unknown};
  std::array<Range, 3> friction_range = {
      {{unknown, unknown}, {unknown, unknown}, {unknown, unknown}}};
};

struct TouchStates {
  /// Why there are no accelerations, a sentence: an impact is due, the forces do not exist, or
  /// there are several solutions. Empty if there is exactly one motion from here.
  std::string problem;
  bool impact = false;  ///< that is the reason
  std::vector<TouchState> elements;
  Eigen::VectorXd qdd, ideal, nonideal;  ///< n; empty if there is a problem
  Eigen::VectorXd reactions;             ///< of the constraints, with friction acting
  Eigen::VectorXd multipliers;           ///< of their part of `ideal`, of minimum norm
  std::vector<double> named;  ///< `reaction.NAME`, in the order of InstantKernels::reactions
  bool decided = true;  ///< whether limits that reactions decide are known to be the only ones
};

/// The motion must have instants. Allocates.
TouchStates find_touch_states(const Motion& motion, double t, std::span<const double> q,
                              std::span<const double> v);

/// The most of c.z subject to G z <= h, with h >= 0: infinite where there is no bound. O(rows^2)
/// per exchange; meant for a few unknowns.
double most_of(const Eigen::VectorXd& c, const Eigen::MatrixXd& G, const Eigen::VectorXd& h);

}  // namespace dalembert::flow
