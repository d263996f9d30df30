#pragma once
/// Calls of functions that take their arguments and give their results by value in vector
/// registers. Which registers those are is decided for a file as a whole, so each set of
/// instructions has a file of its own, compiled for it. Only what a machine has may be called.

namespace dalembert::codegen {

/// Of one or two vectors, or of one that gives sine and cosine.
using VectorFunction = void (*)();

#if defined(__x86_64__)
// Pointers are to 4 or 8 lanes, aligned to their size.
void call_avx2(VectorFunction f, bool binary, const double* a, const double* b, double* result);
void call_avx512(VectorFunction f, bool binary, const double* a, const double* b, double* result);
void call_sincos_avx2(VectorFunction f, const double* a, double* sin, double* cos);
void call_sincos_avx512(VectorFunction f, const double* a, double* sin, double* cos);
/// As SincosOfFour.
void sincos_of_four_avx2(double a, double b, double c, double d, double* both);

/// Our own sine and cosine (sincos_body.hpp), as machine code calls them: by value, two results.
VectorFunction own_sincos_1();  ///< needs AVX2 and fused multiply-add
VectorFunction own_sincos_4();
VectorFunction own_sincos_8();  ///< needs AVX-512
/// Replaces those of angles beyond `largest_angle` by the library's.
void mend_sincos(int lanes, const double* x, double* sin, double* cos);
#endif

}  // namespace dalembert::codegen
