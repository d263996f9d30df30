#pragma once
/// The fundamental equation written out into a tape, for systems small enough
/// (codegen/elimination). With `rows` the k independent constraints, M = P^T L D L^T P and Y = L^-1
/// P A^T (n x k),
///
///     S = Y^T D^-1 Y = A M^-1 A^T,     S lambda = b - A M^-1 Q,     q''_0 = M^-1 (Q + A^T lambda),
///     Q_ideal = A^T lambda,            S mu = -A M^-1 C,            Q_nonideal = C + A^T mu,
///
/// q'' = M^-1 (Q + Q_ideal + Q_nonideal). The margin holds every pivot, and the residual of
/// A q'' = b in these rows, against its limit: where it is positive, these are the numbers that
/// Fundamental finds with the same rows held, to a few units of 1e-11 at worst. Dependent rows are
/// left out; off the constraints, as in the stages of a step, they need not fit.

#include <span>
#include <vector>

#include "dalembert/codegen/elimination.hpp"
#include "dalembert/mechanics/equations.hpp"
#include "dalembert/solve/rooms.hpp"

namespace dalembert::flow {

/// Pivots of M below this part of their diagonal entry are left to the rank-revealing path; so are
/// those of A M^-1 A^T, whose condition is the square of the constraints'.
inline constexpr double least_mass_pivot = 1e-10;
inline constexpr double least_constraint_pivot = 1e-5;
/// Likewise |A_j q'' - b_j| above this part of |b_j| + sum |A_ji| (|q_i''| + |Q_i| / D_i).
inline constexpr double most_residual = 1e-9;
inline constexpr double most_other_residual = 1e-8;  ///< the same of rows left out

/// M and A as values of a tape, and both factored.
class EliminatedSystem {
 public:
  /// The symbols of state must be inputs of the tape or defined there. rows: of eq.A, independent.
  EliminatedSystem(codegen::TapeBuilder& tape, const mechanics::Equations& eq,
                   std::vector<std::size_t> rows, codegen::Margin& margin,
                   double least_pivot = least_constraint_pivot);

  /// M and Q have rows added to them (mended_mass.hpp). An acceleration that is zero is then found
  /// as rounding of the others, and is judged against them.
  void judge_as_mended() { mended_ = true; }

  const codegen::ValueMatrix& M() const { return M_; }  ///< n x n, both triangles
  const codegen::ValueMatrix& A() const { return A_; }  ///< m x n, all rows
  std::size_t n() const { return M_.rows(); }

  /// A_M^+ x, x one a row of `rows`: the smallest change in the kinetic metric with A dq = x.
  std::vector<codegen::Value> correction(std::span<const codegen::Value> x) const;

  /// Each row of `rows` in the kinetic metric less its part along those before it: n numbers a row,
  /// smooth along a motion, that vanish together where the row becomes dependent on them.
  std::vector<std::vector<codegen::Value>> heights() const;

  struct Solution {
    std::vector<codegen::Value> qdd, ideal, nonideal;  ///< n each
    std::vector<codegen::Value> ideal_multipliers;     ///< lambda, of Q_ideal; one a row of `rows`
    std::vector<codegen::Value> multipliers;           ///< lambda + mu, while C acts; likewise
  };
  /// Q, b, C are lowered here. What is not used of forces and multipliers costs nothing.
  Solution solve(codegen::Margin& margin) const;
  /// Requires A q'' = b of the rows left out too: on the constraints, a row that depends on the
  /// others there fits, and one that does not is found out.
  void require_other_rows(const Solution& solution, codegen::Margin& margin) const;

 private:
  std::vector<codegen::Value> transposed_times(std::span<const codegen::Value> lambda) const;
  void require_row(std::size_t j, const std::vector<codegen::Value>& qdd, double most,
                   codegen::Margin& margin) const;

  codegen::TapeBuilder& tape_;
  const mechanics::Equations& eq_;
  std::vector<std::size_t> rows_;
  bool mended_ = false;
  codegen::ValueMatrix M_, A_;
  codegen::WrittenLdl mass_;
  std::vector<std::vector<codegen::Value>> Y_;  ///< L^-1 P A_j^T, one a row of `rows`
  codegen::WrittenLdl schur_;
};

/// Of the applied, ideal, non-ideal and other forces.
std::vector<codegen::Value> powers(codegen::TapeBuilder& tape, const mechanics::Equations& eq,
                                   const EliminatedSystem::Solution& solution);

}  // namespace dalembert::flow
