#pragma once
/// What happened at one instant of a motion with events, contacts or friction that sticks: the
/// pieces of motion on both sides and the map between them,
///
///     g(t, q-, v-) = 0,     (q+, v+, d+) = R(t, q-, v-, d-),
///
/// g the first of `guards`, R the `resets` one after the other, d the discrete values. That is what
/// the motion's dependence on its data needs at an instant. A guard is, by what its root ends,
///
///     event         `when` of Model::events[index]
///     clock         t - k `every`, of Model::events[index]
///     gap           the gap of contact `index`, open so far
///     normal_force  p_gap of contact `index`, closed so far
///     slip          v.d of element `index`, which slid along d = modes_before[index].d
///     cone          limit - |p_slip| of element `index`, which stuck; mu_s p_gap is that of a
///     contact
///
/// with p the forces of modes_before (flow/instants/row_system.hpp).

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "dalembert/flow/instants/modes.hpp"

namespace dalembert::motion {

/// A contact or friction at a sample: its mode and its force along the gap and the slips.
struct TouchSample {
  flow::Hold hold = flow::Hold::open;
  double normal = 0;                     ///< of a contact
  std::array<double, 2> along = {0, 0};  ///< of the friction, by slip
  double limit = 0;                      ///< what |along| is at most: sliding, or while it sticks
  bool unique = true;                    ///< whether no other forces make the same motion
};

struct Guard {
  enum class Kind : std::uint8_t { event, clock, gap, normal_force, slip, cone };
  Kind kind;
  std::size_t index;  ///< of the event in the model, or of InstantKernels::elements
  long strike = 0;    ///< of a clock: how many there have been, k
};

struct Reset {
  enum class Kind : std::uint8_t {
    event,   ///< `set` of an event, projected onto the constraints; contacts left to themselves
    impact,  ///< v+ = v- + M^-1 A^T P
    bounces  ///< the rest of bounces without end: v+ = v- + M^-1 A^T P as well
  };
  Kind kind = Kind::event;
  std::size_t event = 0;          ///< of an event, its index in the model
  std::vector<double> q, v;       ///< before it
  std::vector<double> discretes;  ///< likewise, by InstantKernels::discretes
  Eigen::VectorXd P = {};         ///< by row
  /// The modes that P solves, as flow::Impact has them but by all elements: one that takes no part
  /// is open and `given`. Of bounces one.
  std::vector<flow::Modes> phases = {};
  std::vector<double> stretches = {};  ///< as flow::Impact
};

struct Instant {
  double t = 0;
  std::vector<Guard> guards;  ///< the first is the root; empty at a kink of forces in time
  std::vector<double> q_before, v_before, q_after, v_after;
  std::vector<double> discretes_before, discretes_after;
  flow::Modes modes_before, modes_after;
  std::vector<Reset> resets;
  bool ends = false;     ///< the motion ends here, by an event
  double behind = 0;     ///< from where it goes on: t, or just behind a kink in time
  bool kink = false;     ///< something that depends on t alone has a kink or jump here
  bool at_once = false;  ///< no time has passed since the instant before
  /// With which it goes on: with discrete values, and with the turns of hinges counted so far, a
  /// change of which is an instant of its own.
  std::vector<double> parameters;
};

/// Called behind every instant, in order, the start not among them.
using InstantObserver = std::function<void(const Instant&)>;

}  // namespace dalembert::motion
