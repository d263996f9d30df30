#pragma once
/// Constraints that inputs enforce, servo constraints, made into laws for these inputs.
///
/// Inputs u act along given directions B, ideal reactions along the other constraints only:
///
///     M q'' = Q + B u + A^T lambda,   A q'' = b     =>     q'' = a_0(q, q', t) + a_1(q, q', t) u.
///
/// A servo constraint y = 0 is differentiated along this motion until inputs appear,
///
///     y^(r) = alpha + beta u,        u = -beta^-1 alpha        (of all servo constraints
///     together),
///
/// r being its relative degree. Where inputs appear in fewer directions than there are constraints,
/// the combinations of the derivatives that are free of them are conditions of their own and are
/// differentiated further. Conditions met on the way are hidden constraints: y'' = 0 where r is 3
/// or 4, and so on. They and y = 0 join the constraints of the model, for the start and against
/// drift: as the law keeps them, the ideal reaction along them is zero. To every room behind, the
/// law is an applied force like any other.
///
/// Ranks and zeros are judged at random states on the constraints, to sixty digits, for the values
/// that the parameters have; what vanishes must vanish for other values of them too.
/// See docs/decisions/servo.md.

#include <vector>

#include "dalembert/model/model.hpp"

namespace dalembert::mechanics {

/// Puts the laws of the inputs in their place: forces, outputs and whatever else used them; adds
/// hidden constraints, an output for each such input, and takes the inputs out of the parameters.
/// What comes back tells why that cannot be done. A model without servo constraints stays as it is.
std::vector<model::Diagnostic> enforce_servo_constraints(model::Model& model,
                                                         const std::vector<double>& parameters);

}  // namespace dalembert::mechanics
