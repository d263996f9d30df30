#pragma once
/// The written-out solution (solution_tape.hpp) as something to call: one tape instead of M, Q, A,
/// b and a factorisation. It vouches for its own numbers or gives none.

#include <Eigen/Core>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/flow/compiled.hpp"

namespace dalembert::flow {

struct SolutionKernel {
  codegen::Kernel kernel;
  std::vector<std::size_t> rows;  ///< the constraints it takes for independent, in order
};

/// One kernel for each set of independent constraints, made when first asked for and shared by all
/// evaluators of a motion. It depends on nothing else, so that no run depends on who came first.
class SolutionLibrary {
 public:
  /// Null where there is none at this state (see short_equations). rows: the independent
  /// constraints, in order. Costs milliseconds at the first call.
  std::shared_ptr<const SolutionKernel> get(const Motion& motion, const State& state,
                                            const std::vector<std::size_t>& rows);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const SolutionKernel>> known_;
};

/// One thread's.
class TapeSolver {
 public:
  TapeSolver(std::shared_ptr<const SolutionKernel> kernel, std::size_t n,
             std::span<const double> parameters);

  void bind(std::span<const double> parameters);

  /// Whether the kernel's rows are the independent ones that were decided: the first `rank` of
  /// `order`.
  bool fits(std::span<const int> order, int rank) const;

  /// False where it cannot vouch for the answer. inputs: t q v. No allocation.
  bool solve(std::span<const double> inputs);

  const Eigen::VectorXd& acceleration() const { return qdd_; }
  const Eigen::VectorXd& ideal() const { return ideal_; }
  const Eigen::VectorXd& nonideal() const { return nonideal_; }
  double applied_power() const { return out_[3 * n_]; }
  double ideal_power() const { return out_[3 * n_ + 1]; }
  double nonideal_power() const { return out_[3 * n_ + 2]; }
  double other_power() const { return out_[3 * n_ + 3]; }

 private:
  std::shared_ptr<const SolutionKernel> kernel_;
  std::size_t n_;
  codegen::Workspace workspace_;
  std::vector<double> out_;
  Eigen::VectorXd qdd_, ideal_, nonideal_;
};

}  // namespace dalembert::flow
