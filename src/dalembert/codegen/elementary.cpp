#include "dalembert/codegen/elementary.hpp"

#include <array>
#include <cmath>

#include "dalembert/codegen/elementary_vectors.hpp"
#include "dalembert/codegen/sincos_body.hpp"

// SLEEF's header shows the functions of an instruction set only to code compiled for it; here they
// are chosen when the program runs, and called by their addresses.
#define DALEMBERT_SLEEF(kind, width, set, function, bound) \
  Sleef_##kind##_##function##d##width##_##bound##set
#define DALEMBERT_PLAIN(name, function, bound, count) \
  DALEMBERT_SLEEF(cinz, 1, purec, function, bound)
#define DALEMBERT_FUSED(name, function, bound, count) \
  DALEMBERT_SLEEF(finz, 1, purecfma, function, bound)
#define DALEMBERT_FOUR(name, function, bound, count) DALEMBERT_SLEEF(finz, 4, avx2, function, bound)
#define DALEMBERT_EIGHT(name, function, bound, count) \
  DALEMBERT_SLEEF(finz, 8, avx512f, function, bound)

extern "C" {
#define DALEMBERT_DECLARE(...) void DALEMBERT_PLAIN(__VA_ARGS__)();
DALEMBERT_ELEMENTARY(DALEMBERT_DECLARE)
#undef DALEMBERT_DECLARE
#if defined(__x86_64__)
#define DALEMBERT_DECLARE(...)         \
  void DALEMBERT_FUSED(__VA_ARGS__)(); \
  void DALEMBERT_FOUR(__VA_ARGS__)();  \
  void DALEMBERT_EIGHT(__VA_ARGS__)();
DALEMBERT_ELEMENTARY(DALEMBERT_DECLARE)
#undef DALEMBERT_DECLARE
#endif
}

namespace dalembert::codegen {

namespace {

struct SleefPair {
  double sin;
  double cos;
};

using Library = std::array<VectorFunction, elementary_functions>;  ///< in the order of Operation

/// The same with sine and cosine of our own.
[[maybe_unused]] Library with_own(Library library, VectorFunction sincos) {
  library[elementary_index(Operation::sin)] = library[elementary_index(Operation::cos)] = sincos;
  return library;
}

VectorFunction code(const Library& library, Operation operation) {
  return library[elementary_index(operation)];
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

#define DALEMBERT_LIST_PLAIN(...) DALEMBERT_PLAIN(__VA_ARGS__),
#define DALEMBERT_LIST_FUSED(...) DALEMBERT_FUSED(__VA_ARGS__),
#define DALEMBERT_LIST_FOUR(...) DALEMBERT_FOUR(__VA_ARGS__),
#define DALEMBERT_LIST_EIGHT(...) DALEMBERT_EIGHT(__VA_ARGS__),

/// SLEEF's, for one number.
const Library& plain_library() {
#if defined(__x86_64__)
  static constexpr Library fused = {DALEMBERT_ELEMENTARY(DALEMBERT_LIST_FUSED)};
  if (has_fma()) return fused;
#endif
  static constexpr Library plain = {DALEMBERT_ELEMENTARY(DALEMBERT_LIST_PLAIN)};
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
  static const Library four = with_own({DALEMBERT_ELEMENTARY(DALEMBERT_LIST_FOUR)}, own_sincos_4());
  static const Library eight =
      with_own({DALEMBERT_ELEMENTARY(DALEMBERT_LIST_EIGHT)}, own_sincos_8());
  static const bool has_eight = has_lanes() && __builtin_cpu_supports("avx512f") != 0;
  if (lanes == 4 && has_lanes()) return &four;
  if (lanes == 8 && has_eight) return &eight;
#endif
  return nullptr;
}

#undef DALEMBERT_LIST_PLAIN
#undef DALEMBERT_LIST_FUSED
#undef DALEMBERT_LIST_FOUR
#undef DALEMBERT_LIST_EIGHT
#undef DALEMBERT_PLAIN
#undef DALEMBERT_FUSED
#undef DALEMBERT_FOUR
#undef DALEMBERT_EIGHT
#undef DALEMBERT_SLEEF

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

double elementary(Operation operation, double a, double b) {
  if (operation == Operation::sin) return sincos(a).sin;
  if (operation == Operation::cos) return sincos(a).cos;
  const VectorFunction function = code(scalar_library(), operation);
  return operands(operation) == 2 ? reinterpret_cast<Function2>(function)(a, b)
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
  const bool binary = operands(operation) == 2;
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
