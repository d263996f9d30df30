#if defined(__x86_64__)

#include "dalembert/codegen/elementary_vectors.hpp"

namespace dalembert::codegen {

namespace {

using Lanes8 [[gnu::vector_size(64), gnu::may_alias]] = double;

struct SleefPair8 {
  Lanes8 sin;
  Lanes8 cos;
};

}  // namespace

void call_avx512(VectorFunction f, bool binary, const double* a, const double* b, double* result) {
  const Lanes8 x = *reinterpret_cast<const Lanes8*>(a);
  const Lanes8 y = *reinterpret_cast<const Lanes8*>(b);
  *reinterpret_cast<Lanes8*>(result) = binary
                                           ? reinterpret_cast<Lanes8 (*)(Lanes8, Lanes8)>(f)(x, y)
                                           : reinterpret_cast<Lanes8 (*)(Lanes8)>(f)(x);
}

void call_sincos_avx512(VectorFunction f, const double* a, double* sin, double* cos) {
  const Lanes8 x = *reinterpret_cast<const Lanes8*>(a);
  const SleefPair8 both = reinterpret_cast<SleefPair8 (*)(Lanes8)>(f)(x);
  *reinterpret_cast<Lanes8*>(sin) = both.sin;
  *reinterpret_cast<Lanes8*>(cos) = both.cos;
}

}  // namespace dalembert::codegen

#endif
