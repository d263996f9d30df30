#include "dalembert/solve/entry_solver.hpp"

namespace dalembert::solve {

namespace {

constexpr std::size_t smallest_sparse = 100;
constexpr double dense_advantage = 8;

double dense_operations(std::size_t n, std::size_t m) {
  const double N = static_cast<double>(n), K = static_cast<double>(m);
  return N * N * N / 6 + N * N * K / 2 + N * K * K;
}

}  // namespace

EntrySolver::EntrySolver(std::size_t n, std::size_t m, const std::vector<Place>& M,
                         const std::vector<Place>& A, const FundamentalOptions& options,
                         Storage storage)
    : n_(n),
      m_(m),
      M_places_(M),
      A_places_(A),
      uncertainty_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(m))) {
  const bool tried =
      storage == Storage::sparse || (storage == Storage::automatic && n + m > smallest_sparse);
  // The analysis itself is worth its cost only where the matrices could be sparse at all.
  const double entries = static_cast<double>(M.size() + A.size());
  const double places = static_cast<double>(n) * static_cast<double>(n + m);
  if (tried && (storage == Storage::sparse || entries < places / dense_advantage)) {
    auto sparse = std::make_unique<SparseFundamental>(n, m, M, A, options);
    const double operations = static_cast<double>(sparse->kkt().operations());
    if (storage == Storage::sparse || dense_advantage * operations < dense_operations(n, m)) {
      sparse_ = std::move(sparse);
      return;
    }
  }
  make_dense(options);
}

void EntrySolver::make_dense(const FundamentalOptions& options) {
  const auto N = static_cast<Eigen::Index>(n_), K = static_cast<Eigen::Index>(m_);
  dense_ = std::make_unique<Dense>(
      Dense{Eigen::MatrixXd::Zero(N, N), Eigen::MatrixXd::Zero(K, N),
            Fundamental(static_cast<int>(n_), static_cast<int>(m_), options)});
}

bool EntrySolver::may_be_dense() const {
  return n_ + m_ <= most_on_full_matrices;
}

void EntrySolver::load(std::span<const double> values) {
  for (const Place& place : M_places_) {
    dense_->M(place.row, place.column) = values[place.source];
    dense_->M(place.column, place.row) = values[place.source];
  }
  for (const Place& place : A_places_) dense_->A(place.row, place.column) = values[place.source];
}

Status EntrySolver::decide(std::span<const double> values) {
  values_ = values;
  fresh_ = true;
  if (by_sparse()) {
    const Status status = sparse_->decide(values);
    if (status != Status::ok || !sparse_->doubtful() || !may_be_dense()) return status;
    make_dense(sparse_->options());
    dense_->fundamental.set_row_uncertainty(uncertainty_);
  }
  load(values);
  return dense_->fundamental.decide(dense_->M, dense_->A);
}

Status EntrySolver::factor(std::span<const double> values) {
  values_ = values;
  fresh_ = false;
  if (by_sparse()) return sparse_->factor(values);
  load(values);
  return dense_->fundamental.factor(dense_->M, dense_->A);
}

void EntrySolver::set_row_uncertainty(const Eigen::VectorXd& uncertainty) {
  if (by_sparse()) {
    uncertainty_ = uncertainty;
    sparse_->set_row_uncertainty(uncertainty);
  } else {
    dense_->fundamental.set_row_uncertainty(uncertainty);
  }
}

Status EntrySolver::solve_ideal(const Eigen::VectorXd& Q, const Eigen::VectorXd& b) {
  if (by_sparse()) {
    const Status status = sparse_->solve_ideal(Q, b);
    // What is decided is held through the step that follows: only a new decision may be taken over.
    // Rows taken for dependent because of unequal masses may seem to contradict the others.
    const bool doubted =
        status == Status::result_inaccurate ||
        (status == Status::ok && !sparse_->consistent() && options().method != Method::weighted);
    if (!doubted || !fresh_ || !may_be_dense()) return status;
    make_dense(sparse_->options());
    dense_->fundamental.set_row_uncertainty(uncertainty_);
    load(values_);
    const Status decided = dense_->fundamental.decide(dense_->M, dense_->A);
    if (decided != Status::ok) return decided;
  }
  return dense_->fundamental.solve_ideal(Q, b);
}

Status EntrySolver::solve_nonideal(const Eigen::VectorXd& C) {
  return by_sparse() ? sparse_->solve_nonideal(C) : dense_->fundamental.solve_nonideal(C);
}

void EntrySolver::apply_m_inverse(const Eigen::VectorXd& e, Eigen::VectorXd& x) {
  by_sparse() ? sparse_->apply_m_inverse(e, x) : dense_->fundamental.apply_m_inverse(e, x);
}

void EntrySolver::calc_response(const Eigen::VectorXd& f, Eigen::VectorXd& lambda) {
  by_sparse() ? sparse_->calc_response(f, lambda) : dense_->fundamental.calc_response(f, lambda);
}

void EntrySolver::copy_multipliers(Eigen::VectorXd& lambda) {
  if (!by_sparse()) {
    lambda = dense_->fundamental.multipliers();
  } else if (static_cast<std::size_t>(sparse_->rank()) == m_) {
    lambda = sparse_->multipliers();
  } else {
    lambda = sparse_->calc_least_multipliers();
  }
}

Eigen::VectorXd EntrySolver::calc_unconstrained() {
  return by_sparse() ? sparse_->calc_unconstrained() : dense_->fundamental.unconstrained();
}

Eigen::VectorXd EntrySolver::calc_violation() {
  return by_sparse() ? sparse_->calc_violation() : dense_->fundamental.violation();
}

Eigen::VectorXd EntrySolver::calc_multipliers() {
  return by_sparse() ? sparse_->calc_least_multipliers() : dense_->fundamental.multipliers();
}

std::vector<bool> EntrySolver::calc_unique() {
  if (by_sparse()) return sparse_->calc_unique();
  std::vector<bool> unique;
  for (int j = 0; j < static_cast<int>(m_); ++j) unique.push_back(dense_->fundamental.unique(j));
  return unique;
}

std::vector<Dependency> EntrySolver::calc_dependencies() {
  return by_sparse() ? sparse_->calc_dependencies() : dense_->fundamental.calc_dependencies();
}

std::vector<bool> EntrySolver::calc_conflicting() const {
  std::vector<bool> result;
  for (int j = 0; j < static_cast<int>(m_); ++j) result.push_back(conflicting(j));
  return result;
}

std::string EntrySolver::explain(std::span<const std::string> coordinates,
                                 std::span<const std::string> constraints) const {
  if (diagnosis().status != Status::ok)
    return motion::explain(diagnosis(), coordinates, constraints);
  return explain_conflict(calc_conflicting(), constraints);
}

}  // namespace dalembert::solve
