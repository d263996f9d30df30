#if defined(__x86_64__)

#include <immintrin.h>

#include <bit>
#include <cmath>

#include "dalembert/codegen/elementary_vectors.hpp"
#include "dalembert/codegen/sincos_body.hpp"

namespace {

using Lanes4 [[gnu::vector_size(32), gnu::may_alias]] = double;
using Integers4 [[gnu::vector_size(32)]] = std::int64_t;

struct One {
  using V = double;
  using I = std::uint64_t;
  static V from(double x) { return x; }
  static V abs(V x) { return std::abs(x); }
  static V fma(V a, V b, V c) { return __builtin_fma(a, b, c); }
  static V fms(V a, V b, V c) { return __builtin_fma(a, b, -c); }
  static V fnma(V a, V b, V c) { return __builtin_fma(-a, b, c); }
  static I bits(V x) { return std::bit_cast<I>(x); }
  static I sign(V x) { return bits(x) & (I{1} << 63); }
  static bool is_odd(I x) { return (x & 1) != 0; }
  static V choose(bool first, V a, V b) { return first ? a : b; }
  static V flip(V x, I sign) { return std::bit_cast<V>(bits(x) ^ sign); }
};

struct Four {
  using V = Lanes4;
  using I = Integers4;
  static V from(double x) { return _mm256_set1_pd(x); }
  static V abs(V x) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x); }
  static V fma(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
  static V fms(V a, V b, V c) { return _mm256_fmsub_pd(a, b, c); }
  static V fnma(V a, V b, V c) { return _mm256_fnmadd_pd(a, b, c); }
  static I bits(V x) { return std::bit_cast<I>(x); }
  static I sign(V x) { return std::bit_cast<I>(_mm256_and_pd(_mm256_set1_pd(-0.0), x)); }
  static V is_odd(I x) { return std::bit_cast<V>(x << 63); }
  static V choose(V first, V a, V b) { return _mm256_blendv_pd(b, a, first); }
  static V flip(V x, I sign) { return _mm256_xor_pd(x, std::bit_cast<V>(sign)); }
};

struct Pair1 {
  double sin;
  double cos;
};
struct Pair4 {
  Lanes4 sin;
  Lanes4 cos;
};

Pair1 sincos_1(double x) {
  Pair1 both;
  dalembert::codegen::SincosBody<One>::sincos(x, both.sin, both.cos);
  if (!(std::abs(x) <= dalembert::codegen::largest_angle)) [[unlikely]]
    dalembert::codegen::mend_sincos(1, &x, &both.sin, &both.cos);
  return both;
}

Pair4 sincos_4(Lanes4 x) {
  Pair4 both;
  dalembert::codegen::SincosBody<Four>::sincos(x, both.sin, both.cos);
  const auto largest = _mm256_set1_pd(dalembert::codegen::largest_angle);
  if (_mm256_movemask_pd(_mm256_cmp_pd(Four::abs(x), largest, _CMP_NLE_UQ)) != 0) [[unlikely]]
    dalembert::codegen::mend_sincos(4, reinterpret_cast<const double*>(&x),
                                    reinterpret_cast<double*>(&both.sin),
                                    reinterpret_cast<double*>(&both.cos));
  return both;
}

}  // namespace

namespace dalembert::codegen {

VectorFunction own_sincos_1() {
  return reinterpret_cast<VectorFunction>(sincos_1);
}
VectorFunction own_sincos_4() {
  return reinterpret_cast<VectorFunction>(sincos_4);
}

void call_avx2(VectorFunction f, bool binary, const double* a, const double* b, double* result) {
  const Lanes4 x = *reinterpret_cast<const Lanes4*>(a);
  const Lanes4 y = *reinterpret_cast<const Lanes4*>(b);
  *reinterpret_cast<Lanes4*>(result) = binary
                                           ? reinterpret_cast<Lanes4 (*)(Lanes4, Lanes4)>(f)(x, y)
                                           : reinterpret_cast<Lanes4 (*)(Lanes4)>(f)(x);
}

void call_sincos_avx2(VectorFunction f, const double* a, double* sin, double* cos) {
  const Lanes4 x = *reinterpret_cast<const Lanes4*>(a);
  const Pair4 both = reinterpret_cast<Pair4 (*)(Lanes4)>(f)(x);
  *reinterpret_cast<Lanes4*>(sin) = both.sin;
  *reinterpret_cast<Lanes4*>(cos) = both.cos;
}

void sincos_of_four_avx2(double a, double b, double c, double d, double* both) {
  const Pair4 halves = sincos_4(Lanes4{a, b, c, d});
  *reinterpret_cast<Lanes4*>(both) = halves.sin;
  *reinterpret_cast<Lanes4*>(both + 4) = halves.cos;
}

}  // namespace dalembert::codegen

#endif
