#pragma once
/// The motion in coordinates and quasi-velocities, y = (q, u): with constraints linear in the
/// velocities, A v = a(q,t),
///
///     v = Phi u + Phi_t,      H(q,t) u' = rho(q,u,t),
///
/// in several ways, of which the one with the cheapest tape is taken:
///   * Maggi's equation written out number by number, u some of the velocities (motion/maggi_tape),
///   * Suslov's and the Boltzmann-Hamel equations (mechanics/formulations), simplified, u some of
///     the velocities or the quasi-velocities of the model.
/// Velocities may be left out only where they can be solved for at every state: with pivots that
/// are numbers and parameters. The model's own quasi-velocities are taken at their word; where they
/// become dependent, steps fail, and whoever integrates has to take another way.

#include <optional>
#include <string>
#include <vector>

#include "dalembert/codegen/tape_builder.hpp"
#include "dalembert/flow/compiled.hpp"

namespace dalembert::flow {

struct Reduction {
  std::string form;                    ///< "maggi", "suslov", "boltzmann-hamel"
  std::vector<expr::Expr> u;           ///< n - k symbols
  std::vector<expr::Expr> rates;       ///< u by t, q, v
  std::vector<expr::Expr> velocities;  ///< v by t, q, u
  codegen::Tape derivative;            ///< as of Flow

  /// t, q, u: the inputs of tapes of y.
  std::vector<expr::Expr> inputs(const mechanics::Equations& eq) const;
  /// The symbols of v get their values in a tape with these inputs.
  void define_velocities(codegen::TapeBuilder& tape, const mechanics::Equations& eq) const;
};

/// None where constraints are not all nonholonomic, independent and linear in the velocities, C
/// depends on the constraint force, or no way serves. `rows`: the independent constraints. Without
/// `simplify` only the first way is tried.
std::optional<Reduction> reduce(const Motion& motion, const State& start,
                                const std::vector<std::size_t>& rows, bool simplify);

}  // namespace dalembert::flow
