#pragma once
/// The variational equations of y' = f(t, y; p) as a tape: how the motion changes with where it
/// starts and with its parameters. For columns S_j = dy/ds_j
///
///     S_j' = f_y S_j               s_j an initial value (or any direction of initial values)
///     S_j' = f_y S_j + df/dp_k     s_j the parameter p_k
///
/// They are written operation by operation beside those of f, which they share, and form a tape of
/// the same kind: every integrator can run it, and its series (codegen/series.hpp) are the
/// derivatives of the coefficients of y.

#include <cstdint>
#include <span>

#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

/// `f`: t y -> y' (as many as y), and whatever else. The result: t y S -> y' S', and whatever else;
/// S column by column, `columns` of them for directions of initial values, then one for each of
/// `parameters`. |x|, min, max and `choose` have the derivatives of the side they are on. Cost:
/// at most some 5 operations for each of f and each column.
Tape variational(const Tape& f, std::uint32_t columns, std::span<const std::uint32_t> parameters);

/// How the outputs of `f`: t y -> z change along a direction: t y dy -> f_y dy, one number for each
/// output, and nothing else. Kinks as above.
Tape directional(const Tape& f);

}  // namespace dalembert::codegen
