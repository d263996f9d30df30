#pragma once
/// How a motion through events, impacts, sticking and slipping changes with its parameters and its
/// start. Between instants the variational equations hold in the mode of the piece
/// (flow/instants/derivatives.hpp). An instant comes where g(t, x, p) = 0, and a neighbouring
/// motion has it later by
///
///     dt = -(g_x S + g_p) / (g_t + g_x f),
///
/// f the field before it. What happens there, x+ = h(t, x-, p), is then differentiated along the
/// states at which the neighbours have it:
///
///     dx- = S- + f- dt,    dx+ = h_x dx- + h_t dt + h_p,    S+ = dx+ - f+ dt
///
/// (saltation, with the quantities before the event in g and h). h is what the engine of the motion
/// has done (motion/instants/instant.hpp), operation by operation: impacts by the modes found in
/// them, what events set and how that was brought onto the constraints. Where g_t + g_x f vanishes
/// the motion grazes and dt is infinite; where two things happen at once that a neighbour has one
/// after the other, the derivative depends on the side: both end the columns.

#include <Eigen/Core>

#include "dalembert/flow/instants/derivatives.hpp"
#include "dalembert/study/linear/sensitivities.hpp"

namespace dalembert::study {

/// Fills t, values, states, events, complete and reason of `result`, whose names and quantities are
/// there. `theta`: d theta/ds of the parameters of `kernels`; `start_rates`: dx_0/ds. Of `motion`,
/// events that stand for jumps are not told. Integrates as sensitivities() does.
void integrate_through_instants(const Motion& motion, const motion::SimulationOptions& options,
                                const flow::InstantDerivativeKernels& kernels,
                                const flow::State& start, const Eigen::MatrixXd& start_rates,
                                const Eigen::MatrixXd& theta, Sensitivities& result);

}  // namespace dalembert::study
