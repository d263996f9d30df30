#if defined(__GNUC__) && !defined(__TINYC__)
#define MODEL_INLINE inline __attribute__((always_inline))
#else
#define MODEL_INLINE
#endif

#ifndef MODEL_PLAIN
/* Sine and cosine within 0.8 units in the last place. |x| = k pi/2 + r + t, k whole, |r| <= pi/4, t
   the rounding error of r; polynomials of degree 5 in r^2; k mod 4 tells which is which. */
static MODEL_INLINE void model_sincos(double x, double *sine, double *cosine) {
  double a = fabs(x), shifted, k, first, c, r, rest, t, z, zz, half, s, S, C, w, lost, low, cs;
  int quarter;
  if (!(a <= 1073741824.0)) {
    *sine = sin(x);
    *cosine = cos(x);
    return;
  }
  shifted = fma(a, 0x1.45f306dc9c883p-1, 0x1.8p52);
  k = shifted - 0x1.8p52;
  quarter = (int)k & 3;
  first = fma(-k, 0x1.921fb54442d18p+0, a);
  c = k * 0x1.1a62633145c07p-54;
  r = first - c;
  rest = fma(k, -0x1.f1976b7ed8fbcp-110, fma(k, 0x1.1a62633145c07p-54, -c));
  t = ((first - r) - c) - rest;
  z = r * r;
  zz = z * z;
  half = 0.5 * z;
  S = fma(zz,
          fma(zz, fma(z, 0x1.5d932f20c7a7fp-33, -0x1.ae5e66d439901p-26),
              fma(z, 0x1.71de3578734b0p-19, -0x1.a01a019c12696p-13)),
          fma(z, 0x1.111111110f880p-7, -0x1.5555555555549p-3));
  s = r + fma(z * r, S, fma(-half, t, t));
  C = fma(zz,
          fma(zz, fma(z, -0x1.8faecf874ef1ap-37, 0x1.1ee9ec486ed57p-29),
              fma(z, -0x1.27e4f80a7795dp-22, 0x1.a01a019cb2710p-16)),
          fma(z, -0x1.6c16c16c15184p-10, 0x1.555555555554cp-5));
  w = 1 - half;
  lost = (1 - w) - half;
  low = fma(r, t, 0.5 * fma(r, r, -z));
  cs = w + (lost + fma(zz, C, -low));
  *sine = (quarter & 1 ? cs : s) * (copysign(1.0, x) * (1 - (quarter & 2)));
  *cosine = (quarter & 1 ? s : cs) * (1 - ((quarter + 1) & 2));
}
#else
static void model_sincos(double x, double *sine, double *cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}
#endif

