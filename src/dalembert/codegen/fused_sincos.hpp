#pragma once
/// Sine and cosine at once, for machines with fused multiply-add: within 1 unit in the last place
/// (0.79 found), and the same bits in 1, 4 or 8 lanes whatever the neighbours are. Its result is
/// there after three quarters of the time of SLEEF's, which does the few angles beyond 2^20.
///
/// x = k pi/2 + r + r', |r| < pi/4 but for rounding, with pi/2 in three parts (Cody and Waite);
/// sine and cosine of r by the polynomials of fdlibm (Sun Microsystems, k_sin.c and k_cos.c), r' to
/// first order.

namespace dalembert::codegen {

/// The address of that function: values by value in vector registers, both results returned. Null
/// where this machine has no such vectors or no fused multiply-add.
using FusedSincos = void (*)();
FusedSincos fused_sincos(int lanes);

/// The same for SincosOfFour, elementary.hpp.
using FusedSincosOfFour = void (*)(double a, double b, double c, double d, double* both);
FusedSincosOfFour fused_sincos_of_four();

}  // namespace dalembert::codegen
