#pragma once
/// Equations whose mass matrix is singular where the constraints make up for it, as of a body by its
/// four quaternion components, with a regular one in its place. For any weights w of rows A_j,
///
///     M q'' = Q + A^T l,  A q'' = b    is    (M + A^T W A) q'' = Q + A^T W b + A^T l,  A q'' = b
///
/// with the same q'' and the same l: as A q'' = b is imposed in either, what is added on the left is
/// what is added on the right. That holds at every state, on the constraints or off them.

#include <vector>

#include "dalembert/flow/compiled.hpp"

namespace dalembert::flow {

/// Adds as few of the `rows` as make M regular at a state, with weights of the size of
/// the masses there; `at` (M, A and status there) is mended likewise. False where none do.
bool mend_mass(mechanics::Equations& equations, Acceleration& at,
               const std::vector<std::size_t>& rows);

}  // namespace dalembert::flow
