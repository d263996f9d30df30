#include "dalembert/flow/tapes/tape_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dalembert/flow/tapes/solution_tape.hpp"

namespace dalembert::flow {

std::shared_ptr<const SolutionKernel> SolutionLibrary::get(const Motion& motion, const State& state,
                                                           const std::vector<std::size_t>& rows) {
  const std::lock_guard lock(mutex_);
  for (const auto& kernel : known_) {
    if (kernel->rows == rows) return kernel;
  }
  auto solution = solution_tape(motion, state, rows);
  if (!solution) return nullptr;
  known_.push_back(std::make_shared<const SolutionKernel>(
      SolutionKernel{codegen::make_kernel(std::move(solution->tape)), rows}));
  return known_.back();
}

TapeSolver::TapeSolver(std::shared_ptr<const SolutionKernel> kernel, std::size_t n,
                       std::span<const double> parameters)
    : kernel_(std::move(kernel)),
      n_(n),
      workspace_(kernel_->kernel.workspace(parameters)),
      out_(kernel_->kernel.outputs()),
      qdd_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n))),
      ideal_(qdd_),
      nonideal_(qdd_) {}

void TapeSolver::bind(std::span<const double> parameters) {
  kernel_->kernel.bind(workspace_, 0, parameters);
}

bool TapeSolver::fits(std::span<const int> order, int rank) const {
  if (static_cast<std::size_t>(rank) != kernel_->rows.size()) return false;
  return std::ranges::all_of(order.first(static_cast<std::size_t>(rank)), [this](int row) {
    return std::ranges::binary_search(kernel_->rows, static_cast<std::size_t>(row));
  });
}

bool TapeSolver::solve(std::span<const double> inputs) {
  kernel_->kernel.evaluate(workspace_, inputs, out_);
  bool vouched = out_.back() <= 1;
  for (std::size_t i = 0; i < 3 * n_ + 4; ++i) vouched = vouched && std::isfinite(out_[i]);
  if (!vouched) return false;
  std::copy_n(out_.begin(), n_, qdd_.begin());
  std::copy_n(out_.begin() + static_cast<std::ptrdiff_t>(n_), n_, ideal_.begin());
  std::copy_n(out_.begin() + static_cast<std::ptrdiff_t>(2 * n_), n_, nonideal_.begin());
  return true;
}

}  // namespace dalembert::flow
