// Sine and cosine of fused_sincos.hpp. No header of its own: fused_sincos.cpp includes it for each
// instruction set, inside a namespace of its own and with its instructions switched on. There V are
// the numbers of all lanes and I as many integers; `multiply_add` rounds a b + c once, `all_within`
// says whether no lane is beyond a limit, and `far` is SLEEF's function. No #pragma once for the
// same reason.

struct Both {
  V sin;
  V cos;
};

inline I bits(V x) {
  I result;
  std::memcpy(&result, &x, sizeof x);
  return result;
}

inline V number(I x) {
  V result;
  std::memcpy(&result, &x, sizeof x);
  return result;
}

inline V all(double x) {
  return V{} + x;
}

[[gnu::always_inline]] inline Both halves_of(V x) {
  // The sum's last digits are k: adding 1.5 2^52 leaves no room for a fraction.
  const V shifted = multiply_add(x, all(two_over_pi), all(shift));
  const V k = shifted - shift;
  // Exact: a multiple of the last place of x or of 2^-52, and less than 1.
  const V first = multiply_add(k, all(-half_pi[0]), x);
  const V second = k * half_pi[1];
  const V r = first - second;
  V rest = (first - r) - second;
  rest = rest - multiply_add(k, all(half_pi[1]), -second);
  rest = multiply_add(k, all(-half_pi[2]), rest);

  // In steps that wait for each other as little as can be.
  const V z = r * r;
  const V z2 = z * z;
  const V z4 = z2 * z2;
  const auto polynomial = [&](const std::array<double, 6>& p) {
    const V low = multiply_add(z, all(p[1]), all(p[0]));
    const V middle = multiply_add(z, all(p[3]), all(p[2]));
    const V high = multiply_add(z, all(p[5]), all(p[4]));
    return multiply_add(z4, high, multiply_add(z2, middle, low));
  };
  const V half = 0.5 * z;
  const V sin = r - multiply_add(-(z * r), polynomial(s), multiply_add(half, rest, -rest));
  const V most = 1.0 - half;
  const V low = multiply_add(-r, rest, (1.0 - most) - half);
  const V cos = most + multiply_add(z2, polynomial(c), low);

  const I quarters = bits(shifted);
  const auto even = (quarters & 1) == 0;
  const I sin_sign = (quarters & 2) << 62;
  const I cos_sign = ((quarters + 1) & 2) << 62;
  Both result{number(bits(even ? sin : cos) ^ sin_sign), number(bits(even ? cos : sin) ^ cos_sign)};
  if (!all_within(x)) {
    const auto near = number(bits(x) & ~sign_bit) <= limit;
    V far_sin, far_cos;
    far(x, far_sin, far_cos);
    result.sin = near ? result.sin : far_sin;
    result.cos = near ? result.cos : far_cos;
  }
  return result;
}
