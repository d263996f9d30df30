#pragma once
/// What becomes of the velocities where contacts close at one instant. With y the rates of the rows
/// and P their impulses,
///
///     y+ = y- + W P,     constraints keep y = 0,     Coulomb's friction as in
///     flow/instants/modes.hpp.
///
/// newton     y+ >= -e y-  and P >= 0, one of them with equality
/// poisson    compression to y >= 0 as with e = 0, by Pc; then expansion with P >= e Pc
/// energetic  along the path of one contact's normal impulse, slip and friction followed through
///            reversals, the work regained is e^2 that of the compression (Stronge)
///
/// Without friction all three are one for a single contact. Contacts that touch and do not approach
/// take part. All are solved together; `order_matters` tells where striking one after the other
/// would lead elsewhere.
///
/// The energy E = P.(y+ + y-)/2 is what the contacts add to that of the system: never above zero,
/// or the law is refused.

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "dalembert/flow/instants/row_system.hpp"

namespace dalembert::flow {

struct Impact {
  bool solved = false;
  std::string problem;            ///< why not, a clause
  Eigen::VectorXd P;              ///< by row
  Eigen::VectorXd before, after;  ///< y, by row
  double energy = 0;              ///< E
  std::vector<double> energies;   ///< its parts, by contact that takes part
  bool order_matters = false;
  /// The modes that P solves, by contact that takes part: of newton one, of poisson compression
  /// and, where something bounces, expansion, of energetic those of the pieces of the path, with
  /// the normal impulse along each in `stretches`.
  std::vector<Modes> phases;
  std::vector<double> stretches;
};

/// At the state last measured. `touching` are the elements that take part, contacts all, `laws`
/// those of all elements; `kinds` their laws of impact, by contact of the model. `look_at_order`
/// asks for order_matters.
Impact solve_impact(const RowSystem& system, std::span<const std::size_t> touching,
                    std::span<const TouchLaw> laws, std::span<const model::Contact> contacts,
                    bool look_at_order);

}  // namespace dalembert::flow
