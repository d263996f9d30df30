#include "dalembert/motion/steps/lane_arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "dalembert/motion/steps/lane_arithmetic_sets.hpp"

namespace dalembert::motion {

namespace {

namespace plain {

constexpr int root_width = 1;

void take_roots(double* x) {
  *x = std::sqrt(*x);
}

template <class Vector>
void fuse(const Vector& a, const Vector& b, Vector& sum) {
  for (std::size_t i = 0; i < sizeof(Vector) / sizeof(double); ++i)
    sum[i] = std::fma(a[i], b[i], sum[i]);
}

#include "dalembert/motion/steps/lane_arithmetic_body.hpp"

}  // namespace plain

}  // namespace

LaneKernel::LaneKernel(codegen::Kernel from, std::span<const double> parameters)
    : kernel(std::move(from)), workspace(kernel.workspace(parameters)), out(kernel.outputs()) {
  if (!out.empty()) in = kernel.input(workspace, 0);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = kernel.output(workspace, i);
  if (kernel.lanes() > 1 || out.empty()) return;
  static constexpr double zero = 0;
  packed.assign(out.begin(), out.end() - 1);
  while (packed.size() % lane_pack != 0) packed.push_back(&zero);
}

StepKernel::StepKernel(codegen::Kernel from, std::span<const double> parameters)
    : LaneKernel(std::move(from), parameters) {
  const std::size_t size = kernel.inputs() - 2;
  auto next = out.begin();
  const auto take = [&](std::vector<const double*>& list) {
    static constexpr double zero = 0;
    list.assign(next, next + static_cast<std::ptrdiff_t>(size));
    next += static_cast<std::ptrdiff_t>(size);
    while (kernel.lanes() == 1 && list.size() % lane_pack != 0) list.push_back(&zero);
  };
  for (auto& stage : k) take(stage);
  for (auto* list : {&y_new, &e5, &e3}) take(*list);
  std::copy(next, out.end(), doubt.begin());
}

LaneStep::LaneStep(int W, std::size_t y_size)
    : lanes(W),
      size(y_size),
      atol(W == 1 ? (size + lane_pack - 1) / lane_pack * lane_pack
                  : size * static_cast<std::size_t>(W),
           1e-12),
      t(static_cast<std::size_t>(W)),
      h(t.size()),
      y(W == 1 ? (size + lane_pack - 1) / lane_pack * lane_pack : size * t.size()),
      y_new(y.size()),
      k(lane_stages * y.size()),
      dense(7 * y.size()),
      error(t.size()),
      started(t.size()),
      dense_valued(t.size()) {}

const LaneArithmetic& plain_lanes(int lanes) {
  switch (lanes) {
    case 1:
      return plain::loops<1>;
    case 4:
      return plain::loops<4>;
    case 8:
      return plain::loops<8>;
    default:
      throw std::invalid_argument("there are 1, 4 or 8 lanes");
  }
}

const LaneArithmetic& lane_arithmetic(int lanes) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") != 0;
  if (lanes == 1 && avx2) return avx512 ? lanes_1_avx512() : lanes_1_avx2();
  if (lanes == 4 && avx2) return lanes_4_avx2();
  if (lanes == 8 && avx2) return avx512 ? lanes_8_avx512() : lanes_8_avx2();
#endif
  return plain_lanes(lanes);
}

}  // namespace dalembert::motion
