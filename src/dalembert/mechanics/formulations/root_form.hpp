#pragma once
/// The root of the mass matrix as unknowns, for the proofs of the scaled forms. Internal to the
/// folder.

#include "dalembert/mechanics/formulations/formulation.hpp"

namespace dalembert::mechanics {

struct RootForm {
  Matrix R;  ///< n x n, symmetric: M^(1/2)
  Matrix B;  ///< k x n: A M^(-1/2)
};

/// Symbols for the entries of R and B, added to f.unknowns.
RootForm root_form(const Setting& s, Formulation& f);

}  // namespace dalembert::mechanics
