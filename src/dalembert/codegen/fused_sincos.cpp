#include "dalembert/codegen/fused_sincos.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

// SLEEF's header shows the functions of an instruction set only to code compiled for it.
using Lanes2 [[gnu::vector_size(16), gnu::may_alias]] = double;
using Lanes4 [[gnu::vector_size(32), gnu::may_alias]] = double;
using Lanes8 [[gnu::vector_size(64), gnu::may_alias]] = double;
using Bits2 [[gnu::vector_size(16), gnu::may_alias]] = std::uint64_t;
using Bits4 [[gnu::vector_size(32), gnu::may_alias]] = std::uint64_t;
using Bits8 [[gnu::vector_size(64), gnu::may_alias]] = std::uint64_t;

extern "C" {
struct FarPair {
  double sin, cos;
};
struct FarPair4 {
  Lanes4 sin, cos;
};
struct FarPair8 {
  Lanes8 sin, cos;
};
FarPair Sleef_finz_sincosd1_u10purecfma(double);
FarPair4 Sleef_finz_sincosd4_u10avx2(Lanes4);
FarPair8 Sleef_finz_sincosd8_u10avx512f(Lanes8);
}

namespace dalembert::codegen {

namespace {

constexpr double limit = 0x1p20;
constexpr double shift = 0x1.8p52;
constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
constexpr std::array half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
// (sin(r) - r) / r^3 and (cos(r) - 1 + r^2/2) / r^4, in powers of r^2.
constexpr std::array s{-1.66666666666666324348e-01, 8.33333333332248946124e-03,
                       -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                       -2.50507602534068634195e-08, 1.58969099521155010221e-10};
constexpr std::array c{4.16666666666666019037e-02, -1.38888888888741095749e-03,
                       2.48015872894767294178e-05, -2.75573143513906633035e-07,
                       2.08757232129817482790e-09, -1.13596475577881948265e-11};

}  // namespace

}  // namespace dalembert::codegen

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("fma,avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("fma,avx2")
#endif

namespace dalembert::codegen {

namespace one {
namespace {

// Twice the same number: vectors choose by quadrant without a jump that could be guessed wrong.
using V = Lanes2;
using I = Bits2;

inline V multiply_add(V a, V b, V sum) {
  return _mm_fmadd_pd(a, b, sum);
}
inline bool all_within(V x) {
  return std::abs(x[0]) <= limit;
}
[[gnu::noinline]] void far(V x, V& sin, V& cos) {
  const FarPair both = Sleef_finz_sincosd1_u10purecfma(x[0]);
  sin = V{} + both.sin;
  cos = V{} + both.cos;
}

#include "dalembert/codegen/fused_sincos_body.hpp"

FarPair sincos(double x) {
  const Both both = halves_of(V{x, x});
  return {both.sin[0], both.cos[0]};
}

}  // namespace
}  // namespace one

namespace four {
namespace {

using V = Lanes4;
using I = Bits4;

inline V multiply_add(V a, V b, V sum) {
  return _mm256_fmadd_pd(a, b, sum);
}
inline bool all_within(V x) {
  const V size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
  return _mm256_movemask_pd(_mm256_cmp_pd(size, _mm256_set1_pd(limit), _CMP_LE_OQ)) == 0xf;
}
[[gnu::noinline]] void far(V x, V& sin, V& cos) {
  const FarPair4 both = Sleef_finz_sincosd4_u10avx2(x);
  sin = both.sin;
  cos = both.cos;
}

#include "dalembert/codegen/fused_sincos_body.hpp"

Both sincos(V x) {
  return halves_of(x);
}

void sincos_of_four(double a, double b, double c, double d, double* both) {
  const Both halves = halves_of(V{a, b, c, d});
  _mm256_store_pd(both, halves.sin);
  _mm256_store_pd(both + 4, halves.cos);
}

}  // namespace
}  // namespace four

}  // namespace dalembert::codegen

#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f")
#endif

namespace dalembert::codegen {

namespace eight {
namespace {

using V = Lanes8;
using I = Bits8;

inline V multiply_add(V a, V b, V sum) {
  return _mm512_fmadd_pd(a, b, sum);
}
inline bool all_within(V x) {
  return _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(limit), _CMP_LE_OQ) == 0xff;
}
[[gnu::noinline]] void far(V x, V& sin, V& cos) {
  const FarPair8 both = Sleef_finz_sincosd8_u10avx512f(x);
  sin = both.sin;
  cos = both.cos;
}

#include "dalembert/codegen/fused_sincos_body.hpp"

Both sincos(V x) {
  return halves_of(x);
}

}  // namespace
}  // namespace eight

}  // namespace dalembert::codegen

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace dalembert::codegen {

FusedSincos fused_sincos(int lanes) {
  static const bool has_four =
      __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("avx2") != 0;
  static const bool has_eight = has_four && __builtin_cpu_supports("avx512f") != 0;
  if (lanes == 1 && has_four) return reinterpret_cast<FusedSincos>(one::sincos);
  if (lanes == 4 && has_four) return reinterpret_cast<FusedSincos>(four::sincos);
  if (lanes == 8 && has_eight) return reinterpret_cast<FusedSincos>(eight::sincos);
  return nullptr;
}

FusedSincosOfFour fused_sincos_of_four() {
  return fused_sincos(4) == nullptr ? nullptr : four::sincos_of_four;
}

}  // namespace dalembert::codegen

#else

namespace dalembert::codegen {

FusedSincos fused_sincos(int /*lanes*/) {
  return nullptr;
}
FusedSincosOfFour fused_sincos_of_four() {
  return nullptr;
}

}  // namespace dalembert::codegen

#endif
