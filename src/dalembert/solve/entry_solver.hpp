#pragma once
/// The fundamental equation from lists of entries, by dense or by sparse matrices, whichever suits;
/// the answer and the words are the same.
///
/// Sparse is taken where n + m > 100 and its factorisation needs less than an eighth of the
/// operations of the dense one, n^3/6 + n^2 m/2 + n m^2 (dense operations run in vectors). Where it
/// cannot tell which rows are dependent, or certify its solution, as with masses that differ by a
/// factor of 1e12, full matrices take over for good if n + m <= most_on_full_matrices.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dalembert/solve/fundamental.hpp"
#include "dalembert/solve/sparse_fundamental.hpp"

namespace dalembert::solve {

/// Coordinates and constraints together, where full matrices are worked on: by formulations and by
/// the integrator bdf.
inline constexpr std::size_t most_on_full_matrices = 2000;

enum class Storage {
  automatic,
  dense,
  sparse  ///< whatever the size
};

class EntrySolver {
 public:
  /// As SparseFundamental.
  EntrySolver(std::size_t n, std::size_t m, const std::vector<Place>& M,
              const std::vector<Place>& A, const FundamentalOptions& options, Storage storage);

  bool is_sparse() const { return sparse_ != nullptr; }  ///< by its size
  const FundamentalOptions& options() const {
    return by_sparse() ? sparse_->options() : dense_->fundamental.options();
  }

  /// `values` must stand where they are until the last solve.
  Status decide(std::span<const double> values);
  Status factor(std::span<const double> values);
  void set_row_uncertainty(const Eigen::VectorXd& uncertainty);
  /// Takes memory where full matrices take over.
  Status solve_ideal(const Eigen::VectorXd& Q, const Eigen::VectorXd& b);
  Status solve_nonideal(const Eigen::VectorXd& C);
  void apply_m_inverse(const Eigen::VectorXd& e, Eigen::VectorXd& x);
  void calc_response(const Eigen::VectorXd& f, Eigen::VectorXd& lambda);
  /// lambda (m) of the last solve_ideal, of minimum norm. Takes memory only where a sparse solver
  /// has dependent rows.
  void copy_multipliers(Eigen::VectorXd& lambda);

  const Eigen::VectorXd& acceleration() const {
    return by_sparse() ? sparse_->acceleration() : dense_->fundamental.acceleration();
  }
  const Eigen::VectorXd& ideal() const {
    return by_sparse() ? sparse_->ideal() : dense_->fundamental.ideal();
  }
  const Eigen::VectorXd& nonideal() const {
    return by_sparse() ? sparse_->nonideal() : dense_->fundamental.nonideal();
  }
  int rank() const { return by_sparse() ? sparse_->rank() : dense_->fundamental.rank(); }
  double residual() const {
    return by_sparse() ? sparse_->residual() : dense_->fundamental.residual();
  }
  bool consistent() const {
    return by_sparse() ? sparse_->consistent() : dense_->fundamental.consistent();
  }
  bool conflicting(int j) const {
    return by_sparse() ? sparse_->conflicting(j) : dense_->fundamental.conflicting(j);
  }
  bool mass_singular() const {
    return by_sparse() ? sparse_->mass_singular() : dense_->fundamental.mass_singular();
  }
  /// As of Fundamental; none where the solver is sparse.
  double smallest_singular_value() const { return dense_->fundamental.smallest_singular_value(); }
  double height(int i) const { return dense_->fundamental.height(i); }
  const Held& held() const { return by_sparse() ? sparse_->held() : dense_->fundamental.held(); }
  const Diagnosis& diagnosis() const {
    return by_sparse() ? sparse_->diagnosis() : dense_->fundamental.diagnosis();
  }

  // These take memory.
  Eigen::VectorXd calc_unconstrained();
  Eigen::VectorXd calc_violation();
  Eigen::VectorXd calc_multipliers();  ///< of minimum norm
  std::vector<bool> calc_unique();
  std::vector<Dependency> calc_dependencies();
  std::vector<bool> calc_conflicting() const;
  std::string explain(std::span<const std::string> coordinates,
                      std::span<const std::string> constraints) const;

  /// M and A as matrices, of the last decide, factor or load; none where the solver is sparse.
  void load(std::span<const double> values);
  const Eigen::MatrixXd& dense_M() const { return dense_->M; }
  const Eigen::MatrixXd& dense_A() const { return dense_->A; }

 private:
  struct Dense {
    Eigen::MatrixXd M, A;
    Fundamental fundamental;
  };

  bool by_sparse() const { return sparse_ != nullptr && dense_ == nullptr; }
  bool may_be_dense() const;
  void make_dense(const FundamentalOptions& options);

  std::size_t n_, m_;
  std::vector<Place> M_places_, A_places_;
  Eigen::VectorXd uncertainty_;  ///< of the rows, for who takes over
  std::span<const double> values_;
  bool fresh_ = false;
  std::unique_ptr<Dense> dense_;
  std::unique_ptr<SparseFundamental> sparse_;
};

}  // namespace dalembert::solve
