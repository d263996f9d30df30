#pragma once
/// M^+ times a force, M taken apart into the blocks of coordinates that it couples. M may be
/// singular, as quaternions make it.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "dalembert/mechanics/equations.hpp"

namespace dalembert::report {

class MassBlocks {
 public:
  /// `entries` as Equations::M has them: the lower triangle.
  MassBlocks(std::span<const mechanics::Entry> entries, std::size_t n);

  /// Takes M at one state: a value for each entry. Cost: the cubes of the sizes of the blocks.
  void set(std::span<const double> values);
  /// x = M^+ Q; not numbers where M is not finite.
  void solve(std::span<const double> Q, std::span<double> x) const;

 private:
  struct Block {
    std::vector<std::size_t> coordinates;
    std::vector<std::size_t> entries;  ///< in the values of M
    Eigen::VectorXd scale;             ///< D, so that D M D has ones on its diagonal
    Eigen::MatrixXd inverse;           ///< (D M D)^+
    Eigen::MatrixXd null_space;        ///< of M, orthonormal columns; empty if M is regular
  };

  std::vector<std::pair<std::size_t, std::size_t>> places_;  ///< row, column of each entry
  std::vector<std::size_t> position_;                        ///< of a coordinate in its block
  std::vector<Block> blocks_;
};

}  // namespace dalembert::report
