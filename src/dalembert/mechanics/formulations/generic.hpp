#pragma once
/// A setting in which M, Q, A, b and C are symbols, zero where those of a model are zero: what
/// holds in it holds for every model of that pattern.

#include <memory>

#include "dalembert/mechanics/setting.hpp"

namespace dalembert::mechanics {

/// Owns the equations its setting points to.
struct Generic {
  std::unique_ptr<Equations> equations;
  Setting setting;
};

/// The dependent columns A_D and the slopes B are symbols, A_I = -A_D B, so that A Z = 0 for Z =
/// [1; B] as it does for the model. The choice of coordinates, and whether M counts as singular, is
/// that of `s`.
Generic make_generic(const Setting& s);

}  // namespace dalembert::mechanics
