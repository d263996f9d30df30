#pragma once
/// Bringing a state onto the constraints, positions first, then velocities:
///
///     dq = -A_M^+ phi(q,t),      dq' = -A_M^+ psi(q,q',t),
///
/// the smallest change in the kinetic metric (x^T M x) that satisfies the linearised constraints,
/// repeated to round-off. psi are the velocity-level forms of all constraints, d(phi)/dt included.
/// Nothing to tune.

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "dalembert/flow/compiled.hpp"

namespace dalembert::flow {

/// What a projection did. Residuals are scaled: |residual_j| divided by
///
///     (what it could have been had none of its terms cancelled) + s_j |A_j| (1 + max |x|),    x =
///     q for positions, q' for velocities,
///
/// the second part so that a constraint between numbers that are all close to zero keeps a scale:
/// s_j = residual_floor, 1e-4 but for models of tiny things.
struct Projection {
  bool converged = true;
  double before = 0;  ///< the largest scaled residual found
  double after = 0;   ///< the largest scaled residual left
};

/// A projection has converged when no scaled residual is above this, or above what the rounding of
/// a state of large numbers (an angle after many turns) makes of it.
inline constexpr double projection_tolerance = 1e-12;
/// Off the position constraints, dependent rows do not agree on the velocities. Where positions are
/// not projected, a scaled rate may be left that is so many times their scaled residual.
inline constexpr double rate_left_by_drift = 100;

/// 1e-4, or the smallest parameter in constraint j, or number written there, if that is less: in a
/// mechanism of nanometres residuals are small against nanometres. Whole numbers, simple fractions
/// and what is nothing but rounding beside the others do not count.
double residual_floor(const Motion& motion, std::size_t j);

class Projector {
 public:
  explicit Projector(const Motion& motion);

  /// Goes on with other values of the parameters, as Evaluator::bind.
  void bind(const Motion& motion);

  /// Residuals of all constraints at a state.
  void measure(double t, std::span<const double> q, std::span<const double> v);
  std::span<const double> residuals() const { return std::span(out_).first(m_); }
  std::span<const double> rates() const { return std::span(out_).subspan(m_, m_); }
  double scaled_residual(std::size_t j) const;  ///< 0 unless of position level
  double row_norm(std::size_t j) const {
    return row_norms_[static_cast<Eigen::Index>(j)];
  }  ///< |A_j|
  double scaled_rate(std::size_t j) const;  ///< 0 if of acceleration level
  double largest_scaled_residual() const;
  double largest_scaled_rate() const;
  /// The same over the rates that are more than rounding: rows of A are known to `uncertainty` (m,
  /// as in set_row_uncertainty, or more) of their lengths only.
  double largest_scaled_rate(const Eigen::VectorXd& uncertainty) const;

  /// What the next `decide` should know of the rounding of each row of A, see Fundamental; rows
  /// beyond those given have none.
  void set_row_uncertainty(const Eigen::VectorXd& uncertainty);

  /// Finds the ranks at a state that satisfies the constraints, to be held by the projections that
  /// follow.
  Status decide(double t, std::span<const double> q, std::span<const double> v);

  /// Projects a state close to the constraints, with the ranks held. No allocation.
  Projection positions(double t, std::span<double> q, std::span<const double> v);
  Projection velocities(double t, std::span<const double> q, std::span<double> v);

  // How far the position constraints are from becoming dependent. Only with full matrices:
  // `tells_heights`.
  bool tells_heights() const { return !positions_.rows.empty() && !positions_.solver.is_sparse(); }
  int position_rank() const { return active(positions_).rank(); }
  /// Of their independent normalised rows at the last decide.
  double smallest_singular_value() const { return active(positions_).smallest_singular_value(); }
  /// Of independent row i above those before it (Fundamental::height), where the positions were
  /// last decided or projected, or `measure_heights` called.
  double height(int i) const { return active(positions_).height(i); }
  /// Residuals and heights at a state, with the rank held. No allocation.
  bool measure_heights(double t, std::span<const double> q, std::span<const double> v);
  /// Whether the state last measured satisfies the position constraints, as a projection judges it.
  bool positions_satisfied() { return settled(positions_); }

  /// The nearest state in the kinetic metric at the given one, which may be far off: min (x - q)^T
  /// M (x - q) subject to phi(x) = 0, or a point where the distance is stationary; then the same
  /// for velocities at those positions. If none is found the arguments hold the best compromise.
  Projection nearest_positions(double t, std::span<double> q, std::span<const double> v);
  Projection nearest_velocities(double t, std::span<const double> q, std::span<double> v);

  /// Names the constraints that keep the last measured state, the best compromise of a search that
  /// failed, from being consistent: those with a residual there, of many the largest first.
  struct Obstacle {
    /// There are several, and their rows A_j are constant: they contradict each other everywhere,
    /// not only near this state.
    bool contradiction = false;
    std::vector<std::size_t> constraints;
  };
  Obstacle obstacle_to_positions() const { return obstacle(positions_); }
  Obstacle obstacle_to_velocities() const { return obstacle(velocities_); }

 private:
  /// Position constraints with q, or all with q': the same algorithm on other rows.
  struct Stage {
    std::vector<std::uint32_t> rows;  ///< of the model's constraints
    std::vector<Place> A;             ///< their entries, in `values`
    Eigen::VectorXd residual;
    double rank_tolerance;
    bool positions;
    EntrySolver solver;                ///< in the metric M
    std::optional<EntrySolver> spare;  ///< in the metric M + A^T W A, see Metric
    bool augmented = false;            ///< the latter is in use
    EntrySolver& active() { return augmented ? *spare : solver; }
  };
  static const EntrySolver& active(const Stage& stage) {
    return stage.augmented ? *stage.spare : stage.solver;
  }

  /// M + w A^T A over all rows, normalised: positive definite wherever rank [M; A] = n, and equal
  /// to M as far as directions that keep the constraints are concerned. Its entries stand behind
  /// those of M and A in `values_`.
  struct Metric {
    struct Term {
      std::uint32_t target, left, right, row;  ///< [target] += weight / |A_row|^2 [left] [right]
    };
    std::vector<Place> places;
    std::vector<Term> terms;
  };

  void load(Stage& stage);
  EntrySolver make_solver(const Stage& stage, const std::vector<Place>& metric) const;
  EntrySolver plain_solver(const Stage& stage);
  double largest(const Stage& stage) const;
  bool settled(const Stage& stage);
  void make_metric();
  void augment_metric();
  Status factor(Stage& stage, bool decide);
  Projection project(Stage& stage, double t, std::span<double> q, std::span<double> v,
                     std::span<double> x, bool decide_anew);
  Projection nearest(Stage& stage, double t, std::span<double> q, std::span<double> v,
                     std::span<double> x);
  bool approach(Stage& stage, double t, std::span<double> q, std::span<double> v,
                std::span<double> x, bool kinetic);
  bool compromise(Stage& stage, double t, std::span<double> q, std::span<double> v,
                  std::span<double> x);
  void descend(Stage& stage, double t, std::span<double> q, std::span<double> v,
               std::span<double> x, const Eigen::VectorXd& start,
               const std::vector<double>& metric_values);
  Obstacle obstacle(const Stage& stage) const;
  Stage make_stage(bool positions, double rank_tolerance);

  Motion motion_;
  std::size_t n_, m_;
  codegen::Workspace workspace_;
  std::vector<double> inputs_, out_;
  /// Of M, then of A, then of the metric once one is needed.
  std::vector<double> values_;
  std::optional<Metric> metric_;
  Eigen::VectorXd step_, best_, row_norms_, row_work_;
  std::vector<double> q_scratch_, v_scratch_;
  std::vector<double> floors_;  ///< m: residual_floor
  double q_size_ = 0, v_size_ = 0;
  Stage positions_, velocities_;
};

}  // namespace dalembert::flow
