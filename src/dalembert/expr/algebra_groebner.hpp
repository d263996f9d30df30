#pragma once
/// Groebner bases, for questions on the set where given polynomials vanish. Internal to the room.

#include <vector>

#include "dalembert/expr/algebra_poly.hpp"

namespace dalembert::expr::algebra {

/// A Groebner basis of the ideal of the polynomials, by Buchberger's algorithm with his two
/// criteria, smallest lowest common multiple first. Throws GaveUp when it grows too large.
std::vector<Poly> groebner_basis(const std::vector<Poly>& generators);

}  // namespace dalembert::expr::algebra
