#if defined(__x86_64__)

#include "dalembert/codegen/elementary_vectors.hpp"

namespace {

using Lanes4 [[gnu::vector_size(32), gnu::may_alias]] = double;

}  // namespace

extern "C" {
struct SleefPair4 {
  Lanes4 sin;
  Lanes4 cos;
};
SleefPair4 Sleef_finz_sincosd4_u10avx2(Lanes4);
}

namespace dalembert::codegen {

void call_avx2(VectorFunction f, bool binary, const double* a, const double* b, double* result) {
  const Lanes4 x = *reinterpret_cast<const Lanes4*>(a);
  const Lanes4 y = *reinterpret_cast<const Lanes4*>(b);
  *reinterpret_cast<Lanes4*>(result) = binary
                                           ? reinterpret_cast<Lanes4 (*)(Lanes4, Lanes4)>(f)(x, y)
                                           : reinterpret_cast<Lanes4 (*)(Lanes4)>(f)(x);
}

void call_sincos_avx2(VectorFunction f, const double* a, double* sin, double* cos) {
  const Lanes4 x = *reinterpret_cast<const Lanes4*>(a);
  const SleefPair4 both = reinterpret_cast<SleefPair4 (*)(Lanes4)>(f)(x);
  *reinterpret_cast<Lanes4*>(sin) = both.sin;
  *reinterpret_cast<Lanes4*>(cos) = both.cos;
}

void sincos_of_four_avx2(double a, double b, double c, double d, double* both) {
  const SleefPair4 halves = Sleef_finz_sincosd4_u10avx2(Lanes4{a, b, c, d});
  *reinterpret_cast<Lanes4*>(both) = halves.sin;
  *reinterpret_cast<Lanes4*>(both + 4) = halves.cos;
}

}  // namespace dalembert::codegen

#endif
