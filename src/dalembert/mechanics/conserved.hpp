#pragma once
/// What a motion of the model keeps: energy, and momenta along directions in which nothing acts.
///
/// A motion obeys  d/dt dL/dq' = dL/dq + F + R,  L = T - V, F the applied forces that are not in V,
/// R those of the constraints, of which  R.w = C.w  for every w with A w = 0 is known.
///
///   * Momenta. Along a field w(q) = a + B q with constant a and B the momentum p = w.dL/dq' has
///     the rate
///
///         dp/dt = w.(dL/dq + F + R) + (B q').dL/dq',
///
///     so p is conserved if A w = 0 and w.(dL/dq + F + C) + (B q').dL/dq' = 0 wherever the
///     constraints hold. A cyclic coordinate is the field of one constant entry; the momentum of a
///     system that may be shifted or turned as a whole comes of several.
///
///   * Energy. h = q'.dL/dq' - L has the rate  P = F.q' + R.q' - dL/dt. Where A q' = 0, so that the
///     velocity is itself a virtual displacement, R.q' = C.q', and if P is the rate of a function
///     U(q, t) (U = 0 where P = 0), then h - U is conserved. h is T + V where T is homogeneous
///     quadratic in q', and Jacobi's integral otherwise.
///
/// Each condition is decided by the exact algebra, on the constraints and for all values of
/// coordinates, velocities, time and parameters; what it cannot decide is not claimed. Other
/// quantities may be conserved as well.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/expr/effort.hpp"
#include "dalembert/mechanics/setting.hpp"

namespace dalembert::mechanics {

enum class ConservedKind { energy, jacobi_integral, momentum, angular_momentum };

/// "energy", "Jacobi integral", "momentum", "angular momentum".
std::string to_string(ConservedKind kind);

struct ConservedQuantity {
  ConservedKind kind = ConservedKind::energy;
  Expr value;                                  ///< of q, q' and t
  std::optional<std::size_t> coordinate = {};  ///< whose momentum it is, if of one alone
};

/// Something that keeps the energy from being conserved, or from being shown to be.
struct EnergyObstacle {
  enum class Kind : std::uint8_t {
    constraint_undecided,        ///< whether the force of a constraint does work
    constraint_moves,            ///< its force may do work
    constraint_not_homogeneous,  ///< in the velocities; its force may do work
    undecided,                   ///< whether the forces do work, for all values of parameters
    kinetic_energy_of_time,
    potential_energy_of_time,
    force,  ///< along a coordinate
    dissipation,
    forces,        ///< together
    virtual_work,  ///< of the constraint forces
    friction,      ///< of joints
  };
  Kind kind;
  std::size_t index = 0;  ///< of the constraint or the coordinate

  bool operator==(const EnergyObstacle&) const = default;
};

struct ConservedQuantities {
  std::vector<ConservedQuantity> proven;  ///< the energy first
  std::optional<bool> energy;  ///< whether it is one of them; nothing where that is not decided
  std::vector<EnergyObstacle> why_not;  ///< if it is not, or is not decided
};

ConservedQuantities find_conserved(const Setting& setting, const expr::Patience& patience = {});

}  // namespace dalembert::mechanics
