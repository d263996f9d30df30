#include "dalembert/codegen/elementary.hpp"

#include <array>
#include <cmath>

#include "dalembert/codegen/elementary_vectors.hpp"
#include "dalembert/codegen/sincos_body.hpp"

// SLEEF's header shows the functions of an instruction set only to code compiled for it; here they
// are chosen when the program runs.
namespace {

using Lanes4 [[gnu::vector_size(32), gnu::may_alias]] = double;
using Lanes8 [[gnu::vector_size(64), gnu::may_alias]] = double;

}  // namespace

extern "C" {
struct SleefPair {
  double sin;
  double cos;
};
#define DALEMBERT_SLEEF(V, Pair, kind, width, set)  \
  Pair Sleef_##kind##_sincosd##width##_u10##set(V); \
  V Sleef_##kind##_tand##width##_u10##set(V);       \
  V Sleef_##kind##_asind##width##_u10##set(V);      \
  V Sleef_##kind##_acosd##width##_u10##set(V);      \
  V Sleef_##kind##_atand##width##_u10##set(V);      \
  V Sleef_##kind##_atan2d##width##_u10##set(V, V);  \
  V Sleef_##kind##_sinhd##width##_u10##set(V);      \
  V Sleef_##kind##_coshd##width##_u10##set(V);      \
  V Sleef_##kind##_tanhd##width##_u10##set(V);      \
  V Sleef_##kind##_expd##width##_u10##set(V);       \
  V Sleef_##kind##_logd##width##_u10##set(V);       \
  V Sleef_##kind##_powd##width##_u10##set(V, V);
DALEMBERT_SLEEF(double, SleefPair, cinz, 1, purec)
#if defined(__x86_64__)
struct SleefPair4 {
  Lanes4 sin;
  Lanes4 cos;
};
struct SleefPair8 {
  Lanes8 sin;
  Lanes8 cos;
};
DALEMBERT_SLEEF(double, SleefPair, finz, 1, purecfma)
DALEMBERT_SLEEF(Lanes4, SleefPair4, finz, 4, avx2)
DALEMBERT_SLEEF(Lanes8, SleefPair8, finz, 8, avx512f)
#endif
#undef DALEMBERT_SLEEF
}

namespace dalembert::codegen {

namespace {

using Library = std::array<VectorFunction, 13>;  ///< in the order of Operation, from sin on

#define DALEMBERT_CODE(name, kind, width, set) \
  reinterpret_cast<VectorFunction>(Sleef_##kind##_##name##d##width##_u10##set)
#define DALEMBERT_LIBRARY(kind, width, set)                                              \
  Library {                                                                              \
    DALEMBERT_CODE(sincos, kind, width, set), DALEMBERT_CODE(sincos, kind, width, set),  \
        DALEMBERT_CODE(tan, kind, width, set), DALEMBERT_CODE(asin, kind, width, set),   \
        DALEMBERT_CODE(acos, kind, width, set), DALEMBERT_CODE(atan, kind, width, set),  \
        DALEMBERT_CODE(atan2, kind, width, set), DALEMBERT_CODE(sinh, kind, width, set), \
        DALEMBERT_CODE(cosh, kind, width, set), DALEMBERT_CODE(tanh, kind, width, set),  \
        DALEMBERT_CODE(exp, kind, width, set), DALEMBERT_CODE(log, kind, width, set),    \
        DALEMBERT_CODE(pow, kind, width, set)                                            \
  }

/// The same with sine and cosine of our own.
[[maybe_unused]] Library with_own(Library library, VectorFunction sincos) {
  library[0] = library[1] = sincos;
  return library;
}

VectorFunction code(const Library& library, Operation operation) {
  return library[static_cast<std::size_t>(operation) - static_cast<std::size_t>(Operation::sin)];
}

#if defined(__x86_64__)
bool has_fma() {
  static const bool has = __builtin_cpu_supports("fma") != 0;
  return has;
}
/// Whether our own functions can run.
bool has_lanes() {
  static const bool has = has_fma() && __builtin_cpu_supports("avx2") != 0;
  return has;
}
#endif

/// SLEEF's, for one number.
const Library& plain_library() {
#if defined(__x86_64__)
  static const Library fused = DALEMBERT_LIBRARY(finz, 1, purecfma);
  if (has_fma()) return fused;
#endif
  static const Library plain = DALEMBERT_LIBRARY(cinz, 1, purec);
  return plain;
}

const Library& scalar_library() {
#if defined(__x86_64__)
  static const Library own = with_own(plain_library(), own_sincos_1());
  if (has_lanes()) return own;
#endif
  return plain_library();
}

/// The functions in 4 or 8 lanes; null where this machine has no such vectors.
const Library* lane_library([[maybe_unused]] int lanes) {
#if defined(__x86_64__)
  static const Library four = with_own(DALEMBERT_LIBRARY(finz, 4, avx2), own_sincos_4());
  static const Library eight = with_own(DALEMBERT_LIBRARY(finz, 8, avx512f), own_sincos_8());
  static const bool has_eight = has_lanes() && __builtin_cpu_supports("avx512f") != 0;
  if (lanes == 4 && has_lanes()) return &four;
  if (lanes == 8 && has_eight) return &eight;
#endif
  return nullptr;
}

#undef DALEMBERT_LIBRARY
#undef DALEMBERT_CODE

using Function = double (*)(double);
using Function2 = double (*)(double, double);

}  // namespace

SinCos sincos(double x) {
  const VectorFunction function = code(scalar_library(), Operation::sin);
  const SleefPair both = reinterpret_cast<SleefPair (*)(double)>(function)(x);
  return {both.sin, both.cos};
}

#if defined(__x86_64__)
void mend_sincos(int lanes, const double* x, double* sin, double* cos) {
  const auto function =
      reinterpret_cast<SleefPair (*)(double)>(code(plain_library(), Operation::sin));
  for (int l = 0; l < lanes; ++l) {
    if (std::abs(x[l]) <= largest_angle) continue;
    const SleefPair both = function(x[l]);
    sin[l] = both.sin;
    cos[l] = both.cos;
  }
}
#endif

bool is_elementary(Operation operation) {
  return operation >= Operation::sin && operation <= Operation::power;
}

bool is_binary(Operation operation) {
  switch (operation) {
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::divide:
    case Operation::atan2:
    case Operation::power:
    case Operation::min:
    case Operation::max:
    case Operation::multiply_add:
    case Operation::multiply_subtract:
    case Operation::subtract_product:
      return true;
    default:
      return false;
  }
}

double elementary(Operation operation, double a, double b) {
  if (operation == Operation::sin) return sincos(a).sin;
  if (operation == Operation::cos) return sincos(a).cos;
  const VectorFunction function = code(scalar_library(), operation);
  return is_binary(operation) ? reinterpret_cast<Function2>(function)(a, b)
                              : reinterpret_cast<Function>(function)(a);
}

void elementary_lanes(Operation operation, int lanes, const double* a, const double* b,
                      double* result) {
  if (operation == Operation::sin || operation == Operation::cos) {
    alignas(64) std::array<double, 8> other;
    return operation == Operation::sin ? sincos_lanes(lanes, a, result, other.data())
                                       : sincos_lanes(lanes, a, other.data(), result);
  }
#if defined(__x86_64__)
  const bool binary = is_binary(operation);
  if (const Library* eight = lanes == 8 ? lane_library(8) : nullptr)
    return call_avx512(code(*eight, operation), binary, a, b, result);
  if (const Library* four = lane_library(4)) {
    for (int l = 0; l < lanes; l += 4)
      call_avx2(code(*four, operation), binary, a + l, b + l, result + l);
    return;
  }
#endif
  for (int l = 0; l < lanes; ++l) result[l] = elementary(operation, a[l], b[l]);
}

void sincos_lanes(int lanes, const double* a, double* sin, double* cos) {
#if defined(__x86_64__)
  if (const Library* eight = lanes == 8 ? lane_library(8) : nullptr)
    return call_sincos_avx512(code(*eight, Operation::sin), a, sin, cos);
  if (const Library* four = lane_library(4)) {
    for (int l = 0; l < lanes; l += 4)
      call_sincos_avx2(code(*four, Operation::sin), a + l, sin + l, cos + l);
    return;
  }
#endif
  for (int l = 0; l < lanes; ++l) {
    const SinCos both = sincos(a[l]);
    sin[l] = both.sin;
    cos[l] = both.cos;
  }
}

SincosOfFour sincos_of_four() {
#if defined(__x86_64__)
  if (lane_library(4) != nullptr) return sincos_of_four_avx2;
#endif
  return [](double a, double b, double c, double d, double* both) {
    for (const double angle : {a, b, c, d}) {
      const SinCos halves = sincos(angle);
      both[0] = halves.sin;
      both[4] = halves.cos;
      ++both;
    }
  };
}

const void* function_address(Operation operation, int lanes) {
  const Library* library = lanes == 1 ? &scalar_library() : lane_library(lanes);
  return library == nullptr ? nullptr : reinterpret_cast<const void*>(code(*library, operation));
}

}  // namespace dalembert::codegen
