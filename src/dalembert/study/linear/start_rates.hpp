#pragma once
/// How parameters and the start of a motion follow one name, a parameter or an initial value, and
/// others with it: by Richardson's extrapolation, as a start may be the end of an iteration. First
/// derivatives are good to some 1e-12, second ones to some 1e-9.

#include <Eigen/Core>
#include <map>
#include <string>

#include "dalembert/expr/result.hpp"
#include "dalembert/flow/compiled.hpp"
#include "dalembert/flow/state/initial_state.hpp"

namespace dalembert::study {

using flow::Motion;

/// Of Model::parameters; their number if there is none of this name.
std::size_t parameter_index(const Motion& motion, const std::string& name);

class StartMap {
 public:
  /// Where a motion of these settings and initial values starts. `parameters_only`: that does not
  /// matter. All is kept by reference.
  StartMap(const Motion& motion, const std::map<std::string, std::string>& settings,
           const flow::GivenValues& given, bool parameters_only = false)
      : motion_(motion), settings_(settings), given_(given), parameters_only_(parameters_only) {}

  /// dp/ds of all parameters, then of q and v at the start; or why there is none.
  expr::Result<Eigen::VectorXd, std::string> derivative(const std::string& s) const;
  /// d^2/ds dr of the same.
  expr::Result<Eigen::VectorXd, std::string> second(const std::string& s,
                                                    const std::string& r) const;

 private:
  using Values = std::map<std::string, double>;
  expr::Result<Eigen::VectorXd, std::string> at(const Values& values) const;
  expr::Result<double, std::string> value_of(const std::string& name) const;

  const Motion& motion_;
  const std::map<std::string, std::string>& settings_;
  const flow::GivenValues& given_;
  bool parameters_only_;
};

}  // namespace dalembert::study
