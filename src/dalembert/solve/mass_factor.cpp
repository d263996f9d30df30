#include <dalembert/solve/mass_factor.hpp>

#include <dalembert/solve/dense_kernels.hpp>

#include <algorithm>
#include <cmath>

namespace dalembert::solve {

MassFactor::MassFactor(int n, int m, std::vector<int> groups)
    : M_(n, n),
      U_(Eigen::MatrixXd::Zero(n, n)),
      S_(n, n),
      V_(n, n),
      w_(m),
      d_(n),
      r_(m),
      y_(n),
      groups_(std::move(groups)) {}

/// The largest M_kk of the coordinates that share a unit with i.
double MassFactor::group_mass(Eigen::Index i) const {
  double mass = M_(i, i);
  if (groups_.empty() || groups_[static_cast<std::size_t>(i)] < 0) return mass;
  for (Eigen::Index k = 0; k < M_.rows(); ++k) {
    if (groups_[static_cast<std::size_t>(k)] == groups_[static_cast<std::size_t>(i)])
      mass = std::max(mass, M_(k, k));
  }
  return mass;
}

void MassFactor::to_scaled(Eigen::VectorXd& x) const {
  solve_lower(U_, U_.rows(), x.data());
}
void MassFactor::from_scaled(Eigen::VectorXd& x) const {
  solve_upper(U_, U_.rows(), x.data());
}
void MassFactor::to_force(const Eigen::VectorXd& p, Eigen::VectorXd& force) const {
  multiply_lower(U_, p, force);
}
void MassFactor::scale_row(double* row) const {
  solve_lower(U_, U_.rows(), row);
}

Status MassFactor::decide(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::MatrixXd& At,
                          double tolerance, Diagnosis& diagnosis) {
  M_ = M;
  augmented_ = false;
  Status status = check_symmetry(tolerance, diagnosis);
  if (status != Status::ok) return status;
  if (cholesky(M_, tolerance, U_) < 0 && estimate_smallest_eigenvalue() > tolerance)
    return Status::ok;
  status = examine(tolerance, diagnosis);
  return status == Status::ok ? augment(At, tolerance, true, diagnosis) : status;
}

Status MassFactor::factor(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::MatrixXd& At,
                          double tolerance, bool singular, Diagnosis& diagnosis) {
  M_ = M;
  augmented_ = false;
  if (singular) return augment(At, tolerance, false, diagnosis);
  if (cholesky(M_, tolerance, U_) < 0) return Status::ok;
  const Status status = examine(tolerance, diagnosis);
  return status == Status::ok ? augment(At, tolerance, true, diagnosis) : status;
}

Status MassFactor::augment(const Eigen::MatrixXd& At, double tolerance, bool thorough,
                           Diagnosis& diagnosis) {
  add_constraints(At);
  const bool positive = cholesky(M_, tolerance, U_) < 0;
  if (positive && (!thorough || estimate_smallest_eigenvalue() > tolerance)) return Status::ok;
  const Status status = find_culprit(diagnosis);
  if (status != Status::ok) return status;
  report_direction(Status::mass_undetermined, diagnosis);
  return Status::mass_undetermined;
}

Status MassFactor::check_symmetry(double tolerance, Diagnosis& diagnosis) const {
  for (Eigen::Index j = 0; j < M_.cols(); ++j) {
    for (Eigen::Index i = 0; i < j; ++i) {
      const double size = std::max({std::abs(M_(i, j)), std::abs(M_(j, i)),
                                    std::sqrt(std::abs(M_(i, i))) * std::sqrt(std::abs(M_(j, j)))});
      if (std::abs(M_(i, j) - M_(j, i)) <= tolerance * size && std::isfinite(size)) continue;
      const Status status = find_culprit(diagnosis);
      if (status != Status::ok) return status;
      diagnosis.symbol = 'M';
      diagnosis.row = static_cast<int>(i);
      diagnosis.column = static_cast<int>(j);
      diagnosis.value = M_(i, j) - M_(j, i);
      return Status::mass_asymmetric;
    }
  }
  return Status::ok;
}

// S = D^-1 M D^-1, D = diag sqrt(M_ii), S^-1 = D U^-1 U^-T D. LINPACK's start, signs chosen so that
// U^-T grows, then inverse iteration. The factor is that of a matrix within n eps of S, so that a
// singular S shows, whatever its pivots.
double MassFactor::estimate_smallest_eigenvalue() {
  const Eigen::Index n = M_.rows();
  for (Eigen::Index i = 0; i < n; ++i) {
    d_(i) = std::sqrt(M_(i, i));
    const double sum = dot(U_.data() + i * n, y_.data(), i);
    y_(i) = -(sum + std::copysign(d_(i), sum)) / U_(i, i);
  }
  solve_upper(U_, n, y_.data());
  double growth = 1;
  for (int pass = 0; pass < 2; ++pass) {
    y_ = y_.cwiseProduct(d_);
    y_ = y_.cwiseProduct(d_) / y_.norm();
    solve_lower(U_, n, y_.data());
    solve_upper(U_, n, y_.data());
    growth = y_.cwiseProduct(d_).norm();
  }
  return 1 / growth;
}

Status MassFactor::find_culprit(Diagnosis& diagnosis) const {
  for (Eigen::Index j = 0; j < M_.cols(); ++j) {
    for (Eigen::Index i = 0; i < M_.rows(); ++i) {
      if (std::isfinite(M_(i, j))) continue;
      diagnosis.symbol = 'M';
      diagnosis.row = static_cast<int>(i);
      diagnosis.column = static_cast<int>(j);
      diagnosis.value = M_(i, j);
      return Status::mass_not_finite;
    }
  }
  return Status::ok;
}

// Semidefinite (ok) or indefinite: by the smallest eigenvalue of M scaled to unit diagonal. A zero
// diagonal entry beside a nonzero one, [[0, g], [g, M_jj]], is indefinite however small g is: v =
// (t, s) with s^2 M_jj = 1 (or s = 1 if M_jj = 0) and t = -(s^2 M_jj + 1) / (2 g s) gives v^T M v =
// -1.
Status MassFactor::examine(double tolerance, Diagnosis& diagnosis) {
  const Status status = find_culprit(diagnosis);
  if (status != Status::ok) return status;
  for (Eigen::Index j = 0; j < M_.cols(); ++j) {
    for (Eigen::Index i = 0; i < M_.cols(); ++i) {
      const double g = M_(std::min(i, j), std::max(i, j));
      if (i == j || g == 0 || M_(i, i) != 0 || M_(j, j) < 0) continue;
      if (std::abs(g) <= tolerance * std::sqrt(group_mass(i)) * std::sqrt(group_mass(j))) continue;
      const double s = M_(j, j) > 0 ? 1 / std::sqrt(M_(j, j)) : 1;
      diagnosis.symbol = 'M';
      diagnosis.row = static_cast<int>(i);
      diagnosis.column = static_cast<int>(j);
      diagnosis.value = g;
      diagnosis.eigenvalue = -1;
      diagnosis.direction.setZero();
      diagnosis.direction(j) = s;
      diagnosis.direction(i) = -(s * s * M_(j, j) + 1) / (2 * g * s);
      return Status::mass_indefinite;
    }
  }
  report_direction(Status::mass_indefinite, diagnosis);
  return diagnosis.eigenvalue < -tolerance ? Status::mass_indefinite : Status::ok;
}

void MassFactor::report_direction(Status status, Diagnosis& diagnosis) {
  const Eigen::Index n = M_.rows();
  for (Eigen::Index i = 0; i < n; ++i) {
    const double mass = std::max(std::abs(M_(i, i)), group_mass(i));
    d_(i) = mass == 0 ? 1 : std::sqrt(mass);
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i <= j; ++i) S_(i, j) = S_(j, i) = M_(i, j) / d_(i) / d_(j);
  }
  symmetric_jacobi(S_, V_);
  Eigen::Index smallest = 0;
  for (Eigen::Index i = 1; i < n; ++i) {
    if (S_(i, i) < S_(smallest, smallest)) smallest = i;
  }
  diagnosis.eigenvalue = S_(smallest, smallest);
  for (Eigen::Index i = 0; i < n; ++i) diagnosis.direction(i) = V_(i, smallest) / d_(i);
  if (status == Status::mass_undetermined) {
    const double largest = diagnosis.direction.cwiseAbs().maxCoeff();
    if (largest > 0) diagnosis.direction /= largest;
  }
}

// d_i = sqrt(M_ii) where that is positive. Row norms r_j count the coordinates whose d_i is known;
// a coordinate without mass then takes the d_i that makes its largest term as large as the rest of
// its row, and passes the scale on to rows in which only such coordinates occur. What no row
// connects with a mass is scaled by its own largest coefficient.
void MassFactor::add_constraints(const Eigen::MatrixXd& At) {
  const Eigen::Index n = At.rows(), m = At.cols();
  for (Eigen::Index i = 0; i < n; ++i) {
    const double mass = group_mass(i);
    d_(i) = mass > 0 ? std::sqrt(mass) : 0;
  }
  const auto measure_rows = [&] {
    for (Eigen::Index j = 0; j < m; ++j) {
      double sum = 0;
      for (Eigen::Index i = 0; i < n; ++i) {
        if (d_(i) > 0) sum += (At(i, j) / d_(i)) * (At(i, j) / d_(i));
      }
      r_(j) = std::sqrt(sum);
    }
  };
  const auto borrow = [&](bool connected) {
    bool found = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (d_(i) > 0) continue;
      for (Eigen::Index j = 0; j < m; ++j) {
        const double r = connected ? r_(j) : 1;
        if (r > 0) d_(i) = std::max(d_(i), std::abs(At(i, j)) / r);
      }
      found = found || d_(i) > 0;
    }
    return found;
  };
  measure_rows();
  while (borrow(true)) measure_rows();
  if (borrow(false)) measure_rows();
  for (Eigen::Index j = 0; j < m; ++j) {
    w_(j) = r_(j) > 0 ? 1 / (r_(j) * r_(j)) : 0;
    for (Eigen::Index l = 0; l < n; ++l) {
      const double f = w_(j) * At(l, j);
      if (f != 0) add_multiple(f, At.data() + j * n, M_.data() + l * n, l + 1);
    }
  }
  augmented_ = true;
}

}  // namespace dalembert::solve
