#if defined(__x86_64__)

#include <immintrin.h>

#include "dalembert/study/states/lane_rows_sets.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC target("avx512f")
#endif

namespace dalembert::study {

namespace avx512 {
namespace {

// With masks, though of all: GCC 12 believes that the header's unmasked forms read what is not set.
constexpr __mmask8 all = 0xff;

__m512d low(__m512d a, __m512d b) {
  return _mm512_maskz_unpacklo_pd(all, a, b);
}
__m512d high(__m512d a, __m512d b) {
  return _mm512_maskz_unpackhi_pd(all, a, b);
}
__m512d tainted(__m512d taint, __m512d x) {
  return _mm512_add_pd(taint, _mm512_mul_pd(x, _mm512_setzero_pd()));
}
/// Four numbers at each place.
__m512d fours(const double* first, const double* second) {
  return _mm512_maskz_insertf64x4(all, _mm512_castpd256_pd512(_mm256_loadu_pd(first)),
                                  _mm256_loadu_pd(second), 1);
}
/// Two numbers at each place.
__m512d twos(const double* a, const double* b, const double* c, const double* d) {
  const __m256d ab =
      _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(a)), _mm_loadu_pd(b), 1);
  const __m256d cd =
      _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(c)), _mm_loadu_pd(d), 1);
  return _mm512_maskz_insertf64x4(all, _mm512_castpd256_pd512(ab), cd, 1);
}

/// One part; what has been seen with it.
__m512d load_part(const RowPart& part, double* lanes, __m512d seen) {
  const auto put = [&](std::size_t i, __m512d x) {
    _mm512_store_pd(lanes + i * 8, x);
    seen = tainted(seen, x);
  };
  const auto at = [&](std::size_t l, std::size_t i) { return part.row + l * part.stride + i; };
  std::size_t i = 0;
  for (; i + 4 <= part.count; i += 4) {
    const __m512d x02 = fours(at(0, i), at(2, i)), x13 = fours(at(1, i), at(3, i));
    const __m512d x46 = fours(at(4, i), at(6, i)), x57 = fours(at(5, i), at(7, i));
    const __m512d a = low(x02, x13), b = high(x02, x13), c = low(x46, x57), d = high(x46, x57);
    put(i, _mm512_maskz_shuffle_f64x2(all, a, c, 0x88));
    put(i + 1, _mm512_maskz_shuffle_f64x2(all, b, d, 0x88));
    put(i + 2, _mm512_maskz_shuffle_f64x2(all, a, c, 0xdd));
    put(i + 3, _mm512_maskz_shuffle_f64x2(all, b, d, 0xdd));
  }
  if (i + 2 <= part.count) {
    const __m512d even = twos(at(0, i), at(2, i), at(4, i), at(6, i));
    const __m512d odd = twos(at(1, i), at(3, i), at(5, i), at(7, i));
    put(i, low(even, odd));
    put(i + 1, high(even, odd));
    i += 2;
  }
  if (i < part.count) {
    put(i, _mm512_set_pd(*at(7, i), *at(6, i), *at(5, i), *at(4, i), *at(3, i), *at(2, i),
                         *at(1, i), *at(0, i)));
  }
  return seen;
}

void load(std::span<const RowPart> parts, double* lanes, double* taint) {
  __m512d seen = _mm512_setzero_pd();
  for (const RowPart& part : parts) {
    seen = load_part(part, lanes, seen);
    lanes += part.count * 8;
  }
  _mm512_store_pd(taint, seen);
}

/// The halves of x to two places.
void put_fours(__m512d x, double* first, double* second) {
  _mm256_storeu_pd(first, _mm512_maskz_extractf64x4_pd(all, x, 0));
  _mm256_storeu_pd(second, _mm512_maskz_extractf64x4_pd(all, x, 1));
}

void put_twos(__m512d x, double* a, double* b, double* c, double* d) {
  const __m256d first = _mm512_maskz_extractf64x4_pd(all, x, 0),
                second = _mm512_maskz_extractf64x4_pd(all, x, 1);
  _mm_storeu_pd(a, _mm256_castpd256_pd128(first));
  _mm_storeu_pd(b, _mm256_extractf128_pd(first, 1));
  _mm_storeu_pd(c, _mm256_castpd256_pd128(second));
  _mm_storeu_pd(d, _mm256_extractf128_pd(second, 1));
}

void store(const double* const* lanes, std::size_t count, double* row, std::size_t stride,
           double* taint) {
  __m512d seen = _mm512_load_pd(taint);
  const auto get = [&](std::size_t i) {
    const __m512d x = _mm512_load_pd(lanes[i]);
    seen = tainted(seen, x);
    return x;
  };
  const auto at = [&](std::size_t l, std::size_t i) { return row + l * stride + i; };
  // Two numbers of one vector, two of the other: for the rows 0 and 2 (1 and 3), and 4 and 6.
  const __m512i front = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
  const __m512i back = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const __m512d x0 = get(i), x1 = get(i + 1), x2 = get(i + 2), x3 = get(i + 3);
    const __m512d a = low(x0, x1), b = high(x0, x1), c = low(x2, x3), d = high(x2, x3);
    put_fours(_mm512_permutex2var_pd(a, front, c), at(0, i), at(2, i));
    put_fours(_mm512_permutex2var_pd(b, front, d), at(1, i), at(3, i));
    put_fours(_mm512_permutex2var_pd(a, back, c), at(4, i), at(6, i));
    put_fours(_mm512_permutex2var_pd(b, back, d), at(5, i), at(7, i));
  }
  if (i + 2 <= count) {
    const __m512d x0 = get(i), x1 = get(i + 1);
    put_twos(low(x0, x1), at(0, i), at(2, i), at(4, i), at(6, i));
    put_twos(high(x0, x1), at(1, i), at(3, i), at(5, i), at(7, i));
    i += 2;
  }
  if (i < count) {
    get(i);
    for (std::size_t l = 0; l < 8; ++l) *at(l, i) = lanes[i][l];
  }
  _mm512_store_pd(taint, seen);
}

unsigned refused(const double* taint, const double* doubt) {
  const __mmask8 finite =
      _mm512_cmp_pd_mask(_mm512_load_pd(taint), _mm512_setzero_pd(), _CMP_EQ_OQ);
  const __mmask8 sure = _mm512_cmp_pd_mask(_mm512_load_pd(doubt), _mm512_set1_pd(1), _CMP_LE_OQ);
  return 0xffU & ~(static_cast<unsigned>(finite) & static_cast<unsigned>(sure));
}

constexpr LaneRows loops{load, store, refused};

}  // namespace
}  // namespace avx512

const LaneRows& rows_8_avx512() {
  return avx512::loops;
}

}  // namespace dalembert::study

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
