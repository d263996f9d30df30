#include "dalembert/codegen/elementary.hpp"

#include <limits>

// SLEEF's header shows the functions of an instruction set only to code compiled for it; here they
// are chosen when the program runs.
extern "C" {
struct SleefPair {
  double sin;
  double cos;
};
#define DALEMBERT_SLEEF(set)                     \
  SleefPair Sleef_sincosd1_u10##set(double);     \
  double Sleef_tand1_u10##set(double);           \
  double Sleef_asind1_u10##set(double);          \
  double Sleef_acosd1_u10##set(double);          \
  double Sleef_atand1_u10##set(double);          \
  double Sleef_sinhd1_u10##set(double);          \
  double Sleef_coshd1_u10##set(double);          \
  double Sleef_tanhd1_u10##set(double);          \
  double Sleef_expd1_u10##set(double);           \
  double Sleef_logd1_u10##set(double);           \
  double Sleef_atan2d1_u10##set(double, double); \
  double Sleef_powd1_u10##set(double, double);
DALEMBERT_SLEEF(purec)
#if defined(__x86_64__)
DALEMBERT_SLEEF(purecfma)
#endif
#undef DALEMBERT_SLEEF
}

namespace dalembert::codegen {

namespace {

using Function = double (*)(double);
using Function2 = double (*)(double, double);

/// SLEEF's functions for one instruction set. Those with fused multiply-add round otherwise than
/// those without, and as the vector versions of the same machine do.
struct Library {
  SleefPair (*sincos)(double);
  Function tan, asin, acos, atan, sinh, cosh, tanh, exp, log;
  Function2 atan2, power;
};

#define DALEMBERT_SLEEF(set)                                                                      \
  {Sleef_sincosd1_u10##set, Sleef_tand1_u10##set,  Sleef_asind1_u10##set,  Sleef_acosd1_u10##set, \
   Sleef_atand1_u10##set,   Sleef_sinhd1_u10##set, Sleef_coshd1_u10##set,  Sleef_tanhd1_u10##set, \
   Sleef_expd1_u10##set,    Sleef_logd1_u10##set,  Sleef_atan2d1_u10##set, Sleef_powd1_u10##set}

const Library& library() {
#if defined(__x86_64__)
  static const Library fused DALEMBERT_SLEEF(purecfma);
  static const bool has_fma = __builtin_cpu_supports("fma") != 0;
  if (has_fma) return fused;
#endif
  static const Library plain DALEMBERT_SLEEF(purec);
  return plain;
}

#undef DALEMBERT_SLEEF

}  // namespace

SinCos sincos(double x) {
  const SleefPair both = library().sincos(x);
  return {both.sin, both.cos};
}

bool is_elementary(Operation operation) {
  return operation >= Operation::sin && operation <= Operation::power;
}

double elementary(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::sin:
      return sincos(a).sin;
    case Operation::cos:
      return sincos(a).cos;
    case Operation::tan:
      return library().tan(a);
    case Operation::asin:
      return library().asin(a);
    case Operation::acos:
      return library().acos(a);
    case Operation::atan:
      return library().atan(a);
    case Operation::atan2:
      return library().atan2(a, b);
    case Operation::sinh:
      return library().sinh(a);
    case Operation::cosh:
      return library().cosh(a);
    case Operation::tanh:
      return library().tanh(a);
    case Operation::exp:
      return library().exp(a);
    case Operation::log:
      return library().log(a);
    case Operation::power:
      return library().power(a, b);
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

void elementary_lanes(Operation operation, int lanes, const double* a, const double* b,
                      double* result) {
  for (int l = 0; l < lanes; ++l) result[l] = elementary(operation, a[l], b[l]);
}

void sincos_lanes(int lanes, const double* a, double* sin, double* cos) {
  for (int l = 0; l < lanes; ++l) {
    const SinCos both = sincos(a[l]);
    sin[l] = both.sin;
    cos[l] = both.cos;
  }
}

}  // namespace dalembert::codegen
