#pragma once
/// Where equations jump with the state, or with a parameter that is asked for: past such a place
/// the variational equations alone do not tell the change.

#include <span>
#include <string>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/flow/compiled.hpp"

namespace dalembert::study {

class JumpWatch {
 public:
  /// `kinks`: places where only the first derivatives jump count too.
  JumpWatch(const flow::Motion& motion, const std::vector<std::size_t>& parameters,
            bool kinks = false);

  /// The expression that has jumped since the last look, if one has. y begins with q and v.
  const std::string* look(double t, std::span<const double> y, std::size_t n);

 private:
  std::vector<std::string> words_;
  codegen::Kernel kernel_;
  codegen::Workspace workspace_;
  std::vector<double> inputs_, now_, before_;
  bool looked_ = false;
};

}  // namespace dalembert::study
