#if defined(__x86_64__)

#include <immintrin.h>

#include <bit>
#include <cmath>

#include "dalembert/codegen/elementary_vectors.hpp"
#include "dalembert/codegen/sincos_body.hpp"

namespace dalembert::codegen {

namespace {

using Lanes8 [[gnu::vector_size(64), gnu::may_alias]] = double;
using Integers8 [[gnu::vector_size(64)]] = std::int64_t;

struct Eight {
  using V = Lanes8;
  using I = Integers8;
  static V from(double x) { return _mm512_set1_pd(x); }
  static V abs(V x) { return _mm512_abs_pd(x); }
  static V fma(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }
  static V fms(V a, V b, V c) { return _mm512_fmsub_pd(a, b, c); }
  static V fnma(V a, V b, V c) { return _mm512_fnmadd_pd(a, b, c); }
  static I bits(V x) { return std::bit_cast<I>(x); }
  static I sign(V x) { return bits(x) & bits(from(-0.0)); }
  static __mmask8 is_odd(I x) {
    return _mm512_test_epi64_mask(std::bit_cast<__m512i>(x), _mm512_set1_epi64(1));
  }
  static V choose(__mmask8 first, V a, V b) { return _mm512_mask_blend_pd(first, b, a); }
  static V flip(V x, I sign) { return std::bit_cast<V>(bits(x) ^ sign); }
};

struct Pair8 {
  Lanes8 sin;
  Lanes8 cos;
};

Pair8 sincos_8(Lanes8 x) {
  Pair8 both;
  SincosBody<Eight>::sincos(x, both.sin, both.cos);
  if (_mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(largest_angle), _CMP_NLE_UQ) != 0)
      [[unlikely]]
    mend_sincos(8, reinterpret_cast<const double*>(&x), reinterpret_cast<double*>(&both.sin),
                reinterpret_cast<double*>(&both.cos));
  return both;
}

}  // namespace

VectorFunction own_sincos_8() {
  return reinterpret_cast<VectorFunction>(sincos_8);
}

void call_avx512(VectorFunction f, bool binary, const double* a, const double* b, double* result) {
  const Lanes8 x = *reinterpret_cast<const Lanes8*>(a);
  const Lanes8 y = *reinterpret_cast<const Lanes8*>(b);
  *reinterpret_cast<Lanes8*>(result) = binary
                                           ? reinterpret_cast<Lanes8 (*)(Lanes8, Lanes8)>(f)(x, y)
                                           : reinterpret_cast<Lanes8 (*)(Lanes8)>(f)(x);
}

void call_sincos_avx512(VectorFunction f, const double* a, double* sin, double* cos) {
  const Lanes8 x = *reinterpret_cast<const Lanes8*>(a);
  const Pair8 both = reinterpret_cast<Pair8 (*)(Lanes8)>(f)(x);
  *reinterpret_cast<Lanes8*>(sin) = both.sin;
  *reinterpret_cast<Lanes8*>(cos) = both.cos;
}

}  // namespace dalembert::codegen

#endif
