#include "dalembert/codegen/series_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "dalembert/codegen/chunks.hpp"
#include "dalembert/codegen/machine_program.hpp"
#include "dalembert/codegen/tiered.hpp"

namespace dalembert::codegen {

namespace {

/// W numbers; their count known where they are copied, or each would be a call.
inline void copy_lanes(const double* from, std::size_t W, double* to) {
  switch (W) {
    case 1:
      *to = *from;
      break;
    case 4:
      std::copy_n(from, 4, to);
      break;
    default:
      std::copy_n(from, 8, to);
  }
}

}  // namespace

SeriesKernel::SeriesKernel(Series series, const KernelOptions& options)
    : series_(std::make_shared<const Series>(std::move(series))),
      layout_(std::make_shared<const SeriesLayout>(*series_)),
      start_(make_kernel(series_->start, options)),
      order_(interpreted(series_->order, options.lanes)) {
  const Engine engine = chosen_engine(options.engine);
  if (engine == Engine::automatic) {
    orders_ = tiered(series_, options.lanes);
  } else if (engine == Engine::machine) {
    orders_ = machine_program(*series_, options.lanes, Level::good);
  }
  if (orders_ == nullptr) orders_ = series_interpreter(*series_, options.lanes);
}

SeriesWorkspace SeriesKernel::workspace(std::span<const double> parameters) const {
  SeriesWorkspace workspace{start_.workspace(parameters), order_.workspace(parameters)};
  const auto W = static_cast<std::size_t>(start_.lanes());
  AlignedVector& registers = workspace.orders.registers;
  registers.resize(layout_->size * W, 0.0);
  for (std::uint32_t k = 1; k < SeriesLayout::stride; ++k) {
    std::fill_n(registers.data() + (layout_->counts + k) * W, W, k);
    std::fill_n(registers.data() + (layout_->reciprocals + k) * W, W, 1.0 / k);
  }
  workspace.orders.until_report = workspace.orders.report_every = orders_->report(0);
  return workspace;
}

void SeriesKernel::bind(SeriesWorkspace& workspace, int lane,
                        std::span<const double> parameters) const {
  start_.bind(workspace.start, lane, parameters);
  order_.bind(workspace.orders, lane, parameters);
}

void SeriesKernel::begin(SeriesWorkspace& workspace) const {
  const auto W = static_cast<std::size_t>(start_.lanes());
  start_.run(workspace.start);
  double* registers = workspace.orders.registers.data();
  const double* y = start_.input(workspace.start, 1);
  double* coefficients = registers + layout_->coefficients * W;
  for (std::size_t i = 0; i < series_->size; ++i) {
    double* place = coefficients + i * SeriesLayout::stride * W;
    copy_lanes(y + i * W, W, place);
    copy_lanes(start_.output(workspace.start, i), W, place + W);
  }
  double* later = registers + (layout_->inputs + series_->later_input()) * W;
  const std::size_t first = series_->start.outputs.size() - series_->later;
  for (std::size_t i = 0; i < series_->later; ++i)
    copy_lanes(start_.output(workspace.start, first + i), W, later + i * W);
}

void SeriesKernel::run(SeriesWorkspace& workspace, std::uint32_t p) const {
  double* registers = workspace.orders.registers.data();
  registers[layout_->order * static_cast<std::size_t>(start_.lanes())] = p;
  orders_->run(registers);
  if (--workspace.orders.until_report == 0)
    workspace.orders.until_report = workspace.orders.report_every =
        orders_->report(workspace.orders.report_every);
}

namespace {

using Lanes4 [[gnu::vector_size(32), gnu::may_alias]] = double;
using Lanes8 [[gnu::vector_size(64), gnu::may_alias]] = double;

/// sum = a b + sum, rounded once.
template <class V, int W>
[[gnu::always_inline]] inline void add_product(const V& a, const V& b, V& sum) {
  if constexpr (W == 1) {
    sum = __builtin_fma(a, b, sum);
  } else {
    for (int l = 0; l < W; ++l) sum[l] = __builtin_fma(a[l], b[l], sum[l]);
  }
}

/// One sum P of order k.
template <class V, int W>
[[gnu::always_inline]] inline void find_sum(const V* a, const V* b, std::size_t k, V& sum) {
  const std::size_t last = k == 2 ? 0 : k - 1;  // order 0 is kept as 0
  sum = V{};
  for (std::size_t j = 2; j + 1 < k; ++j) add_product<V, W>(a[j], b[k - j], sum);
  add_product<V, W>(a[1], b[k - 1], sum);
  add_product<V, W>(a[last], b[1], sum);
}

/// All of them, W lanes each.
template <class V, int W>
[[gnu::always_inline]] inline void find_sums(const Series& series, const SeriesLayout& layout,
                                             const double* registers, std::uint32_t k,
                                             double* sums) {
  const double* kept = registers + std::size_t{layout.kept} * W;
  const auto of = [&](std::uint32_t s) {
    return reinterpret_cast<const V*>(kept + std::size_t{s} * SeriesLayout::stride * W);
  };
  for (const SeriesPair& pair : series.pairs) {
    find_sum<V, W>(of(pair.a), of(pair.b), k, *reinterpret_cast<V*>(sums));
    sums += W;
  }
}

using FindSums = void (*)(const Series&, const SeriesLayout&, const double*, std::uint32_t,
                          double*);
void sums1(const Series& series, const SeriesLayout& layout, const double* registers,
           std::uint32_t k, double* sums) {
  find_sums<double, 1>(series, layout, registers, k, sums);
}
void sums4(const Series& series, const SeriesLayout& layout, const double* registers,
           std::uint32_t k, double* sums) {
  find_sums<Lanes4, 4>(series, layout, registers, k, sums);
}
void sums8(const Series& series, const SeriesLayout& layout, const double* registers,
           std::uint32_t k, double* sums) {
  find_sums<Lanes8, 8>(series, layout, registers, k, sums);
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void sums1_avx2(const Series& series, const SeriesLayout& layout,
                                            const double* registers, std::uint32_t k,
                                            double* sums) {
  find_sums<double, 1>(series, layout, registers, k, sums);
}
[[gnu::target("avx2,fma")]] void sums4_avx2(const Series& series, const SeriesLayout& layout,
                                            const double* registers, std::uint32_t k,
                                            double* sums) {
  find_sums<Lanes4, 4>(series, layout, registers, k, sums);
}
[[gnu::target("avx2,fma")]] void sums8_avx2(const Series& series, const SeriesLayout& layout,
                                            const double* registers, std::uint32_t k,
                                            double* sums) {
  find_sums<Lanes8, 8>(series, layout, registers, k, sums);
}
[[gnu::target("avx512f,fma")]] void sums1_avx512(const Series& series, const SeriesLayout& layout,
                                                 const double* registers, std::uint32_t k,
                                                 double* sums) {
  find_sums<double, 1>(series, layout, registers, k, sums);
}
[[gnu::target("avx512f,fma")]] void sums8_avx512(const Series& series, const SeriesLayout& layout,
                                                 const double* registers, std::uint32_t k,
                                                 double* sums) {
  find_sums<Lanes8, 8>(series, layout, registers, k, sums);
}
#endif

FindSums find_sums_for(int lanes) {
#if defined(__x86_64__)
  if (widest_lanes() >= 8 && lanes != 4) return lanes == 1 ? sums1_avx512 : sums8_avx512;
  if (widest_lanes() >= 4) return lanes == 1 ? sums1_avx2 : lanes == 4 ? sums4_avx2 : sums8_avx2;
#endif
  return lanes == 1 ? sums1 : lanes == 4 ? sums4 : sums8;
}

/// The machine code of a tape that long is many functions, which a loop can only call.
bool is_long(const Series& series) {
  return series.order.code.size() - series.order.prologue > chunk_size;
}

class SeriesInterpreter final : public Program {
 public:
  SeriesInterpreter(const Series& series, int lanes)
      : series_(series),
        layout_(series),
        lanes_(static_cast<std::size_t>(lanes)),
        order_(is_long(series) ? tiered(std::make_shared<const Tape>(series.order), lanes)
                               : interpreter(series.order, lanes)),
        find_sums_(find_sums_for(lanes)) {}

  void run_prologue(double* registers) const override { order_->run_prologue(registers); }

  void run(double* registers) const override {
    const std::size_t W = lanes_;
    const auto p = static_cast<std::uint32_t>(registers[layout_.order * W]);
    const auto input = [&](std::uint32_t i) { return registers + (layout_.inputs + i) * W; };
    double* coefficients = registers + layout_.coefficients * W;
    forget(registers);
    for (std::uint32_t k = 1; k < p; ++k) {
      std::copy_n(registers + (layout_.counts + k) * W, W, input(Series::k_input));
      std::copy_n(registers + (layout_.reciprocals + k) * W, W, input(Series::reciprocal_input));
      std::fill_n(input(Series::t_input), W, k == 1 ? 1.0 : 0.0);
      for (std::uint32_t i = 0; i < series_.size; ++i) {
        std::copy_n(coefficients + (std::size_t{i} * SeriesLayout::stride + k) * W, W,
                    input(Series::y_input + i));
      }
      find_sums_(series_, layout_, registers, k, input(series_.pair_input()));
      order_->run(registers);
      keep(registers, k);
      const double reciprocal = registers[(layout_.reciprocals + k + 1) * W];
      const double count = k + 1;
      for (std::uint32_t i = 0; i < series_.size; ++i) {
        double* next = coefficients + (std::size_t{i} * SeriesLayout::stride + k + 1) * W;
        const double* rate = registers + series_.order.outputs[i] * W;
        for (std::size_t l = 0; l < W; ++l)
          next[l] = series_.exact ? rate[l] / count : rate[l] * reciprocal;
      }
    }
  }
  Engine engine() const override { return order_->engine(); }
  std::uint32_t report(std::uint32_t runs) const override {
    constexpr std::uint32_t typical_order = 16;
    const std::uint32_t more =
        order_->report(runs > UINT32_MAX / typical_order ? UINT32_MAX : runs * typical_order);
    return more == UINT32_MAX ? more : std::max(more / typical_order, 1U);
  }

 private:
  /// What was kept of order 1: it must not meet the order 0 that is 0 if it is no number.
  void forget(double* registers) const {
    const std::size_t W = lanes_;
    for (std::size_t s = 0; s < series_.kept; ++s)
      std::fill_n(registers + (layout_.kept + s * SeriesLayout::stride + 1) * W, W, 0.0);
  }

  /// The kept series' coefficients of order k.
  void keep(double* registers, std::size_t k) const {
    const std::size_t W = lanes_;
    const auto found = [&](std::size_t s) {
      return registers + series_.order.outputs[series_.size + s] * W;
    };
    for (std::size_t s = 0; s < series_.kept; ++s)
      std::copy_n(found(s), W, registers + (layout_.kept + s * SeriesLayout::stride + k) * W);
  }

  Series series_;
  SeriesLayout layout_;
  std::size_t lanes_;
  std::shared_ptr<const Program> order_;
  FindSums find_sums_;
};

}  // namespace

std::shared_ptr<const Program> series_interpreter(const Series& series, int lanes) {
  return std::make_shared<const SeriesInterpreter>(series, lanes);
}

}  // namespace dalembert::codegen
