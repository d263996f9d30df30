#include <dalembert/solve/dense_kernels.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace dalembert::solve {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kMostSweeps =
    60;  // quadratic convergence needs 5 to 10; a bound against endless loops

struct Rotation {
  double c, s;
};

// The rotation that annihilates off in [[p, off], [off, q]], by the smaller angle.
Rotation annihilate(double p, double off, double q) {
  const double zeta = (q - p) / (2 * off);
  const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
  const double c = 1 / std::sqrt(1 + t * t);
  return {c, c * t};
}

void rotate_columns(Eigen::MatrixXd& X, Eigen::Index p, Eigen::Index q, Rotation r) {
  double* x = X.data() + p * X.rows();
  double* y = X.data() + q * X.rows();
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    const double xi = x[i], yi = y[i];
    x[i] = r.c * xi - r.s * yi;
    y[i] = r.s * xi + r.c * yi;
  }
}

}  // namespace

int cholesky(const Eigen::MatrixXd& M, double tolerance, Eigen::MatrixXd& U) {
  const Eigen::Index n = M.rows();
  for (Eigen::Index j = 0; j < n; ++j) {
    double* u = U.data() + j * n;
    const double* column = M.data() + j * n;
    for (Eigen::Index i = 0; i < j; ++i) {
      const double* v = U.data() + i * n;
      u[i] = (column[i] - dot(v, u, i)) / v[i];
    }
    const double pivot = column[j] - dot(u, u, j);
    const bool good = pivot > tolerance * column[j] && pivot <= std::numeric_limits<double>::max();
    if (!good) return static_cast<int>(j);
    u[j] = std::sqrt(pivot);
  }
  return -1;
}

void solve_lower(const Eigen::MatrixXd& U, Eigen::Index size, double* x) {
  for (Eigen::Index i = 0; i < size; ++i) {
    const double* u = U.data() + i * U.rows();
    x[i] = (x[i] - dot(u, x, i)) / u[i];
  }
}

void solve_upper(const Eigen::MatrixXd& U, Eigen::Index size, double* x) {
  for (Eigen::Index i = size; i-- > 0;) {
    const double* u = U.data() + i * U.rows();
    x[i] /= u[i];
    add_multiple(-x[i], u, x, i);
  }
}

void multiply_lower(const Eigen::MatrixXd& U, const Eigen::VectorXd& x, Eigen::VectorXd& y) {
  for (Eigen::Index i = 0; i < x.size(); ++i) y(i) = dot(U.data() + i * U.rows(), x.data(), i + 1);
}

bool lu(Eigen::MatrixXd& H, Eigen::VectorXd& scale, std::vector<int>& swaps) {
  const Eigen::Index n = H.rows();
  for (Eigen::Index i = 0; i < n; ++i) scale(i) = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    const double* column = H.data() + j * n;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!std::isfinite(column[i])) return false;
      scale(i) = std::max(scale(i), std::abs(column[i]));
    }
  }
  for (Eigen::Index c = 0; c < n; ++c) {
    double* column = H.data() + c * n;
    Eigen::Index best = c;
    double largest = 0;
    for (Eigen::Index i = c; i < n; ++i) {
      const double size = scale(i) > 0 ? std::abs(column[i]) / scale(i) : 0;
      if (size > largest) {
        largest = size;
        best = i;
      }
    }
    if (!(largest > 0)) return false;
    swaps[static_cast<std::size_t>(c)] = static_cast<int>(best);
    if (best != c) {
      for (Eigen::Index j = 0; j < n; ++j) std::swap(H(c, j), H(best, j));
      std::swap(scale(c), scale(best));
    }
    for (Eigen::Index i = c + 1; i < n; ++i) column[i] /= column[c];
    for (Eigen::Index j = c + 1; j < n; ++j) {
      double* target = H.data() + j * n;
      if (target[c] != 0) add_multiple(-target[c], column + c + 1, target + c + 1, n - c - 1);
    }
  }
  return true;
}

void lu_solve(const Eigen::MatrixXd& H, const std::vector<int>& swaps, double* x) {
  const Eigen::Index n = H.rows();
  for (Eigen::Index c = 0; c < n; ++c) std::swap(x[c], x[swaps[static_cast<std::size_t>(c)]]);
  for (Eigen::Index c = 0; c < n; ++c)
    add_multiple(-x[c], H.data() + c * n + c + 1, x + c + 1, n - c - 1);
  for (Eigen::Index c = n; c-- > 0;) {
    x[c] /= H(c, c);
    add_multiple(-x[c], H.data() + c * n, x, c);
  }
}

// v = (1, essential); H = I - tau v v^T. With x = H(c:, c): beta = -sign(x_0) |x|, essential = x_1:
// / (x_0 - beta), tau = (beta - x_0) / beta, and H x = beta (1, 0).
void householder_step(Eigen::MatrixXd& H, Eigen::VectorXd& tau, Eigen::Index c,
                      Eigen::Index columns) {
  const Eigen::Index rest = H.rows() - c - 1;
  double* x = H.data() + c * H.rows() + c;
  const double tail = dot(x + 1, x + 1, rest);
  if (tail == 0) {
    tau(c) = 0;
    return;
  }
  const double beta = -std::copysign(std::sqrt(x[0] * x[0] + tail), x[0]);
  tau(c) = (beta - x[0]) / beta;
  const double divisor = 1 / (x[0] - beta);
  for (Eigen::Index i = 1; i <= rest; ++i) x[i] *= divisor;
  x[0] = beta;
  for (Eigen::Index j = c + 1; j < columns; ++j) {
    double* y = H.data() + j * H.rows() + c;
    const double w = tau(c) * (y[0] + dot(x + 1, y + 1, rest));
    y[0] -= w;
    add_multiple(-w, x + 1, y + 1, rest);
  }
}

namespace {

void reflect(const Eigen::MatrixXd& H, const Eigen::VectorXd& tau, Eigen::Index c, double* x) {
  const Eigen::Index rest = H.rows() - c - 1;
  const double* v = H.data() + c * H.rows() + c + 1;
  const double w = tau(c) * (x[c] + dot(v, x + c + 1, rest));
  x[c] -= w;
  add_multiple(-w, v, x + c + 1, rest);
}

}  // namespace

void apply_reflectors_transposed(const Eigen::MatrixXd& H, const Eigen::VectorXd& tau,
                                 Eigen::Index k, double* x) {
  for (Eigen::Index c = 0; c < k; ++c) reflect(H, tau, c, x);
}

void apply_reflectors(const Eigen::MatrixXd& H, const Eigen::VectorXd& tau, Eigen::Index k,
                      double* x) {
  for (Eigen::Index c = k; c-- > 0;) reflect(H, tau, c, x);
}

double pivot(Eigen::MatrixXd& H, std::vector<int>& order, Eigen::Index c, Eigen::Index columns) {
  constexpr double kTie = 0.98;  // of the squared norm
  const Eigen::Index rest = H.rows() - c;
  const auto squared_norm = [&](Eigen::Index j) {
    const double* x = H.data() + j * H.rows() + c;
    return dot(x, x, rest);
  };
  double largest = 0;
  for (Eigen::Index j = c; j < columns; ++j) largest = std::max(largest, squared_norm(j));
  Eigen::Index best = c;
  int first = std::numeric_limits<int>::max();
  for (Eigen::Index j = c; j < columns; ++j) {
    const int row = order[static_cast<std::size_t>(j)];
    if (row < first && squared_norm(j) >= kTie * largest) {
      best = j;
      first = row;
    }
  }
  if (best != c) {
    H.col(c).swap(H.col(best));
    std::swap(order[static_cast<std::size_t>(c)], order[static_cast<std::size_t>(best)]);
  }
  return std::sqrt(largest);
}

void symmetric_jacobi(Eigen::MatrixXd& S, Eigen::MatrixXd& V) {
  const Eigen::Index n = S.rows();
  V.setIdentity();
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kMostSweeps; ++sweep) {
    rotated = false;
    for (Eigen::Index p = 0; p + 1 < n; ++p) {
      for (Eigen::Index q = p + 1; q < n; ++q) {
        const double off = S(p, q);
        if (std::abs(off) <= kEpsilon * std::sqrt(std::abs(S(p, p) * S(q, q)))) continue;
        rotated = true;
        const Rotation r = annihilate(S(p, p), off, S(q, q));
        const double t = r.s / r.c;
        const double pp = S(p, p) - t * off, qq = S(q, q) + t * off;
        rotate_columns(S, p, q, r);
        S.row(p) = S.col(p).transpose();
        S.row(q) = S.col(q).transpose();
        S(p, p) = pp;
        S(q, q) = qq;
        S(p, q) = S(q, p) = 0;
        rotate_columns(V, p, q, r);
      }
    }
  }
}

void one_sided_jacobi(Eigen::MatrixXd& G, Eigen::MatrixXd& V) {
  const Eigen::Index n = G.rows(), m = G.cols();
  V.setIdentity();
  double largest = 0;
  for (Eigen::Index j = 0; j < m; ++j) largest = std::max(largest, G.col(j).squaredNorm());
  const double rounding = kEpsilon * static_cast<double>(n);  // of a dot product of n terms
  const double noise = rounding * rounding * largest;
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kMostSweeps; ++sweep) {
    rotated = false;
    for (Eigen::Index p = 0; p + 1 < m; ++p) {
      for (Eigen::Index q = p + 1; q < m; ++q) {
        const double* x = G.data() + p * n;
        const double* y = G.data() + q * n;
        const double pp = dot(x, x, n), qq = dot(y, y, n), off = dot(x, y, n);
        if (std::min(pp, qq) <= noise || std::abs(off) <= rounding * std::sqrt(pp * qq)) continue;
        rotated = true;
        const Rotation r = annihilate(pp, off, qq);
        rotate_columns(G, p, q, r);
        rotate_columns(V, p, q, r);
      }
    }
  }
}

void select_largest(const Eigen::VectorXd& w, Eigen::Index k, std::vector<int>& index) {
  const auto size = static_cast<std::size_t>(w.size());
  for (std::size_t i = 0; i < size; ++i) index[i] = static_cast<int>(i);
  for (std::size_t c = 0; c < static_cast<std::size_t>(k); ++c) {
    std::size_t best = c;
    for (std::size_t i = c + 1; i < size; ++i) {
      if (w(index[i]) > w(index[best])) best = i;
    }
    std::swap(index[c], index[best]);
  }
}

}  // namespace dalembert::solve
