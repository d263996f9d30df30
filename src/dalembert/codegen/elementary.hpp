#pragma once
/// Elementary functions (codegen/operations.hpp lists them), the one place they come from: SLEEF,
/// within 1 unit in the last place of the true value. sin and cos are the two halves of one
/// function, our own (sincos_body.hpp) where the machine has AVX2 and fused multiply-add.
///
/// Scalar and vector versions must agree bit for bit, and a lane must not feel its neighbours.
/// SLEEF's usual functions do neither: when one lane holds a large angle, all lanes take the slow
/// way, which rounds otherwise (found in one of 500 cosines of mixed size). Its reproducible
/// variants, `finz` with fused multiply-add and `cinz` without, do both and are as fast.

#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

struct SinCos {
  double sin;
  double cos;
};

SinCos sincos(double x);

/// The value of a function of one or two arguments; `operation` must be elementary.
double elementary(Operation operation, double a, double b);

/// The same for 4 or 8 lanes side by side; `a`, `b` and `result` may be one. `is_elementary`
/// operations only.
void elementary_lanes(Operation operation, int lanes, const double* a, const double* b,
                      double* result);
void sincos_lanes(int lanes, const double* a, double* sin, double* cos);

/// The function of four angles that are not in a vector: four sines, then four cosines, to `both`,
/// which is 64-byte aligned. Machine code for one lane calls it.
using SincosOfFour = void (*)(double a, double b, double c, double d, double* both);
SincosOfFour sincos_of_four();

/// What machine code calls for an elementary operation in 1, 4 or 8 lanes, values by value in
/// vector registers; sin and cos both give the fused sincos, which returns the two. Null when this
/// machine has no such vectors.
const void* function_address(Operation operation, int lanes);

}  // namespace dalembert::codegen
