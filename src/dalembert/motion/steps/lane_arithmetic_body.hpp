// The loops of lane_arithmetic.hpp. No header of its own: each instruction set includes it inside a
// namespace of its own, after the headers it needs and with its instructions switched on. There
// `take_roots` replaces `root_width` numbers, 8 bytes each and aligned, by their square roots, and
// `fuse` makes sum = a b + sum of vectors, rounded once.
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
  if constexpr (W % root_width == 0) {
    for (int l = 0; l < W; l += root_width) take_roots(lanes + l);
  } else {
    for (double& lane : lanes) lane = std::sqrt(lane);
  }
  std::memcpy(&x, lanes, sizeof x);
}

/// sum = a b + sum, rounded once.
template <int W>
[[gnu::always_inline]] inline void multiply_add(const Values<W>& a, const Values<W>& b,
                                                Values<W>& sum) {
  if constexpr (W == 1) {
    sum = std::fma(a, b, sum);
  } else {
    fuse(a, b, sum);
  }
}

template <int W>
void raise_to(Values<W>& x, const Values<W>& other) {
  x = x > other ? x : other;
}

/// sc = atol + rtol max(|y|, |y_new|)
template <int W>
void tolerance_of(const LaneStep& step, const double* atol, const Values<W>& y,
                  const Values<W>& y_new, Values<W>& scale) {
  Values<W> size = y, size_new = y_new;
  magnitude<W>(size);
  magnitude<W>(size_new);
  raise_to<W>(size, size_new);
  scale = at<W>(atol) + step.rtol * size;
}

/// Sum of w_j k_j over the weights that are not zero, one after the other and each product added
/// with one rounding; w = weights(), k is one entry's stages.
template <int W, class WeightsFunction>
[[gnu::always_inline]] inline void weighted_sum(WeightsFunction weights, const double* k,
                                                Values<W>& sum) {
  constexpr dop853::Weights w = weights();
  static_assert(w[0] != 0.0);
  sum = w[0] * at<W>(k);
  const auto add = [&]<std::size_t j>(std::integral_constant<std::size_t, j>)
                       __attribute__((always_inline)) {
                         if constexpr (j > 0 && w[j] != 0.0)
                           multiply_add<W>(Values<W>{} + w[j], at<W>(k + j * W), sum);
                       };
  [&]<std::size_t... j>(std::index_sequence<j...>) __attribute__((always_inline)) {
    (add(std::integral_constant<std::size_t, j>{}), ...);
  }(std::make_index_sequence<lane_stages>{});
}

/// What is computed at once, a pack: an entry of y in all lanes; with one lane, lane_pack entries.
template <int W>
inline constexpr int pack = W == 1 ? static_cast<int>(lane_pack) : W;

template <int W>
std::size_t packs(const LaneStep& step) {
  return W == 1 ? (step.size + lane_pack - 1) / lane_pack : step.size;
}

/// A number of each lane, for a pack.
template <int W>
void spread(const double* lanes, Values<pack<W>>& x) {
  if constexpr (W == 1) {
    x = Values<pack<W>>{} + *lanes;
  } else {
    x = at<W>(lanes);
  }
}

/// Writes pack p of a state to where a kernel reads it.
template <int W>
[[gnu::always_inline]] inline void write_input(double* y, const LaneStep& step, std::size_t p,
                                               const Values<pack<W>>& x) {
  if constexpr (W > 1) {
    at<W>(y + p * W) = x;
  } else if (lane_pack * (p + 1) <= step.size) {
    std::memcpy(y + lane_pack * p, &x, sizeof x);
  } else {
    for (std::size_t i = lane_pack * p; i < step.size; ++i) y[i] = x[i % lane_pack];
  }
}

/// Pack p of what a kernel has written.
template <int W>
[[gnu::always_inline]] inline void read_output(const double* const* out, std::size_t p,
                                               Values<pack<W>>& x) {
  if constexpr (W > 1) {
    x = at<W>(out[p]);
  } else {
    // Not by way of memory: short stores would hold up the long load that follows.
    out += lane_pack * p;
    x = Values<pack<W>>{*out[0], *out[1], *out[2], *out[3]};
  }
}

/// Adds to a lane's sum the first `entries` of a pack, one after the other: a sum must not depend
/// on W.
template <int W>
[[gnu::always_inline]] inline void add_entries(std::size_t entries, const Values<pack<W>>& x,
                                               Values<W>& sum) {
  if constexpr (W > 1) {
    sum += x;
  } else if (entries >= lane_pack) {
    for (std::size_t i = 0; i < lane_pack; ++i) sum += x[i];
  } else {
    for (std::size_t i = 0; i < entries; ++i) sum += x[i];
  }
}

/// Whether what a stage is enters y_new, which is looked at.
template <std::size_t stage>
inline constexpr bool seen_later =
    stage > 0 && stage < dop853::step_stages&& dop853::b[stage] != 0.0;

template <int W>
[[gnu::always_inline]] inline void count_doubt(const double* lanes, Values<pack<W>>& trouble) {
  Values<pack<W>> doubt;
  spread<W>(lanes, doubt);
  const Values<pack<W>> none{};
  trouble += doubt <= 1.0 ? none : none + 1.0;
}

/// One evaluation, its y in place: keeps stage `stage`. `trouble` stays 0 only where the derivative
/// has a value: what is not finite makes it no number, doubt adds to it.
template <int W, std::size_t stage>
void keep_stage(LaneKernel& derivative, LaneStep& step, Values<pack<W>>& trouble) {
  derivative.run();
  constexpr std::size_t P = pack<W>;
  const double* const* out = W == 1 ? derivative.packed.data() : derivative.out.data();
  double* k = step.k.data() + stage * P;
  for (std::size_t p = 0; p < packs<W>(step); ++p, k += lane_stages * P) {
    Values<P> value;
    read_output<W>(out, p, value);
    at<P>(k) = value;
    if constexpr (!seen_later<stage>) trouble += value - value;
  }
  // At the start of a step, on the constraints, rows taken for dependent are looked at too.
  count_doubt<W>(derivative.out[step.size + (stage == 0 ? 1 : 0)], trouble);
}

/// -1 where there is no trouble, else 0.
template <int W>
void note_valued(const Values<pack<W>>& trouble, std::int64_t* valued) {
  Values<W> total{};
  add_entries<W>(pack<W>, trouble, total);
  const Masks<W> none{};
  at<W>(valued) = total == 0.0 ? none - 1 : none;
}

/// Stages first ... last - 1, each from those before it.
template <int W, std::size_t first, std::size_t last>
void evaluate_stages(LaneKernel& derivative, LaneStep& step, Values<pack<W>>& trouble) {
  if constexpr (first != last) {
    constexpr std::size_t P = pack<W>;
    Values<W> t = at<W>(step.t.data());
    multiply_add<W>(Values<W>{} + dop853::c[first], at<W>(step.h.data()), t);
    at<W>(derivative.in) = t;
    Values<P> h;
    spread<W>(step.h.data(), h);
    const double* y = step.y.data();
    const double* k = step.k.data();
    for (std::size_t p = 0; p < packs<W>(step); ++p, y += P, k += lane_stages * P) {
      Values<P> sum;
      weighted_sum<P>([] { return dop853::a[first]; }, k, sum);
      Values<P> there = at<P>(y);
      multiply_add<P>(h, sum, there);
      write_input<W>(derivative.in + W, step, p, there);
    }
    keep_stage<W, first>(derivative, step, trouble);
    evaluate_stages<W, first + 1, last>(derivative, step, trouble);
  }
}

/// Stage `stage` at the time t and the state y themselves.
template <int W, std::size_t stage>
void evaluate_at(LaneKernel& derivative, LaneStep& step, const Values<W>& t, const double* y,
                 Values<pack<W>>& trouble) {
  at<W>(derivative.in) = t;
  for (std::size_t p = 0; p < packs<W>(step); ++p)
    write_input<W>(derivative.in + W, step, p, at<pack<W>>(y + p * pack<W>));
  keep_stage<W, stage>(derivative, step, trouble);
}

/// y_new and the error of each lane: `find(p, y_new, e5, e3)` finds a pack's part of it.
/// With s = size |e|^2, see Rk8: error = |h| s5 / sqrt(size (s5 + 0.01 s3)).
template <int W, class Find>
[[gnu::always_inline]] inline void measure(LaneStep& step, Values<pack<W>>& trouble, Find find) {
  constexpr std::size_t P = pack<W>;
  Values<W> s5{}, s3{};
  for (std::size_t p = 0; p < packs<W>(step); ++p) {
    const Values<P> none{};
    Values<P> y_new, e5, e3, scale;
    find(p, y_new, e5, e3);
    at<P>(step.y_new.data() + p * P) = y_new;
    tolerance_of<P>(step, step.atol.data() + p * P, at<P>(step.y.data() + p * P), y_new, scale);
    const Values<P> weight = 1.0 / scale;
    // An entry without error counts nothing even if its scale is zero.
    const auto exact = (e5 == 0.0) & (e3 == 0.0);
    const Values<P> r5 = exact ? none : e5 * weight;
    const Values<P> r3 = exact ? none : e3 * weight;
    trouble += y_new - y_new;
    const std::size_t entries = W == 1 ? step.size - lane_pack * p : 1;
    add_entries<W>(entries, r5 * r5, s5);
    add_entries<W>(entries, r3 * r3, s3);
  }
  const Values<W> none{};
  Values<W> h = at<W>(step.h.data());
  magnitude<W>(h);
  const Values<W> sum = s5 + 0.01 * s3;
  Values<W> root = static_cast<double>(step.size) * sum;
  square_root<W>(root);
  Values<W> error = sum == 0.0 ? none : h * s5 / root;
  const Values<W> infinite = none + std::numeric_limits<double>::infinity();
  Values<W> all_trouble{};
  add_entries<W>(P, trouble, all_trouble);
  error = all_trouble == 0.0 ? error : infinite;
  error = error <= std::numeric_limits<double>::max() ? error : infinite;
  at<W>(step.error.data()) = error;
}

template <int W>
void attempt(LaneKernel& derivative, LaneStep& step) {
  constexpr std::size_t P = pack<W>;
  Values<P> trouble{};
  evaluate_at<W, 0>(derivative, step, at<W>(step.t.data()), step.y.data(), trouble);
  note_valued<W>(trouble, step.started.data());
  evaluate_stages<W, 1, dop853::step_stages>(derivative, step, trouble);
  Values<P> h;
  spread<W>(step.h.data(), h);
  measure<W>(step, trouble, [&](std::size_t p, Values<P>& y_new, Values<P>& e5, Values<P>& e3) {
    const double* k = step.k.data() + p * lane_stages * P;
    Values<P> sum;
    weighted_sum<P>([] { return dop853::b; }, k, sum);
    weighted_sum<P>([] { return dop853::e5; }, k, e5);
    weighted_sum<P>([] { return dop853::e3; }, k, e3);
    y_new = at<P>(step.y.data() + p * P);
    multiply_add<P>(h, sum, y_new);
  });
}

/// Looks at a stage that a kernel of the whole has found.
template <int W, std::size_t stage>
[[gnu::always_inline]] inline void look_at_stage(const StepKernel& whole, const LaneStep& step,
                                                 Values<pack<W>>& trouble) {
  if constexpr (!seen_later<stage>) {
    for (std::size_t p = 0; p < packs<W>(step); ++p) {
      Values<pack<W>> value;
      read_output<W>(whole.k[stage].data(), p, value);
      trouble += value - value;
    }
  }
  count_doubt<W>(whole.doubt[stage], trouble);
}

template <int W>
void attempt_whole(StepKernel& whole, LaneStep& step) {
  constexpr std::size_t P = pack<W>;
  at<W>(whole.in) = at<W>(step.t.data());
  at<W>(whole.in + W) = at<W>(step.h.data());
  for (std::size_t p = 0; p < packs<W>(step); ++p)
    write_input<W>(whole.in + std::size_t{2} * W, step, p, at<P>(step.y.data() + p * P));
  whole.run();
  Values<P> trouble{};
  look_at_stage<W, 0>(whole, step, trouble);
  note_valued<W>(trouble, step.started.data());
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (look_at_stage<W, i + 1>(whole, step, trouble), ...);
  }(std::make_index_sequence<dop853::step_stages - 1>{});
  measure<W>(step, trouble, [&](std::size_t p, Values<P>& y_new, Values<P>& e5, Values<P>& e3) {
    read_output<W>(whole.y_new.data(), p, y_new);
    read_output<W>(whole.e5.data(), p, e5);
    read_output<W>(whole.e3.data(), p, e3);
  });
}

template <int W>
void fetch_stages(const StepKernel& whole, LaneStep& step) {
  constexpr std::size_t P = pack<W>;
  for (std::size_t i = 0; i < dop853::step_stages; ++i) {
    double* k = step.k.data() + i * P;
    for (std::size_t p = 0; p < packs<W>(step); ++p, k += lane_stages * P) {
      Values<P> value;
      read_output<W>(whole.k[i].data(), p, value);
      at<P>(k) = value;
    }
  }
}

template <int W>
void prepare_dense(LaneKernel& derivative, LaneStep& step) {
  constexpr std::size_t P = pack<W>;
  Values<P> trouble{};
  evaluate_at<W, dop853::step_stages>(derivative, step, at<W>(step.t.data()) + at<W>(step.h.data()),
                                      step.y_new.data(), trouble);
  evaluate_stages<W, dop853::step_stages + 1, dop853::all_stages>(derivative, step, trouble);
  note_valued<W>(trouble, step.dense_valued.data());

  Values<P> h;
  spread<W>(step.h.data(), h);
  const double* k = step.k.data();
  double* r = step.dense.data();
  for (std::size_t p = 0; p < packs<W>(step); ++p, k += lane_stages * P, r += 7 * P) {
    const Values<P> difference = at<P>(step.y_new.data() + p * P) - at<P>(step.y.data() + p * P);
    const Values<P> k_start = at<P>(k);
    const Values<P> k_end = at<P>(k + dop853::step_stages * P);
    at<P>(r) = difference;
    at<P>(r + P) = h * k_start - difference;
    at<P>(r + 2 * P) = 2.0 * difference - h * (k_start + k_end);
    Values<P> sum;
    weighted_sum<P>([] { return dop853::d[0]; }, k, sum);
    at<P>(r + 3 * P) = h * sum;
    weighted_sum<P>([] { return dop853::d[1]; }, k, sum);
    at<P>(r + 4 * P) = h * sum;
    weighted_sum<P>([] { return dop853::d[2]; }, k, sum);
    at<P>(r + 5 * P) = h * sum;
    weighted_sum<P>([] { return dop853::d[3]; }, k, sum);
    at<P>(r + 6 * P) = h * sum;
  }
}

template <int W>
void interpolate(const LaneStep& step, const double* theta, double* y) {
  constexpr std::size_t P = pack<W>;
  Values<P> part;
  spread<W>(theta, part);
  const Values<P> rest = 1.0 - part;
  const double* r = step.dense.data();
  for (std::size_t p = 0; p < packs<W>(step); ++p, r += 7 * P) {
    Values<P> value = at<P>(r + 6 * P);
    value = at<P>(r + 5 * P) + part * value;
    value = at<P>(r + 4 * P) + rest * value;
    value = at<P>(r + 3 * P) + part * value;
    value = at<P>(r + 2 * P) + rest * value;
    value = at<P>(r + P) + part * value;
    value = at<P>(r) + rest * value;
    at<P>(y + p * P) = at<P>(step.y.data() + p * P) + part * value;
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
    tolerance_of<W>(step, step.atol.data() + i * W, at<W>(step.y.data() + i * W), end, scale);
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

/// Adds to `trouble` what makes it no number if x is not finite.
template <int W>
[[gnu::always_inline]] inline void look(const Values<W>& x, Values<W>& trouble) {
  trouble += x - x;
}

/// +inf where there is trouble.
template <int W>
[[gnu::always_inline]] inline void spoil(const Values<W>& trouble, double* x) {
  const Values<W> infinite = Values<W>{} + std::numeric_limits<double>::infinity();
  at<W>(x) = trouble == 0.0 ? at<W>(x) : infinite;
}

template <int W>
void series_norms(const LaneStep& step, const SeriesView& series, double* last, double* before) {
  Values<W> largest{}, largest_before{}, trouble{};
  const double* end = series.coefficients + series.order * W;
  for (std::size_t i = 0; i < step.size; ++i, end += series.stride * W) {
    Values<W> scale;
    const Values<W>& y = at<W>(step.y.data() + i * W);
    tolerance_of<W>(step, step.atol.data() + i * W, y, y, scale);
    Values<W> one = at<W>(end), two = at<W>(end - W);
    look<W>(one, trouble);
    look<W>(two, trouble);
    magnitude<W>(one);
    magnitude<W>(two);
    // An entry that does not change has no scale to fear.
    const Values<W> none{};
    const Values<W> weight = 1.0 / scale;
    const Values<W> ratio = one == 0.0 ? none : one * weight;
    const Values<W> ratio_before = two == 0.0 ? none : two * weight;
    raise_to<W>(largest, ratio);
    raise_to<W>(largest_before, ratio_before);
  }
  at<W>(last) = largest;
  at<W>(before) = largest_before;
  spoil<W>(trouble, last);
}

/// Entries are taken four at a time: what one waits for, the others do not.
template <int W, class Term>
[[gnu::always_inline]] inline void sum_series(std::size_t size, const SeriesView& series,
                                              std::size_t lowest, const double* h, double* out,
                                              Term term) {
  constexpr std::size_t together = 4;
  const Values<W> x = at<W>(h);
  std::size_t i = 0;
  const auto place = [&](std::size_t entry, std::size_t k) {
    return series.coefficients + (entry * series.stride + k) * W;
  };
  for (; i + together <= size; i += together) {
    Values<W> sum[together];
    for (std::size_t e = 0; e < together; ++e)
      term(at<W>(place(i + e, series.order)), series.order, sum[e]);
    for (std::size_t k = series.order; k-- > lowest;) {
      for (std::size_t e = 0; e < together; ++e) {
        Values<W> next;
        term(at<W>(place(i + e, k)), k, next);
        multiply_add<W>(sum[e], x, next);
        sum[e] = next;
      }
    }
    for (std::size_t e = 0; e < together; ++e) at<W>(out + (i + e) * W) = sum[e];
  }
  for (; i < size; ++i) {
    Values<W> sum;
    term(at<W>(place(i, series.order)), series.order, sum);
    for (std::size_t k = series.order; k-- > lowest;) {
      Values<W> next;
      term(at<W>(place(i, k)), k, next);
      multiply_add<W>(sum, x, next);
      sum = next;
    }
    at<W>(out + i * W) = sum;
  }
}

template <int W>
void series_value(const LaneStep& step, const SeriesView& series, const double* h, double* y) {
  sum_series<W>(step.size, series, 0, h, y,
                [](const Values<W>& c, std::size_t, Values<W>& value)
                    __attribute__((always_inline)) { value = c; });
}

template <int W>
void series_end(LaneStep& step, const SeriesView& series, const double* lost, double* lost_new) {
  const Values<W> h = at<W>(step.h.data());
  sum_series<W>(step.size, series, 1, step.h.data(), step.y_new.data(),
                [](const Values<W>& c, std::size_t, Values<W>& value)
                    __attribute__((always_inline)) { value = c; });
  for (std::size_t i = 0; i < step.size; ++i) {
    const Values<W> y = at<W>(step.y.data() + i * W);
    Values<W> way = at<W>(lost + i * W);
    multiply_add<W>(h, at<W>(step.y_new.data() + i * W), way);
    const Values<W> end = y + way;
    const Values<W> taken = end - y;
    at<W>(step.y_new.data() + i * W) = end;
    at<W>(lost_new + i * W) = (y - (end - taken)) + (way - taken);
  }
}

template <int W>
void series_slope(const LaneStep& step, const SeriesView& series, const double* h, double* slope) {
  sum_series<W>(step.size, series, 1, h, slope,
                [](const Values<W>& c, std::size_t k, Values<W>& value)
                    __attribute__((always_inline)) { value = static_cast<double>(k) * c; });
}

template <int W>
void series_defect(const LaneKernel& derivative, const double* slope, std::size_t p,
                   LaneStep& step) {
  Values<W> largest{}, trouble{};
  const Values<W> none{};
  for (std::size_t i = 0; i < step.size; ++i) {
    const Values<W>& y_new = at<W>(step.y_new.data() + i * W);
    Values<W> scale;
    tolerance_of<W>(step, step.atol.data() + i * W, at<W>(step.y.data() + i * W), y_new, scale);
    Values<W> off = at<W>(derivative.out[i]) - at<W>(slope + i * W);
    look<W>(off, trouble);
    look<W>(y_new, trouble);
    magnitude<W>(off);
    const Values<W> ratio = off == 0.0 ? none : off / scale;
    raise_to<W>(largest, ratio);
  }
  const Values<W> doubt = at<W>(derivative.out[step.size]);
  trouble += doubt <= 1.0 ? none : none + 1.0;
  Values<W> h = at<W>(step.h.data());
  magnitude<W>(h);
  at<W>(step.error.data()) = h * largest / static_cast<double>(p + 1);
  spoil<W>(trouble, step.error.data());
}

template <int W>
inline constexpr LaneArithmetic loops{
    attempt<W>,    attempt_whole<W>, fetch_stages<W>, prepare_dense<W>, interpolate<W>,
    correction<W>, eighth_root<W>,   replace<W>,      advance<W>,       series_norms<W>,
    series_end<W>, series_value<W>,  series_slope<W>, series_defect<W>};
