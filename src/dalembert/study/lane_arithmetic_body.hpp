// The loops of lane_arithmetic.hpp. No header of its own: each instruction set includes it inside a
// namespace of its own, after the headers it needs and with its instructions switched on. There
// `take_roots` replaces `root_width` numbers, 8 bytes each and aligned, by their square roots.
// No #pragma once for the same reason.

namespace dop853 = motion::dop853;

/// W numbers side by side; for one lane plain numbers.
template <int W>
struct Lane {
  typedef double Values __attribute__((vector_size(8 * W), may_alias));
  typedef std::int64_t Masks __attribute__((vector_size(8 * W), may_alias));
};
template <>
struct Lane<1> {
  typedef double Values;
  typedef std::int64_t Masks;
};
template <int W>
using Values = typename Lane<W>::Values;
template <int W>
using Masks = typename Lane<W>::Masks;

template <int W>
Values<W>& at(double* x) {
  return *reinterpret_cast<Values<W>*>(x);
}
template <int W>
const Values<W>& at(const double* x) {
  return *reinterpret_cast<const Values<W>*>(x);
}
template <int W>
Masks<W>& at(std::int64_t* mask) {
  return *reinterpret_cast<Masks<W>*>(mask);
}
template <int W>
const Masks<W>& at(const std::int64_t* mask) {
  return *reinterpret_cast<const Masks<W>*>(mask);
}

template <int W>
void magnitude(Values<W>& x) {
  if constexpr (W == 1) {
    x = std::abs(x);
  } else {
    x = (Values<W>)((Masks<W>)x & std::numeric_limits<std::int64_t>::max());
  }
}

template <int W>
void square_root(Values<W>& x) {
  double lanes[W] __attribute__((aligned(64)));
  std::memcpy(lanes, &x, sizeof x);
  static_assert(W % root_width == 0);
  for (int l = 0; l < W; l += root_width) take_roots(lanes + l);
  std::memcpy(&x, lanes, sizeof x);
}

template <int W>
void raise_to(Values<W>& x, const Values<W>& other) {
  x = x > other ? x : other;
}

/// sc = atol + rtol max(|y|, |y_new|)
template <int W>
void tolerance_of(const LaneStep& step, const Values<W>& y, const Values<W>& y_new,
                  Values<W>& scale) {
  Values<W> size = y, size_new = y_new;
  magnitude<W>(size);
  magnitude<W>(size_new);
  raise_to<W>(size, size_new);
  scale = step.atol + step.rtol * size;
}

/// Sum of w_j k_j over the weights that are not zero, w = weights(); k is one entry's stages.
template <int W, class WeightsFunction>
[[gnu::always_inline]] inline void weighted_sum(WeightsFunction weights, const double* k,
                                                Values<W>& sum) {
  constexpr dop853::Weights w = weights();
  static_assert(w[0] != 0.0);
  sum = w[0] * at<W>(k);
  const auto add = [&]<std::size_t j>(std::integral_constant<std::size_t, j>)
                       __attribute__((always_inline)) {
                         if constexpr (j > 0 && w[j] != 0.0) sum += w[j] * at<W>(k + j * W);
                       };
  [&]<std::size_t... j>(std::index_sequence<j...>) __attribute__((always_inline)) {
    (add(std::integral_constant<std::size_t, j>{}), ...);
  }(std::make_index_sequence<lane_stages>{});
}

/// One evaluation, its y in place: keeps stage `stage`. `trouble` stays 0 only where the derivative
/// has a value: what is not finite makes it no number, doubt adds to it.
template <int W, std::size_t stage>
void keep_stage(LaneKernel& derivative, LaneStep& step, Values<W>& trouble) {
  derivative.run();
  const double* const* out = derivative.out.data();
  double* k = step.k.data() + stage * W;
  for (std::size_t i = 0; i < step.size; ++i, k += lane_stages * W) {
    const Values<W> value = at<W>(out[i]);
    at<W>(k) = value;
    trouble += value - value;
  }
  const Values<W> none{};
  trouble += at<W>(out[step.size]) <= 1.0 ? none : none + 1.0;
}

/// -1 where there is no trouble, else 0.
template <int W>
void note_valued(const Values<W>& trouble, std::int64_t* valued) {
  const Masks<W> none{};
  at<W>(valued) = trouble == 0.0 ? none - 1 : none;
}

/// Stages first ... last - 1, each from those before it.
template <int W, std::size_t first, std::size_t last>
void evaluate_stages(LaneKernel& derivative, LaneStep& step, Values<W>& trouble) {
  if constexpr (first != last) {
    const Values<W> h = at<W>(step.h.data());
    double* in = derivative.in;
    at<W>(in) = at<W>(step.t.data()) + dop853::c[first] * h;
    const double* y = step.y.data();
    const double* k = step.k.data();
    for (std::size_t i = 0; i < step.size; ++i, y += W, k += lane_stages * W) {
      in += W;
      Values<W> sum;
      weighted_sum<W>([] { return dop853::a[first]; }, k, sum);
      at<W>(in) = at<W>(y) + h * sum;
    }
    keep_stage<W, first>(derivative, step, trouble);
    evaluate_stages<W, first + 1, last>(derivative, step, trouble);
  }
}

template <int W>
void attempt(LaneKernel& derivative, LaneStep& step) {
  const std::size_t size = step.size;
  double* in = derivative.in;
  at<W>(in) = at<W>(step.t.data());
  for (std::size_t i = 0; i < size; ++i) at<W>(in + (i + 1) * W) = at<W>(step.y.data() + i * W);
  Values<W> trouble{};
  keep_stage<W, 0>(derivative, step, trouble);
  note_valued<W>(trouble, step.started.data());
  evaluate_stages<W, 1, dop853::step_stages>(derivative, step, trouble);

  // With s = size |e|^2, see Rk8: error = |h| s5 / sqrt(size (s5 + 0.01 s3)).
  const Values<W> none{};
  Values<W> h = at<W>(step.h.data());
  Values<W> s5{}, s3{};
  const double* k = step.k.data();
  for (std::size_t i = 0; i < size; ++i, k += lane_stages * W) {
    Values<W> sum, e5, e3, scale;
    weighted_sum<W>([] { return dop853::b; }, k, sum);
    weighted_sum<W>([] { return dop853::e5; }, k, e5);
    weighted_sum<W>([] { return dop853::e3; }, k, e3);
    const Values<W> y = at<W>(step.y.data() + i * W);
    const Values<W> y_new = y + h * sum;
    at<W>(step.y_new.data() + i * W) = y_new;
    trouble += y_new - y_new;
    tolerance_of<W>(step, y, y_new, scale);
    const Values<W> weight = 1.0 / scale;
    // An entry without error counts nothing even if its scale is zero.
    const auto exact = (e5 == 0.0) & (e3 == 0.0);
    const Values<W> r5 = exact ? none : e5 * weight;
    const Values<W> r3 = exact ? none : e3 * weight;
    s5 += r5 * r5;
    s3 += r3 * r3;
  }
  magnitude<W>(h);
  const Values<W> sum = s5 + 0.01 * s3;
  Values<W> root = static_cast<double>(size) * sum;
  square_root<W>(root);
  Values<W> error = sum == 0.0 ? none : h * s5 / root;
  const Values<W> infinite = none + std::numeric_limits<double>::infinity();
  error = trouble == 0.0 ? error : infinite;
  error = error <= std::numeric_limits<double>::max() ? error : infinite;
  at<W>(step.error.data()) = error;
}

template <int W>
void prepare_dense(LaneKernel& derivative, LaneStep& step) {
  const std::size_t size = step.size;
  const Values<W> h = at<W>(step.h.data());
  double* in = derivative.in;
  at<W>(in) = at<W>(step.t.data()) + h;
  for (std::size_t i = 0; i < size; ++i) at<W>(in + (i + 1) * W) = at<W>(step.y_new.data() + i * W);
  Values<W> trouble{};
  keep_stage<W, dop853::step_stages>(derivative, step, trouble);
  evaluate_stages<W, dop853::step_stages + 1, dop853::all_stages>(derivative, step, trouble);
  note_valued<W>(trouble, step.dense_valued.data());

  const double* k = step.k.data();
  double* r = step.dense.data();
  for (std::size_t i = 0; i < size; ++i, k += lane_stages * W, r += 7 * W) {
    const Values<W> difference = at<W>(step.y_new.data() + i * W) - at<W>(step.y.data() + i * W);
    const Values<W> k_start = at<W>(k);
    const Values<W> k_end = at<W>(k + dop853::step_stages * W);
    at<W>(r) = difference;
    at<W>(r + W) = h * k_start - difference;
    at<W>(r + 2 * W) = 2.0 * difference - h * (k_start + k_end);
    Values<W> sum;
    weighted_sum<W>([] { return dop853::d[0]; }, k, sum);
    at<W>(r + 3 * W) = h * sum;
    weighted_sum<W>([] { return dop853::d[1]; }, k, sum);
    at<W>(r + 4 * W) = h * sum;
    weighted_sum<W>([] { return dop853::d[2]; }, k, sum);
    at<W>(r + 5 * W) = h * sum;
    weighted_sum<W>([] { return dop853::d[3]; }, k, sum);
    at<W>(r + 6 * W) = h * sum;
  }
}

template <int W>
void interpolate(const LaneStep& step, const double* theta, double* y) {
  const Values<W> part = at<W>(theta);
  const Values<W> rest = 1.0 - part;
  const double* r = step.dense.data();
  for (std::size_t i = 0; i < step.size; ++i, r += 7 * W) {
    Values<W> value = at<W>(r + 6 * W);
    value = at<W>(r + 5 * W) + part * value;
    value = at<W>(r + 4 * W) + rest * value;
    value = at<W>(r + 3 * W) + part * value;
    value = at<W>(r + 2 * W) + rest * value;
    value = at<W>(r + W) + part * value;
    value = at<W>(r) + rest * value;
    at<W>(y + i * W) = at<W>(step.y.data() + i * W) + part * value;
  }
}

template <int W>
void correction(const LaneStep& step, std::size_t n, const double* projected, double* change) {
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  Values<W> q_size{}, v_size{};
  for (std::size_t i = 0; i < step.size; ++i) {
    Values<W> x = at<W>(projected + i * W);
    magnitude<W>(x);
    if (i < n) {
      raise_to<W>(q_size, x);
    } else {
      raise_to<W>(v_size, x);
    }
  }
  const Values<W> q_rounding = rounding * q_size;
  const Values<W> v_rounding = rounding * ((1.0 + q_size) * v_size);
  Values<W> sum{};
  for (std::size_t i = 0; i < step.size; ++i) {
    const Values<W> end = at<W>(step.y_new.data() + i * W);
    Values<W> scale;
    tolerance_of<W>(step, at<W>(step.y.data() + i * W), end, scale);
    const Values<W> part =
        (at<W>(projected + i * W) - end) / (scale + (i < n ? q_rounding : v_rounding));
    sum += part * part;
  }
  sum = sum / static_cast<double>(step.size);
  square_root<W>(sum);
  at<W>(change) = sum;
}

template <int W>
void eighth_root(const double* error, double* reciprocal) {
  Values<W> x = at<W>(error);
  square_root<W>(x);
  square_root<W>(x);
  square_root<W>(x);
  at<W>(reciprocal) = 1.0 / x;
}

template <int W>
void replace(std::size_t count, const std::int64_t* mask, const double* const* source, double* x) {
  const Masks<W> chosen = at<W>(mask);
  for (std::size_t i = 0; i < count; ++i) {
    at<W>(x + i * W) = chosen ? at<W>(source[i]) : at<W>(x + i * W);
  }
}

template <int W>
void advance(std::size_t count, const std::int64_t* mask, const double* const* dx, double* x,
             double* best) {
  const Masks<W> chosen = at<W>(mask);
  for (std::size_t i = 0; i < count; ++i) {
    const Values<W> from = at<W>(x + i * W);
    at<W>(best + i * W) = chosen ? from : at<W>(best + i * W);
    at<W>(x + i * W) = chosen ? from + at<W>(dx[i]) : from;
  }
}

template <int W>
inline constexpr LaneArithmetic loops{attempt<W>,    prepare_dense<W>, interpolate<W>,
                                      correction<W>, eighth_root<W>,   replace<W>,
                                      advance<W>};
