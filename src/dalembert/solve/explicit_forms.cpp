#include <dalembert/solve/explicit_forms.hpp>

#include <dalembert/solve/dense_kernels.hpp>

#include <cmath>

namespace dalembert::solve {

namespace {

constexpr int kRefinements = 2;

const double* column(const Eigen::MatrixXd& X, Eigen::Index j) {
  return X.data() + j * X.rows();
}

// y := X^T x.
void multiply_transposed(const Eigen::MatrixXd& X, const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  for (Eigen::Index j = 0; j < X.cols(); ++j) y(j) = dot(column(X, j), x.data(), X.rows());
}

// y += factor X x.
void add_product(double factor, const Eigen::MatrixXd& X, const Eigen::VectorXd& x,
                 Eigen::VectorXd& y) {
  for (Eigen::Index j = 0; j < X.cols(); ++j)
    add_multiple(factor * x(j), column(X, j), y.data(), X.rows());
}

}  // namespace

ScaledForm::ScaledForm(int n, int m)
    : S_(n, n),
      V_(n, n),
      root_(n, n),
      inverse_root_(n, n),
      U_(n, m),
      Y_(m, m),
      d_(n),
      sigma_(m),
      x_(n),
      index_(static_cast<std::size_t>(m)) {}

void ScaledForm::factor(const Eigen::MatrixXd& At, const MassFactor& mass,
                        const ConstraintFactor& rows) {
  const Eigen::Index n = At.rows(), m = At.cols();
  k_ = rows.rank();
  d_ = mass.matrix().diagonal().cwiseSqrt();
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i <= j; ++i) S_(i, j) = S_(j, i) = mass.matrix()(i, j) / d_(i) / d_(j);
  }
  symmetric_jacobi(S_, V_);
  root_.setZero();
  inverse_root_.setZero();
  for (Eigen::Index c = 0; c < n; ++c) {
    const double root = std::sqrt(S_(c, c));
    for (Eigen::Index j = 0; j < n; ++j) {
      add_multiple(root * V_(j, c), column(V_, c), root_.data() + j * n, n);
      add_multiple(V_(j, c) / root, column(V_, c), inverse_root_.data() + j * n, n);
    }
  }
  for (Eigen::Index j = 0; j < m; ++j) {
    x_ = At.col(j).cwiseQuotient(d_);
    for (Eigen::Index i = 0; i < n; ++i) {
      U_(i, j) = dot(column(inverse_root_, i), x_.data(), n) / rows.scale()(j);
    }
  }
  one_sided_jacobi(U_, Y_);
  for (Eigen::Index j = 0; j < m; ++j) sigma_(j) = U_.col(j).norm();
  select_largest(sigma_, k_, index_);
  for (int c = 0; c < k_; ++c)
    U_.col(index_[static_cast<std::size_t>(c)]) /= sigma_(index_[static_cast<std::size_t>(c)]);
}

void ScaledForm::to_scaled(Eigen::VectorXd& x) {
  x_ = x.cwiseQuotient(d_);
  multiply_transposed(inverse_root_, x_, x);
}

void ScaledForm::from_scaled(Eigen::VectorXd& x) {
  multiply_transposed(inverse_root_, x, x_);
  x = x_.cwiseQuotient(d_);
}

void ScaledForm::to_force(const Eigen::VectorXd& p, Eigen::VectorXd& force) {
  multiply_transposed(root_, p, x_);
  force = x_.cwiseProduct(d_);
}

void ScaledForm::pseudo_inverse(const Eigen::VectorXd& eh, Eigen::VectorXd& p,
                                Eigen::VectorXd& lambda_h) {
  p.setZero();
  lambda_h.setZero();
  for (int c = 0; c < k_; ++c) {
    const int j = index_[static_cast<std::size_t>(c)];
    const double share = dot(column(Y_, j), eh.data(), eh.size()) / sigma_(j);
    add_multiple(share, column(U_, j), p.data(), p.size());
    add_multiple(share / sigma_(j), column(Y_, j), lambda_h.data(), lambda_h.size());
  }
}

void ScaledForm::project(Eigen::VectorXd& h) const {
  for (int pass = 0; pass < 2;
       ++pass) {  // the second removes what rounding of the first leaves in range B^T
    for (int c = 0; c < k_; ++c) {
      const double* u = column(U_, index_[static_cast<std::size_t>(c)]);
      add_multiple(-dot(u, h.data(), h.size()), u, h.data(), h.size());
    }
  }
}

ExtendedDalembertForm::ExtendedDalembertForm(int n, int m)
    : V_(n, n), G_(n, n), U_(Eigen::MatrixXd::Zero(n, n)), r_(m), s_(n), x_(n) {}

void ExtendedDalembertForm::factor(const ConstraintFactor& rows) {
  k_ = rows.rank();
  const Eigen::MatrixXd& Bt = rows.normalized();
  const Eigen::Index n = Bt.rows(), m = Bt.cols();
  const double beta = k_ > 0 ? Bt.norm() / std::sqrt(static_cast<double>(k_)) : 1;
  for (int c = k_; c < n; ++c) {
    rows.basis_vector(c, V_.data() + c * n);
    V_.col(c) *= beta;
  }
  G_.setZero();
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < m; ++j)
      add_multiple(Bt(i, j), column(Bt, j), G_.data() + i * n, n);
    for (Eigen::Index c = k_; c < n; ++c)
      add_multiple(V_(i, c), column(V_, c), G_.data() + i * n, n);
  }
  cholesky(G_, 0, U_);
}

void ExtendedDalembertForm::apply_J(Eigen::VectorXd& x) const {
  solve_lower(U_, U_.rows(), x.data());
  solve_upper(U_, U_.rows(), x.data());
}

void ExtendedDalembertForm::pseudo_inverse(const ConstraintFactor& rows, const Eigen::VectorXd& eh,
                                           Eigen::VectorXd& p, Eigen::VectorXd& lambda_h) {
  const Eigen::MatrixXd& Bt = rows.normalized();
  p.setZero();
  for (int pass = 0; pass <= kRefinements; ++pass) {  // p += J Bh^T (eh - Bh p)
    multiply_transposed(Bt, p, r_);
    r_ = eh - r_;
    s_.setZero();
    add_product(1, Bt, r_, s_);
    apply_J(s_);
    p += s_;
  }
  lambda_h.setZero();
  for (int pass = 0; pass <= kRefinements; ++pass) {  // lambda_h += Bh J (p - Bh^T lambda_h)
    s_ = p;
    add_product(-1, Bt, lambda_h, s_);
    apply_J(s_);
    multiply_transposed(Bt, s_, r_);
    lambda_h += r_;
  }
}

void ExtendedDalembertForm::project(const ConstraintFactor& rows, Eigen::VectorXd& h) {
  const Eigen::MatrixXd& Bt = rows.normalized();
  const Eigen::Index n = V_.rows();
  x_ = h;
  h.setZero();
  for (Eigen::Index c = k_; c < n; ++c)
    add_multiple(dot(column(V_, c), x_.data(), n), column(V_, c), h.data(), n);
  apply_J(h);
  for (int pass = 0; pass < kRefinements; ++pass) {  // h -= J Bh^T Bh h
    multiply_transposed(Bt, h, r_);
    s_.setZero();
    add_product(1, Bt, r_, s_);
    apply_J(s_);
    h -= s_;
  }
}

MultiplierForm::MultiplierForm(int n, int m)
    : S_(m, m), Y_(m, m), w_(m), r_(m), s_(m), x_(n), index_(static_cast<std::size_t>(m)) {}

void MultiplierForm::factor(const ConstraintFactor& rows) {
  k_ = rows.rank();
  const Eigen::MatrixXd& Bt = rows.normalized();
  for (Eigen::Index j = 0; j < Bt.cols(); ++j) {
    for (Eigen::Index i = 0; i <= j; ++i)
      S_(i, j) = S_(j, i) = dot(column(Bt, i), column(Bt, j), Bt.rows());
  }
  symmetric_jacobi(S_, Y_);
  w_ = S_.diagonal();
  select_largest(w_, k_, index_);
}

void MultiplierForm::apply_S_inverse(Eigen::VectorXd& x) {
  s_ = x;
  x.setZero();
  for (int c = 0; c < k_; ++c) {
    const int j = index_[static_cast<std::size_t>(c)];
    const double* y = column(Y_, j);
    add_multiple(dot(y, s_.data(), s_.size()) / w_(j), y, x.data(), x.size());
  }
}

void MultiplierForm::pseudo_inverse(const ConstraintFactor& rows, const Eigen::VectorXd& eh,
                                    Eigen::VectorXd& p, Eigen::VectorXd& lambda_h) {
  const Eigen::MatrixXd& Bt = rows.normalized();
  p.setZero();
  lambda_h.setZero();
  for (int pass = 0; pass <= kRefinements; ++pass) {  // lambda_h += S^+ (eh - Bh Bh^T lambda_h)
    multiply_transposed(Bt, p, r_);
    r_ = eh - r_;
    apply_S_inverse(r_);
    lambda_h += r_;
    add_product(1, Bt, r_, p);
  }
}

void MultiplierForm::project(const ConstraintFactor& rows, Eigen::VectorXd& h) {
  const Eigen::MatrixXd& Bt = rows.normalized();
  for (int pass = 0; pass <= kRefinements; ++pass) {  // h -= Bh^T S^+ Bh h
    multiply_transposed(Bt, h, r_);
    apply_S_inverse(r_);
    add_product(-1, Bt, r_, h);
  }
}

}  // namespace dalembert::solve
