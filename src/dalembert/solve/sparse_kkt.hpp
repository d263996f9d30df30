#pragma once
/// The sparse factorisation behind large systems:
///
///     K = [ M  A^T ]     K (x; y) = (f; g),     P K P^T = L D L^T,
///         [ A   0  ]
///
/// M (n×n) symmetric positive definite, A (m×n), L unit lower triangular, D diagonal. Every
/// coordinate is eliminated before the rows it occurs in, so that the pivots of coordinates are
/// those of M, all positive, and the pivots of rows those of -S, S = A M^-1 A^T, all negative: no
/// pivoting is needed, and the elimination is as stable as Cholesky's of M and then of S. It does
/// not depend on the scale of coordinates or rows.
///
/// Order: approximate minimum degree on the pattern of M, then on that of S, then all of it in
/// postorder of the elimination tree, which changes no operation but keeps what belongs together
/// close in memory.
///
/// Pivot j of S is the squared distance of row j, measured by M^-1, from the span of the rows
/// eliminated before it: as a fraction of S_jj that is what tells dependent rows. It is known to a
/// rounding of N_j = S_jj + sum_i L_ji^2 N_i, i over the rows before it: where masses differ by a
/// factor r, independent rows may have pivots of S_jj / r, and only r < 1e12 or so can be told from
/// dependent ones by this elimination. A row taken for
/// dependent is left out of K: its y is 0 and its g is ignored.
///
/// Analysed once; factor and solve take no memory and cost the nonzeros and operations counted
/// below.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dalembert/solve/rooms.hpp"

namespace dalembert::solve {

/// An entry of a sparse matrix, and where its value stands in an array of values.
struct Place {
  std::uint32_t row, column, source;
};

class SparseKkt {
 public:
  /// M: its lower triangle, the diagonal included where it is not zero; A: all entries. No entry
  /// twice.
  SparseKkt(std::size_t n, std::size_t m, std::span<const Place> M, std::span<const Place> A);

  struct Limits {
    double mass = 1e-12;  ///< a pivot of M at most this of M_ii, or of rounding, is no mass
    /// A pivot of S at most this fraction of S_jj, or as small as what rounding makes of it behind
    /// smaller pivots, makes row j dependent.
    double rank = 1e-16;
    /// Leave out coordinates without mass instead of failing there: to see whether M is indefinite.
    bool semidefinite = false;
  };

  /// Why and where a factorisation ended.
  struct Outcome {
    bool ok = true;
    bool coordinate = false;  ///< the pivot of a coordinate failed, else that of a row
    std::uint32_t index = 0;  ///< which
    double pivot = 0;         ///< its value; for a coordinate divided by M_ii
  };

  /// Factors and finds the dependent rows; a row may be known to `uncertainty` (m, relative) only,
  /// and is then dependent if no more than that sets it apart.
  Outcome decide(std::span<const double> values, const Limits& limits,
                 std::span<const double> uncertainty);
  /// Takes the dependent row d for independent, and the independent row j for dependent, in the
  /// factorisations that follow.
  void exchange(std::size_t d, std::size_t j) { std::swap(dependent_[d], dependent_[j]); }
  /// The smallest pivot of an independent row, as a fraction of S_jj; 1 if there is none.
  double smallest_pivot() const { return smallest_pivot_; }
  /// Whether the last decide met a pivot of a row that is small and not clearly more than rounding.
  bool doubtful() const { return doubtful_; }
  /// Factors with the dependent rows of the last decide. Fails where a pivot has changed its sign.
  Outcome factor(std::span<const double> values);

  /// x (n) := f, y (m) := g on entry; the solution on return.
  void solve(std::span<double> x, std::span<double> y);
  /// x := M^-1 x.
  void solve_mass(std::span<double> x);
  /// f^T M^-1 f of the last solve.
  double kinetic_square() const { return kinetic_square_; }

  std::size_t rank() const { return rank_; }
  bool dependent(std::size_t j) const { return dependent_[j] != 0; }
  double row_square(std::size_t j) const { return row_square_[j]; }  ///< S_jj
  double mass(std::size_t i) const { return mass_[i]; }              ///< M_ii
  /// v (n) with v^T M v = the pivot of the coordinate at which the last factorisation failed.
  void direction(std::uint32_t coordinate, std::span<double> v);

  std::size_t nonzeros() const { return L_rows_.size(); }  ///< of L, without its diagonal
  std::size_t operations() const { return operations_; }   ///< multiply-adds of a factorisation

 private:
  using Lists = std::vector<std::vector<std::uint32_t>>;
  void analyse(std::span<const Place> M, std::span<const Place> A);
  Lists order_variables(std::span<const Place> M, std::span<const Place> A);
  void lay_out(const Lists& L);
  void list_sources(std::span<const Place> M, std::span<const Place> A);
  Outcome run(const double* values, const Limits* limits, std::span<const double> uncertainty);
  /// v in the work array up to position k, and v^T diag|M| v of it.
  void find_direction(std::uint32_t k);
  double scale_along(std::uint32_t k);
  void forward();
  void backward();

  /// One entry of L in its row: its column, and its position in the storage by columns.
  struct RowEntry {
    std::uint32_t column, position;
  };
  struct Source {
    std::uint32_t column, source;
  };

  std::size_t n_, m_;
  std::vector<std::uint32_t> position_;  ///< of each coordinate, then each row, in the order
  std::vector<std::uint32_t> variable_;  ///< the inverse
  // Row by row of P K P^T: the entries to read, and the pattern of L, columns of coordinates first.
  std::vector<std::uint32_t> source_begin_, row_begin_, row_middle_;
  std::vector<Source> sources_;
  std::vector<RowEntry> row_entries_;
  // L by columns.
  std::vector<std::uint32_t> column_begin_, L_rows_;
  std::vector<double> L_, D_inverse_;
  std::vector<double> work_;
  std::vector<char> dependent_;
  std::vector<double> row_square_, mass_;
  /// Of row j: the rounding of its pivot, in units of the rounding of one number.
  std::vector<double> row_noise_;
  bool doubtful_ = false;
  std::size_t rank_ = 0, operations_ = 0;
  double kinetic_square_ = 0, smallest_pivot_ = 1;
};

}  // namespace dalembert::solve
