#pragma once
/// A classical formulation of a model's equations of motion: its steps as facts, a linear system to
/// run, and what is needed to prove that both are Lagrange's equations in other words.
///
/// Each formulation lives in a file of its own in this folder and is a function
///
///     Result<Formulation, std::string> suslov(const Setting&);
///
/// whose failure is the one line that says why the model rules it out.
///
/// Virtual displacements are dq = Z dw with A Z = 0, Z of size n x r, r = n - k, and whatever a
/// formulation does, it imposes (docs/theory.md, section 18)
///
///     (i) A q'' = b,      (ii) Z^T (M q'' - Q - C) = 0.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/expr/graph.hpp"
#include "dalembert/mechanics/equations.hpp"
#include "dalembert/mechanics/formulations/facts.hpp"
#include "dalembert/mechanics/setting.hpp"

namespace dalembert::mechanics {

using expr::Result;

/// One equation as it is printed, left = right: terms of the motion on the left, applied and
/// non-ideal forces on the right.
struct PrintedEquation {
  std::string name;  ///< of what it belongs to: "phi", "u1", "dx"
  Expr left, right;
};

/// The multipliers of a formulation that has them, one an independent constraint, as
///
///     A M^-1 A^T lambda = b - A M^-1 (Q + C).
struct Multipliers {
  enum class Outcome : std::uint8_t { solved, in_C, too_long };

  std::vector<Expr> symbols;          ///< lambda
  std::vector<Expr> solution;         ///< lambda by q, q', t where they are solved for
  Outcome outcome = Outcome::solved;  ///< else C contains them, or what comes out is no reading
  bool mass_replaced = false;         ///< by M + A^T A, and Q by Q + A^T b: M is singular
};

struct Formulation {
  std::string method;  ///< "suslov"
  std::vector<Step> steps;
  std::vector<PrintedEquation> equations;  ///< the dynamical ones, as a book prints them
  std::vector<Choice> choices;  ///< made on the way: coordinates, dropped constraints, ...
  std::optional<Multipliers> multipliers = {};  ///< if it was asked to explain, and has them

  /// The linear system: `residuals` vanish on the motion and are linear in `unknowns` (u_r', q_I'',
  /// q'', multipliers ...); as many of one as of the other. Velocities in it are q' or, where
  /// `velocities` is given, the formulation's own u_r; C is in it by the symbols Setting::C.
  std::vector<Expr> unknowns;
  std::vector<Expr> residuals;
  std::vector<Expr> accelerations;  ///< n: q'' by the unknowns
  /// The formulation's own velocities, if it has any: u_r, and how they follow from q', q, t.
  std::vector<Expr> rates;
  std::vector<Expr> rates_from_velocities;
  /// Further variables of state (mu of `vakonomic`), one an independent constraint; the rate of
  /// state j is unknown first_state_rate + j.
  std::vector<Expr> states;
  std::size_t first_state_rate = 0;
  /// Whether `residuals` are linear in `unknowns`, so that they can be run; the explicit forms of
  /// Udwadia and Kalaba are not (they are products of unknowns) and have a numerical home of their
  /// own, solve/fundamental.hpp.
  bool runnable = true;

  /// For the proof: velocities on the constraints by the rates, n; empty where velocities stay
  /// free.
  std::vector<Expr> velocities;
  Matrix Z;  ///< n x r
  /// left (Z^T (M q'' - Q - C)) = combination residuals, left regular; empty left: the identity.
  Matrix left, combination;
  /// constraint_left (A q'' - b) = constraint_combination residuals, likewise.
  Matrix constraint_left, constraint_combination;
};

}  // namespace dalembert::mechanics
