#pragma once
/// The gradient of one number J(x(T), p) that a motion ends with, by any number of parameters and
/// initial values, at the cost of about two motions more: the discrete adjoint of the steps of rk8.
/// With the state y after each step projected, y_k+1 = P(y~_k+1), and
///
///     Y_i = y_k + h sum_j a_ij k_j,    k_i = f(Y_i, p),    y~_k+1 = y_k + h sum_i b_i k_i,
///
/// what stands beside y_k+1 goes back through the projection (Chart::pull_back) to l, and then
///
///     Kbar_i = h (b_i l + sum_{j>i} a_ji Ybar_j),    Ybar_i = f_x^T Kbar_i,
///     beside y_k: l + sum_i Ybar_i,    beside p, more by: sum_i f_p^T Kbar_i
///
/// (flow/linear/pull_back.hpp). It is the exact derivative of the numbers that the steps make, and
/// as near to that of the motion as they are. At the start what stands beside (x_0, p) meets
/// dx_0/ds and dp/ds.
///
/// Memory: the state at each accepted step, 8 (2n + 3) bytes; stages are computed again on the way
/// back.

#include "dalembert/study/linear/sensitivities.hpp"

namespace dalembert::study {

struct GradientRequest {
  std::string of;                                    ///< as an output of the model is written
  std::vector<std::string> names;                    ///< parameters and initial values
  std::map<std::string, std::string> settings = {};  ///< with which the motion was compiled
  flow::GivenValues given = {};                      ///< in place of the model's initial values
};

struct Gradient {
  std::string of;
  double t = 0, value = 0;
  std::vector<std::string> names;
  std::vector<double> by;
  long steps = 0;
  std::size_t bytes = 0;  ///< that the steps were kept in
  bool complete = false;
  std::string reason;  ///< why it is not
};

/// All that can be set.
std::vector<std::string> parameter_names(const Motion& motion);

/// Fails where the expression or a name is wrong, the start cannot be found, or the model has
/// events, contacts, friction that sticks or jumps. Samples of `options` do not matter.
model::Result<Gradient, model::ModelError> gradient(const Motion& motion,
                                                    const motion::SimulationOptions& options,
                                                    const GradientRequest& request);

}  // namespace dalembert::study
