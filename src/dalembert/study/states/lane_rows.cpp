#include "dalembert/study/states/lane_rows.hpp"

#include <stdexcept>

#include "dalembert/study/states/lane_rows_sets.hpp"

namespace dalembert::study {

namespace {

template <std::size_t W>
void load(std::span<const RowPart> parts, double* lanes, double* taint) {
  for (std::size_t l = 0; l < W; ++l) taint[l] = 0;
  for (const RowPart& part : parts) {
    for (std::size_t i = 0; i < part.count; ++i) {
      for (std::size_t l = 0; l < W; ++l) {
        const double x = part.row[l * part.stride + i];
        *lanes++ = x;
        taint[l] += 0 * x;
      }
    }
  }
}

template <std::size_t W>
void store(const double* const* lanes, std::size_t count, double* row, std::size_t stride,
           double* taint) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t l = 0; l < W; ++l) {
      const double x = lanes[i][l];
      row[l * stride + i] = x;
      taint[l] += 0 * x;
    }
  }
}

template <std::size_t W>
unsigned refused(const double* taint, const double* doubt) {
  unsigned bits = 0;
  for (std::size_t l = 0; l < W; ++l) bits |= (taint[l] == 0 && doubt[l] <= 1 ? 0U : 1U) << l;
  return bits;
}

template <std::size_t W>
constexpr LaneRows loops{load<W>, store<W>, refused<W>};

}  // namespace

const LaneRows& lane_rows(int lanes) {
#if defined(__x86_64__)
  if (lanes == 8 && __builtin_cpu_supports("avx512f")) return rows_8_avx512();
#endif
  switch (lanes) {
    case 1:
      return loops<1>;
    case 4:
      return loops<4>;
    case 8:
      return loops<8>;
    default:
      throw std::invalid_argument("there are kernels of 1, 4 and 8 lanes");
  }
}

}  // namespace dalembert::study
