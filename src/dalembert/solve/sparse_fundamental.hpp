#pragma once
/// The fundamental equation (fundamental.hpp) for large sparse M and A, by the elimination of
/// sparse_kkt.hpp:
///
///     M q'' = Q + A^T lambda + Q_nonideal,     A q'' = b,     Q_nonideal = (I - A_M^+ A)^T C.
///
/// The answer is that of `Fundamental` and so are the words for it; the way to it is one, whatever
/// the route of FundamentalOptions::method. Cost: O(nonzeros of L) and the operations of its
/// factorisation, linear in the number of bodies for chains, trees and loops in absolute
/// coordinates; a contradiction between constraints, and what is asked of dependencies, costs a
/// solve for each dependent row.
///
/// Redundant rows. `decide` leaves out each row that is within sqrt(pivot_tolerance) of the span of
/// those before it, measured by M^-1; the others are solved exactly and a left out row is then
/// satisfied by itself if b is consistent. If not, b is first replaced by the nearest consistent
/// one in the weights of the method `weighted` (else in equal weights), so that q'' is the
/// least-squares solution over all rows.
///
/// Every solution certifies itself: the residuals of both equations, in units of what their terms
/// could have been, must be below 1e-9; where they are above 1e-12 iterative refinement brings them
/// down as far as rounding allows. A q'' - b is measured against the accelerations in play, M q'' -
/// Q - A^T lambda against the constraint forces as well, which in a long chain are much larger.
///
/// Where pivots are small, because masses are very unequal, such a measure is that of the lightest
/// bodies and says nothing of the heavy ones. Then each equation is measured by its own terms,
///
///     |A_j q'' - b_j|                    of  |b_j| + sum_i |A_ji q''_i|,
///     |M q'' - Q - A^T lambda|_i         of  |Q_i| + sum_k |M_ik q''_k| + sum_j |A_ji lambda_j|,
///
/// rows left out as dependent included, so that no row is left out by mistake.

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "dalembert/solve/fundamental.hpp"
#include "dalembert/solve/sparse_kkt.hpp"

namespace dalembert::solve {

class SparseFundamental {
 public:
  /// `M` (lower triangle) and `A` say where their entries stand in the array of values that decide
  /// and factor are given.
  SparseFundamental(std::size_t n, std::size_t m, std::vector<Place> M, std::vector<Place> A,
                    FundamentalOptions options = {});

  int coordinates() const { return static_cast<int>(n_); }
  int constraints() const { return static_cast<int>(m_); }
  const FundamentalOptions& options() const { return options_; }
  const SparseKkt& kkt() const { return augmented_in_use_ ? augmented_->kkt : kkt_; }
  double pivot_tolerance() const { return options_.rank_tolerance * options_.rank_tolerance; }
  /// Whether the last decide could not tell dependent rows from others for certain.
  bool doubtful() const { return kkt().doubtful(); }

  /// As Fundamental::decide and factor. Neither takes memory, but for the first decide that finds
  /// M singular: M + A^T W A then is analysed in place of M.
  Status decide(std::span<const double> values);
  Status factor(std::span<const double> values);
  void set_row_uncertainty(const Eigen::VectorXd& uncertainty) { uncertainty_ = uncertainty; }

  /// As in Fundamental. `values` of the last decide or factor must still stand where they did.
  Status solve_ideal(const Eigen::VectorXd& Q, const Eigen::VectorXd& b);
  Status solve_nonideal(const Eigen::VectorXd& C);
  /// As in Fundamental; takes memory where rows are dependent, to find the minimum norm.
  void calc_response(const Eigen::VectorXd& f, Eigen::VectorXd& lambda);
  /// x = A_M^+ e; where e contradicts itself the rows found independent stand.
  void apply_m_inverse(const Eigen::VectorXd& e, Eigen::VectorXd& x);

  const Eigen::VectorXd& acceleration() const { return qdd_; }
  const Eigen::VectorXd& ideal() const { return ideal_; }
  const Eigen::VectorXd& nonideal() const { return nonideal_; }
  /// lambda (m): rows found dependent carry none.
  const Eigen::VectorXd& multipliers() const { return lambda_; }
  double residual() const { return residual_; }                ///< |A q'' - b|_2
  double scaled_residual() const { return scaled_residual_; }  ///< as in Fundamental
  bool consistent() const { return consistent_; }
  bool conflicting(int j) const { return conflicting_[static_cast<std::size_t>(j)] != 0; }
  int rank() const { return static_cast<int>(kkt().rank()); }
  bool mass_singular() const { return augmented_in_use_; }
  const Held& held() const { return held_; }  ///< as decided
  const Diagnosis& diagnosis() const { return diagnosis_; }

  // What is asked for once, and takes memory.
  Eigen::VectorXd calc_unconstrained();  ///< a = M^-1 Q (n); NaN if M is singular
  Eigen::VectorXd calc_violation();      ///< e = b - A a (m); likewise
  /// lambda of minimum norm, as Fundamental gives it.
  Eigen::VectorXd calc_least_multipliers();
  std::vector<bool> calc_unique();  ///< whether each lambda_j is unique
  std::vector<Dependency> calc_dependencies();

 private:
  /// M + A^T W A in place of M: its entries as sums of products, and their factorisation.
  struct Augmented {
    struct Term {
      std::uint32_t target, left, right, row;  ///< [target] += w[row] [left] [right]
    };
    std::vector<Place> M, A;
    std::vector<Term> terms;
    std::vector<char> used;  ///< whether a row is among those of W
    std::vector<double> values;
    Eigen::VectorXd weights;
    SparseKkt kkt;
    bool local;  ///< only rows within a group of coordinates are
  };
  struct Range {
    std::uint32_t begin, end;
  };

  Status run(std::span<const double> values, bool decide);
  Status run_augmented(bool decide);
  void build_augmented(bool local);
  bool is_local(std::size_t j) const;
  void find_weights();
  void share_in_groups(Eigen::VectorXd& d);
  Status fail(Status status);
  Status examine_mass(const SparseKkt::Outcome& outcome, SparseKkt& kkt, bool augmented);
  bool find_culprit(char symbol, std::span<const Place> places);
  bool find_culprit(char symbol, const Eigen::VectorXd& x);
  Range row(std::size_t j) const { return {row_begin_[j], row_begin_[j + 1]}; }
  double dot_row(std::size_t j, const Eigen::VectorXd& x) const;
  void add_transposed(const Eigen::VectorXd& y, Eigen::VectorXd& force) const;
  void multiply_mass(const Eigen::VectorXd& x, Eigen::VectorXd& force) const;
  void solve_refined(const Eigen::VectorXd& f, const Eigen::VectorXd& g, Eigen::VectorXd& x,
                     Eigen::VectorXd& lambda);
  double calc_defect(const Eigen::VectorXd& f, const Eigen::VectorXd& g, const Eigen::VectorXd& x,
                     const Eigen::VectorXd& lambda);
  double calc_careful_defect(const Eigen::VectorXd& f, const Eigen::VectorXd& g,
                             const Eigen::VectorXd& x, const Eigen::VectorXd& lambda);
  bool leaves_out_too_much(const Eigen::VectorXd& x);
  bool careful() const;
  void choose_rows(std::span<const double> values);
  void note_decision();
  void solve_dependency(std::size_t d);
  Dependency calc_dependency(std::size_t d);
  void examine_consistency();
  void measure_residual();  ///< from Ax_ = A q''
  Status check_result(char force, const Eigen::VectorXd& F, const Eigen::VectorXd& b);
  void reconcile(const std::vector<Dependency>& dependencies, const Eigen::VectorXd& weights,
                 Eigen::VectorXd& x) const;

  SparseKkt& active() { return augmented_in_use_ ? augmented_->kkt : kkt_; }

  std::size_t n_, m_;
  FundamentalOptions options_;
  std::vector<Place> M_, A_;  ///< A row by row
  std::vector<std::uint32_t> row_begin_;
  SparseKkt kkt_;
  std::optional<Augmented> augmented_;
  Held held_;
  bool augmented_in_use_ = false, fresh_ = false, consistent_ = true;
  std::span<const double> values_;
  Diagnosis diagnosis_;
  Eigen::VectorXd uncertainty_;
  Eigen::VectorXd Q_, b_, C_, qdd_, qdd_ideal_, ideal_, nonideal_, lambda_;
  Eigen::VectorXd f_, g_, rf_, rg_, x_, y_, scratch_, y_nonideal_, Ax_, force_, response_, terms_;
  double size_ = 0, defect_ = 0, residual_ = 0, scaled_residual_ = 0;
  std::vector<char> conflicting_;
  Eigen::VectorXd group_work_;
};

}  // namespace dalembert::solve
