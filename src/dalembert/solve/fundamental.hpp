#pragma once

/// The fundamental equation of constrained motion: accelerations and constraint forces from
/// numbers.
///
///   M q'' = Q + Q_ideal + Q_nonideal,     A q'' = b          (this is the sign convention)
///
/// M (n×n) symmetric, positive definite or semidefinite; Q (n) the whole right-hand side of the
/// unconstrained system; A (m×n) of any rank k, m = 0 included; b (m); C (n) the force that says
/// how the constraints are not ideal: v^T (Q_ideal + Q_nonideal) = v^T C for every v with A v = 0
/// (U05.7). Then (U05.9, 11, 12)
///
///   a = M^-1 Q,   e = b - A a,   Q_ideal = M A_M^+ e,   Q_nonideal = (I - A_M^+ A)^T C,
///   q'' = a + A_M^+ e + (I - A_M^+ A) M^-1 C,
///   Q_ideal = A^T lambda, lambda of minimum norm.
///
/// A_M^+ e minimizes |A x - e|_2 with the rows of A as given and, among the minimizers, x^T M x. So
/// redundant rows are welcome, and a b outside the range of A gets the least-squares answer of
/// (U05.9), reported by consistent(). C is a force; z of U02 is M^(-1/2) C, and c of U05 is M^-1 C.
///
/// Nothing here knows of a model. Matrices are column-major; another storage order is copied first.

#include <dalembert/solve/constraint_factor.hpp>
#include <dalembert/solve/diagnosis.hpp>
#include <dalembert/solve/explicit_forms.hpp>
#include <dalembert/solve/mass_factor.hpp>
#include <dalembert/solve/method.hpp>

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dalembert::solve {

struct FundamentalOptions {
  /// The computational route, one with is_fundamental(method); all give the same answer (theory 4,
  /// 5). The first is the default and the fastest.
  Method method = Method::m_inverse;
  /// Below this smallest singular value of the row-normalized B, rows count as dependent. No units:
  /// B = A R^-T is measured by the kinetic metric and each row is divided by its norm, so neither
  /// the units of coordinates nor the scale of a row enters. It must exceed the drift that
  /// projection leaves (theory 14.1).
  double rank_tolerance = 1e-8;
  /// M counts as singular if it has an eigenvalue below this once scaled to unit diagonal: entries
  /// carry a few rounding errors, and a smaller eigenvalue is made of those.
  double mass_tolerance = 1e-12;
  /// b is inconsistent where a dependency z^T A = 0 between rows has |z^T e| above this fraction of
  /// sum |z_j| scale_j, scale_j = |b_j| + |B_j| (|R^T a| + |R^T q''|). No units, no row scale. Rows
  /// taken for dependent may differ by rank_tolerance in a normalized component, and their b then
  /// by that times |R^T q''|, without contradiction: so this should not be below rank_tolerance.
  double consistency_tolerance = 1e-8;
  /// Coordinates that share a unit and turn into one another, as the components of a quaternion do:
  /// the number of its group for each (n), or -1; empty if there are none. Where M is singular, the
  /// inertia that stands in for the missing one has the size of the group's, not of the
  /// coordinate's own, which may be close to zero: a force of ordinary size along it would
  /// otherwise lose all its digits.
  std::vector<int> groups = {};
  /// For Method::weighted: one positive weight a row (theory 4.4c); empty means all 1. Consistent
  /// b: no effect.
  Eigen::VectorXd weights;
};

/// What a step of an integrator decides once, at its projected start, and holds through its stages
/// (theory 14.8).
struct Held {
  bool decided = false;
  bool mass_singular = false;  ///< M + A^T W A is factored in place of M
  bool consistent = true;  ///< b was: the independent rows decide; else least squares over all rows
  int rank = 0;            ///< k
  std::vector<int> order;  ///< the rows of A, the k independent ones first
};

/// A linear dependency between rows of A: A_row = sum of coefficient_i A_i over independent rows i.
struct Dependency {
  struct Term {
    int row;
    double coefficient;
  };
  int row = 0;
  std::vector<Term> terms;  ///< empty for a row of zeros
};

/// Solver and workspace for one size (n, m). All memory is taken by the constructor; decide,
/// factor, solve_* and apply_m_inverse allocate nothing, by any method.
///
///   Fundamental f(n, m);
///   if (f.decide(M, A) != Status::ok) return explain(f, names, rows);
///   if (f.solve_ideal(Q, b) != Status::ok) return explain(f, names, rows);
///   C = friction(f.ideal());
///   f.solve_nonideal(C);      // may be left out when C = 0
///   use(f.acceleration());
class Fundamental {
 public:
  /// Throws std::invalid_argument if the method is a formulation and no route through this
  /// equation.
  Fundamental(int n, int m, FundamentalOptions options = {});

  int coordinates() const { return n_; }  ///< n
  int constraints() const { return m_; }  ///< m
  const FundamentalOptions& options() const { return options_; }

  /// Factors M and A, and decides the rank, the independent rows and whether M is singular; the
  /// next solve_ideal decides whether b is consistent. O(n^3 + n^2 m + n m^2). A singular M is
  /// replaced by M + A^T W A, and Q by Q + A^T W b, W diagonal and positive, chosen so that the two
  /// terms have equal size whatever the units; accelerations and forces are those of UP06 (theory
  /// 9).
  Status decide(const Eigen::Ref<const Eigen::MatrixXd>& M,
                const Eigen::Ref<const Eigen::MatrixXd>& A);
  /// Factors with the decisions held: same rank, same rows, so that the result is a smooth function
  /// of the entries. At the arguments of decide it gives the very same factors. Decides if nothing
  /// was decided yet.
  Status factor(const Eigen::Ref<const Eigen::MatrixXd>& M,
                const Eigen::Ref<const Eigen::MatrixXd>& A);
  /// How far rounding may have turned each row of A (m), relative to its length, for the decisions
  /// that follow: a row that is what is left of larger terms is known less well than its digits
  /// say. Zero if never called.
  void set_row_uncertainty(const Eigen::VectorXd& uncertainty) {
    rows_.set_uncertainty(uncertainty);
  }
  const Held& held() const { return held_; }
  void set_held(const Held& held);  ///< order must have m entries

  /// a, e, Q_ideal, lambda and the ideal acceleration; acceleration() is the ideal one and
  /// nonideal() is 0 until solve_nonideal. After decide or factor returned ok. O(n^2 + n m).
  Status solve_ideal(const Eigen::Ref<const Eigen::VectorXd>& Q,
                     const Eigen::Ref<const Eigen::VectorXd>& b);
  /// Adds Q_nonideal to the last solve_ideal; again with another C replaces it. O(n^2 + n m).
  Status solve_nonideal(const Eigen::Ref<const Eigen::VectorXd>& C);

  /// The multipliers that answer a further force f (n), of minimum norm (m):
  ///
  ///     M x = f + A^T lambda,     A x = 0.
  ///
  /// So lambda of solve_ideal plus that of C is what the constraints exert while C acts. After
  /// decide or factor; overwrites no result of solve_*. No allocation. O(n^2 + n m).
  void calc_response(const Eigen::VectorXd& f, Eigen::VectorXd& lambda);

  /// x = A_M^+ e (n) for any e (m), without forming A_M^+; after decide or factor. O(n^2 + n m).
  /// Projections in the kinetic metric are dq = -A_M^+ phi. Overwrites no result of solve_*.
  void apply_m_inverse(const Eigen::Ref<const Eigen::VectorXd>& e, Eigen::Ref<Eigen::VectorXd> x);

  // After solve_*.
  const Eigen::VectorXd& acceleration() const { return qdd_; }              ///< q'' (n)
  const Eigen::VectorXd& ideal_acceleration() const { return qdd_ideal_; }  ///< q'' for C = 0 (n)
  const Eigen::VectorXd& ideal() const { return ideal_; }                   ///< Q_ideal (n)
  const Eigen::VectorXd& nonideal() const { return nonideal_; }             ///< Q_nonideal (n)
  const Eigen::VectorXd& multipliers() const { return lambda_; }  ///< lambda (m), minimum norm
  const Eigen::VectorXd& unconstrained() const { return a_; }     ///< a (n); NaN if M is singular
  const Eigen::VectorXd& violation() const { return e_; }         ///< e (m); NaN if M is singular
  bool unconstrained_available() const { return !mass_.augmented(); }  ///< whether a and e exist
  double residual() const { return residual_; }  ///< |A q'' - b|_2, in the rows' own units
  /// Largest |A_j q'' - b_j| / scale_j, scale_j as in FundamentalOptions plus |B_j| |R^-1 C|.
  double scaled_residual() const { return scaled_residual_; }
  bool consistent() const { return consistent_; }          ///< whether b lies in the range of A
  double inconsistency() const { return inconsistency_; }  ///< compared with consistency_tolerance
  /// Whether row j takes part in a contradiction: a smallest set of dependent rows whose b do not
  /// fit together. Every row named belongs to such a set; not every such set is searched for.
  bool conflicting(int j) const { return conflicting_[static_cast<std::size_t>(j)] != 0; }

  // After decide or factor.
  int rank() const { return held_.rank; }  ///< k
  /// Whether lambda_j is unique: row j takes part in no linear dependency. (A row of zeros is a
  /// dependency by itself.)
  bool unique(int j) const { return rows_.unique(j); }
  /// Whether M was found or held singular.
  bool mass_singular() const { return mass_.augmented(); }
  /// Of the k independent normalized rows, at the last decide: how far the rank is from dropping.
  double smallest_singular_value() const { return rows_.smallest_singular_value(); }
  /// Of the i-th independent row above those before it, in the kinetic metric: the rank drops where
  /// one of these vanishes.
  double height(int i) const { return rows_.height(i); }
  /// One for each of the m - k dependent rows; allocates.
  std::vector<Dependency> calc_dependencies() const;
  const Diagnosis& diagnosis() const { return diagnosis_; }

 private:
  using Vector = Eigen::VectorXd;
  Status factor_all(const Eigen::Ref<const Eigen::MatrixXd>& M,
                    const Eigen::Ref<const Eigen::MatrixXd>& A, bool decide);
  Status fail(Status status);
  bool find_culprit(char symbol, const Eigen::Ref<const Eigen::MatrixXd>& X);
  Status check_result(char force, const Eigen::Ref<const Vector>& F,
                      const Eigen::Ref<const Vector>& b);
  void to_scaled(Vector& x);
  void from_scaled(Vector& x);
  void to_force(const Vector& p, Vector& force);
  void pseudo_inverse(const Vector& eh, Vector& p, Vector& lambda_h);
  void project(Vector& h);
  void reduce_and_invert();
  void calc_residual(const Vector& qdd, double size);
  bool leaves_out_too_much();
  const double* row(int j) const { return At_.data() + Eigen::Index{j} * n_; }
  void examine_consistency();

  int n_, m_;
  FundamentalOptions options_;
  Held held_;
  Diagnosis diagnosis_;
  MassFactor mass_;
  ConstraintFactor rows_;
  std::optional<ScaledForm> scaled_;
  std::optional<ExtendedDalembertForm> extended_dalembert_;
  std::optional<MultiplierForm> multiplier_;
  Eigen::MatrixXd At_;
  Vector b_, a_, e_, ideal_, nonideal_, lambda_, qdd_, qdd_ideal_;
  Vector u_, p_, h_, eh_, lambda_h_, r_, x_;
  double size_ = 0, residual_ = 0, scaled_residual_ = 0, inconsistency_ = 0;
  bool consistent_ = true, fresh_ = false;
  std::vector<char> conflicting_;
};

/// Everything at once, for people with their own matrices. Where status is not ok only status and
/// diagnosis mean anything.
struct FundamentalResult {
  Status status = Status::ok;
  Eigen::VectorXd qdd;            ///< q'' (n)
  Eigen::VectorXd ideal;          ///< Q_ideal (n)
  Eigen::VectorXd nonideal;       ///< Q_nonideal (n)
  Eigen::VectorXd a;              ///< M^-1 Q (n); empty when M is singular
  Eigen::VectorXd e;              ///< b - A a (m); empty when M is singular
  Eigen::VectorXd lambda;         ///< (m) minimum norm
  std::vector<bool> unique;       ///< (m) whether lambda_j is the only one
  std::vector<bool> conflicting;  ///< (m) rows that contradict each other
  std::vector<Dependency> dependencies;
  int rank = 0;
  bool mass_singular = false;
  bool consistent = true;
  double residual = 0;         ///< |A q'' - b|_2
  double scaled_residual = 0;  ///< as Fundamental::scaled_residual
  double inconsistency = 0;    ///< as Fundamental::inconsistency
  Diagnosis diagnosis;
};

/// M (n×n), Q (n), A (m×n), b (m), C (n; may be empty for C = 0). Sizes that do not fit give
/// Status::size_mismatch.
FundamentalResult fundamental(const Eigen::Ref<const Eigen::MatrixXd>& M,
                              const Eigen::Ref<const Eigen::VectorXd>& Q,
                              const Eigen::Ref<const Eigen::MatrixXd>& A,
                              const Eigen::Ref<const Eigen::VectorXd>& b,
                              const Eigen::Ref<const Eigen::VectorXd>& C,
                              const FundamentalOptions& options = {});

/// One sentence a person can act on: what is wrong, with which coordinate or constraint, and what
/// would help. Names may be missing; entries are then numbered from 1.
std::string explain(const Diagnosis& diagnosis, std::span<const std::string> coordinates,
                    std::span<const std::string> constraints);
/// The same for constraints that contradict each other; conflicting (m) as in FundamentalResult.
/// Empty if none does.
std::string explain_conflict(const std::vector<bool>& conflicting,
                             std::span<const std::string> constraints);
/// Of the last call: the failing status, else the contradiction if b is inconsistent, else empty.
std::string explain(const Fundamental& fundamental, std::span<const std::string> coordinates,
                    std::span<const std::string> constraints);
std::string explain(const FundamentalResult& result, std::span<const std::string> coordinates,
                    std::span<const std::string> constraints);

}  // namespace dalembert::solve
