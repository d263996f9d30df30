#pragma once
/// Whether an expression vanishes wherever the constraints of a model hold.

#include <vector>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/mechanics/manifold.hpp"
#include "dalembert/mechanics/setting.hpp"

namespace dalembert::mechanics {

/// Positions satisfy phi(q, t) = 0 and velocities the velocity forms. An answer costs some
/// evaluations in 30 digits if it is no, a proof if it is yes.
class ZeroOnConstraints {
 public:
  /// `most`: the effort that a proof may take.
  ZeroOnConstraints(const Setting& setting, double most);

  /// proven: zero at all states on the constraints, for all values of the parameters. refuted: not
  /// at a state on them, for the parameters that the setting has. Else neither is known.
  expr::Verdict operator()(const Expr& e);

 private:
  bool differs(const Expr& e);
  bool is_proven(const Expr& e) const;

  const Setting& s_;
  double most_;
  std::vector<Point> states_;     ///< on the constraints, to 40 digits
  std::vector<Expr> velocities_;  ///< by the independent ones, where constraints are linear
  std::vector<Expr> zero_;        ///< what vanishes on the constraints beside
};

}  // namespace dalembert::mechanics
