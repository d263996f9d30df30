#include <dalembert/solve/constraint_factor.hpp>

#include <dalembert/solve/dense_kernels.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace dalembert::solve {

namespace {

// Where the entries of a row, and rows, differ by less, the order of coordinates does not matter:
// QR loses no more than this factor.
constexpr double kGraded = 1e3;

}  // namespace

RankFactor::RankFactor(int n, int m)
    : T_(m, std::min(n, m)),
      tau_(m),
      size_(m),
      x_(m),
      rows_(static_cast<std::size_t>(m)),
      columns_(static_cast<std::size_t>(m)),
      sorted_(static_cast<std::size_t>(m)) {}

void RankFactor::factor(const Eigen::MatrixXd& L, int k, const std::vector<int>& order,
                        const Eigen::VectorXd& t) {
  const int m = static_cast<int>(T_.rows());
  k_ = k;
  for (int i = 0; i < m; ++i) {
    double largest = i < k ? 1 : 0;
    for (int c = 0; i >= k && c < k; ++c) largest = std::max(largest, std::abs(L(c, i - k)));
    size_(i) = largest * t(order[static_cast<std::size_t>(i)]);
  }
  select_largest(size_, m, sorted_);
  for (int r = 0; r < m; ++r) {
    const int i = sorted_[static_cast<std::size_t>(r)], row = order[static_cast<std::size_t>(i)];
    rows_[static_cast<std::size_t>(r)] = row;
    for (int c = 0; c < k; ++c) T_(r, c) = t(row) * (i >= k ? L(c, i - k) : i == c ? 1 : 0);
  }
  for (int c = 0; c < k; ++c) columns_[static_cast<std::size_t>(c)] = c;
  for (int c = 0; c < k; ++c) {
    pivot(T_, columns_, c, k);
    householder_step(T_, tau_, c, k);
  }
}

void RankFactor::least_squares(const Eigen::VectorXd& e, Eigen::VectorXd& x) {
  for (Eigen::Index r = 0; r < x_.size(); ++r) x_(r) = e(rows_[static_cast<std::size_t>(r)]);
  apply_reflectors_transposed(T_, tau_, k_, x_.data());
  solve_upper(T_, k_, x_.data());
  for (int c = 0; c < k_; ++c) x(columns_[static_cast<std::size_t>(c)]) = x_(c);
}

void RankFactor::minimum_norm(const Eigen::VectorXd& y, Eigen::VectorXd& lambda) {
  x_.setZero();
  for (int c = 0; c < k_; ++c) x_(c) = y(columns_[static_cast<std::size_t>(c)]);
  solve_lower(T_, k_, x_.data());
  apply_reflectors(T_, tau_, k_, x_.data());
  for (Eigen::Index r = 0; r < x_.size(); ++r) lambda(rows_[static_cast<std::size_t>(r)]) = x_(r);
}

ConstraintFactor::ConstraintFactor(int n, int m, const Eigen::VectorXd& weights)
    : n_(n),
      m_(m),
      order_(static_cast<std::size_t>(m)),
      unique_(static_cast<std::size_t>(m), 1),
      Bh_(n, m),
      H_(n, m),
      L_(std::min(n, m), m),
      norm_(m),
      scale_(m),
      uncertainty_(Eigen::VectorXd::Zero(m)),
      tau_(m),
      sizes_(n),
      permuted_(n),
      coordinates_(static_cast<std::size_t>(n)),
      delta_(Eigen::VectorXd::Zero(m)),
      root_weights_(weights.cwiseSqrt()),
      weighted_scale_(m),
      x_(std::max(n, m)),
      y_(std::max(n, m)),
      g_(m),
      plain_(n, m),
      weighted_(n, weights.size() > 0 ? m : 0) {}

bool ConstraintFactor::set_rows(const Eigen::MatrixXd& At, const MassFactor& mass) {
  constexpr double kSafe = 1e-140;  // squares of smaller numbers underflow
  Bh_ = At;
  for (int j = 0; j < m_; ++j) {
    double* row = Bh_.data() + Eigen::Index{j} * n_;
    mass.scale_row(row);
    double norm = std::sqrt(dot(row, row, n_));
    if (!(norm > kSafe && norm < 1 / kSafe)) norm = Bh_.col(j).stableNorm();
    if (!std::isfinite(norm)) return false;
    norm_(j) = norm;
    scale_(j) = norm > 0 ? norm : 1;
    for (int i = 0; i < n_; ++i) row[i] /= scale_(j);
  }
  judge_grading();
  return true;
}

void ConstraintFactor::judge_grading() {
  grading_ = 1;
  for (int j = 0; j < m_; ++j) {
    sizes_ = Bh_.col(j).cwiseAbs();
    double smallest = 1, largest = 0;
    for (const double size : sizes_) {
      if (size == 0) continue;
      smallest = std::min(smallest, size);
      largest = std::max(largest, size);
    }
    if (largest > 0) grading_ = std::max(grading_, largest / smallest);
  }
  graded_ = grading_ > kGraded || (m_ > 0 && scale_.maxCoeff() > kGraded * scale_.minCoeff());
}

void ConstraintFactor::reflect(int c) {
  if (graded_) {
    Eigen::Index largest = 0;
    H_.col(c).tail(n_ - c).cwiseAbs().maxCoeff(&largest);
    if (largest > 0) {
      H_.row(c).swap(H_.row(c + largest));
      std::swap(coordinates_[static_cast<std::size_t>(c)],
                coordinates_[static_cast<std::size_t>(c + largest)]);
    }
  }
  householder_step(H_, tau_, c, m_);
}

void ConstraintFactor::sort(double* x) const {
  if (!graded_) return;
  for (int i = 0; i < n_; ++i) permuted_(i) = x[coordinates_[static_cast<std::size_t>(i)]];
  std::copy(permuted_.begin(), permuted_.end(), x);
}

void ConstraintFactor::unsort(double* x) const {
  if (!graded_) return;
  std::copy(x, x + n_, permuted_.begin());
  for (int i = 0; i < n_; ++i) x[coordinates_[static_cast<std::size_t>(i)]] = permuted_(i);
}

void ConstraintFactor::gather() {
  std::iota(coordinates_.begin(), coordinates_.end(), 0);
  for (int c = 0; c < m_; ++c) H_.col(c) = Bh_.col(order_[static_cast<std::size_t>(c)]);
}

int ConstraintFactor::decide(double tolerance, std::vector<int>& order) {
  for (int j = 0; j < m_; ++j) order_[static_cast<std::size_t>(j)] = j;
  // A row of uncertainty u counts 1/(1 + 10 u / tolerance): its rounding, of size u, then stays
  // below the tolerance, and a part of it that is more than rounding does not.
  gather();
  for (int j = 0; j < m_; ++j) H_.col(j) /= 1 + 10 * uncertainty_(j) / tolerance;
  k_ = 0;
  while (k_ < std::min(n_, m_) && pivot(H_, order_, k_, m_) > tolerance) reflect(k_++);
  // x_ is the singular vector that belongs to the smallest singular value: the combination of rows
  // that nearly vanishes. Its largest component names a row that the others nearly reproduce.
  while ((sigma_ = estimate_smallest_singular_value()) <= tolerance) {
    Eigen::Index spare = 0;
    x_.head(k_).cwiseAbs().maxCoeff(&spare);
    std::rotate(order_.begin() + spare, order_.begin() + spare + 1, order_.begin() + k_);
    --k_;
    gather();
    for (int c = 0; c < k_; ++c) reflect(c);
  }
  std::sort(order_.begin() + k_, order_.end());
  std::copy(order_.begin(), order_.end(), order.begin());
  factor(k_, order);
  return k_;
}

void ConstraintFactor::factor(int k, const std::vector<int>& order) {
  k_ = k;
  std::copy(order.begin(), order.end(), order_.begin());
  gather();
  for (int c = 0; c < k_; ++c) reflect(c);
  if (k_ == m_) return;
  for (int d = 0; d < m_ - k_; ++d) {
    L_.col(d).head(k_) = H_.col(k_ + d).head(k_);
    solve_upper(H_, k_, L_.col(d).data());
  }
  plain_.factor(L_, k_, order_, scale_);
  if (root_weights_.size() == 0) return;
  weighted_scale_ = scale_.cwiseProduct(root_weights_);
  weighted_.factor(L_, k_, order_, weighted_scale_);
}

// LINPACK's estimate: solve R11^T y = d with signs d_i = +-1 chosen to make y grow, then inverse
// iteration.
double ConstraintFactor::estimate_smallest_singular_value() {
  if (k_ == 0) return 1;
  for (int i = 0; i < k_; ++i) {
    const double sum = dot(H_.data() + Eigen::Index{i} * n_, y_.data(), i);
    y_(i) = -(sum + std::copysign(1.0, sum)) / H_(i, i);
  }
  double sigma = 0;
  for (int pass = 0; pass < 3; ++pass) {
    x_.head(k_) = y_.head(k_) / y_.head(k_).norm();
    solve_upper(H_, k_, x_.data());
    const double growth = x_.head(k_).norm();
    sigma = 1 / growth;
    x_.head(k_) /= growth;
    y_.head(k_) = x_.head(k_);
    solve_lower(H_, k_, y_.data());
  }
  return sigma;
}

void ConstraintFactor::mark_dependent(double tolerance) {
  std::fill(unique_.begin(), unique_.end(), char{1});
  for (int d = 0; d < m_ - k_; ++d) {
    unique_[static_cast<std::size_t>(order_[static_cast<std::size_t>(k_ + d)])] = 0;
    for (int i = 0; i < k_; ++i) {
      if (std::abs(L_(i, d)) > tolerance)
        unique_[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)])] = 0;
    }
  }
}

void ConstraintFactor::reduce(const Eigen::VectorXd& e, bool least_squares, Eigen::VectorXd& eh) {
  eh = e.cwiseQuotient(scale_);
  if (k_ == m_) return;
  const auto row = [&](int i) { return order_[static_cast<std::size_t>(i)]; };
  const auto column = [&](int d) { return L_.col(d).data(); };
  for (int i = 0; i < k_; ++i) x_(i) = eh(row(i));
  for (int d = 0; d < m_ - k_; ++d) delta_(d) = eh(row(k_ + d)) - dot(column(d), x_.data(), k_);
  if (least_squares) {
    const bool weighted = root_weights_.size() > 0;
    g_ = e;
    if (weighted) g_ = g_.cwiseProduct(root_weights_);
    (weighted ? weighted_ : plain_).least_squares(g_, x_);
    for (int i = 0; i < k_; ++i) eh(row(i)) = x_(i);
  }
  for (int d = 0; d < m_ - k_; ++d) eh(row(k_ + d)) = dot(column(d), x_.data(), k_);
}

void ConstraintFactor::pseudo_inverse(const Eigen::VectorXd& eh, Eigen::VectorXd& p,
                                      Eigen::VectorXd& lambda_h) {
  p.setZero();
  for (int i = 0; i < k_; ++i) p(i) = eh(order_[static_cast<std::size_t>(i)]);
  solve_lower(H_, k_, p.data());
  for (int i = 0; i < k_; ++i) x_(i) = p(i);
  solve_upper(H_, k_, x_.data());
  lambda_h.setZero();
  for (int i = 0; i < k_; ++i) lambda_h(order_[static_cast<std::size_t>(i)]) = x_(i);
  apply_reflectors(H_, tau_, k_, p.data());
  unsort(p.data());
}

void ConstraintFactor::project(Eigen::VectorXd& h) const {
  sort(h.data());
  apply_reflectors_transposed(H_, tau_, k_, h.data());
  h.head(k_).setZero();
  apply_reflectors(H_, tau_, k_, h.data());
  unsort(h.data());
}

void ConstraintFactor::to_rows(const Eigen::VectorXd& lambda_h, Eigen::VectorXd& lambda) const {
  lambda = lambda_h.cwiseQuotient(scale_);
}

// y = T^T lambda; the same y is the same force, and (T^+)^T y is the smallest lambda that has it.
void ConstraintFactor::minimize_norm(Eigen::VectorXd& lambda) {
  if (k_ == m_) return;
  for (int i = 0; i < k_; ++i) {
    const int j = order_[static_cast<std::size_t>(i)];
    y_(i) = scale_(j) * lambda(j);
  }
  for (int d = 0; d < m_ - k_; ++d) {
    const int j = order_[static_cast<std::size_t>(k_ + d)];
    add_multiple(scale_(j) * lambda(j), L_.col(d).data(), y_.data(), k_);
  }
  plain_.minimum_norm(y_, lambda);
}

void ConstraintFactor::basis_vector(int c, double* x) const {
  for (int i = 0; i < n_; ++i) x[i] = i == c ? 1 : 0;
  apply_reflectors(H_, tau_, k_, x);
  unsort(x);
}

}  // namespace dalembert::solve
