#include "dalembert/motion/entry_solver.hpp"

namespace dalembert::motion {

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
    : n_(n), m_(m) {
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
  const auto N = static_cast<Eigen::Index>(n_), K = static_cast<Eigen::Index>(m_);
  dense_ = std::make_unique<Dense>(
      Dense{M, A, Eigen::MatrixXd::Zero(N, N), Eigen::MatrixXd::Zero(K, N),
            Fundamental(static_cast<int>(n), static_cast<int>(m), options)});
}

void EntrySolver::load(std::span<const double> values) {
  for (const Place& place : dense_->M_places) {
    dense_->M(place.row, place.column) = values[place.source];
    dense_->M(place.column, place.row) = values[place.source];
  }
  for (const Place& place : dense_->A_places)
    dense_->A(place.row, place.column) = values[place.source];
}

Status EntrySolver::decide(std::span<const double> values) {
  if (sparse_) return sparse_->decide(values);
  load(values);
  return dense_->fundamental.decide(dense_->M, dense_->A);
}

Status EntrySolver::factor(std::span<const double> values) {
  if (sparse_) return sparse_->factor(values);
  load(values);
  return dense_->fundamental.factor(dense_->M, dense_->A);
}

void EntrySolver::set_row_uncertainty(const Eigen::VectorXd& uncertainty) {
  sparse_ ? sparse_->set_row_uncertainty(uncertainty)
          : dense_->fundamental.set_row_uncertainty(uncertainty);
}

Status EntrySolver::solve_ideal(const Eigen::VectorXd& Q, const Eigen::VectorXd& b) {
  return sparse_ ? sparse_->solve_ideal(Q, b) : dense_->fundamental.solve_ideal(Q, b);
}

Status EntrySolver::solve_nonideal(const Eigen::VectorXd& C) {
  return sparse_ ? sparse_->solve_nonideal(C) : dense_->fundamental.solve_nonideal(C);
}

void EntrySolver::apply_m_inverse(const Eigen::VectorXd& e, Eigen::VectorXd& x) {
  sparse_ ? sparse_->apply_m_inverse(e, x) : dense_->fundamental.apply_m_inverse(e, x);
}

void EntrySolver::calc_response(const Eigen::VectorXd& f, Eigen::VectorXd& lambda) {
  sparse_ ? sparse_->calc_response(f, lambda) : dense_->fundamental.calc_response(f, lambda);
}

void EntrySolver::copy_multipliers(Eigen::VectorXd& lambda) {
  if (!sparse_) {
    lambda = dense_->fundamental.multipliers();
  } else if (static_cast<std::size_t>(sparse_->rank()) == m_) {
    lambda = sparse_->multipliers();
  } else {
    lambda = sparse_->calc_least_multipliers();
  }
}

Eigen::VectorXd EntrySolver::calc_unconstrained() {
  return sparse_ ? sparse_->calc_unconstrained() : dense_->fundamental.unconstrained();
}

Eigen::VectorXd EntrySolver::calc_violation() {
  return sparse_ ? sparse_->calc_violation() : dense_->fundamental.violation();
}

Eigen::VectorXd EntrySolver::calc_multipliers() {
  return sparse_ ? sparse_->calc_least_multipliers() : dense_->fundamental.multipliers();
}

std::vector<bool> EntrySolver::calc_unique() {
  if (sparse_) return sparse_->calc_unique();
  std::vector<bool> unique;
  for (int j = 0; j < static_cast<int>(m_); ++j) unique.push_back(dense_->fundamental.unique(j));
  return unique;
}

std::vector<Dependency> EntrySolver::calc_dependencies() {
  return sparse_ ? sparse_->calc_dependencies() : dense_->fundamental.calc_dependencies();
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

}  // namespace dalembert::motion
