#pragma once
/// Sine and cosine of one angle, for one number or a vector of them; the same operations in the
/// same order for all, so the same bits. For files compiled for an instruction set with fused
/// multiply-add.
///
/// |x| = k pi/2 + r + t with k whole, |r| <= pi/4 and t the rounding error of r, from pi/2 in three
/// parts: x - k P1 is exact. Then
///
///   sin(r + t) = r + (r z S(z) + t (1 - z/2)),   cos(r + t) = 1 - z/2 + (z z C(z) - r t),   z = r
///   r,
///
/// S and C the polynomials of degree 5 closest to what they stand for (2^-58 and 2^-64 of the
/// result off), and k mod 4 says which is which and with which sign. Below 0.8 units in the last
/// place. From `largest_angle` on, which no motion reaches, the library's function takes over, lane
/// by lane.

#include <cstdint>

namespace dalembert::codegen {

inline constexpr double largest_angle = 0x1p30;

/// `Vector` has the numbers V and whole numbers I of equal size, fma (a b + c), fms (a b - c), fnma
/// (c - a b), and what is done to bits.
template <class Vector>
struct SincosBody {
  using V = typename Vector::V;
  using I = typename Vector::I;

  [[gnu::always_inline]] static inline void sincos(const V& x, V& sin, V& cos) {
    const auto all = [](double value) { return Vector::from(value); };
    // Added to a number, it leaves its whole part in the last bits.
    const V magic = all(0x1.8p52);
    const V a = Vector::abs(x);
    const V shifted = Vector::fma(a, all(0x1.45f306dc9c883p-1), magic);
    const I quarter = Vector::bits(shifted);
    const V k = shifted - magic;
    const V first = Vector::fnma(k, all(0x1.921fb54442d18p+0), a);
    const V second = all(0x1.1a62633145c07p-54);
    const V c = k * second;
    const V r = first - c;
    const V rest = Vector::fma(k, all(-0x1.f1976b7ed8fbcp-110), Vector::fms(k, second, c));
    const V t = ((first - r) - c) - rest;

    const V z = r * r;
    const V zz = z * z;
    const V half = all(0.5) * z;
    const V s01 = Vector::fma(z, all(0x1.111111110f880p-7), all(-0x1.5555555555549p-3));
    const V s23 = Vector::fma(z, all(0x1.71de3578734b0p-19), all(-0x1.a01a019c12696p-13));
    const V s45 = Vector::fma(z, all(0x1.5d932f20c7a7fp-33), all(-0x1.ae5e66d439901p-26));
    const V S = Vector::fma(zz, Vector::fma(zz, s45, s23), s01);
    const V s = r + Vector::fma(z * r, S, Vector::fnma(half, t, t));

    const V c01 = Vector::fma(z, all(-0x1.6c16c16c15184p-10), all(0x1.555555555554cp-5));
    const V c23 = Vector::fma(z, all(-0x1.27e4f80a7795dp-22), all(0x1.a01a019cb2710p-16));
    const V c45 = Vector::fma(z, all(-0x1.8faecf874ef1ap-37), all(0x1.1ee9ec486ed57p-29));
    const V C = Vector::fma(zz, Vector::fma(zz, c45, c23), c01);
    const V w = all(1) - half;
    const V lost = (all(1) - w) - half;  // by the rounding of w
    const V low = Vector::fma(r, t, all(0.5) * Vector::fms(r, r, z));
    const V cs = w + (lost + Vector::fms(zz, C, low));

    const auto odd = Vector::is_odd(quarter);
    // The sign bits: of the second half turn, and of x.
    sin = Vector::flip(Vector::choose(odd, cs, s), ((quarter & 2) << 62) ^ Vector::sign(x));
    cos = Vector::flip(Vector::choose(odd, s, cs), ((quarter + 1) & 2) << 62);
  }
};

}  // namespace dalembert::codegen
