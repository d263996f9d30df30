#pragma once
/// The linear system of a formulation, ready for numbers: with x its unknowns,
///
///     H x = rho + G C,      q'' = K x + g,
///
/// all functions of (t, q, q') and, for `vakonomic`, of its further states mu. C is the model's
/// vector of non-ideality (n): x for C = 0 gives the ideal constraint force M q'' - Q, the
/// difference that C makes the non-ideal one.

#include "dalembert/mechanics/formulations/formulation.hpp"

namespace dalembert::mechanics {

struct LinearSystem {
  std::size_t size = 0;   ///< of x
  std::vector<Entry> H;   ///< size x size, entries that are not identically zero
  std::vector<Expr> rho;  ///< size
  std::vector<Entry> G;   ///< size x n
  std::vector<Entry> K;   ///< n x size
  std::vector<Expr> g;    ///< n
};

/// Of a formulation that is `runnable`. O(size * graph).
LinearSystem linear_system(const Formulation& formulation, const Setting& setting);

/// The accelerations solved for, where they come out short enough to read: as many as `f.unknowns`,
/// each at most `longest` characters of text. C of the model is put in.
std::optional<std::vector<Expr>> solved(const Formulation& formulation, const Setting& setting,
                                        std::size_t longest = 300);

}  // namespace dalembert::mechanics
