#pragma once
/// Fields w(q) = a + B q along which a momentum may be conserved (conserved.hpp). The conditions
///
///     A w = 0,     w.(dL/dq + F + C) + (B q').dL/dq' = 0
///
/// are linear in the n + n^2 numbers a, B: at enough states on the constraints they leave a space
/// of numbers, of which a basis with as many zeros as possible is taken. What is found is a guess,
/// to be proven.

#include <optional>
#include <vector>

#include "dalembert/mechanics/setting.hpp"

namespace dalembert::mechanics {

struct Forces {
  std::vector<Expr> momenta;  ///< dL/dq', n
  std::vector<Expr> acting;   ///< dL/dq + F + C, n: what changes them but for ideal constraints
};

Forces forces_along(const Setting& setting);

struct MomentumField {
  std::vector<expr::Rational> a;     ///< n
  std::vector<expr::Rational> B;     ///< n x n, row by row
  std::vector<double> momenta = {};  ///< w.dL/dq' at states on the constraints; may be empty

  /// Whether B is a rotation's: not zero, and antisymmetric.
  bool turns(std::size_t n) const;
  /// The coordinate that a alone consists of, if B is zero.
  std::optional<std::size_t> single_coordinate() const;
};

/// Constant fields first. B = 0 for models of many coordinates, for which also only single
/// coordinates are tried.
std::vector<MomentumField> candidate_fields(const Setting& setting, const Forces& forces);

}  // namespace dalembert::mechanics
