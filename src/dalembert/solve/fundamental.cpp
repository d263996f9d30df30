#include <dalembert/solve/fundamental.hpp>

#include <dalembert/solve/dense_kernels.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace dalembert::solve {

namespace {

Eigen::VectorXd weights_in_use(const FundamentalOptions& options, int m) {
  const bool used = options.method == Method::weighted && options.weights.size() == m;
  return used ? options.weights : Eigen::VectorXd();
}

}  // namespace

Fundamental::Fundamental(int n, int m, FundamentalOptions options)
    : n_(n),
      m_(m),
      options_(std::move(options)),
      mass_(n, m, options_.groups),
      rows_(n, m, weights_in_use(options_, m)),
      At_(n, m),
      b_(m),
      a_(n),
      e_(m),
      ideal_(n),
      nonideal_(n),
      lambda_(m),
      qdd_(n),
      qdd_ideal_(n),
      u_(n),
      p_(n),
      h_(n),
      eh_(m),
      lambda_h_(m),
      r_(m),
      x_(n),
      conflicting_(static_cast<std::size_t>(m), 0) {
  if (!is_fundamental(options_.method)) {
    throw std::invalid_argument(std::string(to_string(options_.method)) +
                                " is not a route through the fundamental equation");
  }
  held_.order.resize(static_cast<std::size_t>(m));
  diagnosis_.direction = Vector::Zero(n);
  if (options_.method == Method::scaled) scaled_.emplace(n, m);
  if (options_.method == Method::extended_dalembert) extended_dalembert_.emplace(n, m);
  if (options_.method == Method::multipliers) multiplier_.emplace(n, m);
}

Status Fundamental::decide(const Eigen::Ref<const Eigen::MatrixXd>& M,
                           const Eigen::Ref<const Eigen::MatrixXd>& A) {
  return factor_all(M, A, true);
}

Status Fundamental::factor(const Eigen::Ref<const Eigen::MatrixXd>& M,
                           const Eigen::Ref<const Eigen::MatrixXd>& A) {
  return factor_all(M, A, !held_.decided);
}

void Fundamental::set_held(const Held& held) {
  assert(held.order.size() == held_.order.size());
  held_.decided = held.decided;
  held_.mass_singular = held.mass_singular;
  held_.rank = held.rank;
  held_.consistent = held.consistent;
  std::copy(held.order.begin(), held.order.end(), held_.order.begin());
}

Status Fundamental::fail(Status status) {
  diagnosis_.status = status;
  return status;
}

bool Fundamental::find_culprit(char symbol, const Eigen::Ref<const Eigen::MatrixXd>& X) {
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    for (Eigen::Index i = 0; i < X.rows(); ++i) {
      if (std::isfinite(X(i, j))) continue;
      diagnosis_.symbol = symbol;
      diagnosis_.row = static_cast<int>(i);
      diagnosis_.column = symbol == 'A' ? static_cast<int>(j) : -1;
      diagnosis_.value = X(i, j);
      return true;
    }
  }
  return false;
}

Status Fundamental::factor_all(const Eigen::Ref<const Eigen::MatrixXd>& M,
                               const Eigen::Ref<const Eigen::MatrixXd>& A, bool decide) {
  assert(M.rows() == n_ && M.cols() == n_ && A.rows() == m_ && A.cols() == n_);
  diagnosis_.status = Status::ok;
  diagnosis_.symbol = ' ';
  diagnosis_.row = diagnosis_.column = -1;
  if (decide) held_.decided = false;
  fresh_ = decide;
  if (options_.method == Method::weighted && options_.weights.size() > 0) {
    const auto bad = [](double w) { return !(w > 0 && std::isfinite(w)); };
    for (int j = 0; j < options_.weights.size(); ++j) {
      if (options_.weights.size() == m_ && !bad(options_.weights(j))) continue;
      diagnosis_.symbol = 'w';
      diagnosis_.row = options_.weights.size() == m_ ? j : -1;
      diagnosis_.value = options_.weights(j);
      return fail(Status::weights_not_positive);
    }
  }
  At_ = A.transpose();
  if (find_culprit('A', A)) return fail(Status::constraints_not_finite);
  const Status status =
      decide ? mass_.decide(M, At_, options_.mass_tolerance, diagnosis_)
             : mass_.factor(M, At_, options_.mass_tolerance, held_.mass_singular, diagnosis_);
  if (status != Status::ok) return fail(status);
  if (!rows_.set_rows(At_, mass_)) return fail(Status::result_not_finite);
  if (decide) {
    held_.rank = rows_.decide(options_.rank_tolerance, held_.order);
    held_.mass_singular = mass_.augmented();
    held_.consistent = true;
    held_.decided = true;
  } else {
    rows_.factor(held_.rank, held_.order);
  }
  rows_.mark_dependent(options_.rank_tolerance);
  if (scaled_) scaled_->factor(At_, mass_, rows_);
  if (extended_dalembert_) extended_dalembert_->factor(rows_);
  if (multiplier_) multiplier_->factor(rows_);
  return Status::ok;
}

void Fundamental::to_scaled(Vector& x) {
  scaled_ ? scaled_->to_scaled(x) : mass_.to_scaled(x);
}
void Fundamental::from_scaled(Vector& x) {
  scaled_ ? scaled_->from_scaled(x) : mass_.from_scaled(x);
}
void Fundamental::to_force(const Vector& p, Vector& force) {
  scaled_ ? scaled_->to_force(p, force) : mass_.to_force(p, force);
}

void Fundamental::pseudo_inverse(const Vector& eh, Vector& p, Vector& lambda_h) {
  if (scaled_) return scaled_->pseudo_inverse(eh, p, lambda_h);
  if (extended_dalembert_) return extended_dalembert_->pseudo_inverse(rows_, eh, p, lambda_h);
  if (multiplier_) return multiplier_->pseudo_inverse(rows_, eh, p, lambda_h);
  rows_.pseudo_inverse(eh, p, lambda_h);
}

void Fundamental::project(Vector& h) {
  if (scaled_) return scaled_->project(h);
  if (extended_dalembert_) return extended_dalembert_->project(rows_, h);
  if (multiplier_) return multiplier_->project(rows_, h);
  rows_.project(h);
}

// With M = R R^T: u = R^-1 Q, a = R^-T u, e = b - A a, p = B^+ e, Q_ideal = R p, q'' = R^-T (u +
// p). Where M is singular this runs on M_W = M + A^T W A and Q + A^T W b, and then
//   M q'' = Q + R p + A^T W (b - A q''),    so that    Q_ideal = R p + A^T W (b - A q''),
// the last term being zero unless b is inconsistent.
Status Fundamental::solve_ideal(const Eigen::Ref<const Eigen::VectorXd>& Q,
                                const Eigen::Ref<const Eigen::VectorXd>& b) {
  assert(Q.size() == n_ && b.size() == m_);
  diagnosis_.status = Status::ok;
  const bool augmented = mass_.augmented();
  const Vector& w = mass_.row_weights();
  b_ = b;
  u_ = Q;
  if (augmented) {
    for (int j = 0; j < m_; ++j) add_multiple(w(j) * b_(j), row(j), u_.data(), n_);
  }
  to_scaled(u_);
  a_ = u_;
  from_scaled(a_);
  for (int j = 0; j < m_; ++j) e_(j) = b_(j) - dot(row(j), a_.data(), n_);
  if (fresh_) held_.consistent = true;
  reduce_and_invert();
  if (fresh_ && !consistent_) {
    held_.consistent = false;
    reduce_and_invert();
  }
  to_force(p_, ideal_);
  qdd_ideal_ = u_ + p_;
  from_scaled(qdd_ideal_);
  calc_residual(qdd_ideal_, size_);
  if (leaves_out_too_much()) return fail(Status::result_inaccurate);
  rows_.to_rows(lambda_h_, lambda_);
  if (augmented) {
    for (int j = 0; j < m_; ++j) {
      add_multiple(-w(j) * r_(j), row(j), ideal_.data(), n_);
      lambda_(j) -= w(j) * r_(j);
    }
    a_.setConstant(std::numeric_limits<double>::quiet_NaN());
    e_.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  rows_.minimize_norm(lambda_);
  nonideal_.setZero();
  qdd_ = qdd_ideal_;
  return check_result('Q', Q, b);
}

// p = B^+ e, and whether b is consistent, measured against the accelerations that follow.
void Fundamental::reduce_and_invert() {
  rows_.reduce(e_, !held_.consistent, eh_);
  pseudo_inverse(eh_, p_, lambda_h_);
  x_ = u_ + p_;
  size_ = u_.norm() + x_.norm();
  examine_consistency();
}

// h = R^-1 C, x = (I - B^+ B) h, Q_nonideal = R x, q'' = q''_ideal + R^-T x.
Status Fundamental::solve_nonideal(const Eigen::Ref<const Eigen::VectorXd>& C) {
  assert(C.size() == n_);
  diagnosis_.status = Status::ok;
  h_ = C;
  to_scaled(h_);
  const double size = size_ + h_.norm();
  project(h_);
  to_force(h_, nonideal_);
  from_scaled(h_);
  qdd_ = qdd_ideal_ + h_;
  calc_residual(qdd_, size);
  return check_result('C', C, b_);
}

void Fundamental::calc_response(const Eigen::VectorXd& f, Eigen::VectorXd& lambda) {
  assert(f.size() == n_ && lambda.size() == m_);
  h_ = f;
  to_scaled(h_);
  from_scaled(h_);
  for (int j = 0; j < m_; ++j) r_(j) = -dot(row(j), h_.data(), n_);
  rows_.reduce(r_, !held_.consistent, eh_);
  pseudo_inverse(eh_, x_, lambda_h_);
  rows_.to_rows(lambda_h_, lambda);
  rows_.minimize_norm(lambda);
}

void Fundamental::apply_m_inverse(const Eigen::Ref<const Eigen::VectorXd>& e,
                                  Eigen::Ref<Eigen::VectorXd> x) {
  assert(e.size() == m_ && x.size() == n_);
  r_ = e;
  rows_.reduce(r_, true, eh_);
  pseudo_inverse(eh_, x_, lambda_h_);
  from_scaled(x_);
  x = x_;
}

Status Fundamental::check_result(char force, const Eigen::Ref<const Vector>& F,
                                 const Eigen::Ref<const Vector>& b) {
  if (qdd_.allFinite() && ideal_.allFinite() && nonideal_.allFinite() && lambda_.allFinite() &&
      std::isfinite(residual_)) {
    return Status::ok;
  }
  diagnosis_.symbol = ' ';
  diagnosis_.row = diagnosis_.column = -1;
  if (find_culprit(force, F)) return fail(Status::force_not_finite);
  if (find_culprit('b', b)) return fail(Status::constraints_not_finite);
  return fail(Status::result_not_finite);
}

// r = A q'' - b; scale_j = |b_j| + |B_j| size, size = |R^T a| + |R^T q''|, and |R^-1 C| where there
// is C.
void Fundamental::calc_residual(const Vector& qdd, double size) {
  scaled_residual_ = 0;
  for (int j = 0; j < m_; ++j) {
    r_(j) = dot(row(j), qdd.data(), n_) - b_(j);
    const double scale = std::abs(b_(j)) + rows_.norm(j) * size;
    if (r_(j) != 0) scaled_residual_ = std::max(scaled_residual_, std::abs(r_(j)) / scale);
  }
  residual_ = r_.norm();
  if (!std::isfinite(residual_)) residual_ = r_.stableNorm();
}

// The rank is judged in the kinetic metric, in which a row between a light body and one 1e16 times
// heavier is a row of the light one alone. Where one is so taken for dependent and not satisfied,
// measured by its own terms, the answer is none. (Terms that are all but zero count as what a
// millionth of the largest acceleration would make of them.)
bool Fundamental::leaves_out_too_much() {
  constexpr double kMost = 1e-6, kLeast = 1e-6;
  const int k = rows_.rank();
  if (!fresh_ || !consistent_ || k == m_ || rows_.grading() * options_.rank_tolerance < 0.1)
    return false;
  const double least = kLeast * qdd_ideal_.lpNorm<Eigen::Infinity>();
  for (int d = k; d < m_; ++d) {
    const int j = rows_.order()[static_cast<std::size_t>(d)];
    double terms = std::abs(b_(j));
    for (int i = 0; i < n_; ++i)
      terms += std::abs(At_(i, j)) * (std::abs(a_(i)) + std::abs(qdd_ideal_(i)) + least);
    if (std::abs(r_(j)) <= kMost * terms) continue;
    diagnosis_.value = std::abs(r_(j)) / terms;
    return true;
  }
  return false;
}

// One dependency a dependent row: delta_d = eh_d - sum_i L_id eh_i, in normalized rows. A
// dependency that is violated is a smallest contradiction: leave out any of its rows and the rest
// fits together.
void Fundamental::examine_consistency() {
  consistent_ = true;
  inconsistency_ = 0;
  std::fill(conflicting_.begin(), conflicting_.end(), char{0});
  const int k = rows_.rank();
  const auto at = [&](int i) { return rows_.order()[static_cast<std::size_t>(i)]; };
  const auto scale = [&](int j) {
    return (std::abs(b_(j)) + rows_.norm(j) * size_) / rows_.scale()(j);
  };
  for (int d = 0; d < m_ - k; ++d) {
    double sum = scale(at(k + d));
    for (int i = 0; i < k; ++i) sum += std::abs(rows_.dependency(i, d)) * scale(at(i));
    const double delta = std::abs(rows_.delta()(d));
    if (delta == 0) continue;
    inconsistency_ = std::max(inconsistency_, delta / sum);
    if (delta <= options_.consistency_tolerance * sum) continue;
    consistent_ = false;
    conflicting_[static_cast<std::size_t>(at(k + d))] = 1;
    for (int i = 0; i < k; ++i) {
      if (std::abs(rows_.dependency(i, d)) > options_.rank_tolerance)
        conflicting_[static_cast<std::size_t>(at(i))] = 1;
    }
  }
}

std::vector<Dependency> Fundamental::calc_dependencies() const {
  std::vector<Dependency> result;
  const int k = rows_.rank();
  for (int d = 0; d < m_ - k; ++d) {
    Dependency dependency;
    dependency.row = rows_.order()[static_cast<std::size_t>(k + d)];
    for (int i = 0; i < k; ++i) {
      const int j = rows_.order()[static_cast<std::size_t>(i)];
      if (std::abs(rows_.dependency(i, d)) <= options_.rank_tolerance) continue;
      dependency.terms.push_back(
          {j, rows_.dependency(i, d) * rows_.scale()(dependency.row) / rows_.scale()(j)});
    }
    std::sort(dependency.terms.begin(), dependency.terms.end(),
              [](const auto& x, const auto& y) { return x.row < y.row; });
    result.push_back(std::move(dependency));
  }
  return result;
}

FundamentalResult fundamental(const Eigen::Ref<const Eigen::MatrixXd>& M,
                              const Eigen::Ref<const Eigen::VectorXd>& Q,
                              const Eigen::Ref<const Eigen::MatrixXd>& A,
                              const Eigen::Ref<const Eigen::VectorXd>& b,
                              const Eigen::Ref<const Eigen::VectorXd>& C,
                              const FundamentalOptions& options) {
  FundamentalResult result;
  const Eigen::Index n = M.rows(), m = A.rows();
  const bool fits = M.cols() == n && Q.size() == n && (A.cols() == n || m == 0) && b.size() == m &&
                    (C.size() == n || C.size() == 0);
  if (!fits) {
    result.status = result.diagnosis.status = Status::size_mismatch;
    return result;
  }
  Fundamental f(static_cast<int>(n), static_cast<int>(m), options);
  result.status = m == 0 ? f.decide(M, Eigen::MatrixXd(0, n)) : f.decide(M, A);
  if (result.status == Status::ok) result.status = f.solve_ideal(Q, b);
  if (result.status == Status::ok && C.size() > 0) result.status = f.solve_nonideal(C);
  result.diagnosis = f.diagnosis();
  if (result.status != Status::ok) return result;
  result.qdd = f.acceleration();
  result.ideal = f.ideal();
  result.nonideal = f.nonideal();
  if (f.unconstrained_available()) {
    result.a = f.unconstrained();
    result.e = f.violation();
  }
  result.lambda = f.multipliers();
  for (int j = 0; j < m; ++j) {
    result.unique.push_back(f.unique(j));
    result.conflicting.push_back(f.conflicting(j));
  }
  result.dependencies = f.calc_dependencies();
  result.rank = f.rank();
  result.mass_singular = f.mass_singular();
  result.consistent = f.consistent();
  result.residual = f.residual();
  result.scaled_residual = f.scaled_residual();
  result.inconsistency = f.inconsistency();
  return result;
}

}  // namespace dalembert::solve
