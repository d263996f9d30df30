#pragma once
/// Elementary functions, the one place they come from: SLEEF, whose scalar and vector versions
/// agree bit for bit on one machine, within 1 unit in the last place of the true value (2.5 for
/// hyperbolic functions at worst). sin and cos are the two halves of the fused sincos.

#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

struct SinCos {
  double sin;
  double cos;
};

SinCos sincos(double x);

/// The value of a function of one or two arguments; `operation` must be one of sin ... power.
double elementary(Operation operation, double a, double b);

/// The same for 4 or 8 lanes side by side; `a`, `b` and `result` may be one. `is_elementary`
/// operations only.
void elementary_lanes(Operation operation, int lanes, const double* a, const double* b,
                      double* result);
void sincos_lanes(int lanes, const double* a, double* sin, double* cos);

/// Whether an operation is a function of this file rather than arithmetic.
bool is_elementary(Operation operation);

}  // namespace dalembert::codegen
